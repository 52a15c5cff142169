"""Display of hits and score explanation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from markupsafe import Markup

from gossamer.model import Contribution, Explanation, Hit, Url
from gossamer.serve.i18n import Speech, day, direction, foreign_name
from gossamer.serve.public_forms import LONGEST_URL
from gossamer.serve.rendering import crumbs, escaped, highlighted_html, link_of
from gossamer.serve.request import Asked, quoted
from gossamer.text.words import shortened

# Rows of a score explanation
# ---------------------------


# How explanations name what is no word of the query, and the phrases for it.
_PHRASES = {
    "(close together)": "close_together",
    "(like the best pages)": "like_the_best",
    "(as typed)": "exactly_typed",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One addend: what it is, what it adds, and how long its bar is, of 100."""

    name: str
    is_word: bool
    score: str
    width: float


@dataclass(frozen=True, slots=True)
class Sum:
    """The addends, what multiplies them, and what comes out."""

    rows: tuple[Row, ...]
    factors: tuple[tuple[str, str], ...]  # phrase, and number
    score: str
    links: str  # where links alone made the score: how, in English


def summed(explanation: Explanation, score: float, speech: Speech) -> Sum:
    """An explanation as the page shows it; factors that change nothing are left out."""
    whole = sum(one.score for one in explanation.contributions) or 1.0
    factors = {
        "by_links": explanation.static_factor,
        "by_support": explanation.support,
        "by_freshness": explanation.freshness,
        "by_language": explanation.language,
        "by_address": explanation.address,
        "by_site": explanation.site,
        "by_country": explanation.country,
        "by_preference": explanation.preferred,
        "by_context": explanation.context,
    }
    return Sum(
        tuple(_row(one, whole, speech) for one in explanation.contributions),
        tuple((key, speech.decimals(value, 2)) for key, value in factors.items() if round(value, 2) != 1),
        speech.decimals(score, 2),
        explanation.links,
    )


def _row(one: Contribution, whole: float, speech: Speech) -> Row:
    phrase = _PHRASES.get(one.term)
    name = speech.say(phrase) if phrase else one.term
    width = round(100 * min(max(one.score / whole, 0.0), 1.0), 1)
    return Row(name, phrase is None, speech.decimals(one.score, 2), width)


_KINDS = {
    "application/pdf": "PDF",
    "application/rtf": "RTF",
    "application/epub+zip": "EPUB",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "DOCX",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PPTX",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "XLSX",
    "application/vnd.oasis.opendocument.text": "ODT",
    "application/vnd.oasis.opendocument.spreadsheet": "ODS",
    "application/vnd.oasis.opendocument.presentation": "ODP",
    "application/rss+xml": "RSS",
    "application/atom+xml": "Atom",
    "application/feed+json": "JSON Feed",
    "application/x-subrip": "SRT",
    "text/vtt": "VTT",
    "text/markdown": "Markdown",
}
_PLAIN = "text/plain"
_TORN = frozenset("()\"'*~ ")  # what an address must not hold behind an operator, unless it is quoted
LONGEST_TITLE = 120  # characters


class Ways(NamedTuple):
    """Where one can go on from a hit, escaped as HTML wants it; empty where there is nothing to go to."""

    copy: str
    similar: str
    linking: str
    why: str
    report: str


class ShownHit(NamedTuple):
    """A hit in the words of the page; `snippet` and `ways` are safe HTML, all else has yet to be escaped."""

    rank: int
    title: str
    link: str | None
    crumbs: tuple[str, ...]
    snippet: Markup
    language: str  # a tag for `lang`, "" when unknown
    language_name: str  # "" when there is no need to name it
    title_direction: str
    snippet_direction: str
    kind: str  # "" for an ordinary web page
    day: datetime | None
    unfetched: bool
    similar: tuple[tuple[str, str | None], ...]  # address, and link
    more: int  # further results of its host
    host: str  # "" where there are none
    ways: Ways | None  # None for what is no web address
    sum: Sum | None  # where it was asked for

    @property
    def has_more(self) -> bool:
        """Whether anything is shown below its snippet."""
        return bool(self.similar or self.more or self.sum)


class _Page(NamedTuple):
    """What the addresses of all its hits have in common, escaped: a quoted address needs no escaping."""

    copy: str
    similar: str
    linking: str
    why: str
    report: str
    marked: str  # behind the address of a copy: the words that were found are marked there
    named: str  # of a report
    asked: str  # and of a search
    reports: bool


def shown_all(
    hits: Sequence[Hit], asked: Asked, speech: Speech, *, searched: str = "", reports: bool = False
) -> list[ShownHit]:
    """The views of all hits of a page; `searched` is what found them, if not what was typed.

    With `reports` each can be reported.
    """
    page = _page(asked, searched, reports)
    return [_shown(hit, page, speech) for hit in hits]


def _page(asked: Asked, searched: str, reports: bool) -> _Page:
    root, named = escaped(asked.root), escaped(asked.named(q=asked.query))
    return _Page(
        copy=f"{root}/cache?url=",
        similar=f"{root}/search?q=related%3A",
        linking=f"{root}/search?q=link%3A",
        why=escaped(asked.here(page=asked.page, explain=True)),
        report=f"{root}/report?url=",
        marked=escaped(asked.named(q=searched)) if searched else named,
        named=named,
        asked=escaped(asked.behind),
        reports=reports,
    )


