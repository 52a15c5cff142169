"""Occurrences of terms, as stored in an index."""

from gossamer.index.postings import of_postings


def occurrences(postings, term):
    """Return the document and the position of every occurrence of a term."""
    first, last = postings.span(term)
    found, places = of_postings(postings.positions, postings.position_blocks, first, last)
    return postings.documents(term)[found - first], places
