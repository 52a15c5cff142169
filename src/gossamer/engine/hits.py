"""What is shown of a document that was found?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gossamer.index.stored_document import StoredDocument
from gossamer.model import UNFETCHED, Candidate, Explanation, Hit, Snippet
from gossamer.results.snippet import snippet
from gossamer.results.written import written_in
from gossamer.search.anchors import AnchorIndex
from gossamer.search.candidates import Candidates
from gossamer.search.phases import Ranked, Search
from gossamer.search.searcher import Searcher

_Read = tuple[StoredDocument, float, float]  # and when it was published, and fetched


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

    def page(
        self, rows: Sequence[tuple[int, int]], begin: int, explain: bool, behind: Mapping[int, Sequence[int]]
    ) -> tuple[Hit, ...]:
        """Candidates as results, from a rank on: each a place, and how many of its host were put off.

        `behind` has places of those that are folded behind one.
        """
        candidates = self.found.candidates.taken(np.array([place for place, _ in rows], np.int64))
        read = self._read(candidates)
        return tuple(
            self._hit(begin + number, place, candidates[number], read.get(number), explain, behind, more)
            for number, (place, more) in enumerate(rows)
        )

    def _hit(
        self,
        rank: int,
        place: int,
        candidate: Candidate,
        read: _Read | None,
        explain: bool,
        behind: Mapping[int, Sequence[int]],
        more: int,
    ) -> Hit:
        score = round(float(self.found.scores[place]), 4)
        similar = tuple(self._address(self.found.candidates[one]) for one in behind.get(place, ()))
        explanation = self._explained(candidate, place) if explain else None
        if read is None:
            return self._unfetched(rank, candidate, score, explanation, similar, more)
        stored, published, fetched_at = read
        return Hit(
            rank,
            stored.url,
            stored.title or stored.url,
            self._snippet(stored.text, stored.language, stored.description),
            score,
            candidate.fingerprint,
            stored.language,
            stored.media_type,
            None if math.isnan(published) else published,
            fetched_at,
            explanation,
            similar=similar,
            more_from_host=more,
        )

    def _read(self, candidates: Candidates) -> dict[int, _Read]:
        """What is known of those that were fetched, by their numbers; each segment is read at once."""
        found: dict[int, _Read] = {}
        numbers = np.arange(len(candidates))
        for partition, number, rows in candidates.by_segment():
            if number != UNFETCHED:
                segment = self.searchers[partition].snapshot.views[number].segment
                docs, columns = candidates.docs[rows], segment.columns
                stored = map(StoredDocument.unpacked, segment.stored.several(docs))
                times = columns.published[docs].tolist(), columns.fetched_at[docs].tolist()
                found |= zip(numbers[rows].tolist(), zip(stored, *times, strict=True), strict=True)
        return found

    def _explained(self, candidate: Candidate, place: int) -> Explanation:
        if not self.found.reasons:
            searcher = self.searchers[candidate.address.partition]
            return self.search.explained(searcher, self.found, place)
        reason = self.found.reasons.get(candidate.fingerprint, "no link speaks for it")
        return Explanation((), 1.0, links=reason)

    def _snippet(self, text: str, language: str, description: str = "") -> Snippet:
        if not self.snippets:
            return Snippet("")
        return snippet(text, self.terms, written_in(language), description)

    def _unfetched(
        self,
        rank: int,
        candidate: Candidate,
        score: float,
        explanation: Explanation | None,
        similar: tuple[str, ...],
        more: int,
    ) -> Hit:
        """What links say stands for what the page says."""
        texts, language = self.anchors[candidate.address.partition].texts(candidate.fingerprint)
        url = self.unfetched[candidate.fingerprint]
        said = self._snippet("\n".join(texts), language)
        return Hit(
            rank,
            url,
            texts[0] if texts else url,
            said,
            score,
            candidate.fingerprint,
            explanation=explanation,
            unfetched=True,
            similar=similar,
            more_from_host=more,
        )

    def _address(self, candidate: Candidate) -> str:
        address = candidate.address
        segment = self.searchers[address.partition].snapshot.views[address.segment].segment
        return segment.stored.document(address.doc).url
