"""Extract a Page from any response: choose the reader."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache, partial
from importlib.metadata import EntryPoint, entry_points

from gossamer.extract import http_headers, media_type
from gossamer.extract.documents.draft import Draft, Unreadable
from gossamer.extract.documents.epub import read_epub
from gossamer.extract.documents.markdown import read_markdown
from gossamer.extract.documents.ooxml import read_docx, read_pptx, read_xlsx
from gossamer.extract.documents.opendocument import read_opendocument
from gossamer.extract.documents.pdf import read_pdf
from gossamer.extract.documents.plain_text import read_plain, read_subtitles
from gossamer.extract.documents.rtf import read_rtf
from gossamer.extract.feeds_and_sitemaps import is_listing, read_listing
from gossamer.extract.html.link_targets import Resolver
from gossamer.extract.html.parser import read_html
from gossamer.extract.media_type import BY_TYPE, OWN_TYPES
from gossamer.extract.settings import ExtractionRule
from gossamer.model import FetchResult, Page, Url
from gossamer.text.charset import as_utf8, decode
from gossamer.text.language_codes import canonical_code
from gossamer.text.language_id import page_language, passages
from gossamer.text.shingles import content_sketch

# Extractors from other distributions (entry points)
# --------------------------------------------------
#
# A plug-in is a package that names a function for a media type in the entry point group
# `gossamer.extractors`:
#
#     [project.entry-points."gossamer.extractors"]
#     "application/epub+zip" = "my_package.books:read_book"
#
# The function turns the body of a document into a page:
#
#     def read_book(body: bytes, url: Url, content_type: str) -> Page:
#         book = open_book(body)
#         return Page(url, title=book.title, text=book.text)
#
# It runs in the extraction workers, with their limits on time and memory. It is loaded when the first
# document of its type arrives. An exception that it raises becomes the problem of that document, with
# the name of the plug-in; the worker goes on. Gossamer always reads HTML, plain text, Markdown, feeds
# and PDF itself. For office documents, books, RTF and subtitles, a plug-in replaces its reader.

GROUP = "gossamer.extractors"
Reader = Callable[[bytes, Url, str], Page]


class PluginFailed(Exception):
    """A plug-in that could not be loaded, raised an exception, or returned no valid page."""


def _read_with_plugin(point: EntryPoint, body: bytes, url: Url, content_type: str) -> Page:
    try:
        page = point.load()(body, url, content_type)
    except MemoryError:
        raise
    except Exception as error:  # plug-ins may raise anything
        raise PluginFailed(f"{point.value}: {type(error).__name__} {error}".strip()) from error
    if not isinstance(page, Page) or page.url != url:
        raise PluginFailed(f"{point.value}: it must return a Page with the URL of the document")
    return page


@cache
def extractors() -> dict[str, Reader]:
    """Installed plug-ins by media type in lower case. Of several for one type, the first by name is used."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.value, reverse=True)
    return {point.name.strip().lower(): partial(_read_with_plugin, point) for point in points}


# Reader for each media type
# --------------------------

FromBytes = Callable[[bytes], Draft]
FromText = Callable[[str], Draft]
_BINARY: dict[media_type.Format, FromBytes] = {
    media_type.DOCX: read_docx,
    media_type.PPTX: read_pptx,
    media_type.XLSX: read_xlsx,
    media_type.ODT: partial(read_opendocument, name="odt"),
    media_type.ODS: partial(read_opendocument, name="ods"),
    media_type.ODP: partial(read_opendocument, name="odp"),
    media_type.EPUB: read_epub,
    media_type.RTF: read_rtf,
}
_TEXT: dict[media_type.Format, FromText] = {
    media_type.SRT: read_subtitles,
    media_type.VTT: read_subtitles,
    media_type.MARKDOWN: read_markdown,
}


def read_document(kind: media_type.Format, body: bytes, content_type: str) -> Draft:
    """Return the content of a document. Raises Unreadable, with the reason, if it has none."""
    if kind in _BINARY:
        return _BINARY[kind](body)
    return _TEXT[kind](decode(body, content_type))


# This header gives the original media type of a document whose body was converted to HTML on import.
READ_FROM = "X-Gossamer-Read-From"
_MEDIA_TYPE = re.compile(r"[a-z]+/[\w.+-]{1,100}")


def extract(
    result: FetchResult, agent: str = http_headers.AGENT, rules: tuple[ExtractionRule, ...] = ()
) -> Page:
    """Return the page of a response. Never raises: if it cannot be read, `problem` is set to the reason.

    `agent` is the name that authors use for this crawler in <meta> and X-Robots-Tag. Of the owner's `rules`,
    the first that applies to the URL is used.
    """
    return _extractor(agent, rules).page(result)