def _shown(hit: Hit, page: _Page, speech: Speech) -> ShownHit:
    title = shortened(" ".join(hit.title.split()) or hit.url, LONGEST_TITLE)
    link = link_of(hit.url)
    return ShownHit(
        rank=hit.rank,
        title=title,
        link=link,
        crumbs=crumbs(hit.url),
        # Safe to mark as such: highlighted_html escapes everything but its own <mark>.
        snippet=Markup(highlighted_html(hit.snippet)),
        language=hit.language,
        language_name=foreign_name(hit.language, speech.language),
        title_direction=direction(title, hit.language),
        snippet_direction=direction(hit.snippet.text, hit.language),
        kind=speech.say("text") if hit.media_type == _PLAIN else _KINDS.get(hit.media_type, ""),
        day=day(hit.published),
        unfetched=hit.unfetched,
        similar=tuple((address, link_of(address)) for address in hit.similar),
        more=hit.more_from_host,
        host=Url.parsed(hit.url).authority if hit.more_from_host else "",
        ways=_ways(hit, page) if link else None,
        sum=summed(hit.explanation, hit.score, speech) if hit.explanation else None,
    )


def _ways(hit: Hit, page: _Page) -> Ways:
    url = address = quoted(hit.url)
    if not _TORN.isdisjoint(hit.url):
        address = quoted(f'"{hit.url.replace(chr(34), "%22")}"')
    reportable = page.reports and len(hit.url) <= LONGEST_URL
    return Ways(
        copy="" if hit.unfetched else f"{page.copy}{url}{page.marked}",
        similar=f"{page.similar}{address}{page.asked}",
        linking=f"{page.linking}{address}{page.asked}",
        why=f"{page.why}#hit-{hit.rank}",
        report=f"{page.report}{url}{page.named}" if reportable else "",
    )


# HTML of a hit by f-strings
# --------------------------

_BETWEEN = '<span aria-hidden="true"> › </span>'


def listed(hits: Sequence[ShownHit], ui: Speech, below: Callable[[ShownHit], str]) -> Markup:
    """Of every hit its title, where it stands and what it says, and what `below` writes, which few have."""
    return Markup("\n".join([f"      {_head(hit, ui)}{below(hit)}  </article>\n</li>\n" for hit in hits]))


def _head(hit: ShownHit, ui: Speech) -> str:
    title = escaped(hit.title)
    lang = f' lang="{escaped(hit.language)}"' if hit.language else ""
    linked = f'<a href="{escaped(hit.link)}" rel="noopener nofollow">{title}</a>' if hit.link else title
    ways = f"      {_ways_html(hit.ways, title, ui)}\n\n" if hit.ways else ""
    said = f'    <p class="snippet" dir="{hit.snippet_direction}">{hit.snippet}</p>\n' if hit.snippet else ""
    return (
        f'<li id="hit-{hit.rank}">\n  <article dir="{hit.title_direction}"{lang}>\n    <h2>{linked}</h2>\n'
        f'    <div class="where">\n      {_trail(hit.crumbs)}\n{_tags(hit, ui)}{ways}    </div>\n{said}'
    )


def _trail(crumbs: Sequence[str]) -> str:
    host, *steps = map(escaped, crumbs)
    behind = "".join([f"{_BETWEEN}<bdi>{step}</bdi>" for step in steps])
    return f'<bdi class="trail" dir="ltr" lang=""><bdi class="host">{host}</bdi>{behind}</bdi>'


def _tags(hit: ShownHit, ui: Speech) -> str:
    """What distinguishes it from an ordinary page in the reader's language."""
    tags = ""
    if hit.day:
        day = f'<time datetime="{hit.day.date().isoformat()}">{escaped(ui.day(hit.day))}</time>'
        tags += f'<bdi lang="{ui.language}">{day}</bdi>'
    if hit.language_name:
        tags += f'<bdi class="tag">{escaped(hit.language_name)}</bdi>'
    if hit.kind:
        tags += f'<bdi class="tag" lang="{ui.language}">{escaped(hit.kind)}</bdi>'
    if hit.unfetched:
        tags += f'<bdi class="tag" lang="{ui.language}">{ui.phrases["not_fetched"]}</bdi>'
    return tags


def _ways_html(ways: Ways, title: str, ui: Speech) -> str:
    """Where one can go on from it."""
    phrases = ui.phrases
    links = (
        _way(ways.copy, phrases["copy"])
        + _way(ways.similar, phrases["similar"])
        + _way(ways.linking, phrases["linking"])
        + _way(ways.why, phrases["why"])
        + _way(ways.report, phrases["report"])
    )
    label = ui.put("about_result", title=title)
    return (
        f'<details class="about" name="about" lang="{ui.language}">\n'
        f'  <summary aria-label="{label}"><span aria-hidden="true">⋮</span></summary>\n'
        f'  <ul dir="ltr">\n{links}  </ul>\n</details>'
    )


def _way(place: str, name: str) -> str:
    return f'    <li><a href="{place}" rel="nofollow">{name}</a></li>\n' if place else ""
