"""An engine with a few hits, for tests of how results are shown."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gossamer.answer.page_info import PageInfo
from gossamer.graph.ranks.explain import PageLinks
from gossamer.graph.reader import GraphLink, GraphPage, RankPosition
from gossamer.model import (
    BadSetting,
    CachedPage,
    Explanation,
    Hit,
    ResultPage,
    SearchOptions,
    Snippet,
    UnknownPage,
)
from gossamer.query.syntax import parse
from gossamer.web.url import repair


@dataclass
class FakeStatus:
    documents: int

    def as_dict(self):
        return {
            "documents": self.documents,
            "pages": self.documents + 1,
            "ranked": False,
            "oldest_fetch": None,
        }


@dataclass
class FakeEngine:
    """Answers every query with the same hits, and remembers what it was asked."""

    hits: list[Hit] = field(default_factory=list)
    total: int | None = None
    said: dict[str, object] = field(default_factory=dict)  # what else the answer holds
    failure: Exception | None = None
    documents: int = 1234
    typed: list[str] = field(default_factory=list)
    asked: list[SearchOptions] = field(default_factory=list)
    counted: int = 0
    copies: dict[str, CachedPage] = field(default_factory=dict)
    known_topics: tuple[str, ...] = ()
    unvouched: int = 0  # of the hits, as links that nobody vouches for
    suggested: list[str] | None = None  # instead of what was typed, with numbers

    def search(self, text, *, options):
        self.typed.append(text)
        self.asked.append(options)
        if self.failure:
            raise self.failure
        parse(text)
        if options.scheme not in (None, "bm25f"):
            raise BadSetting(f"unknown weighting scheme {options.scheme!r}; choose from: bm25f")
        offset = options.offset
        shown = [
            replace(hit, rank=offset + place)
            for place, hit in enumerate(self.hits[offset : offset + options.k], 1)
        ]
        if options.explain:
            shown = [replace(hit, explanation=Explanation((), 1.0)) for hit in shown]
        total = len(self.hits) if self.total is None else self.total
        found = ResultPage(text, total, 3.21, tuple(shown), offset)
        return replace(found, **self.said)

    def suggest(self, text, k=8, *, wait=True):
        if self.failure:
            raise self.failure
        if self.suggested is not None:
            return self.suggested
        return [f"{text} {n}" for n in range(1, 20)][:k] if text.strip() else []

    def page(self, url):
        return PageInfo(self._known(url), "indexed", title="A title", text="Some words.", fetched_at=0.0)

    def similar(self, url, k=10, offset=0):
        self._known(url)
        shown = tuple(self.hits[offset : offset + k])
        return ResultPage("some words", len(self.hits), 3.21, shown, offset)

    def links(self, url, k=10, offset=0):
        page = GraphPage(1, 7, self._known(url), "A title", "example.org")
        others = [GraphLink(replace(page, url=hit.url), 0.25, ("it says",), True) for hit in self.hits]
        standings = [RankPosition("pagerank", 0.25, 50.0, 1)]
        own, bought = others[self.unvouched :], others[: self.unvouched]
        shown, apart = own[offset : offset + k], bought[offset : offset + k]
        degrees = len(own), 0, 0, len(bought)
        return PageLinks(page, url, *degrees, shown, [], [], apart, standings, 0.5, [], 0.2, 0.2, 0.1, [])

    def _known(self, url):
        if self.failure:
            raise self.failure
        known = repair(url)[0].text
        if known not in {hit.url for hit in self.hits}:
            raise UnknownPage(url, "is not known here")
        return known

    def cached(self, url, query=""):
        if self.failure:
            raise self.failure
        if query:
            parse(query)
        return self.copies.get(url)

    def topics(self):
        return self.known_topics

    def status(self):
        self.counted += 1
        if self.failure:
            raise self.failure
        return FakeStatus(self.documents)


def hit(url="https://example.org/", title="A title", text="Some words.", marks=(), **more) -> Hit:
    return Hit(1, url, title, Snippet(text, tuple(marks)), 1.5, 7, **more)


def hits(number: int) -> list[Hit]:
    return [hit(f"https://example.org/{place}", f"Title {place}") for place in range(1, number + 1)]
