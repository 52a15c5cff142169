"""The one place where a query becomes a page of results."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from gossamer.answer.clusters.cluster import Clustering
from gossamer.answer.completion.suggestions import BackgroundPause, CompletionService, PastQueries
from gossamer.answer.index_reader import AnchorsFolder, IndexReader, SearchableState
from gossamer.answer.instant.answer import InstantAnswers
from gossamer.answer.listing import Listing, NeverFetched, ResultList
from gossamer.answer.navigational import NavigationalTarget, navigational_target
from gossamer.answer.prepare import (
    PlaceResolver,
    PreparedQuery,
    RequestReader,
    personal_factors_used,
    texts_of_links,
)
from gossamer.answer.sitelinks import sitelinks
from gossamer.answer.snippets import SnippetSource, snippet, snippets, written_in
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
    Query,
    ResultPage,
    SearchKeywords,
    SearchOptions,
    Sitelink,
    Snippet,
    Word,
)
from gossamer.query.rewrite import easier
from gossamer.query.synonyms import Thesaurus
from gossamer.query.syntax import parse
from gossamer.scoring.two_phase import RankedCandidates
from gossamer.search.candidates import Candidates
from gossamer.search.match.filters import moments, type_name
from gossamer.search.retrieve.choose import AUTO, EXACT
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.words import words


class AnswerPipeline:
    """Searches what is on the disk now; notices new commits and new ranks by itself."""

    def __init__(
        self,
        indexes: Sequence[Index],
        graph_folder: Path | None,
        settings: SearchSettings,
        anchors_folders: Sequence[AnchorsFolder] = (),
        never_fetched: Sequence[NeverFetched] = (),
        thesaurus: Thesaurus | None = None,
        instant: InstantAnswers | None = None,
        past: PastQueries | None = None,
        sites: SiteRules | None = None,
        is_crawling: Callable[[], bool] = lambda: False,
    ) -> None:
        self._is_crawling = is_crawling
        self._settings = settings
        self._instant = instant
        self._indexes = IndexReader(indexes, graph_folder, settings, anchors_folders, sites)
        locating = PlaceResolver(instant.gazetteer) if instant else PlaceResolver()
        self._reader = RequestReader(self._indexes, settings, thesaurus, locating)
        self._listing = Listing(settings, never_fetched)
        self._clustering = Clustering(settings.clusters)
        self._pause = BackgroundPause()
        self.completing = CompletionService(self._indexes, past, self._pause.pause)

    def opened(self) -> SearchableState:
        """What is searched now."""
        return self._indexes.opened(False)

    def learn(self) -> None:
        """Gets to know beforehand what searches would learn one after the other."""
        self._clustering.learn(self.opened().searchers)

    def search(
        self,
        text: str,
        k: int | None = None,
        offset: int | None = None,
        *,
        options: SearchOptions | None = None,
        **others: Unpack[SearchKeywords],
    ) -> ResultPage:
        """Find the best pages for a query; where there are none, those of a corrected or easier query."""
        if options is None or k is not None or offset is not None or others:
            options = (options or SearchOptions()).changed(k, offset, **others)
        with self._pause:
            return self._answer(text, options)

    def _answer(self, text: str, options: SearchOptions) -> ResultPage:
        begun = time.perf_counter()
        answers = self._instant.answers(text) if self._instant else ()
        if answers:  # what is understood has one meaning, on every page
            options = replace(options, clusters=False)
        shown = () if options.offset else answers
        try:
            found = self._found(text, options, bool(answers))
        except BadQuery:
            if not answers:
                raise
            return ResultPage(text, 0, _since(begun), answers=shown)  # -2^2 excludes nothing
        if answers:  # and is not misspelt
            return replace(found, answers=shown, did_you_mean=None)
        return found if found.total or not options.correct else self._instead(found, text, options)

    def prepare(self, text: str, options: SearchOptions) -> PreparedQuery:
        """Read a query and plan it for what is searched now."""
        return self._reader.prepare(text, options)

    def terms(self, text: str) -> frozenset[str]:
        """The terms of the index that a query asks for."""
        return self._reader.prepare(text, SearchOptions()).terms

    def _instead(self, nothing: ResultPage, text: str, options: SearchOptions) -> ResultPage:
        prepared = self._reader.prepare(text, options)
        spelling = self._reader.spelling(prepared)
        better = spelling.suggestion(prepared.query)
        corrected = better.text if better and better.sure else ""
        unknown = spelling.unknown(prepared.query)
        return fallback_results(nothing, text, options, corrected, unknown, self._found)

    def _found(self, text: str, options: SearchOptions, is_answered: bool = False) -> ResultPage:
        """What the query finds as it was typed; `is_answered`: it may be meant for no search."""
        begun = time.perf_counter()
        prepared = self._reader.prepare(text, options)
        try:
            return self._answered(prepared, begun, is_answered)
        except DamagedFile:
            # arrays of the graph are opened when a query needs them: a writer may have put a new generation
            # in the place of this one just now
            if self.opened().generation is prepared.opened.generation:
                raise
        return self._found(text, options, is_answered)

    def _answered(self, prepared: PreparedQuery, begun: float, is_answered: bool) -> ResultPage:
        options = prepared.options
        listed = self._listing.of(prepared)
        best = self._listing.best(prepared, listed)
        sought = navigational_target(prepared, listed.found)
        grouped = self._clustering.grouped(prepared, best)
        about = personal_factors_used(prepared.search, listed.found, options, prepared.searchers)
        located = self._reader.locating.notes(prepared.query)
        read = () if is_answered and not sought.page else (*query_notes(prepared), *located, *sought.notes)
        notes = (*read, *search_notes(prepared, listed, self._is_crawling), *grouped.unknown(options.cluster))
        members = grouped.named(options.cluster)
        if members is None:
            listed = self._listing.with_target_first(prepared, listed, sought.page)
        else:
            listed = self._listing.narrowed(prepared, best, members)
        hits = Hits(prepared, listed).page()
        better = self._reader.spelling(prepared).suggestion(prepared.query)
        return ResultPage(
            query=prepared.text,
            total=listed.found.total,
            hits=hits,
            offset=options.offset,
            folded=listed.arranged.folded if members is None else 0,  # a group counts no copies
            clusters=grouped.clusters,
            did_you_mean=better.text if better else None,
            language=prepared.search.plan.leaning.language,
            intent=sought.intent,
            ranked_by=prepared.ranked_by,
            related=self._related(prepared, hits),
            sitelinks=self._sitelinks(prepared, sought, hits),
            facets=facets(prepared, best.found) if options.facets else (),
            notes=notes,
            country=about.country,
            context=about.context,
            preferred_topic=prepared.preferred_topic,
            took_ms=_since(begun),
        )

    def _related(self, prepared: PreparedQuery, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Of the first page of a query of plain words, what others might go on with."""
        options = prepared.options
        if options.offset or not options.snippets:
            return ()
        if any(not isinstance(clause, Word) for clause in prepared.query.clauses):
            return ()
        return self.completing.related(prepared.text, hits, prepared.search.plan.leaning.language)

    def _sitelinks(
        self, prepared: PreparedQuery, sought: NavigationalTarget, hits: Sequence[Hit]
    ) -> tuple[Sitelink, ...]:
        """Of the site that is wanted, where its home page stands first."""
        if not hits or sought.page is None or hits[0].fingerprint != sought.page.fingerprint:
            return ()
        return sitelinks(hits[0], prepared.searchers, self._settings.fold_threshold) if sought.is_home else ()


