"""What does a request ask for, of what is there now, and by which rank do links count?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gossamer.engine.blending import OF_A_QUERY, Blend, blend_of, chosen, preferring, topics_of, written
from gossamer.engine.locating import Locating
from gossamer.engine.newest import Newest, Opened
from gossamer.engine.personal import personal
from gossamer.engine.preparing import Prepared, has_texts, prepared
from gossamer.engine.suggesting import Spelling
from gossamer.engine.thesaurus import Thesaurus
from gossamer.engine.topic_guess import Guess, guessed
from gossamer.model import Query, SearchRequest, Site
from gossamer.query.parse import parse
from gossamer.search.phases import Search
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.synonyms import NO_SYNONYMS

DEEPEST = 1000  # results that can be paged through


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, read and prepared for what was open when it came."""

    request: SearchRequest
    query: Query
    opened: Opened
    by: str  # the rank by which links count
    prepared: Prepared
    guess: Guess | None  # of the topic
    preferred_topic: str  # of the person, where it counts
    searchers: Sequence[Searcher]

    @property
    def search(self) -> Search:
        return self.prepared.search

    @property
    def depth(self) -> int:
        """How many results must be known."""
        return min(self.request.offset + self.request.k, DEEPEST)

    @property
    def as_found(self) -> bool:
        """Whether nothing is put off or folded."""
        return self.request.everything or self.request.newest_first

    @property
    def of_one_site(self) -> bool:
        return any(wanted and isinstance(leaf, Site) for leaf, wanted in self.query.leaves())

    @property
    def ranked_by(self) -> str:
        if self.preferred_topic:
            return written(preferring(self.preferred_topic, self.by))
        return written(self.guess.blend) if self.guess else self.by


class Asking:
    """Reads requests."""

    def __init__(
        self,
        newest: Newest,
        settings: SearchSettings,
        thesaurus: Thesaurus | None,
        locating: Locating,
    ) -> None:
        self.locating = locating
        self._newest = newest
        self._settings = settings
        self._thesaurus = thesaurus

    def asked(self, request: SearchRequest) -> Asked:
        """What is asked for of what is newest."""
        query = parse(request.text)
        opened = self._newest.opened(has_texts(query))
        by = chosen(request.rank, request.topic, opened.rank)
        wanted = self._prepared(query, opened, by, request)
        named = bool(request.rank or request.topic)
        topic = "" if named else _preferred(request.preferred_topic, by, opened)
        guess = None if named or topic else self._guess(by, opened, wanted.search)
        searchers = opened.ranked_by(_blend(by, topic, guess))
        return Asked(request, query, opened, by, wanted, guess, topic, searchers)

    def spelling(self, asked: Asked) -> Spelling:
        """What knows better spellings of a query; they are counted without links and synonyms."""
        searchers = asked.opened.searchers

        def count(query: Query) -> int:
            places = self.locating.places(query)
            made = prepared(query, asked.opened.wordbook, (), self._settings, NO_SYNONYMS, (), places)
            return made.search.count(searchers)

        return Spelling(asked.opened.wordbook, asked.prepared.spoken, count)

    def _prepared(self, query: Query, opened: Opened, by: str, request: SearchRequest) -> Prepared:
        settings = self._settings
        if request.scheme or request.algorithm:
            settings = replace(
                settings,
                scheme=request.scheme or settings.scheme,
                algorithm=request.algorithm or settings.algorithm,
            )
        synonyms = self._thesaurus.synonyms() if self._thesaurus else NO_SYNONYMS
        anchors = opened.anchors if has_texts(query) else ()
        searchers, places = opened.ranked_by(blend_of(by)), self.locating.places(query)
        made = prepared(query, opened.wordbook, anchors, settings, synonyms, request.languages, places)
        if opened.graph is not None and blend_of(by):
            graph = opened.graph
            made = replace(made, search=replace(made.search, links=lambda: graph.links_between))
        return personal(made, query, request, searchers, self.locating)

    def _guess(self, by: str, opened: Opened, search: Search) -> Guess | None:
        """The topic that the query means, where nobody named a rank."""
        if by in OF_A_QUERY or not self._settings.guess_topics or opened.generation is None:
            return None
        return guessed(opened.generation, search, opened.ranked_by(blend_of(by)), by)


def _preferred(topic: str, by: str, opened: Opened) -> str:
    """The topic of the person, where there is one of that name, and links count by what is stored."""
    return topic if blend_of(by) and topic in topics_of(opened.generation) else ""


def _blend(by: str, topic: str, guess: Guess | None) -> Blend:
    if topic:
        return preferring(topic, by)
    return guess.blend if guess else blend_of(by)
