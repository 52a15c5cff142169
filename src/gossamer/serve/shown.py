"""What does the page show of a hit?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from markupsafe import Markup

from gossamer.model import Hit, Url
from gossamer.results.show import highlighted_html, shortened
from gossamer.serve.address import crumbs, link_of
from gossamer.serve.asked import Asked, quoted
from gossamer.serve.desk import LONGEST_URL
from gossamer.serve.escaping import escaped
from gossamer.serve.languages import direction, foreign_name
from gossamer.serve.speech import Speech
from gossamer.serve.summing import Sum, summed
from gossamer.serve.wording import day

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
