"""Filter menus, chips and the operators that they add to a query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from gossamer.model import (
    After,
    And,
    BadQuery,
    Before,
    ByLinks,
    ByPlace,
    Clause,
    Facet,
    FileType,
    Group,
    Language,
    Not,
    Or,
    Query,
    Site,
)
from gossamer.query.intent import surely_address, typed_address
from gossamer.query.rewrite import side_by_side, written
from gossamer.query.syntax import LONGEST, host_of, parse
from gossamer.serve.i18n import Translation, day_written
from gossamer.serve.request import PageRequest
from gossamer.text.language_codes import OWN_NAMES

KINDS = ("site", "language", "type", "time", "topic")
REMEMBERED = 1_000  # facet values whose filters are cached
_FILTERS = (Site, Language, FileType, After, Before, ByPlace)
_ANY_FILTER = (*_FILTERS, ByLinks)
_BY_VALUE: Mapping[str, Callable[[str], Clause]] = {"site": Site, "language": Language, "type": FileType}


@dataclass(frozen=True, slots=True)
class FilterChoice:
    """An entry of a filter menu, or an active filter with a link that removes it."""

    label: str
    link: str
    count: int = 0  # 0 if unknown


@dataclass(frozen=True, slots=True)
class Menu:
    """The entries of one kind of filter."""

    kind: str
    choices: Sequence[FilterChoice]


def menus(query: Query, facets: Sequence[Facet], asked: PageRequest, translation: Translation) -> list[Menu]:
    """Return the menus of the facets by kind. Filters that the query already has are left out."""
    held = set(query.clauses)
    found = {kind: [facet for facet in facets if facet.kind == kind] for kind in KINDS}
    made = [Menu(kind, [*_choices(query, held, own, asked, translation)]) for kind, own in found.items()]
    return [menu for menu in made if menu.choices]


def _choices(
    query: Query, held: set[Clause], facets: Sequence[Facet], asked: PageRequest, translation: Translation
) -> Iterable[FilterChoice]:
    today = datetime.now(UTC).date()
    others: str | None = None  # the query without filters of this kind
    for facet in facets:
        if facet.kind == "topic":
            if facet.value != asked.topic:
                yield FilterChoice(facet.value, asked.here(topic=facet.value))
            continue
        clause, text = _filter(facet.kind, facet.value, today)
        others = _others(query, type(clause)) if others is None else others
        if clause not in held and len(others) + len(text) <= LONGEST:
            is_time = facet.kind == "time"
            label = translation.say(f"past_{facet.value}") if is_time else _named(clause, translation)
            yield FilterChoice(label, asked.about(text, others), facet.count)


def chips(query: Query, asked: PageRequest, translation: Translation) -> list[FilterChoice]:
    """Return the active filters. A filter is left out if nothing would remain of the query without it."""
    made = []
    for one in dict.fromkeys(query.clauses):
        rest = [other for other in query.clauses if other != one]
        if isinstance(one, _FILTERS) and not all(isinstance(other, Not) for other in rest):
            made.append(FilterChoice(_named(one, translation), asked.about(side_by_side(rest))))
    if asked.cluster:
        made.append(FilterChoice(asked.cluster, asked.here(cluster="")))
    if asked.topic:
        made.append(FilterChoice(asked.topic, asked.here(topic="")))
    return made


def with_filter(query: Query, clause: Clause) -> str:
    """Return the query with this filter in place of others of its kind.

    >>> with_filter(parse("cat OR dog site:a.org"), Site("b.org"))
    'cat OR dog site:b.org'
    """
    return _others(query, type(clause)) + written(clause)


def _others(query: Query, kind: type[Clause]) -> str:
    """Return the query without filters of one kind, followed by a space unless it is empty."""
    rest = side_by_side([one for one in query.clauses if type(one) is not kind])
    return f"{rest} " if rest else ""


def only_from(query: Query, country: str, asked: PageRequest) -> str:
    """Return the URL of the same search for one country; "" if there is none or the query is too long."""
    text = with_filter(query, ByPlace("country", country.lower())) if country else ""
    return asked.about(text) if text and len(text) <= LONGEST else ""


def narrowed(text: str, further: str) -> str:
    """Return a query that searches within the results of another one: both sets of words must match.

    The results of a URL are the pages of its site.

    >>> narrowed("big cats lang:en", "river"), narrowed("example.org/cats.html", "river")
    ('(big cats) AND river lang:en', 'river site:example.org')
    """
    if not further.strip():
        return text
    try:
        parts = [_held(text), parse(further).clauses]
    except BadQuery:  # the results page will report the error
        return f"{text} {further}"
    words = [[one for one in own if not isinstance(one, _ANY_FILTER)] for own in parts]
    filters = [one for own in parts for one in own if isinstance(one, _ANY_FILTER)]
    both = [_one(own) for own in words if own]
    return side_by_side([And(tuple(both)) if len(both) > 1 else both[0], *filters] if both else filters)


def _held(text: str) -> Sequence[Clause]:
    """Return clauses that match all results of a query.

    A URL as a query finds its page, which need not contain the words of the URL. A query that may be a file
    name, such as setup.py, is treated as either.
    """
    clauses = parse(text).clauses
    try:
        site = Site(host_of(text.strip())) if typed_address(text) else None
    except ValueError:  # looks like a URL, but is invalid
        return clauses
    if site is None:
        return clauses
    return [site] if surely_address(text) else [Or((*clauses, site))]


def _one(clauses: Sequence[Clause]) -> Clause:
    return clauses[0] if len(clauses) == 1 else Group(tuple(clauses))


@lru_cache(REMEMBERED)
def _filter(kind: str, value: str, today: date) -> tuple[Clause, str]:
    """Return the clause of a facet's value, and how it is typed."""
    clause: Clause
    if kind == "time":
        clause = After((today - timedelta(days=int(value))).isoformat())
    else:
        clause = _BY_VALUE[kind](value)
    return clause, written(clause)


def _named(clause: Clause, translation: Translation) -> str:
    match clause:
        case Site(host):
            return host
        case Language(code):
            return OWN_NAMES.get(code, code)
        case FileType(name):
            return name.upper()
        case After(day):
            return translation.say("since", day=day_written(day, translation))
        case Before(day):
            return translation.say("before", day=day_written(day, translation))
    return written(clause)
