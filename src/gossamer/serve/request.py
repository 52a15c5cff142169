"""Parameters of the pages and the API, paging, links to variants of a search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any, get_type_hints
from urllib.parse import quote

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, ValidationError, create_model
from starlette.requests import Request

from gossamer.model import MAX_RESULTS, SearchOptions
from gossamer.model.search import OPTIONS
from gossamer.serve.i18n import accepted

# Search and its address; links to variants
# -----------------------------------------

REMEMBERED = 256  # values as they are written in URLs; a page contains most of them several times
_OFTEN_CHANGED = frozenset({"page", "cluster", "correct", "explain", "everything", "newest"})
_UNSAFE = re.compile(r"[^A-Za-z0-9_.~-]")
_PERCENT = {chr(code): f"%{code:02X}" for code in range(128)}


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A search as its URL describes it. `ui` is the page language, if the URL names one."""

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
    country: str = ""  # "none", or a country that the user chose
    languages: str = ""
    context: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()
    prefer_topic: str = ""
    # Parameters that nearly every URL of a page repeats after the query: `behind` with sort order, `_rest`
    # without.
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
        """Return the URL of the same search with changes, on its first page unless `page` is given."""
        if changes.keys() <= _OFTEN_CHANGED:  # a tenth of the time of a new PageRequest
            changed = {name: changes.get(name, getattr(self, name)) for name in _OFTEN_CHANGED}
            return self._of(**{**changed, "page": changes.get("page", 1)})
        return replace(self, **{"page": 1, **changes}).address

    def about(self, query: str, operator: str = "") -> str:
        """Return the URL of a search for another query, in the same order and language."""
        asked = f"&q={quoted(operator)}{quoted(query)}" if query else ""
        return f"{self.root}/search?{f'{asked}{self.behind}'[1:]}"

    @property
    def address(self) -> str:
        """The URL of this search.

        >>> PageRequest("/find", "big cats", 2, newest=True).address
        '/find/search?q=big%20cats&page=2&newest=true'
        """
        return self._of(self.page, self.cluster, self.correct, self.explain, self.everything, self.newest)

    def as_json(self, offset: int) -> str:
        """Return the URL of the same results in the JSON API, which has no page language.

        >>> PageRequest("", "big cats", 2, correct=False, ui="de", context=("lions",)).as_json(10)
        '/api/search?q=big%20cats&correct=false&context=lions&offset=10'
        """
        same = replace(self, root=f"{self.root}/api", page=1, ui="").address
        return f"{same}&offset={offset}" if offset else same

    def elsewhere(self, path: str, **values: object) -> str:
        """Return the URL of another page of this server, in the same language. "No country" is kept too."""
        given = self.named(**values)
        return f"{self.root}{path}?{given[1:]}" if given else f"{self.root}{path}"

    def named(self, **values: object) -> str:
        """Return the query string of such a URL, with an ampersand before each value."""
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
    """Write parameters with an ampersand before each. Values that are empty or false are left out."""
    return "".join([f"&{name}={quoted(str(value))}" for name, value in parameters if value])


@lru_cache(REMEMBERED)
def quoted(value: str) -> str:
    """Return a value as it is written in a URL.

    >>> quoted("big cats & ünicorns")
    'big%20cats%20%26%20%C3%BCnicorns'
    """
    # Several times as fast as `quote`, which handles every character in Python.
    if value.isascii():
        return _UNSAFE.sub(lambda unsafe: _PERCENT[unsafe[0]], value)
    return quote(value, "", errors="replace")


# Pages of results
# ----------------

PER_PAGE = 10
LAST_PAGE = MAX_RESULTS // PER_PAGE


@dataclass(frozen=True, slots=True)
class Paging:
    """Position of a page among the result pages of a search."""

    number: int
    last: int  # at least 1
    cut: bool  # there are more results than can be paged through

    @property
    def previous(self) -> int | None:
        """The page before; the last existing page if this one is beyond it."""
        return min(self.number - 1, self.last) if self.number > 1 else None

    @property
    def next(self) -> int | None:
        return self.number + 1 if self.number < self.last else None


