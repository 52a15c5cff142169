"""An engine that holds a few hits, for tests of what is shown of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gossamer.model import BadSetting, Explanation, Hit, ResultPage, Snippet
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
    did_you_mean: str | None = None
    notes: tuple[str, ...] = ()
    failure: Exception | None = None
    documents: int = 1234
    asked: list[tuple[object, ...]] = field(default_factory=list)
    counted: int = 0
    folded: int = 0
    languages: tuple[str, ...] = ()

    def search(
        self,
        text,
        k=10,
        offset=0,
        scheme=None,
        algorithm=None,
        explain=False,
        everything=False,
        languages=(),
        *,
        rank=None,
        topic=None,
    ):
        self.ranked_by = rank, topic
        self.asked.append((text, k, offset, scheme, algorithm, explain, everything))
        self.languages = languages
        if self.failure:
            raise self.failure
        parse(text)
        if scheme not in (None, "bm25f"):
            raise BadSetting(f"unknown weighting scheme {scheme!r}; there are: bm25f")
        shown = [
            replace(hit, rank=offset + place) for place, hit in enumerate(self.hits[offset : offset + k], 1)
        ]
        if explain:
            shown = [replace(hit, explanation=Explanation((), 1.0)) for hit in shown]
        total = len(self.hits) if self.total is None else self.total
        return ResultPage(
            text, total, 3.21, tuple(shown), offset, self.did_you_mean, notes=self.notes, folded=self.folded
        )

    def status(self):
        self.counted += 1
        return FakeStatus(self.documents)


def hit(url="https://example.org/", title="A title", text="Some words.", marks=(), **more) -> Hit:
    return Hit(1, url, title, Snippet(text, tuple(marks)), 1.5, 7, **more)


def hits(number: int) -> list[Hit]:
    return [hit(f"https://example.org/{place}", f"Title {place}") for place in range(1, number + 1)]
