"""Which documents, best first, answer a query? The engine's retrieval without what is only for show.

An evaluation looks at the first thousand documents of each query; making a snippet for each would take a
hundred times as long as finding them. A test holds that the ranking is the one that a search shows
in a collection without links and synonyms: those are its owner's.
"""

from __future__ import annotations

import time

from gossamer.index.snapshot import Snapshot
from gossamer.model import Query, Word
from gossamer.search.compounds import known_compounds
from gossamer.search.expansion import choose, gather, patterns_of
from gossamer.search.phases import Search
from gossamer.search.planner import plan
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.search.wordbook import Wordbook
from gossamer.text.words import words

DEPTH = 1000  # documents, as at TREC


class Ranker:
    """Ranks the documents of a snapshot by their words alone."""

    def __init__(self, snapshot: Snapshot, settings: SearchSettings, depth: int = DEPTH) -> None:
        self._depth = depth
        self._snapshot = snapshot
        self._wordbook = Wordbook([snapshot])
        self._settings = settings
        self._searcher = Searcher(0, snapshot, None, settings.static_strength)

    def ranking(self, text: str) -> list[int]:
        """Fingerprints of the best documents; quotes, colons and minus signs in the text mean nothing."""
        query = Query(text, tuple(map(Word, words(text))))
        if not query.clauses:
            return []
        languages = self._snapshot.languages()
        expansions = choose([gather(self._snapshot, patterns_of(query, languages))])
        settings = self._settings
        compounds = known_compounds(query, self._wordbook, languages, settings.compounds)
        wanted = plan(query, languages, expansions, compounds)
        stats = self._snapshot.term_stats(wanted.terms)
        search = Search(wanted, stats, settings.scheme, settings.algorithm, settings, time.time())
        found = search.towards(self._snapshot.spoken(), ()).ranked([self._searcher], self._depth)
        pages: list[int] = found.candidates.pages.tolist()
        return pages