def _since(begun: float) -> float:
    """Milliseconds."""
    return round((time.perf_counter() - begun) * 1000, 3)


# Facet counts: sites, languages, types, times
# --------------------------------------------
#
# Only the first `RankedCandidates.rerank_depth` results are counted, a few hundred documents: counting all
# would take longer than searching. Where fewer match than that, the counts are exact.
# They are of all results also where one group of them is shown: a narrowed query has other groups, so
# narrowing leaves the group.

MOST = 8  # values of a kind
DAY = 86_400.0  # seconds
PERIODS = (1, 7, 31, 366)  # days
_SECONDS = DAY * np.array(PERIODS)
Counts = dict[str, int]  # by value
Times = dict[int, int]  # by its number
Ages = NDArray[np.float64]  # seconds


def facets(prepared: PreparedQuery, found: RankedCandidates) -> tuple[Facet, ...]:
    """Of each kind the most frequent values, ties by name; what all results have narrows nothing."""
    counts, ages = _counted(found, prepared.searchers, prepared.search.now)
    topics = topics_of(prepared.opened.generation)
    return (*_most_frequent(counts), *_recent(ages), *(Facet("topic", name, 0) for name in topics))


def _counted(
    found: RankedCandidates, searchers: Sequence[Searcher], now: float
) -> tuple[dict[str, Counts], Ages]:
    """Values by their kinds, and how old all documents are."""
    sites, languages, types, ages = Counts(), Counts(), Counts(), [np.empty(0)]
    window = found.candidates[: found.rerank_depth]
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
Answer = Callable[[str, SearchOptions], ResultPage]


