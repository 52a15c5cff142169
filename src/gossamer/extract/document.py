"""What does this answer of a server say, whatever kind of document it is?"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from gossamer.extract import linkheader, media, robots
from gossamer.extract.charset import as_utf8, decode
from gossamer.extract.draft import Unreadable
from gossamer.extract.formats import BY_TYPE, OWN_TYPES
from gossamer.extract.html import read_html
from gossamer.extract.listing import is_listing, read_listing
from gossamer.extract.pdf import read_pdf
from gossamer.extract.plain import read_plain
from gossamer.extract.plugins import PluginFailed, extractors
from gossamer.extract.readers import read_document
from gossamer.extract.resolving import Resolver
from gossamer.extract.rules import Rule
from gossamer.model import FetchResult, Page
from gossamer.text.codes import canonical_code
from gossamer.text.language import page_language
from gossamer.text.passages import passages
from gossamer.text.shingles import content_print

READ_FROM = "X-Gossamer-Read-From"  # a header: of what kind the document was whose text is HTML here
_MEDIA_TYPE = re.compile(r"[a-z]+/[\w.+-]{1,100}")


def extract(result: FetchResult, agent: str = robots.AGENT, rules: tuple[Rule, ...] = ()) -> Page:
    """The page behind a response. Never raises: what cannot be read has `problem` set to the reason.

    `agent` is the name by which authors speak to this crawler, in <meta> and in X-Robots-Tag. Of the owner's
    rules the first that applies counts.
    """
    return _extractor(agent, rules).page(result)


class Extractor:
    """Reads documents one after another, and remembers between them where links lead."""

    def __init__(self, agent: str = robots.AGENT, rules: tuple[Rule, ...] = ()) -> None:
        self._agent = agent
        self._rules = rules
        self._resolver = Resolver()

    def page(self, result: FetchResult) -> Page:
        """The page behind a response, as `extract` gives it."""
        kind = media.media_type(result.header("content-type"), result.body, result.url.path)
        if not result.body or result.body.isspace():
            return Page(result.url, result.fetched_at, kind or "text/html", problem="empty")
        try:
            if kind in media.HTML_TYPES:
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
            robots.from_headers(result.headers, self._agent),
            self._agent,
            self._resolver,
            linkheader.from_headers(result.headers, result.url, self._resolver),
            canonical_code(result.header("content-language")),
        )
        rule = next((one for one in self._rules if one.applies(result.url)), None)
        if rule is None:
            return page
        from gossamer.extract.ruled import ruled

        return ruled(page, html, rule)

    def _read(self, result: FetchResult, kind: str) -> Page:
        content_type = result.header("content-type")
        if is_listing(result.body, kind, result.url):
            return read_listing(result.body, result.url, result.fetched_at, kind)
        if kind in media.PLAIN_TYPES:
            text = decode(result.body, content_type)
            return read_plain(text, result.url, result.fetched_at, kind)
        if kind in media.PDF_TYPES:
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
        wishes = robots.from_headers(result.headers, self._agent)
        pointed = linkheader.from_headers(result.headers, result.url, self._resolver)
        # Feeds of a site differ in what they list, which stands around a text that they share.
        said = f"{page.text}\n{page.surroundings}" if page.kind == "feed" else page.text
        content = content_print(page.title, said)
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
def _extractor(agent: str, rules: tuple[Rule, ...]) -> Extractor:
    return Extractor(agent, rules)
