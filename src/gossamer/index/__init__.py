"""Inverted index of one partition: immutable segments under a manifest.

Input are pages as terms with positions; output are posting lists, columns and stored texts. `writer.py` makes
a segment, `merge.py` joins several, `index.py` commits and opens them, `postings.py` has the layout.
"""
