"""The one place where a query becomes a page of results."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from gossamer.anchor_text.score import AnchorIndex
from gossamer.answer.clusters.cluster import Clustering
from gossamer.answer.completion.suggestions import Completing, Courtesy, Past
from gossamer.answer.index_reader import AnchorsFolder, Newest, Opened
from gossamer.answer.instant.answer import Instant
from gossamer.answer.listing import Listed, Listing, NeverFetched
from gossamer.answer.navigational import Wanted, wanted
from gossamer.answer.prepare import Asked, Asking, Locating, counted, texts_of_links
from gossamer.answer.sitelinks import sitelinks
from gossamer.answer.snippets import Source, snippet, snippets, written_in
from gossamer.collection.site_rules import SiteRules
from gossamer.graph.blend import topics_of
from gossamer.index.index import Index
from gossamer.index.stored_text import StoredDocument
from gossamer.model import (
    UNFETCHED,
    BadQuery,
    Candidate,
    DamagedFile,
    Explanation,
    Facet,
    Hit,
    How,
    Query,
    ResultPage,
    SearchRequest,
    Sitelink,
    Snippet,
    Word,
)
from gossamer.query.rewrite import easier
from gossamer.query.synonyms import Thesaurus
from gossamer.query.syntax import parse
from gossamer.scoring.two_phase import Ranked, Search
from gossamer.search.candidates import Candidates
from gossamer.search.match.filters import moments, type_name
from gossamer.search.retrieve.choose import AUTO, EXACT
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.words import words

# Facet counts: sites, languages, types, times
# --------------------------------------------
#
# Only what a search knows together anyway is looked at (`Ranked.window`, a few hundred documents):
# counting all would take longer than searching. Where fewer match than that, the counts are exact.
# They are of all results also where one group of them is shown: a narrowed query has other groups, so
# narrowing leaves the group.

MOST = 8  # values of a kind
DAY = 86_400.0  # seconds
PERIODS = (1, 7, 31, 366)  # days
_SECONDS = DAY * np.array(PERIODS)
Counts = dict[str, int]  # by value
Times = dict[int, int]  # by its number
Ages = NDArray[np.float64]  # seconds


def facets(asked: Asked, found: Ranked) -> tuple[Facet, ...]:
    """Of each kind the most frequent values, ties by name; what all results have narrows nothing."""
    counts, ages = _counted(found, asked.searchers, asked.search.now)
    topics = topics_of(asked.opened.generation)
    return (*_most_frequent(counts), *_recent(ages), *(Facet("topic", name, 0) for name in topics))


def _counted(found: Ranked, searchers: Sequence[Searcher], now: float) -> tuple[dict[str, Counts], Ages]:
    """Values by their kinds, and how old all documents are."""
    sites, languages, types, ages = Counts(), Counts(), Counts(), [np.empty(0)]
    window = found.candidates[: found.window]
    parts = [part for part in window.by_segment() if part[1] != UNFETCHED]
    for partition, number, rows in parts:
        segment, docs = searchers[partition].snapshot.views[number].segment, window.docs[rows]
        columns = segment.columns
        # Hosts may be many, and NumPy does not count those of a few documents faster.
        _add(sites, Counter(columns.host_ids[docs].tolist()), segment.host, len(parts) == 1)
        _add(languages, _times(columns.language_ids[docs]), _named(columns.languages(), _code))
        _add(types, _times(columns.type_ids[docs]), _named(columns.types(), type_name))
        ages.append(now - moments(columns, docs))
    return {"site": sites, "language": languages, "type": types}, np.concatenate(ages)


def _code(language: str) -> str:
    return language.lower().replace("_", "-").partition("-")[0]


def _times(ids: NDArray[np.uint32]) -> Times:
    """How often each of some small numbers is there."""
    return {number: count for number, count in enumerate(np.bincount(ids).tolist()) if count}


def _add(counts: Counts, times: Times, name: Callable[[int], str], largest: bool = False) -> None:
    """Counts values by their names; with `largest` no others than those that may be shown."""
    least = 0
    if largest and len(times) > MOST + 1:  # one of them may have an empty name
        least = sorted(times.values())[-MOST - 1]
    for number, count in times.items():
        if count >= least:
            value = name(number)
            counts[value] = counts.get(value, 0) + count


def _named(names: Sequence[str], shown: Callable[[str], str]) -> Callable[[int], str]:
    """The name with a number, as it is shown; a column of nothing but empty names has an empty list."""
    return lambda number: shown(names[number]) if names else ""


def _most_frequent(counts: dict[str, Counts]) -> Iterator[Facet]:
    for kind, own in counts.items():
        if len(own) > 1:
            ranked = sorted([(-count, value) for value, count in own.items() if value])
            yield from [Facet(kind, value, -count) for count, value in ranked[:MOST]]


def _recent(ages: Ages) -> Iterator[Facet]:
    newest = np.sort(ages)
    counts = np.searchsorted(newest, _SECONDS, "right").tolist()
    for days, count in zip(PERIODS, counts, strict=True):
        if 0 < count < len(ages):
            yield Facet("time", str(days), count)


# Corrected or relaxed query when nothing found
# ---------------------------------------------

CORRECTED, RELAXED = "corrected", "relaxed"
Answer = Callable[[SearchRequest], ResultPage]


@dataclass(frozen=True, slots=True)
class Try:
    """A query to ask instead, why, and what to say of it."""

    text: str
    because: str
    note: str


def instead(
    nothing: ResultPage, request: SearchRequest, corrected: str, unknown: Container[str], answer: Answer
) -> ResultPage:
    """The answer to the first query to try that finds something; else the one that found nothing.

    Every page of results tries the same, because what is found does not depend on which results are shown.
    """
    took = nothing.took_ms
    for one in _tries(request.text, corrected, unknown):
        found = answer(replace(request, text=one.text))
        took = round(took + found.took_ms, 3)
        if found.total:
            return replace(
                found,
                query=request.text,
                searched=one.text,
                searched_because=one.because,
                did_you_mean=nothing.did_you_mean if one.because == RELAXED and not corrected else None,
                notes=tuple(dict.fromkeys(filter(None, (one.note, *nothing.notes, *found.notes)))),
                took_ms=took,
            )
    return replace(nothing, took_ms=took)


def _tries(text: str, corrected: str, unknown: Container[str]) -> Iterator[Try]:
    if corrected:
        yield Try(corrected, CORRECTED, "")
    asked: Query = parse(corrected or text)
    for way in easier(asked, unknown):
        if way.unasked:
            yield Try(way.query, RELAXED, f"nothing was found as typed; searched {way.label}")


# Fields shown of each result
# ---------------------------


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


# Notes shown with results
# ------------------------

NOT_RANKED = "links count for nothing yet; run: gossamer rank"


def on_the_search(asked: Asked, listed: Listed) -> Iterator[str]:
    """On how well it was looked for."""
    if not asked.search.stats.documents:
        yield "nothing is indexed yet: crawl or import something, or run: gossamer index"
    if (asked.request.rank or asked.request.topic) and asked.opened.generation is None:
        yield NOT_RANKED
    if asked.guess and asked.request.explain:
        yield asked.guess.said
    if asked.search.algorithm not in {*EXACT, AUTO} and not asked.request.newest_first:
        own, best = asked.search.recall(asked.searchers, listed.found, asked.depth)
        yield f"{asked.search.algorithm} is not exact: it found {own:,} of the {best:,} best pages"


def on_the_query(asked: Asked) -> Iterator[str]:
    """On how it was read, and what is known of the pages that it names."""
    for text in asked.query.texts():
        if not words(text.text):
            yield f"ignored, because it holds no letter or digit: {text.text}"
    for cut in asked.prepared.expansions.cut:
        yield f"only the most frequent words that {cut.typed} stands for were looked for"
    if texts_of_links(asked.query) and not asked.search.anchors:
        yield "inanchor: finds nothing, as the texts of links are not indexed yet; run: gossamer rank"
    yield from asked.opened.link_queries.notes(asked.query)


class Searching:
    """Searches what is on the disk now; notices new commits and new ranks by itself."""

    def __init__(
        self,
        indexes: Sequence[Index],
        graph_folder: Path | None,
        settings: SearchSettings,
        anchors_folders: Sequence[AnchorsFolder] = (),
        never_fetched: Sequence[NeverFetched] = (),
        thesaurus: Thesaurus | None = None,
        instant: Instant | None = None,
        past: Past | None = None,
        sites: SiteRules | None = None,
    ) -> None:
        self._settings = settings
        self._instant = instant
        self._newest = Newest(indexes, graph_folder, settings, anchors_folders, sites)
        locating = Locating(instant.gazetteer) if instant else Locating()
        self._asking = Asking(self._newest, settings, thesaurus, locating)
        self._listing = Listing(settings, never_fetched)
        self._clustering = Clustering(settings.clusters)
        self._courtesy = Courtesy()
        self.completing = Completing(self._newest, past, self._courtesy.pause)

    def opened(self) -> Opened:
        """What is searched now."""
        return self._newest.opened(False)

    def learn(self) -> None:
        """Gets to know beforehand what searches would learn one after the other."""
        self._clustering.learn(self.opened().searchers)

    def search(self, text: str, k: int = 10, offset: int = 0, **how: Unpack[How]) -> ResultPage:
        """The best pages for a query, from `offset` on, at most k."""
        return self.answer(SearchRequest(text, k, offset, **how))

    def answer(self, request: SearchRequest) -> ResultPage:
        """The results from `offset` on, at most k; where there are none, those of what was rather meant."""
        with self._courtesy:
            return self._answer(request)

    def _answer(self, request: SearchRequest) -> ResultPage:
        begun = time.perf_counter()
        answers = self._instant.answers(request.text) if self._instant else ()
        if answers:  # what is understood has one meaning, on every page
            request = replace(request, clusters=False)
        shown = () if request.offset else answers
        try:
            found = self._found(request, bool(answers))
        except BadQuery:
            if not answers:
                raise
            return ResultPage(request.text, 0, _since(begun), answers=shown)  # -2^2 excludes nothing
        if answers:  # and is not misspelt
            return replace(found, answers=shown, did_you_mean=None)
        return found if found.total or not request.correct else self._instead(found, request)

    def asked(self, request: SearchRequest) -> Asked:
        """A request, read and prepared."""
        return self._asking.asked(request)

    def terms(self, text: str) -> frozenset[str]:
        """The terms of the index that a query asks for."""
        plan = self._asking.asked(SearchRequest(text)).search.plan
        return frozenset(plan.terms + plan.also)

    def _instead(self, nothing: ResultPage, request: SearchRequest) -> ResultPage:
        asked = self._asking.asked(request)
        spelling = self._asking.spelling(asked)
        better = spelling.suggestion(asked.query)
        corrected = better.text if better and better.sure else ""
        return instead(nothing, request, corrected, spelling.unknown(asked.query), self._found)

    def _found(self, request: SearchRequest, is_answered: bool = False) -> ResultPage:
        """What the query finds as it was typed; `is_answered`: it may be meant for no search."""
        begun = time.perf_counter()
        asked = self._asking.asked(request)
        try:
            return self._answered(asked, begun, is_answered)
        except DamagedFile:
            # arrays of the graph are opened when a query needs them: a writer may have put a new generation
            # in the place of this one just now
            if self.opened().generation is asked.opened.generation:
                raise
        return self._found(request, is_answered)

    def _answered(self, asked: Asked, begun: float, is_answered: bool) -> ResultPage:
        request = asked.request
        listed = self._listing.of(asked)
        best = self._listing.best(asked, listed)
        sought = wanted(asked, listed.found)
        grouped = self._clustering.grouped(asked, best)
        about = counted(asked.search, listed.found, request, asked.searchers)
        located = self._asking.locating.notes(asked.query)
        read = () if is_answered and not sought.page else (*on_the_query(asked), *located, *sought.notes)
        notes = (*read, *on_the_search(asked, listed), *grouped.unknown(request.cluster))
        members = grouped.named(request.cluster)
        if members is None:
            listed = self._listing.led(asked, listed, sought.page)
        else:
            listed = self._listing.narrowed(asked, best, members)
        hits = _hits(asked, listed)
        better = self._asking.spelling(asked).suggestion(asked.query)
        return ResultPage(
            query=request.text,
            total=listed.found.total,
            hits=hits,
            offset=request.offset,
            folded=listed.arranged.folded if members is None else 0,  # a group counts no copies
            clusters=grouped.clusters,
            did_you_mean=better.text if better else None,
            language=asked.search.plan.leaning.language,
            intent=sought.intent,
            ranked_by=asked.ranked_by,
            related=self._related(asked, hits),
            sitelinks=self._sitelinks(asked, sought, hits),
            facets=facets(asked, best.found) if request.facets else (),
            notes=notes,
            country=about.country,
            context=about.context,
            preferred_topic=asked.preferred_topic,
            took_ms=_since(begun),
        )

    def _related(self, asked: Asked, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Of the first page of a query of plain words, what others might go on with."""
        request = asked.request
        if request.offset or not request.snippets:
            return ()
        if any(not isinstance(clause, Word) for clause in asked.query.clauses):
            return ()
        return self.completing.related(request.text, hits, asked.search.plan.leaning.language)

    def _sitelinks(self, asked: Asked, sought: Wanted, hits: Sequence[Hit]) -> tuple[Sitelink, ...]:
        """Of the site that is wanted, where its home page stands first."""
        if not hits or sought.page is None or hits[0].fingerprint != sought.page.fingerprint:
            return ()
        return sitelinks(hits[0], asked.searchers, self._settings.fold) if sought.is_home else ()


def _hits(asked: Asked, listed: Listed) -> tuple[Hit, ...]:
    """What is shown of the results that were asked for."""
    request, begin = asked.request, asked.request.offset
    search, plan = asked.search, asked.search.plan
    terms = frozenset(plan.terms + plan.also)
    known = Hits(
        search,
        listed.found,
        asked.searchers,
        search.anchors,
        listed.addresses,
        terms,
        request.snippets,
    )
    shown = list(listed.cut(begin, asked.depth))
    return known.page(shown, begin + 1, request.explain, listed.arranged.behind)


def _since(begun: float) -> float:
    """Milliseconds."""
    return round((time.perf_counter() - begun) * 1000, 3)
