"""What does the page show of a hit?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from gossamer.model import Hit, Url
from gossamer.results.show import highlighted_html, shortened
from gossamer.serve.address import crumbs, link_of
from gossamer.serve.languages import direction, foreign_name
from gossamer.serve.wording import day

_KINDS = {"application/pdf": "PDF", "text/plain": "Text"}
LONGEST_TITLE = 120  # characters


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit in the words of the page; `snippet` is safe HTML, everything else is escaped by the template."""

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


def shown(hit: Hit) -> ShownHit:
    """The view of one hit."""
    title = shortened(" ".join(hit.title.split()) or hit.url, LONGEST_TITLE)
    return ShownHit(
        rank=hit.rank,
        title=title,
        link=link_of(hit.url),
        crumbs=crumbs(hit.url),
        # Safe to mark as such: highlighted_html escapes everything but its own <mark>.
        snippet=Markup(highlighted_html(hit.snippet)),
        language=hit.language,
        language_name=foreign_name(hit.language),
        title_direction=direction(title, hit.language),
        snippet_direction=direction(hit.snippet.text, hit.language),
        kind=_KINDS.get(hit.media_type, ""),
        day=day(hit.published),
        unfetched=hit.unfetched,
        similar=tuple((address, link_of(address)) for address in hit.similar),
        more=hit.more_from_host,
        host=Url.parsed(hit.url).authority if hit.more_from_host else "",
    )
