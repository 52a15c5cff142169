"""Navigational queries: home page or address first.

A typed address, and a query that is the name of a site, have an answer that is not a matter of words: it
stands first, whatever the scores say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from gossamer.anchor_text.score import AnchorFrequenciesOfAll
from gossamer.answer.diversify import ResultOrder
from gossamer.answer.index_reader import first_indexed
from gossamer.answer.link_operators import LinkQueries
from gossamer.answer.prepare import PreparedQuery
from gossamer.graph.reader import likely_urls
from gossamer.index.segment import SegmentView
from gossamer.model import UNFETCHED, BadUrl, ByLinks, Candidate, Phrase, Query, Word
from gossamer.query.intent import (
    NAVIGATIONAL,
    TRANSACTIONAL,
    begins_with_name,
    intent,
    is_title_of,
    named,
    surely_address,
    typed_address,
)
from gossamer.scoring.two_phase import RankedCandidates
from gossamer.search.candidates import Candidates, joined
from gossamer.search.searcher import Searcher
from gossamer.text.words import words
from gossamer.web.url import canonical, repair

# Page that anchor texts name
# ---------------------------
#
# Where several hosts say all of the words, and mostly of one page, the words are its name:
# "jacksonville jaguars" may stand on no page of the team's site as often as links to it say so.

MOST_PAGES = 20_000  # of which links say one of the words; names are said of fewer
LEAST = 2.0  # by at least two hosts, as `anchor_text.score` counts
SHARE = 0.6  # of all that is said


def target_by_anchor_text(said: AnchorFrequenciesOfAll) -> int | None:
    """The fingerprint of the page of which links say all words; None where they mean several, or none."""
    best, most, total = None, 0.0, 0.0
    for part in said.parts:
        if len(part.pages) > MOST_PAGES:
            return None
        if len(part.pages):
            whole = part.frequencies.min(axis=1)  # all the words: the one that is said least
            place = int(np.argmax(whole))
            total += float(whole.sum())
            if whole[place] > most:
                best, most = int(part.pages[place]), float(whole[place])
    return best if most >= LEAST and most >= SHARE * total else None


LOOKED_AT = 30  # of the best pages, for a site of the query's name
NEAR_FIRST = 5  # of them, for one that links mean


@dataclass(frozen=True, slots=True)
class NavigationalTarget:
    """What a query is after."""

    intent: str
    page: Candidate | None = None  # that stands first
    notes: tuple[str, ...] = ()
    is_home: bool = False  # the page is the beginning of a site


def navigational_target(prepared: PreparedQuery, found: RankedCandidates) -> NavigationalTarget:
    """The intent, and the page that is surely meant, where there is one."""
    query, searchers, links = prepared.query, prepared.searchers, prepared.opened.link_queries
    if typed_address(query.text):
        page = _at(query.text.strip(), searchers, links)
        if page or surely_address(query.text):
            notes = _notes(query.text.strip(), page, links)
            is_home = page is not None and _is_home(page, searchers)
            return NavigationalTarget(NAVIGATIONAL, page, notes, is_home)
    wished = [leaf for leaf, wished in query.leaves() if wished and isinstance(leaf, Word | Phrase)]
    typed = [word for leaf in wished for word in words(leaf.text)]
    guess = intent(typed, frozenset(prepared.planned.spoken))
    # Hosts that call themselves best-cheap-lanterns are there to be found by such words.
    if not typed or guess == TRANSACTIONAL or not all(isinstance(clause, Word) for clause in query.clauses):
        return NavigationalTarget(guess)
    host, whole = _site(typed, found, searchers)
    page = first_indexed(_homes(host), searchers) if whole else _linked_home(found, searchers)
    wants_site = page is not None or bool(host and not whole)
    return NavigationalTarget(NAVIGATIONAL if wants_site else guess, page, is_home=page is not None)


def _linked_home(found: RankedCandidates, searchers: Sequence[Searcher]) -> Candidate | None:
    """The home page that links mean by the words, if it is one of the best: link farms want theirs too."""
    meant = target_by_anchor_text(found.anchor_frequencies)
    if meant is None:
        return None
    best = (one for one in found.candidates[:NEAR_FIRST] if one.fingerprint == meant)
    page = next((one for one in best if one.address.segment != UNFETCHED), None)
    return page if page and _is_home(page, searchers) else None


def put_target_first(
    found: RankedCandidates, listed: ResultOrder, page: Candidate
) -> tuple[RankedCandidates, ResultOrder]:
    """The same with a page first, which may not be among what was found."""
    places = np.flatnonzero(found.candidates.pages == np.uint64(page.fingerprint))
    if len(places):
        return found, _moved(listed, int(places[0]))
    is_all = len(found.candidates) >= found.total  # else it is one of those that are not listed yet
    more = replace(
        found,
        total=found.total + is_all,
        candidates=joined([found.candidates, _columns(page)]),
        scores=np.append(found.scores, 0.0),
        scored_without_feedback=found.scored_without_feedback + 1,
    )
    return more, _moved(listed, len(found.candidates))


def _moved(listed: ResultOrder, place: int) -> ResultOrder:
    """The list with this place first; what it was folded behind is now folded behind it."""
    more, behind, stood = list(listed.more), listed.folded_under, place
    original = next((own for own, copies in behind.items() if place in copies), None)
    if original is not None:
        copies = [original, *(one for one in behind[original] if one != place)]
        behind = {own: others for own, others in behind.items() if own != original} | {place: copies}
        stood = original
    number = listed.places.index(stood) if stood in listed.places else len(more)
    put_off = more.pop(number) if number < len(more) else 0
    others = (one for one in listed.places if one != stood)
    return ResultOrder((place, *others), [put_off, *more], behind)


def _columns(page: Candidate) -> Candidates:
    where = page.address
    partition, segment, doc = np.array([[where.partition], [where.segment], [where.doc]], np.int64)
    score, fingerprint = np.zeros(1, np.int64), np.array([page.fingerprint], np.uint64)
    return Candidates(score, fingerprint, partition, segment, doc)


def _site(typed: Sequence[str], found: RankedCandidates, searchers: Sequence[Searcher]) -> tuple[str, bool]:
    """The host that the words name, and whether they name nothing else; ("", False) where they name none."""
    hosts = _hosts(found.candidates[:LOOKED_AT], searchers)
    if host := named(typed, hosts):
        return host, True
    if hosts and _calls_itself(typed, found.candidates[0], hosts[0], searchers):
        return hosts[0], True
    return next((host for host in hosts[:1] if begins_with_name(typed, host)), ""), False


def _hosts(candidates: Candidates, searchers: Sequence[Searcher]) -> list[str]:
    """The hosts of candidates, each once, that of the best first."""
    names: dict[int, str] = {}  # by the place of the first candidate
    for partition, number, rows in candidates.by_segment():
        if number != UNFETCHED:
            segment = searchers[partition].snapshot.views[number].segment
            ids = segment.columns.host_ids[candidates.docs[rows]].tolist()
            places = np.arange(len(candidates))[rows].tolist()
            firsts = dict(zip(reversed(ids), reversed(places), strict=True))
            names |= {place: segment.host(host) for host, place in firsts.items()}
    return list(dict.fromkeys([names[place] for place in sorted(names)]))


def _calls_itself(typed: Sequence[str], best: Candidate, host: str, searchers: Sequence[Searcher]) -> bool:
    """Whether the best page is the home page of this host, and has that title."""
    if best.address.segment == UNFETCHED or best.fingerprint not in _homes(host):
        return False
    segment = _view(best, searchers).segment
    return is_title_of(typed, segment.stored.document(best.address.doc).title)


def _is_home(page: Candidate, searchers: Sequence[Searcher]) -> bool:
    segment = _view(page, searchers).segment
    return page.fingerprint in _homes(segment.host(int(segment.columns.host_ids[page.address.doc])))


def _view(page: Candidate, searchers: Sequence[Searcher]) -> SegmentView:
    return searchers[page.address.partition].snapshot.views[page.address.segment]


@lru_cache(maxsize=4_096)
def _homes(host: str) -> tuple[int, ...]:
    """The fingerprints that the home page of a host may have."""
    urls = (canonical(f"{scheme}://{host}/") for scheme in ("https", "http"))
    return tuple(url.fingerprint for url in urls if url)


def _at(typed: str, searchers: Sequence[Searcher], links: LinkQueries) -> Candidate | None:
    """The page of an address, by any of the forms under which it may be known."""
    try:
        url, _ = repair(typed)
    except BadUrl:
        return None
    known = links.pages(ByLinks("info", typed)).tolist()
    return first_indexed([*known, *(one.fingerprint for one in likely_urls(url))], searchers)


def _notes(typed: str, page: Candidate | None, links: LinkQueries) -> tuple[str, ...]:
    if page is None:
        return (f"the page {typed} is not indexed here",)  # a capital may begin a note, no address
    return tuple(links.notes(Query(typed, (ByLinks("info", typed),))))
