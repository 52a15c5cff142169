"""Parameters of page and API; paging; links to variants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Header, Query
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.datastructures import QueryParams
from starlette.requests import Request

# Search and its address; links to variants
# -----------------------------------------

REMEMBERED = 256  # values as they stand in addresses: a page names most of them several times
_OFTEN_CHANGED = frozenset({"page", "cluster", "correct", "explain", "everything", "newest"})
_UNSAFE = re.compile(r"[^A-Za-z0-9_.~-]")
_PERCENT = {chr(code): f"%{code:02X}" for code in range(128)}


@dataclass(frozen=True, slots=True)
class Asked:
    """A search as its address says it; `ui` is the language that was named for the page, if any was."""

    root: str
    query: str
    page: int = 1
    everything: bool = False
    newest: bool = False
    explain: bool = False
    correct: bool = True
    cluster: str = ""
    topic: str = ""
    ui: str = ""
    country: str = ""  # "none", or another than would be found out
    languages: str = ""
    context: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()
    prefer_topic: str = ""
    # What nearly every address of a page has behind the query: how to list and the rest; the rest alone.
    behind: str = field(init=False, repr=False, compare=False)
    _rest: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rest = (
            ("topic", self.topic),
            ("ui", self.ui),
            ("country", self.country),
            ("languages", self.languages),
            ("prefer_topic", self.prefer_topic),
        )
        several = [("context", one) for one in self.context] + [("prefer", one) for one in self.prefer]
        written = _written((*rest, *several))
        object.__setattr__(self, "behind", f"{_listed(self.everything, self.newest)}{written}")
        object.__setattr__(self, "_rest", written)

    def here(self, **changes: Any) -> str:
        """The same search, changed; on its first page unless one is named."""
        if changes.keys() <= _OFTEN_CHANGED:  # a new search takes ten times as long as its address
            changed = {name: changes.get(name, getattr(self, name)) for name in _OFTEN_CHANGED}
            return self._of(**{**changed, "page": changes.get("page", 1)})
        return replace(self, **{"page": 1, **changes}).address

    def group(self, cluster: str) -> str:
        """The same search for one group of its results only: `here`, for what a page asks for many times."""
        return self._of(1, cluster, self.correct, self.explain, self.everything, self.newest)

    def about(self, query: str, operator: str = "") -> str:
        """A search for something else, which is shown in the same order and language."""
        asked = f"&q={quoted(operator)}{quoted(query)}" if query else ""
        return f"{self.root}/search?{f'{asked}{self.behind}'[1:]}"

    @property
    def address(self) -> str:
        """
        >>> Asked("/find", "big cats", 2, newest=True).address
        '/find/search?q=big%20cats&page=2&newest=true'
        """
        return self._of(self.page, self.cluster, self.correct, self.explain, self.everything, self.newest)

    def as_json(self, offset: int) -> str:
        """The same results for programs, which are asked in no language of the page.

        >>> Asked("", "big cats", 2, correct=False, ui="de", context=("lions",)).as_json(10)
        '/api/search?q=big%20cats&correct=false&context=lions&offset=10'
        """
        same = replace(self, root=f"{self.root}/api", page=1, ui="").address
        return f"{same}&offset={offset}" if offset else same

    def elsewhere(self, path: str, **values: object) -> str:
        """Another address of ours, in the same language; a country that does not count goes along."""
        given = self.named(**values)
        return f"{self.root}{path}?{given[1:]}" if given else f"{self.root}{path}"

    def named(self, **values: object) -> str:
        """What stands behind the question mark there, each value behind an ampersand."""
        return _written((*values.items(), ("ui", self.ui), ("country", self.country)))

    def _of(
        self, page: int, cluster: str, correct: bool, explain: bool, everything: bool, newest: bool
    ) -> str:
        asked = f"&q={quoted(self.query)}" if self.query else ""
        numbered = f"&page={page}" if page > 1 else ""
        spelt = "" if correct else "&correct=false"
        explained = "&explain=true" if explain else ""
        group = f"&cluster={quoted(cluster)}" if cluster else ""
        behind = f"{spelt}{_listed(everything, newest)}{explained}{group}{self._rest}"
        return f"{self.root}/search?{f'{asked}{numbered}{behind}'[1:]}"


def _listed(everything: bool, newest: bool) -> str:
    return f"{'&everything=true' if everything else ''}{'&newest=true' if newest else ''}"


def _written(parameters: Iterable[tuple[str, object]]) -> str:
    """Each behind an ampersand; only what differs from what everybody gets is named."""
    return "".join([f"&{name}={quoted(str(value))}" for name, value in parameters if value])


@lru_cache(REMEMBERED)
def quoted(value: str) -> str:
    """A value as it stands in an address.

    >>> quoted("big cats & ünicorns")
    'big%20cats%20%26%20%C3%BCnicorns'
    """
    # Several times as fast as `quote`, which looks at every letter.
    if value.isascii():
        return _UNSAFE.sub(lambda unsafe: _PERCENT[unsafe[0]], value)
    return quote(value, "", errors="replace")


# Pages of results
# ----------------

PER_PAGE = 10
DEEPEST = 1_000  # results: whoever wants the 1,001st is not reading
LAST_PAGE = DEEPEST // PER_PAGE


@dataclass(frozen=True, slots=True)
class Paging:
    """Where a page stands among the pages of an answer."""

    number: int
    last: int  # at least 1
    cut: bool  # there are more results than can be paged through

    @property
    def previous(self) -> int | None:
        """The page before, or the last that exists when this one is behind it."""
        return min(self.number - 1, self.last) if self.number > 1 else None

    @property
    def next(self) -> int | None:
        return self.number + 1 if self.number < self.last else None


def paging(number: int, total: int) -> Paging:
    """
    >>> paging(2, 34).last, paging(2, 34).next, paging(4, 34).next
    (4, 3, None)
    """
    last = max(1, -(-min(total, DEEPEST) // PER_PAGE))
    return Paging(number, last, cut=total > DEEPEST)


def offset_of(number: int) -> int:
    """How many results stand before this page."""
    return (number - 1) * PER_PAGE


def links_to_others(request: Request, offset: int, k: int, total: int) -> dict[str, str | None]:
    """The addresses of the results behind these and before them, None where there are none.

    Before a place behind the end stand the last ones.
    """
    reached = min(total, DEEPEST)
    last = max(reached - 1, 0) // k * k

    def at(place: int) -> str:
        url = request.url.include_query_params(offset=place)
        return f"{url.path}?{url.query}"

    return {
        "next": at(offset + k) if offset + k < reached else None,
        "previous": at(max(min(offset - k, last), 0)) if offset else None,
    }


MOST_AT_ONCE = 100  # results
MOST_CONTEXT = 3  # queries
MOST_PREFERRED = 10  # hosts
LONGEST_CONTEXT = 200  # characters of each
LONGEST_LABEL = 200  # characters of a group's name
QueryText = Annotated[str, Query(description='What to look for: words, "phrases", -exclusions, site:host.')]
Count = Annotated[int, Query(ge=1, le=MOST_AT_ONCE, description="How many results.")]
Offset = Annotated[int, Query(ge=0, lt=DEEPEST, description="How many results to skip.")]
Scheme = Annotated[str | None, Query(description="The weighting scheme.")]
Algorithm = Annotated[str | None, Query(description="The retrieval algorithm.")]
Explain = Annotated[bool, Query(description="Whether to say how each score came about.")]
Everything = Annotated[
    bool, Query(description="Whether to list by score alone, with nothing put off or folded.")
]
Correct = Annotated[
    bool,
    Query(description="Whether to answer a better spelling or an easier query where this one finds nothing."),
]
Newest = Annotated[bool, Query(description="Whether to list all that match by date, the newest first.")]
Facets = Annotated[bool, Query(description="Whether to count by what the results could be narrowed.")]
Languages = Annotated[
    str, Query(description="Codes of the languages that the person prefers, such as de,en.", max_length=200)
]
RankName = Annotated[
    str | None,
    Query(description="What links count by: auto, a rank that is stored, hits, hubs, salsa or none."),
]
TopicName = Annotated[str | None, Query(description="A topic of the collection, by which links count.")]
Clusters = Annotated[bool, Query(description="Whether to group the best results by what they are about.")]
ClusterLabel = Annotated[
    str, Query(description="The label of the only group whose results are wanted.", max_length=200)
]
Country = Annotated[
    str,
    Query(
        description="The country where the person is, by its two letters; none so that it does not count.",
        pattern="^([A-Za-z]{2}|none|auto|)$",
    ),
]
Context = Annotated[
    list[str],
    Query(description="What the person searched for before, the last first.", max_length=MOST_CONTEXT),
]
Preferred = Annotated[
    list[str], Query(description="Hosts that the person prefers.", max_length=MOST_PREFERRED)
]
PreferredTopic = Annotated[
    str,
    Query(
        description="A topic that the person cares for: links count half by it, if it is known.",
        max_length=LONGEST_CONTEXT,
    ),
]
AcceptLanguage = Annotated[str, Header(include_in_schema=False)]  # what browsers send by themselves
Begun = Annotated[str, Query(description="What was typed so far.")]
Address = Annotated[str, Query(description="The page's address; its scheme may be left out.")]
WithText = Annotated[bool, Query(description="Whether to give what the page says.")]
PageNumber = Annotated[int, Query(ge=1, le=LAST_PAGE, description="Which ten results.")]
Label = Annotated[str, Query(max_length=LONGEST_LABEL)]


class OfThePage(BaseModel):
    """What the page of results takes."""

    q: str = ""
    page: PageNumber = 1
    everything: Everything = False
    newest: Newest = False
    explain: Explain = False
    correct: bool = True
    cluster: Label = ""
    topic: Label = ""
    within: str = ""
    country: Country = ""
    languages: Languages = ""
    context: Context = []
    prefer: Preferred = []
    prefer_topic: PreferredTopic = ""

    @classmethod
    def read(cls, given: QueryParams) -> OfThePage:
        """All at once: one after the other, as the framework reads them, takes ten times as long."""
        values: dict[str, object] = dict(given)
        for name in ("context", "prefer"):
            if name in values:
                values[name] = given.getlist(name)
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise RequestValidationError(error.errors()) from error


_MUST_BE = {
    "k": f"a whole number from 1 to {MOST_AT_ONCE}",
    "offset": f"a whole number from 0 to {DEEPEST - 1}",
    "page": f"a whole number from 1 to {LAST_PAGE}",
    "explain": "true or false",
    "everything": "true or false",
    "correct": "true or false",
    "clusters": "true or false",
    "newest": "true or false",
    "facets": "true or false",
    "text": "true or false",
    "country": "the two letters of a country, none or auto",
    "context": f"given at most {MOST_CONTEXT} times",
    "prefer": f"given at most {MOST_PREFERRED} times",
}


def shortened(texts: Sequence[str]) -> tuple[str, ...]:
    """Earlier queries or hosts as far as they are read; empty ones are left out."""
    return tuple(text for one in texts if (text := one[:LONGEST_CONTEXT].strip()))


def mistake(name: str, kind: str) -> str:
    """What is wrong with a parameter, in our words; `kind` is what pydantic calls it.

    >>> mistake("k", "int_parsing"), mistake("q", "missing")
    ('k must be a whole number from 1 to 100', 'q is missing')
    """
    if kind == "missing":
        return f"{name} is missing"
    return f"{name} must be {_MUST_BE[name]}" if name in _MUST_BE else f"{name} cannot be read"
