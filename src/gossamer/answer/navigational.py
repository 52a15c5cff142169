"""Navigational queries: home page or address first.

If the query is an address or the name of a site, that page or home page comes first, whatever its score.
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
# If several hosts use all words of the query in their links, and mostly in links to one page, then the
# words are the name of that page. The pages of a site may use its name less often than links to it do.

MOST_PAGES = 20_000  # pages with a word of the query in their anchor text; names have fewer
LEAST = 2.0  # the least frequency of all words for the page: two hosts (see `anchor_text.score`)
SHARE = 0.6  # the least share of the page in the sum of these frequencies


def target_by_anchor_text(anchor_text: AnchorFrequenciesOfAll) -> int | None:
    """The fingerprint of the page that links name by the words; None if they name several pages or none."""
    best, most, total = None, 0.0, 0.0
    for part in anchor_text.parts:
        if len(part.pages) > MOST_PAGES:
            return None
        if len(part.pages):
            whole = part.frequencies.min(axis=1)  # of all words: that of the least frequent one
            place = int(np.argmax(whole))
            total += float(whole.sum())
            if whole[place] > most:
                best, most = int(part.pages[place]), float(whole[place])
    return best if most >= LEAST and most >= SHARE * total else None


LOOKED_AT = 30  # the best results, among whose hosts a site with the query's name is searched
NEAR_FIRST = 5  # best results; a page named by anchor text must be one of these


@dataclass(frozen=True, slots=True)
class NavigationalTarget:
    """The intent of a query, and the page that it asks for."""

    intent: str
    page: Candidate | None = None  # comes first in the list
    notes: tuple[str, ...] = ()
    is_home: bool = False  # the page is the home page of a site


def navigational_target(prepared: PreparedQuery, found: RankedCandidates) -> NavigationalTarget:
    """Find the intent of a query, and the page that it asks for if that is certain."""
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
    # Hosts with names such as best-cheap-lanterns are chosen to match transactional queries.
    if not typed or guess == TRANSACTIONAL or not all(isinstance(clause, Word) for clause in query.clauses):
        return NavigationalTarget(guess)
    host, whole = _site(typed, found, searchers)
    page = first_indexed(_homes(host), searchers) if whole else _linked_home(found, searchers)
    wants_site = page is not None or bool(host and not whole)
    return NavigationalTarget(NAVIGATIONAL if wants_site else guess, page, is_home=page is not None)


def _linked_home(found: RankedCandidates, searchers: Sequence[Searcher]) -> Candidate | None:
    """The home page that anchor text names. It must be among the best results, because of link farms."""
    meant = target_by_anchor_text(found.anchor_frequencies)
    if meant is None:
        return None
    best = (one for one in found.candidates[:NEAR_FIRST] if one.fingerprint == meant)
    page = next((one for one in best if one.address.segment != UNFETCHED), None)
    return page if page and _is_home(page, searchers) else None


def put_target_first(
    found: RankedCandidates, listed: ResultOrder, page: Candidate
) -> tuple[RankedCandidates, ResultOrder]:
    """Put a page first, and add it if it was not found."""
    places = np.flatnonzero(found.candidates.pages == np.uint64(page.fingerprint))
    if len(places):
        return found, _moved(listed, int(places[0]))
    is_all = len(found.candidates) >= found.total  # else the total may already count the page
    more = replace(
        found,
        total=found.total + is_all,
        candidates=joined([found.candidates, _columns(page)]),
        scores=np.append(found.scores, 0.0),
        scored_without_feedback=found.scored_without_feedback + 1,
    )
    return more, _moved(listed, len(found.candidates))


def _moved(listed: ResultOrder, place: int) -> ResultOrder:
    """Move a place to the front. If the page was folded behind another one, they swap roles."""
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
    """The host that the words name, or "", and whether all words belong to the name."""
    hosts = _hosts(found.candidates[:LOOKED_AT], searchers)
    if host := named(typed, hosts):
        return host, True
    if hosts and _calls_itself(typed, found.candidates[0], hosts[0], searchers):
        return hosts[0], True
    return next((host for host in hosts[:1] if begins_with_name(typed, host)), ""), False


def _hosts(candidates: Candidates, searchers: Sequence[Searcher]) -> list[str]:
    """The hosts of candidates, each once, in the order of their best candidates."""
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
    """Whether the best page is the home page of the host, and its title is the query."""
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
    """The fingerprints of a host's home page with https and with http."""
    urls = (canonical(f"{scheme}://{host}/") for scheme in ("https", "http"))
    return tuple(url.fingerprint for url in urls if url)


def _at(typed: str, searchers: Sequence[Searcher], links: LinkQueries) -> Candidate | None:
    """The indexed page of a typed address, which may be known under several forms of the address."""
    try:
        url, _ = repair(typed)
    except BadUrl:
        return None
    known = links.pages(ByLinks("info", typed)).tolist()
    return first_indexed([*known, *(one.fingerprint for one in likely_urls(url))], searchers)


def _notes(typed: str, page: Candidate | None, links: LinkQueries) -> tuple[str, ...]:
    if page is None:
        # Notes are shown with a capital first letter, which must not be that of an address.
        return (f"the page {typed} is not indexed here",)
    return tuple(links.notes(Query(typed, (ByLinks("info", typed),))))
