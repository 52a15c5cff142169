"""What does this answer of a server say, whatever kind of document it is?"""

from __future__ import annotations

from dataclasses import replace

from gossamer.extract import media, robots
from gossamer.extract.charset import decode
from gossamer.extract.html import read_html
from gossamer.extract.metadata import primary_language
from gossamer.extract.pdf import read_pdf
from gossamer.extract.plain import read_plain
from gossamer.model import FetchResult, Page


def extract(result: FetchResult, agent: str = robots.AGENT) -> Page:
    """The page behind a response. Never raises: what cannot be read has `problem` set to the reason.

    `agent` is the name by which authors speak to this crawler, in <meta> and in X-Robots-Tag.
    """
    kind = media.media_type(result.header("content-type"), result.body)
    if not result.body.strip():
        return Page(result.url, result.fetched_at, kind or "text/html", problem="empty")
    try:
        wishes = robots.from_headers(result.headers, agent)
        return _with_headers(_read(result, kind, wishes, agent), result, wishes)
    except MemoryError:
        return Page(result.url, result.fetched_at, kind, problem="extraction-memory")
    except Exception as error:  # a page that trips a library must cost that page only
        return Page(result.url, result.fetched_at, kind, problem=f"extraction-error {type(error).__name__}")


def _read(result: FetchResult, kind: str, wishes: robots.Robots, agent: str) -> Page:
    if kind in media.HTML_TYPES:
        html = decode(result.body, result.header("content-type"))
        return read_html(html, result.url, result.fetched_at, kind, wishes, agent)
    if kind in media.PLAIN_TYPES:
        text = decode(result.body, result.header("content-type"))
        return read_plain(text, result.url, result.fetched_at, kind)
    if kind in media.PDF_TYPES:
        return read_pdf(result.body, result.url, result.fetched_at)
    return Page(result.url, result.fetched_at, kind, problem=f"media-type {kind}")


def _with_headers(page: Page, result: FetchResult, wishes: robots.Robots) -> Page:
    return replace(
        page,
        language=page.language or primary_language(result.header("content-language")),
        noindex=page.noindex or wishes.noindex,
        nofollow=page.nofollow or wishes.nofollow,
    )
