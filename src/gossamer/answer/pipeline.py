"""The steps from a query to a page of results."""

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
    ResultPage,
    SearchKeywords,
    SearchOptions,
    Sitelink,
    Snippet,
    Word,
)
from gossamer.query.rewrite import easier
from gossamer.query.synonyms import Synonyms
from gossamer.query.syntax import parse
from gossamer.scoring.two_phase import RankedCandidates
from gossamer.search.candidates import Candidates
from gossamer.search.match.filters import moments, type_name
from gossamer.search.retrieve.choose import AUTO, EXACT
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.storage.files import WatchedFile
from gossamer.text.language_codes import primary
from gossamer.text.words import words


class AnswerPipeline:
    """Answer queries from the index on the disk. New commits and new ranks are noticed."""

    def __init__(
        self,
        indexes: Sequence[Index],
        graph_folder: Path | None,
        settings: SearchSettings,
        anchors_folders: Sequence[AnchorsFolder] = (),
        never_fetched: Sequence[NeverFetched] = (),
        thesaurus: WatchedFile[Synonyms] | None = None,
        instant: InstantAnswers | None = None,
        past: PastQueries | None = None,
        sites: SiteRules | None = None,
        is_crawling: Callable[[], bool] = lambda: False,
    ) -> None:
        self._is_crawling = is_crawling
        self._settings = settings
        self._instant = instant
        self._indexes = IndexReader(indexes, graph_folder, settings, anchors_folders, sites)
        resolver = PlaceResolver(instant.gazetteer) if instant else PlaceResolver()
        self._reader = RequestReader(self._indexes, settings, thesaurus, resolver)
        self._listing = Listing(never_fetched)
        self._clustering = Clustering(settings.clusters)
        self._pause = BackgroundPause()
        self.completing = CompletionService(self._indexes, past, self._pause.pause)

    def opened(self) -> SearchableState:
        """The state of the index that is searched now."""
        return self._indexes.opened(False)

    def learn(self) -> None:
        """Fill caches that searches would fill one after the other."""
        opened = self.opened()
        self._clustering.learn(opened.searchers, opened.vocabulary.spoken)

    def search(
        self,
        text: str,
        k: int | None = None,
        offset: int | None = None,
        *,
        options: SearchOptions | None = None,
        **others: Unpack[SearchKeywords],
    ) -> ResultPage:
        """Find the best pages for a query; if there are none, those for a corrected or relaxed query."""
        if options is None or k is not None or offset is not None or others:
            options = (options or SearchOptions()).changed(k, offset, **others)
        with self._pause:
            return self._answer(text, options)

    def _answer(self, text: str, options: SearchOptions) -> ResultPage:
        begun = time.perf_counter()
        answers = self._instant.answers(text) if self._instant else ()
        if answers:  # the meaning of the query is clear
            options = replace(options, clusters=False)
        shown = () if options.offset else answers
        try:
            found = self._found(text, options, bool(answers))
        except BadQuery:
            if not answers:
                raise
            # Calculations such as -2^2 are no valid queries.
            return ResultPage(text, 0, _milliseconds_since(begun), answers=shown)
        if answers:  # then the query is not misspelt
            return replace(found, answers=shown, did_you_mean=None)
        return found if found.total or not options.correct else self._fallback(found, text, options)

    def prepare(self, text: str, options: SearchOptions) -> PreparedQuery:
        """Read a query and plan it for the state of the index that is searched now."""
        return self._reader.prepare(text, options)

    def terms(self, text: str) -> frozenset[str]:
        """The index terms of a query."""
        return self._reader.prepare(text, SearchOptions()).terms

    def _fallback(self, nothing: ResultPage, text: str, options: SearchOptions) -> ResultPage:
        """Try corrected and relaxed queries; return the first page with results, or else the empty page.

        Each page of results tries the same queries in the same order, so page 2 continues page 1.
        """
        prepared = self._reader.prepare(text, options)
        spelling = self._reader.spelling(prepared)
        better = spelling.suggestion(prepared.query)
        corrected = better.text if better and better.sure else ""
        took = nothing.took_ms
        for searched, because, note in _fallback_queries(text, corrected, spelling.unknown(prepared.query)):
            found = self._found(searched, options)
            took = round(took + found.took_ms, 3)
            if found.total:
                return replace(
                    found,
                    query=text,
                    searched=searched,
                    searched_because=because,
                    did_you_mean=nothing.did_you_mean if because == RELAXED and not corrected else None,
                    notes=tuple(dict.fromkeys(filter(None, (note, *nothing.notes, *found.notes)))),
                    took_ms=took,
                )
        return replace(nothing, took_ms=took)

    def _found(self, text: str, options: SearchOptions, is_answered: bool = False) -> ResultPage:
        """Answer the query as it was typed. `is_answered`: it has an instant answer."""
        begun = time.perf_counter()
        prepared = self._reader.prepare(text, options)
        try:
            return self._answered(prepared, begun, is_answered)
        except DamagedFile:
            # Arrays of the graph are opened when a query needs them. A writer may just have replaced this
            # generation by a new one.
            if self.opened().generation is prepared.opened.generation:
                raise
        return self._found(text, options, is_answered)

    def _answered(self, prepared: PreparedQuery, begun: float, is_answered: bool) -> ResultPage:
        options = prepared.options
        listed = self._listing.of(prepared)
        best = self._listing.best(prepared, listed)
        sought = navigational_target(prepared, listed.found)
        grouped = self._clustering.grouped(prepared, best)
        country, context = personal_factors_used(prepared, listed.found)
        located = self._reader.resolver.notes(prepared.query)
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
            folded=listed.arranged.folded if members is None else 0,  # clusters have no folded pages
            clusters=grouped.clusters,
            did_you_mean=better.text if better else None,
            language=prepared.search.plan.leaning.language,
            intent=sought.intent,
            ranked_by=prepared.ranked_by,
            related=self._related(prepared, hits),
            sitelinks=self._sitelinks(prepared, sought, hits),
            facets=facets(prepared, best.found) if options.facets else (),
            notes=notes,
            country=country,
            context=context,
            preferred_topic=prepared.preferred_topic,
            took_ms=_milliseconds_since(begun),
        )

    def _related(self, prepared: PreparedQuery, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Related queries, for the first page of a query of plain words."""
        options = prepared.options
        if options.offset or not options.snippets:
            return ()
        if any(not isinstance(clause, Word) for clause in prepared.query.clauses):
            return ()
        return self.completing.related(prepared.text, hits, prepared.search.plan.leaning.language)

    def _sitelinks(
        self, prepared: PreparedQuery, sought: NavigationalTarget, hits: Sequence[Hit]
    ) -> tuple[Sitelink, ...]:
        """Sitelinks, if the first result is the home page that the query asks for."""
        if not hits or sought.page is None or hits[0].fingerprint != sought.page.fingerprint:
            return ()
        return sitelinks(hits[0], prepared.searchers, self._settings.fold_threshold) if sought.is_home else ()


def _milliseconds_since(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000, 3)


# Facet counts: sites, languages, types, times
# --------------------------------------------
#
# Only the first `RankedCandidates.rerank_depth` results are counted, a few hundred documents. To count
# all would take longer than the search. If fewer documents match, the counts are exact. If the request
# shows one cluster, all results are counted nevertheless: a query that is narrowed by a facet has other
# clusters, so to choose a facet leaves the cluster.

MOST = 8  # values of each kind
DAY = 86_400.0  # seconds
PERIODS = (1, 7, 31, 366)  # days
_SECONDS = DAY * np.array(PERIODS)
Counts = dict[str, int]  # by value
CountsById = dict[int, int]  # by the number of the value
Ages = NDArray[np.float64]  # seconds


def facets(prepared: PreparedQuery, found: RankedCandidates) -> tuple[Facet, ...]:
    """The most frequent values of each kind, ties by name, without kinds that have only one value."""
    counts, ages = _counted(found, prepared.searchers, prepared.search.now)
    topics = topics_of(prepared.opened.generation)
    return (*_most_frequent(counts), *_recent(ages), *(Facet("topic", name, 0) for name in topics))


def _counted(
    found: RankedCandidates, searchers: Sequence[Searcher], now: float
) -> tuple[dict[str, Counts], Ages]:
    """The counts of each kind, and the age of each document."""
    sites, languages, types, ages = Counts(), Counts(), Counts(), [np.empty(0)]
    window = found.candidates[: found.rerank_depth]
    parts = [part for part in window.by_segment() if part[1] != UNFETCHED]
    for partition, number, rows in parts:
        segment, docs = searchers[partition].snapshot.views[number].segment, window.docs[rows]
        columns = segment.columns
        # `bincount` takes longer than `Counter` for hosts, because host numbers can be large.
        _add(sites, Counter(columns.host_ids[docs].tolist()), segment.host, len(parts) == 1)
        _add(languages, _counts(columns.language_ids[docs]), _named(columns.languages(), primary))
        _add(types, _counts(columns.type_ids[docs]), _named(columns.types(), type_name))
        ages.append(now - moments(columns, docs))
    return {"site": sites, "language": languages, "type": types}, np.concatenate(ages)


def _counts(ids: NDArray[np.uint32]) -> CountsById:
    """Count each of some small numbers."""
    return {number: count for number, count in enumerate(np.bincount(ids).tolist()) if count}


def _add(counts: Counts, by_id: CountsById, name: Callable[[int], str], is_all: bool = False) -> None:
    """Add counts by the names of values. If these are all counts, skip values too rare to be shown."""
    # One of them may have an empty name.
    least = sorted(by_id.values())[-MOST - 1] if is_all and len(by_id) > MOST + 1 else 0
    for number, count in by_id.items():
        if count >= least:
            value = name(number)
            counts[value] = counts.get(value, 0) + count


def _named(names: Sequence[str], shown: Callable[[str], str]) -> Callable[[int], str]:
    """A function from numbers to names as they are shown. `names` is empty if all names are empty."""
    return lambda number: shown(names[number]) if names else ""


def _most_frequent(counts: dict[str, Counts]) -> Iterator[Facet]:
    for kind, own in counts.items():
        if len(own) > 1:
            ranked = sorted([(-count, value) for value, count in own.items() if value])
            yield from [Facet(kind, value, -count) for count, value in ranked[:MOST]]


def _recent(ages: Ages) -> Iterator[Facet]:
    counts = np.searchsorted(np.sort(ages), _SECONDS, "right").tolist()
    for days, count in zip(PERIODS, counts, strict=True):
        if 0 < count < len(ages):
            yield Facet("time", str(days), count)


# Corrected or relaxed query when nothing found
# ---------------------------------------------

CORRECTED, RELAXED = "corrected", "relaxed"


def _fallback_queries(text: str, corrected: str, unknown: Container[str]) -> Iterator[tuple[str, str, str]]:
    """Yield queries to try instead, each with the reason (CORRECTED or RELAXED) and a note to show."""
    if corrected:
        yield corrected, CORRECTED, ""
    for way in easier(parse(corrected or text), unknown):
        if way.unasked:
            yield way.query, RELAXED, f"no results for the query as typed; searched {way.label}"


# Fields shown of each result
# ---------------------------


class _StoredPage(NamedTuple):
    """The stored text and the times of a fetched page."""

    stored: StoredDocument
    published: float
    fetched_at: float


@dataclass(frozen=True, slots=True)
class Hits:
    """Make the results that the request asks for."""

    prepared: PreparedQuery
    listed: ResultList

    def page(self) -> tuple[Hit, ...]:
        """The results from the offset of the request."""
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
            fields = {
                "rank": begin + 1 + number,
                "score": round(scores[number], 4),
                "fingerprint": page,
                "explanation": self._explained(candidates[number], place) if explains else None,
                "similar": tuple([self._address(found.candidates[one]) for one in behind.get(place, ())]),
                "more_from_host": more,
            }
            if number in read:
                hits.append(_fetched(read[number], shown[number], fields))
            else:
                hits.append(self._unfetched(page, candidates[number].address.partition, fields))
        return tuple(hits)

    def _read(self, candidates: Candidates) -> dict[int, _StoredPage]:
        """Read the fetched pages, one segment at a time; return them by their place in `candidates`."""
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
        """The snippets of fetched pages."""
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

    def _unfetched(self, page: int, partition: int, fields: Mapping[str, Any]) -> Hit:
        """Make the result of an unfetched page from its anchor text."""
        texts, language = self.prepared.search.anchors[partition].texts(page)
        url, shown = self.listed.addresses[page], Snippet("")
        if self.prepared.options.snippets:
            shown = snippet("\n".join(texts), self.prepared.terms, written_in(language))
        return Hit(url=url, title=texts[0] if texts else url, snippet=shown, unfetched=True, **fields)

    def _address(self, candidate: Candidate) -> str:
        address = candidate.address
        segment = self.prepared.searchers[address.partition].snapshot.views[address.segment].segment
        return segment.stored.document(address.doc).url


def _fetched(read: _StoredPage, shown: Snippet, fields: Mapping[str, Any]) -> Hit:
    stored, published, fetched_at = read
    return Hit(
        url=stored.url,
        title=stored.title or stored.url,
        snippet=shown,
        language=stored.language,
        media_type=stored.media_type,
        published=None if math.isnan(published) else published,
        fetched_at=fetched_at,
        **fields,
    )


# Notes shown with results
# ------------------------

CRAWLING = "nothing is indexed yet; a crawl is running, and its first pages can be searched soon"
NOTHING_INDEXED = "nothing is indexed yet; crawl or import pages first, or run: gossamer index"
NOT_RANKED = "the links are not ranked yet; run: gossamer rank"


def search_notes(
    prepared: PreparedQuery, listed: ResultList, is_crawling: Callable[[], bool]
) -> Iterator[str]:
    """Yield notes on how the search was done."""
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
    """Yield notes on how the query was read, and on the pages that it names."""
    for text in prepared.query.texts():
        if not words(text.text):
            yield f"ignored, because it has no letter or digit: {text.text}"
    for cut in prepared.planned.expansions.cut:
        yield f"{cut.typed} matches many words; only the most frequent ones were searched"
    if texts_of_links(prepared.query) and not prepared.search.anchors:
        yield "inanchor: finds nothing, because anchor text is not indexed yet; run: gossamer rank"
    yield from prepared.opened.link_queries.notes(prepared.query)
