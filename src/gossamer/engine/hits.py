"""What is shown of a document that was found?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gossamer.model import UNFETCHED, Candidate, Explanation, Hit, Snippet
from gossamer.results.snippet import snippet
from gossamer.results.written import written_in
from gossamer.search.anchors import AnchorIndex
from gossamer.search.phases import Ranked, Search
from gossamer.search.searcher import Searcher


@dataclass(frozen=True, slots=True)
class Hits:
    """The documents that a search found, and where they are kept."""

    search: Search
    found: Ranked
    searchers: Sequence[Searcher]
    anchors: Sequence[AnchorIndex]
    unfetched: Mapping[int, str]  # addresses, by fingerprint
    terms: frozenset[str]  # of the query
    snippets: bool = True  # whether each shows what it says; most of the time goes into that

    def hit(
        self, rank: int, place: int, explain: bool, similar: Sequence[int] = (), more_from_host: int = 0
    ) -> Hit:
        """The candidate at a place as a result; `similar` are places of those that are folded behind it."""
        candidate = self.found.candidates[place]
        only_linked = candidate.address.segment == UNFETCHED
        shown = self._unfetched(candidate) if only_linked else self._fetched(candidate)
        searcher = self.searchers[candidate.address.partition]
        return replace(
            shown,
            rank=rank,
            score=round(float(self.found.scores[place]), 4),
            explanation=self._explained(searcher, candidate, place) if explain else None,
            similar=tuple(self._address(self.found.candidates[one]) for one in similar),
            more_from_host=more_from_host,
        )

    def _explained(self, searcher: Searcher, candidate: Candidate, place: int) -> Explanation:
        if not self.found.reasons:
            return self.search.explained(searcher, self.found, place)
        reason = self.found.reasons.get(candidate.fingerprint, "no link speaks for it")
        return Explanation((), 1.0, links=reason)

    def _fetched(self, candidate: Candidate) -> Hit:
        address = candidate.address
        segment = self.searchers[address.partition].snapshot.views[address.segment].segment
        stored = segment.stored.document(address.doc)
        published = float(segment.columns.published[address.doc])
        return Hit(
            rank=0,
            url=stored.url,
            title=stored.title or stored.url,
            snippet=self._snippet(stored.text, stored.language, stored.description),
            score=0.0,
            fingerprint=candidate.fingerprint,
            language=stored.language,
            media_type=stored.media_type,
            published=None if math.isnan(published) else published,
            fetched_at=float(segment.columns.fetched_at[address.doc]),
        )

    def _snippet(self, text: str, language: str, description: str = "") -> Snippet:
        if not self.snippets:
            return Snippet("")
        return snippet(text, self.terms, written_in(language), description)

    def _unfetched(self, candidate: Candidate) -> Hit:
        """What links say stands for what the page says."""
        texts, language = self.anchors[candidate.address.partition].texts(candidate.fingerprint)
        url = self.unfetched[candidate.fingerprint]
        said = self._snippet("\n".join(texts), language)
        return Hit(0, url, texts[0] if texts else url, said, 0.0, candidate.fingerprint, unfetched=True)

    def _address(self, candidate: Candidate) -> str:
        address = candidate.address
        segment = self.searchers[address.partition].snapshot.views[address.segment].segment
        return segment.stored.document(address.doc).url
