"""Which better spelling of a query does the index know?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gossamer.index.near import forms_near
from gossamer.model import Query, TermStats, Word
from gossamer.results.spelling import did_you_mean
from gossamer.search.expansion import analysers, forms_alike
from gossamer.search.searcher import Searcher
from gossamer.text.words import words


def suggestion(
    searchers: Sequence[Searcher], query: Query, languages: Iterable[str], stats: TermStats
) -> str | None:
    """A spelling that the index knows, where a word of the query stands nowhere in it."""
    typed = [word for clause in query.clauses if isinstance(clause, Word) for word in words(clause.text)]
    readers = analysers(tuple(sorted(languages)))

    def frequency(word: str) -> int:
        terms = {reader[word] for reader in readers}
        if terms <= stats.frequencies.keys():
            return sum(stats.frequencies[term] for term in terms)
        return sum(sum(one.snapshot.term_stats(terms).frequencies.values()) for one in searchers)

    def near(word: str, mistakes: int) -> set[str]:
        dictionaries = [view.segment.dictionary for one in searchers for view in one.snapshot.views]
        found = (forms_near(one, word, readers, mistakes) for one in dictionaries)
        return {form for forms in found for form in forms if form[:1] == word[:1]}

    def alike(word: str) -> set[str]:
        segments = [view.segment for one in searchers for view in one.snapshot.views]
        return {form for one in segments for reader in readers for form in forms_alike(one, word, reader)}

    return did_you_mean(typed, frequency, near, alike)