@dataclass(frozen=True, slots=True)
class FallbackQuery:
    """A query to ask instead, why, and what to say of it."""

    text: str
    because: str
    note: str


def fallback_results(
    nothing: ResultPage,
    text: str,
    options: SearchOptions,
    corrected: str,
    unknown: Container[str],
    answer: Answer,
) -> ResultPage:
    """The answer to the first query to try that finds something; else the one that found nothing.

    Every page of results tries the same, because what is found does not depend on which results are shown.
    """
    took = nothing.took_ms
    for one in _tries(text, corrected, unknown):
        found = answer(one.text, options)
        took = round(took + found.took_ms, 3)
        if found.total:
            return replace(
                found,
                query=text,
                searched=one.text,
                searched_because=one.because,
                did_you_mean=nothing.did_you_mean if one.because == RELAXED and not corrected else None,
                notes=tuple(dict.fromkeys(filter(None, (one.note, *nothing.notes, *found.notes)))),
                took_ms=took,
            )
    return replace(nothing, took_ms=took)


def _tries(text: str, corrected: str, unknown: Container[str]) -> Iterator[FallbackQuery]:
    if corrected:
        yield FallbackQuery(corrected, CORRECTED, "")
    query: Query = parse(corrected or text)
    for way in easier(query, unknown):
        if way.unasked:
            yield FallbackQuery(
                way.query, RELAXED, f"no results for the query as typed; searched {way.label}"
            )


# Fields shown of each result
# ---------------------------


class _StoredPage(NamedTuple):
    """What is kept of a page that was fetched."""

    stored: StoredDocument
    published: float
    fetched_at: float


