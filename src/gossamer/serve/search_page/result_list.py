"""Display of results and of score explanations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from markupsafe import Markup

from gossamer.model import Contribution, Explanation, Hit, Url
from gossamer.model.notebook import date_of, marked
from gossamer.serve.i18n import Translation, direction, foreign_name
from gossamer.serve.public_forms import LONGEST_URL
from gossamer.serve.rendering import crumbs, link_of
from gossamer.serve.request import PageRequest, quoted
from gossamer.text.words import shortened

# Rows of a score explanation
# ---------------------------


# Terms of explanations that are not words of the query, and their phrases.
_PHRASES = {
    "(close together)": "close_together",
    "(like the best pages)": "like_the_best",
    "(as typed)": "exactly_typed",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One addend of a score: its name, its value, and the width of its bar in percent."""

    name: str
    is_word: bool
    score: str
    width: float


@dataclass(frozen=True, slots=True)
class ScoreSum:
    """The addends of a score, its factors, and the score."""

    rows: tuple[Row, ...]
    factors: tuple[tuple[str, str], ...]  # (phrase, number)
    score: str
    links: str  # how the score follows from links, if it follows from nothing else (in English)


def explain_score(explanation: Explanation, score: float, translation: Translation) -> ScoreSum:
    """Format an explanation for the page. Factors of 1 are left out."""
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
    return ScoreSum(
        tuple(_row(one, whole, translation) for one in explanation.contributions),
        tuple(
            (key, translation.decimals(value, 2)) for key, value in factors.items() if round(value, 2) != 1
        ),
        translation.decimals(score, 2),
        explanation.links,
    )


def _row(one: Contribution, whole: float, translation: Translation) -> Row:
    phrase = _PHRASES.get(one.term)
    name = translation.say(phrase) if phrase else one.term
    width = round(100 * min(max(one.score / whole, 0.0), 1.0), 1)
    return Row(name, phrase is None, translation.decimals(one.score, 2), width)


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
_TORN = frozenset("()\"'*~ ")  # characters that must be quoted after an operator
LONGEST_TITLE = 120  # characters


class ShownHit(NamedTuple):
    """A result as the template shows it. `snippet` is safe HTML; all else must be escaped."""

    rank: int
    title: str
    link: str | None
    crumbs: tuple[str, ...]
    snippet: Markup
    language: str  # for the attribute `lang`; "" if unknown
    language_name: str  # "" if it is not shown
    title_direction: str
    snippet_direction: str
    kind: str  # "" for a web page
    day: datetime | None
    unfetched: bool
    similar: tuple[tuple[str, str | None], ...]  # (URL, link)
    more: int  # further results from its host
    host: str  # "" if there are none
    ways: tuple[tuple[str, str], ...]  # (phrase, URL) of each link in the menu of the result
    sum: ScoreSum | None  # if requested


def hit_views(
    hits: Sequence[Hit],
    asked: PageRequest,
    translation: Translation,
    *,
    searched: str = "",
    reports: bool = False,
) -> list[ShownHit]:
    """Return the views of all results of a page.

    `searched` is the query that found them, if not the one typed. With `reports`, visitors can report
    results.
    """
    ways = HitLinks(asked, searched, reports)
    return [_shown(hit, ways, translation) for hit in hits]


class HitLinks:
    """Links in the menu of a result. The parts that all results share are computed once."""

    def __init__(self, asked: PageRequest, searched: str, reports: bool) -> None:
        self._root = asked.root
        self._asked = asked.behind
        self._named = asked.named(q=asked.query)
        self._marked = asked.named(q=searched or asked.query)  # cached pages highlight it
        self._why = asked.here(page=asked.page, explain=True)
        self._reports = reports

    def of(self, hit: Hit) -> Iterator[tuple[str, str]]:
        """Yield phrases and URLs."""
        url = address = quoted(hit.url)
        if not _TORN.isdisjoint(hit.url):
            address = quoted(f'"{hit.url.replace(chr(34), "%22")}"')
        if not hit.unfetched:
            yield "copy", f"{self._root}/cache?url={url}{self._marked}"
        yield "similar", f"{self._root}/search?q=related%3A{address}{self._asked}"
        yield "linking", f"{self._root}/search?q=link%3A{address}{self._asked}"
        yield "why", f"{self._why}#hit-{hit.rank}"
        if self._reports and len(hit.url) <= LONGEST_URL:
            yield "report", f"{self._root}/report?url={url}{self._named}"


def _shown(hit: Hit, ways: HitLinks, translation: Translation) -> ShownHit:
    title = shortened(" ".join(hit.title.split()) or hit.url, LONGEST_TITLE)
    link = link_of(hit.url)
    return ShownHit(
        rank=hit.rank,
        title=title,
        link=link,
        crumbs=crumbs(hit.url),
        # Safe: `marked` escapes everything except its own <mark>.
        snippet=Markup(marked(hit.snippet.text, hit.snippet.highlights)),
        language=hit.language,
        language_name=foreign_name(hit.language, translation.language),
        title_direction=direction(title, hit.language),
        snippet_direction=direction(hit.snippet.text, hit.language),
        kind=translation.say("text") if hit.media_type == _PLAIN else _KINDS.get(hit.media_type, ""),
        day=date_of(hit.published),
        unfetched=hit.unfetched,
        similar=tuple((address, link_of(address)) for address in hit.similar),
        more=hit.more_from_host,
        host=Url.parsed(hit.url).authority if hit.more_from_host else "",
        ways=tuple(ways.of(hit)) if link else (),
        sum=explain_score(hit.explanation, hit.score, translation) if hit.explanation else None,
    )
