"""Answers queries over all partitions: statistics first, then each partition, then the merge."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from gossamer.engine.asking import Asked, Asking
from gossamer.engine.clustering import Clustering
from gossamer.engine.completing import Completing, Past
from gossamer.engine.courtesy import Courtesy
from gossamer.engine.facets import facets
from gossamer.engine.helping import instead
from gossamer.engine.hits import Hits
from gossamer.engine.instant import Instant
from gossamer.engine.listing import Listed, Listing, NeverFetched
from gossamer.engine.locating import Locating
from gossamer.engine.newest import AnchorsFolder, Newest, Opened
from gossamer.engine.personal import counted
from gossamer.engine.remarks import on_the_query, on_the_search
from gossamer.engine.sitelinks import sitelinks
from gossamer.engine.sites import SiteRules
from gossamer.engine.thesaurus import Thesaurus
from gossamer.engine.wanting import Wanted, wanted
from gossamer.index.index import Index
from gossamer.model import BadQuery, DamagedFile, Hit, How, ResultPage, SearchRequest, Sitelink, Word
from gossamer.search.settings import SearchSettings


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
