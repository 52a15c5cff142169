"""What is shown of a document that was found?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gossamer.index.stored_document import StoredDocument
from gossamer.model import UNFETCHED, Candidate, Explanation, Hit, Snippet
from gossamer.results.snippet import Source, snippet, snippets
from gossamer.results.written import written_in
from gossamer.search.anchors import AnchorIndex
from gossamer.search.candidates import Candidates
from gossamer.search.phases import Ranked, Search
from gossamer.search.searcher import Searcher


class _Read(NamedTuple):
    """What is kept of a page that was fetched."""

    stored: StoredDocument
    published: float
    fetched_at: float


class _Listed(NamedTuple):
    """What is told of a result beside what its page says."""

    rank: int
    score: float
    fingerprint: int
    explanation: Explanation | None
    similar: tuple[str, ...]
    more: int  # of its host, that were put off


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
        places = np.array([place for place, _ in rows], np.int64)
        candidates, scores = self.found.candidates.taken(places), self.found.scores[places].tolist()
        read = self._read(candidates)
        said = dict(zip(read, self._said(read.values()), strict=True))
        hits = []
        for number, (page, (place, more)) in enumerate(zip(candidates.pages.tolist(), rows, strict=True)):
            explanation = self._explained(candidates[number], place) if explain else None
            similar = tuple([self._address(self.found.candidates[one]) for one in behind.get(place, ())])
            listed = _Listed(begin + number, round(scores[number], 4), page, explanation, similar, more)
            if number in read:
                hits.append(_fetched(listed, read[number], said[number]))
            else:
                hits.append(self._unfetched(listed, candidates[number].address.partition))
        return tuple(hits)

    def _read(self, candidates: Candidates) -> dict[int, _Read]:
        """What is known of those that were fetched, by their numbers; each segment is read at once."""
        found: dict[int, _Read] = {}
        numbers = range(len(candidates))
        for partition, number, rows in candidates.by_segment():
            if number != UNFETCHED:
                segment = self.searchers[partition].snapshot.views[number].segment
                docs, columns = candidates.docs[rows], segment.columns
                stored = map(StoredDocument.unpacked, segment.stored.several(docs))
                times = columns.published[docs].tolist(), columns.fetched_at[docs].tolist()
                own = numbers[rows] if isinstance(rows, slice) else rows.tolist()
                found.update(zip(own, map(_Read, stored, *times), strict=True))
        return found

    def _said(self, read: Iterable[_Read]) -> list[Snippet]:
        """What pages say to the query."""
        if not self.snippets:
            return [Snippet("") for _ in read]
        pages = [one.stored for one in read]
        sources = [Source(one.text, written_in(one.language), one.description) for one in pages]
        return snippets(sources, self.terms)

    def _explained(self, candidate: Candidate, place: int) -> Explanation:
        if not self.found.reasons:
            searcher = self.searchers[candidate.address.partition]
            return self.search.explained(searcher, self.found, place)
        reason = self.found.reasons.get(candidate.fingerprint, "no link speaks for it")
        return Explanation((), 1.0, links=reason)

    def _unfetched(self, listed: _Listed, partition: int) -> Hit:
        """What links say stands for what the page says."""
        texts, language = self.anchors[partition].texts(listed.fingerprint)
        url = self.unfetched[listed.fingerprint]
        said = snippet("\n".join(texts), self.terms, written_in(language)) if self.snippets else Snippet("")
        return Hit(
            listed.rank,
            url,
            texts[0] if texts else url,
            said,
            listed.score,
            listed.fingerprint,
            explanation=listed.explanation,
            unfetched=True,
            similar=listed.similar,
            more_from_host=listed.more,
        )

    def _address(self, candidate: Candidate) -> str:
        address = candidate.address
        segment = self.searchers[address.partition].snapshot.views[address.segment].segment
        return segment.stored.document(address.doc).url


def _fetched(listed: _Listed, read: _Read, said: Snippet) -> Hit:
    stored, published, fetched_at = read
    return Hit(
        listed.rank,
        stored.url,
        stored.title or stored.url,
        said,
        listed.score,
        listed.fingerprint,
        stored.language,
        stored.media_type,
        None if math.isnan(published) else published,
        fetched_at,
        listed.explanation,
        similar=listed.similar,
        more_from_host=listed.more,
    )