@dataclass(frozen=True, slots=True)
class Hits:
    """What is shown of the results that were asked for."""

    prepared: PreparedQuery
    listed: ResultList

    def page(self) -> tuple[Hit, ...]:
        """The results from the offset of the request on."""
        prepared, found = self.prepared, self.listed.found
        explains = prepared.options.explain
        begin, behind = prepared.options.offset, self.listed.arranged.folded_under
        rows = list(self.listed.cut(begin, prepared.depth))
        places = np.array([place for place, _ in rows], np.int64)
        candidates, scores = found.candidates.taken(places), found.scores[places].tolist()
        read = self._read(candidates)
        shown = dict(zip(read, self._snippets(read.values()), strict=True))
        hits = []
        for number, (page, (place, more)) in enumerate(zip(candidates.pages.tolist(), rows, strict=True)):
            told = {
                "rank": begin + 1 + number,
                "score": round(scores[number], 4),
                "fingerprint": page,
                "explanation": self._explained(candidates[number], place) if explains else None,
                "similar": tuple([self._address(found.candidates[one]) for one in behind.get(place, ())]),
                "more_from_host": more,  # that were put off
            }
            if number in read:
                hits.append(_fetched(read[number], shown[number], told))
            else:
                hits.append(self._unfetched(page, candidates[number].address.partition, told))
        return tuple(hits)

    def _read(self, candidates: Candidates) -> dict[int, _StoredPage]:
        """What is known of those that were fetched, by their numbers; each segment is read at once."""
        found: dict[int, _StoredPage] = {}
        numbers = range(len(candidates))
        for partition, number, rows in candidates.by_segment():
            if number != UNFETCHED:
                segment = self.prepared.searchers[partition].snapshot.views[number].segment
                docs, columns = candidates.docs[rows], segment.columns
                stored = map(StoredDocument.unpacked, segment.stored.several(docs))
                times = columns.published[docs].tolist(), columns.fetched_at[docs].tolist()
                own = numbers[rows] if isinstance(rows, slice) else rows.tolist()
                found.update(zip(own, map(_StoredPage, stored, *times), strict=True))
        return found

    def _snippets(self, read: Iterable[_StoredPage]) -> list[Snippet]:
        """Snippets of pages that were fetched; most of the time goes into them."""
        if not self.prepared.options.snippets:
            return [Snippet("") for _ in read]
        pages = [one.stored for one in read]
        sources = [SnippetSource(one.text, written_in(one.language), one.description) for one in pages]
        return snippets(sources, self.prepared.terms)

    def _explained(self, candidate: Candidate, place: int) -> Explanation:
        found = self.listed.found
        if not found.reasons:
            searcher = self.prepared.searchers[candidate.address.partition]
            return self.prepared.search.explained(searcher, found, place)
        reason = found.reasons.get(candidate.fingerprint, "no links to it count for this query")
        return Explanation((), 1.0, links=reason)

    def _unfetched(self, page: int, partition: int, told: Mapping[str, Any]) -> Hit:
        """What links say stands for what the page says."""
        texts, language = self.prepared.search.anchors[partition].texts(page)
        url, shown = self.listed.addresses[page], Snippet("")
        if self.prepared.options.snippets:
            shown = snippet("\n".join(texts), self.prepared.terms, written_in(language))
        return Hit(url=url, title=texts[0] if texts else url, snippet=shown, unfetched=True, **told)

    def _address(self, candidate: Candidate) -> str:
        address = candidate.address
        segment = self.prepared.searchers[address.partition].snapshot.views[address.segment].segment
        return segment.stored.document(address.doc).url


def _fetched(read: _StoredPage, shown: Snippet, told: Mapping[str, Any]) -> Hit:
    stored, published, fetched_at = read
    return Hit(
        url=stored.url,
        title=stored.title or stored.url,
        snippet=shown,
        language=stored.language,
        media_type=stored.media_type,
        published=None if math.isnan(published) else published,
        fetched_at=fetched_at,
        **told,
    )


# Notes shown with results
# ------------------------

CRAWLING = "nothing is indexed yet; a crawl is running, and its first pages can be searched soon"
NOTHING_INDEXED = "nothing is indexed yet; crawl or import pages first, or run: gossamer index"
NOT_RANKED = "the links are not ranked yet; run: gossamer rank"


def search_notes(
    prepared: PreparedQuery, listed: ResultList, is_crawling: Callable[[], bool]
) -> Iterator[str]:
    """Notes on how the search was done."""
    if not prepared.search.stats.documents:
        yield CRAWLING if is_crawling() else NOTHING_INDEXED
    if (prepared.options.rank or prepared.options.topic) and prepared.opened.generation is None:
        yield NOT_RANKED
    if prepared.guess and prepared.options.explain:
        yield prepared.guess.note
    if prepared.search.algorithm not in {*EXACT, AUTO} and not prepared.options.newest_first:
        own, best = prepared.search.recall(prepared.searchers, listed.found, prepared.depth)
        yield f"{prepared.search.algorithm} is not exact: it found {own:,} of the {best:,} best pages"


def query_notes(prepared: PreparedQuery) -> Iterator[str]:
    """On how it was read, and what is known of the pages that it names."""
    for text in prepared.query.texts():
        if not words(text.text):
            yield f"ignored, because it has no letter or digit: {text.text}"
    for cut in prepared.planned.expansions.cut:
        yield f"{cut.typed} matches many words; only the most frequent ones were searched"
    if texts_of_links(prepared.query) and not prepared.search.anchors:
        yield "inanchor: finds nothing, because anchor text is not indexed yet; run: gossamer rank"
    yield from prepared.opened.link_queries.notes(prepared.query)