def paging(number: int, total: int) -> Paging:
    """Return the position of a page.

    >>> paging(2, 34).last, paging(2, 34).next, paging(4, 34).next
    (4, 3, None)
    """
    last = max(1, -(-min(total, MAX_RESULTS) // PER_PAGE))
    return Paging(number, last, cut=total > MAX_RESULTS)


def offset_of(number: int) -> int:
    """Return how many results come before this page."""
    return (number - 1) * PER_PAGE


def links_to_others(request: Request, offset: int, k: int, total: int) -> dict[str, str | None]:
    """Return the URLs of the next and the previous results, None where there are none.

    If the offset is beyond the last result, the previous results are the last ones.
    """
    reached = min(total, MAX_RESULTS)
    last = max(reached - 1, 0) // k * k

    def at(place: int) -> str:
        url = request.url.include_query_params(offset=place)
        return f"{url.path}?{url.query}"

    return {
        "next": at(offset + k) if offset + k < reached else None,
        "previous": at(max(min(offset - k, last), 0)) if offset else None,
    }


# Parameters of the page and the API
# ----------------------------------

MOST_AT_ONCE = 100  # results
LONGEST_CONTEXT = 200  # characters of an earlier query or a host
LONGEST_LABEL = 200  # characters of the name of a topic
QueryText = Annotated[str, Field(description='The query: words, "phrases", -exclusions, site:host.')]
Count = Annotated[int, Field(ge=1, le=MOST_AT_ONCE, description="How many results.")]
Offset = Annotated[int, Field(ge=0, lt=MAX_RESULTS, description="How many results to skip.")]
# Search options by the names of their URL parameters, in the order of the API description.
IN_ADDRESSES = {offered["parameter"] or name: name for name, offered in OPTIONS.items()}
REPEATED = ("context", "prefer")
_SWITCHES = [name for name in OPTIONS if isinstance(getattr(SearchOptions, name), bool)]
OF_API = (
    *("scheme", "algorithm", "explain", "everything", "correct", "newest", "facets", "languages", "rank"),
    *("topic", "clusters", "cluster", "country", "context", "prefer", "prefer_topic"),
)
# Each name is both a field of `PageRequest`, which is constructed from these values, and a key of
# `IN_ADDRESSES`, which maps it to a search option.
OF_PAGE = (
    *("everything", "newest", "explain", "correct", "cluster", "country", "languages", "context"),
    *("prefer", "prefer_topic"),
)


def parameters(*names: str, **others: Any) -> type[BaseModel]:
    """Make a model of URL parameters: those in `others`, then the search options with these names."""
    kinds = get_type_hints(SearchOptions)
    chosen: dict[str, Any] = {}
    for one in names:
        name = IN_ADDRESSES[one]
        offered, kind, default = OPTIONS[name], kinds[name], getattr(SearchOptions, name)
        if offered["typed"]:
            kind, default = offered["typed"], offered["typed"]()
        limits = {"max_length": offered["most"], "pattern": offered["pattern"]}
        chosen[one] = (kind, Field(default, description=offered["about"], **limits))
    return create_model("Parameters", **others, **chosen)


SEARCH = parameters(*OF_API, q=(QueryText, ...), k=(Count, 10), offset=(Offset, 0))
PAGE = parameters(
    *OF_PAGE,
    q=(str, ""),
    page=(Annotated[int, Field(ge=1, le=LAST_PAGE)], 1),
    topic=(Annotated[str, Field(max_length=LONGEST_LABEL)], ""),
    within=(str, ""),
)


def read(model: type[BaseModel], request: Request) -> dict[str, Any]:
    """Parse the parameters of a request.

    FastAPI takes ten times as long, because it parses them one by one.
    """
    given = request.query_params
    values: dict[str, Any] = dict(given)
    values |= {name: given.getlist(name) for name in REPEATED if name in values}
    try:
        read = dict(model.model_validate(values))
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from error
    return read | {name: _shortened(read[name]) for name in REPEATED if name in read}


def options(given: Mapping[str, Any], request: Request, country: str | None = None) -> SearchOptions:
    """Return the search options for these parameters."""
    chosen = {name: given[one] for one, name in IN_ADDRESSES.items() if one in given}
    number, place = given.get("k", PER_PAGE), given.get("offset", 0)
    return SearchOptions(
        min(number, MAX_RESULTS - place),
        place,
        **{
            **chosen,
            "languages": accepted(given.get("languages") or request.headers.get("accept-language", "")),
            "country": country,
        },
    )


def _shortened(texts: Sequence[str]) -> tuple[str, ...]:
    """Shorten earlier queries or hosts to the limit, and leave out empty ones."""
    return tuple(text for one in texts if (text := one[:LONGEST_CONTEXT].strip()))


_MUST_BE = {
    "k": f"a whole number from 1 to {MOST_AT_ONCE}",
    "offset": f"a whole number from 0 to {MAX_RESULTS - 1}",
    "page": f"a whole number from 1 to {LAST_PAGE}",
    "text": "true or false",
    "country": "the two-letter code of a country, none or auto",
    **{one: "true or false" for one, name in IN_ADDRESSES.items() if name in _SWITCHES},
    **{one: f"given at most {OPTIONS[IN_ADDRESSES[one]]['most']} times" for one in REPEATED},
}


def mistake(name: str, kind: str) -> str:
    """Return the error message for a parameter. `kind` is the error type of pydantic.

    >>> mistake("k", "int_parsing"), mistake("q", "missing")
    ('k must be a whole number from 1 to 100', 'q is missing')
    """
    if kind == "missing":
        return f"{name} is missing"
    return f"{name} must be {_MUST_BE[name]}" if name in _MUST_BE else f"{name} cannot be read"
