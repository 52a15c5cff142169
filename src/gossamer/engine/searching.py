"""Answers queries over all partitions: statistics first, then each partition, then the merge."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import numpy as np

from gossamer.engine.arranging import Arranged, arranged, as_ranked, without
from gossamer.engine.blending import OF_A_QUERY, blend_of, chosen, written
from gossamer.engine.clustering import Clustering, only
from gossamer.engine.completing import Completing, Past
from gossamer.engine.distilling import Distilled
from gossamer.engine.facets import facets
from gossamer.engine.helping import instead
from gossamer.engine.hits import Hits
from gossamer.engine.instant import Instant
from gossamer.engine.link_queries import by_likeness
from gossamer.engine.newest import AnchorsFolder, Newest, Opened
from gossamer.engine.preparing import Prepared, has_texts, prepared, texts_of_links
from gossamer.engine.sitelinks import sitelinks
from gossamer.engine.suggesting import Spelling
from gossamer.engine.thesaurus import Thesaurus
from gossamer.engine.topic_guess import Guess, guessed
from gossamer.engine.wanting import Wanted, first, wanted
from gossamer.index.index import Index
from gossamer.model import (
    UNFETCHED,
    BadQuery,
    ByLinks,
    Hit,
    How,
    Query,
    ResultPage,
    SearchRequest,
    Site,
    Sitelink,
    Word,
)
from gossamer.query.parse import parse
from gossamer.search.phases import Ranked, Search
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.search.topk import AUTO, EXACT
from gossamer.text.synonyms import NO_SYNONYMS
from gossamer.text.words import words

NOT_RANKED = "links count for nothing yet; run: gossamer rank"
_NO_CLUSTER = "there is no group of results called {}, so all results are shown"
DEEPEST = 1000  # results that can be paged through

NeverFetched = Callable[[Sequence[int]], dict[int, str]]  # the addresses of those pages that still are not


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
    ) -> None:
        self._thesaurus = thesaurus
        self._instant = instant
        self._settings = settings
        self._never_fetched = never_fetched
        self._clustering = Clustering(settings.clusters)
        self._newest = Newest(indexes, graph_folder, settings, anchors_folders)
        self.completing = Completing(self._newest, past)

    def opened(self) -> Opened:
        """What is searched now."""
        return self._newest.opened(False)

    def search(self, text: str, k: int = 10, offset: int = 0, **how: Unpack[How]) -> ResultPage:
        """The best pages for a query, from `offset` on, at most k."""
        return self.answer(SearchRequest(text, k, offset, **how))

    def answer(self, request: SearchRequest) -> ResultPage:
        """The results from `offset` on, at most k; where there are none, those of what was rather meant."""
        begun = time.perf_counter()
        answers = self._instant.answers(request.text) if self._instant and not request.offset else ()
        try:
            found = self._answer(request)
        except BadQuery as error:
            if answers:  # 5'11" in cm: the quotation mark is none
                return ResultPage(request.text, 0, _since(begun), answers=answers, notes=(str(error),))
            raise
        if not found.total and request.correct and not answers:
            found = self._instead(found, request)
        return replace(found, answers=answers) if answers else found

    def _instead(self, nothing: ResultPage, request: SearchRequest) -> ResultPage:
        query = parse(request.text)
        opened = self._newest.opened(has_texts(query))
        by = chosen(request.rank, request.topic, opened.rank)
        spelling = self._spelling(opened, self._asked(query, opened, by, request))
        better = spelling.suggestion(query)
        corrected = better.text if better and better.sure else ""
        return instead(nothing, request, corrected, spelling.unknown(query), self._answer)

    def _spelling(self, opened: Opened, asked: Prepared) -> Spelling:
        def count(query: Query) -> int:
            plain = prepared(query, opened.searchers, (), self._settings, NO_SYNONYMS, ()).search
            return plain.count(opened.searchers)

        return Spelling(opened.searchers, asked.spoken, asked.search.stats, count)

    def _answer(self, request: SearchRequest) -> ResultPage:
        begun = time.perf_counter()
        query = parse(request.text)
        opened = self._newest.opened(has_texts(query))
        by = chosen(request.rank, request.topic, opened.rank)
        asked = self._asked(query, opened, by, request)
        guess = None if request.rank or request.topic else self._guess(by, opened, asked.search)
        searchers = opened.ranked_by(guess.blend if guess else blend_of(by))
        depth = min(request.offset + request.k, DEEPEST)
        of_one_site = any(wanted and isinstance(leaf, Site) for leaf, wanted in query.leaves())
        ranked = _way(asked.search, searchers, opened, query, by, request.newest_first)
        by_itself = request.everything or request.newest_first
        found, addresses, listed = self._listed(
            asked.search, ranked, searchers, by_itself, of_one_site, depth
        )
        sought = wanted(query, found, searchers, opened.link_queries, asked.spoken)
        grouped = self._clustering.grouped(request, asked.search, found, listed, searchers)
        members = grouped.named(request.cluster) if request.cluster else None
        recalled = () if request.newest_first else _recall(asked.search, searchers, found, depth)
        if members is not None:
            found = only(found, listed, members)
            listed = self._arranged(asked.search, found, searchers, by_itself, of_one_site, depth)
        elif sought.page and not (by_itself or by in OF_A_QUERY):
            found, listed = first(found, listed, sought.page)
        known = Hits(asked.search, found, searchers, asked.search.anchors, addresses, request.snippets)
        hits = [
            known.hit(number, place, request.explain, listed.behind.get(place, ()), more)
            for number, (place, more) in enumerate(_cut(listed, request.offset, depth), request.offset + 1)
        ]
        better = self._spelling(opened, asked).suggestion(query)
        return ResultPage(
            query=request.text,
            total=found.total,
            hits=tuple(hits),
            offset=request.offset,
            folded=listed.folded,
            clusters=grouped.clusters,
            did_you_mean=better.text if better else None,
            took_ms=_since(begun),
            language=asked.search.plan.leaning.language,
            intent=sought.intent,
            sitelinks=self._sitelinks(sought, hits, searchers),
            ranked_by=written(guess.blend) if guess else by,
            related=self._related(request, query, hits, asked),
            facets=facets(found, searchers, opened.generation, asked.search.now) if request.facets else (),
            notes=(
                *_notes(query, asked),
                *opened.link_queries.notes(query),
                *sought.notes,
                *((_NO_CLUSTER.format(request.cluster),) if request.cluster and members is None else ()),
                *((NOT_RANKED,) if (request.rank or request.topic) and opened.generation is None else ()),
                *((guess.said,) if guess and request.explain else ()),
                *recalled,
            ),
        )

    def terms(self, text: str) -> frozenset[str]:
        """The terms of the index that a query asks for."""
        query = parse(text)
        opened = self._newest.opened(has_texts(query))
        wanted = self._asked(query, opened, self._settings.rank, SearchRequest(text)).search.plan
        return frozenset(wanted.terms + wanted.also)

    def _asked(self, query: Query, opened: Opened, by: str, request: SearchRequest) -> Prepared:
        settings = self._settings
        if request.scheme or request.algorithm:
            settings = replace(
                settings,
                scheme=request.scheme or settings.scheme,
                algorithm=request.algorithm or settings.algorithm,
            )
        synonyms = self._thesaurus.synonyms() if self._thesaurus else NO_SYNONYMS
        anchors = opened.anchors if has_texts(query) else ()
        return prepared(query, opened.ranked_by(blend_of(by)), anchors, settings, synonyms, request.languages)

    def _related(
        self, request: SearchRequest, query: Query, hits: Sequence[Hit], asked: Prepared
    ) -> tuple[str, ...]:
        """Of the first page of a query of plain words, what others might go on with."""
        if request.offset or not request.snippets or any(not isinstance(one, Word) for one in query.clauses):
            return ()
        return self.completing.related(request.text, hits, asked.search.plan.leaning.language)

    def _guess(self, by: str, opened: Opened, search: Search) -> Guess | None:
        """The topic that the query means, where nobody named a rank."""
        if by in OF_A_QUERY or not self._settings.guess_topics or opened.generation is None:
            return None
        return guessed(opened.generation, search, opened.ranked_by(blend_of(by)), by)

    def _sitelinks(
        self, sought: Wanted, hits: Sequence[Hit], searchers: Sequence[Searcher]
    ) -> tuple[Sitelink, ...]:
        """Of the site that is wanted, where its home page stands first."""
        if not hits or sought.page is None or hits[0].fingerprint != sought.page.fingerprint:
            return ()
        return sitelinks(hits[0], searchers, self._settings.fold) if sought.is_home else ()

    def _listed(
        self,
        search: Search,
        ranked: Callable[[int], Ranked],
        searchers: Sequence[Searcher],
        everything: bool,
        of_one_site: bool,
        depth: int,
    ) -> tuple[Ranked, dict[int, str], Arranged]:
        """What was found, the addresses of pages that were not fetched, and what is listed of it."""
        deep = depth
        while True:
            found, addresses = self._still_unfetched(ranked(deep))
            listed = self._arranged(search, found, searchers, everything, of_one_site, depth)
            is_all = len(found.candidates) >= found.total
            if is_all or len(listed.places) >= depth or deep > depth or not listed.folded:
                return found, addresses, listed
            deep = depth + listed.folded  # others come in the place of what was folded

    def _arranged(
        self,
        search: Search,
        found: Ranked,
        searchers: Sequence[Searcher],
        everything: bool,
        of_one_site: bool,
        depth: int,
    ) -> Arranged:
        if everything:
            return as_ranked(found)
        return arranged(found, searchers, search.anchors, self._settings, of_one_site, depth)

    def _still_unfetched(self, found: Ranked) -> tuple[Ranked, dict[int, str]]:
        """Without pages that were fetched, refused or given up since the texts of links were indexed."""
        places = np.flatnonzero(found.candidates.segments == UNFETCHED)
        if not len(places):
            return found, {}
        unfetched = found.candidates.taken(places)
        addresses: dict[int, str] = {}
        for partition, _, rows in unfetched.by_segment():
            addresses |= self._never_fetched[partition](unfetched.pages[rows].tolist())
        gone = [page not in addresses for page in unfetched.pages.tolist()]
        return without(found, places[gone]), addresses


def _since(begun: float) -> float:
    """Milliseconds."""
    return round((time.perf_counter() - begun) * 1000, 3)


def _way(
    search: Search, searchers: Sequence[Searcher], opened: Opened, query: Query, by: str, newest_first: bool
) -> Callable[[int], Ranked]:
    """What gives the best documents, or the newest, as many as are asked for."""
    if newest_first:
        return lambda deep: search.newest(searchers, deep)
    if by in OF_A_QUERY and opened.graph and search.plan.ranks:
        distilled = Distilled(search, searchers, opened.graph).ranked(by)
        return lambda _: distilled
    links = [leaf for leaf, asked in query.leaves() if asked and isinstance(leaf, ByLinks)]
    related = [leaf.url for leaf in links if leaf.way == "related"]
    if related and not search.plan.ranks:
        found = search.ranked(searchers, DEEPEST)
        likeness = opened.link_queries.likeness(related[0], found.candidates.pages)
        alike = by_likeness(found, likeness)
        return lambda _: alike
    return lambda deep: search.ranked(searchers, deep)


def _cut(listed: Arranged, first: int, end: int) -> Iterator[tuple[int, int]]:
    """Places of what is shown, and how many of the host of each were put off."""
    for number, place in enumerate(listed.places[first:end], first):
        yield place, listed.more[number] if number < len(listed.more) else 0


def _notes(query: Query, asked: Prepared) -> tuple[str, ...]:
    """What the person should know of the query."""
    empty = [one.text for one in query.texts() if not words(one.text)]
    notes = [f"ignored, because it holds no letter or digit: {text}" for text in empty]
    notes += [
        f"only the most frequent words that {cut.typed} stands for were looked for"
        for cut in asked.expansions.cut
    ]
    if texts_of_links(query) and not asked.search.anchors:
        notes.append("inanchor: finds nothing, as the texts of links are not indexed yet; run: gossamer rank")
    if not asked.search.stats.documents:
        notes.append("nothing is indexed yet: crawl or import something, or run: gossamer index")
    return tuple(notes)


def _recall(search: Search, searchers: Sequence[Searcher], found: Ranked, depth: int) -> tuple[str, ...]:
    """How good an algorithm was that is not exact."""
    if search.algorithm in {*EXACT, AUTO}:
        return ()
    own, best = search.recall(searchers, found, depth)
    return (f"{search.algorithm} is not exact: it found {own:,} of the {best:,} best pages",)