class Extractor:
    """Reader of documents that remembers resolved links from one document to the next."""

    def __init__(self, agent: str = http_headers.AGENT, rules: tuple[ExtractionRule, ...] = ()) -> None:
        self._agent = agent
        self._rules = rules
        self._resolver = Resolver()

    def page(self, result: FetchResult) -> Page:
        """Return the page of a response, as `extract` does."""
        kind = media_type.media_type(result.header("content-type"), result.body, result.url.path)
        if not result.body or result.body.isspace():
            return Page(result.url, result.fetched_at, kind or "text/html", problem="empty")
        try:
            if kind in media_type.HTML_TYPES:
                return self._html(result, kind)
            return _flag_cut_off(self._completed(self._read(result, kind), result), result)
        except Unreadable as error:
            problem = str(error)
        except MemoryError:
            problem = "extraction-memory"
        except PluginFailed as error:
            problem = f"extraction-error {error}"
        except Exception as error:  # a bug in a library must cost one page only
            problem = f"extraction-error {type(error).__name__}"
        return _flag_cut_off(Page(result.url, result.fetched_at, kind, problem=problem), result)

    def _html(self, result: FetchResult, kind: str) -> Page:
        html = as_utf8(result.body, result.header("content-type"))
        page = read_html(
            html,
            result.url,
            result.fetched_at,
            _read_from(result) or kind,
            http_headers.robots_from_headers(result.headers, self._agent),
            self._agent,
            self._resolver,
            http_headers.links_from_headers(result.headers, result.url, self._resolver),
            canonical_code(result.header("content-language")),
        )
        rule = next((one for one in self._rules if one.applies(result.url)), None)
        if rule is None:
            return page
        from gossamer.extract.extraction_rules import apply_rule

        return apply_rule(page, html, rule)

    def _read(self, result: FetchResult, kind: str) -> Page:
        content_type = result.header("content-type")
        if is_listing(result.body, kind, result.url):
            return read_listing(result.body, result.url, result.fetched_at, kind)
        if kind in media_type.PLAIN_TYPES:
            text = decode(result.body, content_type)
            return read_plain(text, result.url, result.fetched_at, kind)
        if kind in media_type.PDF_TYPES:
            return read_pdf(result.body, result.url, result.fetched_at)
        if kind not in OWN_TYPES and (reader := extractors().get(kind)):
            page = reader(result.body, result.url, content_type)
            return replace(page, fetched_at=result.fetched_at, media_type=kind)
        if kind in BY_TYPE:
            draft = read_document(BY_TYPE[kind], result.body, content_type)
            return _flag_textless(
                draft.page(result.url, result.fetched_at, kind, base=result.url), BY_TYPE[kind].name
            )
        return Page(result.url, result.fetched_at, kind, problem=f"media-type {kind}")

    def _completed(self, page: Page, result: FetchResult) -> Page:
        """Add what the headers say, the language and passages, and the content sketch."""
        wishes = http_headers.robots_from_headers(result.headers, self._agent)
        pointed = http_headers.links_from_headers(result.headers, result.url, self._resolver)
        # The feeds of a site often share their description and differ only in their entries.
        said = f"{page.text}\n{page.surroundings}" if page.kind == "feed" else page.text
        content = content_sketch(page.title, said)
        declared = page.language or canonical_code(result.header("content-language"))
        language = page_language(page.text, declared, (page.title, page.surroundings))
        return replace(
            page,
            language=language,
            passages=passages(page.text, language),
            noindex=page.noindex or wishes.noindex,
            nofollow=page.nofollow or wishes.nofollow,
            canonical=page.canonical or pointed.canonical,
            alternates=page.alternates or pointed.alternates,
            digest=content.digest,
            sketch=content.sketch,
            words=content.words,
        )


def _read_from(result: FetchResult) -> str:
    """Return the original media type of an imported document; "" for pages as servers send them."""
    stated = result.header(READ_FROM).strip().lower()
    return stated if _MEDIA_TYPE.fullmatch(stated) else ""


def _flag_textless(page: Page, name: str) -> Page:
    """Set the problem of a document that has neither text nor title, such as one of pictures only."""
    return page if page.text or page.title else replace(page, problem=f"no-text-in-{name}")


def _flag_cut_off(page: Page, result: FetchResult) -> Page:
    """Report a truncated document as too large, not as broken."""
    if result.truncated and page.problem.startswith("broken-"):
        return replace(page, problem=f"too-large {page.problem.removeprefix('broken-')}: cut off")
    return page


# Extractors by agent and rules: each keeps its resolved links from one call of `extract` to the next.
_extractor = lru_cache(maxsize=4)(Extractor)
