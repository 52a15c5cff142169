"""An engine that holds a few hits, for tests of what is shown of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gossamer.model import BadSetting, CachedPage, Explanation, Hit, ResultPage, SearchRequest, Snippet
from gossamer.query.parse import parse


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
    asked: list[SearchRequest] = field(default_factory=list)
    counted: int = 0
    copies: dict[str, CachedPage] = field(default_factory=dict)

    def answer(self, request):
        self.asked.append(request)
        if self.failure:
            raise self.failure
        parse(request.text)
        if request.scheme not in (None, "bm25f"):
            raise BadSetting(f"unknown weighting scheme {request.scheme!r}; there are: bm25f")
        offset = request.offset
        shown = [
            replace(hit, rank=offset + place)
            for place, hit in enumerate(self.hits[offset : offset + request.k], 1)
        ]
        if request.explain:
            shown = [replace(hit, explanation=Explanation((), 1.0)) for hit in shown]
        total = len(self.hits) if self.total is None else self.total
        found = ResultPage(request.text, total, 3.21, tuple(shown), offset)
        return replace(found, **self.said)

    def cached(self, url, query=""):
        if query:
            parse(query)
        return self.copies.get(url)

    def status(self):
        self.counted += 1
        return FakeStatus(self.documents)


def hit(url="https://example.org/", title="A title", text="Some words.", marks=(), **more) -> Hit:
    return Hit(1, url, title, Snippet(text, tuple(marks)), 1.5, 7, **more)


def hits(number: int) -> list[Hit]:
    return [hit(f"https://example.org/{place}", f"Title {place}") for place in range(1, number + 1)]
