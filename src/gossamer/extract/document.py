"""Extract a Page from any answer: choose the reader."""

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
# A package names a function for a media type under the entry point `gossamer.extractors`:
#
#     [project.entry-points."gossamer.extractors"]
#     "application/epub+zip" = "my_package.books:read_book"
#
# and the function turns the body of a document into a page:
#
#     def read_book(body: bytes, url: Url, content_type: str) -> Page:
#         book = open_book(body)
#         return Page(url, title=book.title, text=book.text)
#
# It runs in the extraction workers, with their limits on time and memory, and is loaded with the
# first document of its kind. What it raises is the problem of that document, with the plug-in's name,
# and costs nothing else. HTML, plain text, Markdown, feeds and PDF are read by Gossamer itself,
# whatever is installed; for office documents, books, RTF and subtitles a plug-in is asked instead.

GROUP = "gossamer.extractors"
Reader = Callable[[bytes, Url, str], Page]


class PluginFailed(Exception):
    """A plug-in that could not be loaded, raised something, or gave no page."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")


class Plugin:
    """A reader that is loaded when it is first asked."""

    def __init__(self, point: EntryPoint) -> None:
        self._point = point
        self._reader: Reader | None = None

    def __call__(self, body: bytes, url: Url, content_type: str) -> Page:
        try:
            if self._reader is None:
                self._reader = self._point.load()
            page = self._reader(body, url, content_type)
        except MemoryError:
            raise
        except Exception as error:  # whatever it is, it is the plug-in's
            raise PluginFailed(self._point.value, f"{type(error).__name__} {error}".strip()) from error
        if not isinstance(page, Page) or page.url != url:
            raise PluginFailed(self._point.value, "it gave no page of the document's address")
        return page


@cache
def extractors() -> dict[str, Reader]:
    """What is installed, by media type in lower case; of two for one type the first by name counts."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.value, reverse=True)
    return {point.name.strip().lower(): Plugin(point) for point in points}


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
    """What a document says; raises Unreadable with the reason where it says nothing."""
    if kind in _BINARY:
        return _BINARY[kind](body)
    return _TEXT[kind](decode(body, content_type))


READ_FROM = "X-Gossamer-Read-From"  # a header: of what kind the document was whose text is HTML here
_MEDIA_TYPE = re.compile(r"[a-z]+/[\w.+-]{1,100}")


def extract(
    result: FetchResult, agent: str = http_headers.AGENT, rules: tuple[ExtractionRule, ...] = ()
) -> Page:
    """The page behind a response. Never raises: what cannot be read has `problem` set to the reason.

    `agent` is the name by which authors speak to this crawler, in <meta> and in X-Robots-Tag. Of the owner's
    rules the first that applies counts.
    """
    return _extractor(agent, rules).page(result)


class Extractor:
    """Reads documents one after another, and remembers between them where links lead."""

    def __init__(self, agent: str = http_headers.AGENT, rules: tuple[ExtractionRule, ...] = ()) -> None:
        self._agent = agent
        self._rules = rules
        self._resolver = Resolver()

    def page(self, result: FetchResult) -> Page:
        """The page behind a response, as `extract` gives it."""
        kind = media_type.media_type(result.header("content-type"), result.body, result.url.path)
        if not result.body or result.body.isspace():
            return Page(result.url, result.fetched_at, kind or "text/html", problem="empty")
        try:
            if kind in media_type.HTML_TYPES:
                return self._html(result, kind)
            return _excused(self._completed(self._read(result, kind), result), result)
        except Unreadable as error:
            return _excused(Page(result.url, result.fetched_at, kind, problem=str(error)), result)
        except MemoryError:
            return Page(result.url, result.fetched_at, kind, problem="extraction-memory")
        except PluginFailed as error:
            return Page(result.url, result.fetched_at, kind, problem=f"extraction-error {error}")
        except Exception as error:  # a page that trips a library must cost that page only
            problem = f"extraction-error {type(error).__name__}"
            return Page(result.url, result.fetched_at, kind, problem=problem)

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
            return _told(draft.page(result.url, result.fetched_at, kind, base=result.url), BY_TYPE[kind].name)
        return Page(result.url, result.fetched_at, kind, problem=f"media-type {kind}")

    def _completed(self, page: Page, result: FetchResult) -> Page:
        """With what the headers say, and with what the page is recognised by."""
        wishes = http_headers.robots_from_headers(result.headers, self._agent)
        pointed = http_headers.links_from_headers(result.headers, result.url, self._resolver)
        # Feeds of a site differ in what they list, which stands around a text that they share.
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
    """What an imported text was, which only says so here; "" for pages as servers send them."""
    stated = result.header(READ_FROM).strip().lower()
    return stated if _MEDIA_TYPE.fullmatch(stated) else ""


def _told(page: Page, name: str) -> Page:
    """A document of pictures only is named as such."""
    return page if page.text or page.title else replace(page, problem=f"no-text-in-{name}")


def _excused(page: Page, result: FetchResult) -> Page:
    """What is broken because it was cut off is not broken but large."""
    if result.truncated and page.problem.startswith("broken-"):
        return replace(page, problem=f"too-large {page.problem.removeprefix('broken-')}: cut off")
    return page


@lru_cache(maxsize=4)
def _extractor(agent: str, rules: tuple[ExtractionRule, ...]) -> Extractor:
    return Extractor(agent, rules)
