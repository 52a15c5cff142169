"""What extraction found in a document, and what quality thinks of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from gossamer.model.links import NO_LINKS, Links
from gossamer.model.url import Url


class Passage(NamedTuple):
    """A part of a page's text in another language than the rest."""

    language: str
    begin: int  # characters
    end: int


@dataclass(frozen=True, slots=True)
class Page:
    """A document as a reader sees it."""

    url: Url
    fetched_at: float = 0.0
    media_type: str = "text/html"
    kind: str = "page"  # or "feed", or "sitemap", which is only read for its links
    title: str = ""
    headings: tuple[str, ...] = ()
    emphasised: str = ""  # words of the main content that stand out in it, a line for each run of them
    text: str = ""  # the main content
    surroundings: str = ""  # navigation, headers, footers: findable, but worth less
    description: str = ""
    author: str = ""  # as the document names its authors, several with commas between
    language: str = ""  # two- or three-letter code: as declared, unless the text is clearly in another; or ""
    passages: tuple[Passage, ...] = ()  # of the text, in the order in which they stand
    published: float | None = None  # seconds since 1970
    links: Links = NO_LINKS
    modified: bytes = b""  # of each link, when its target last changed (a float of 8 bytes, NaN), if said
    alternates: tuple[tuple[str, Url], ...] = ()  # (language, address) of the same page in other languages
    feeds: tuple[Url, ...] = ()  # RSS and Atom that the page names as its own
    canonical: Url | None = None
    refresh: Url | None = None  # where a meta refresh leads at once, as a redirect does
    noindex: bool = False
    nofollow: bool = False
    digest: bytes = b""  # of the words of title and text: equal, where two pages say the same
    sketch: bytes = b""  # of the shingles of the text: alike, where two pages nearly say the same
    words: int = 0  # of the text
    problem: str = ""  # why nothing could be read, when nothing could


class Judgement(StrEnum):
    """The kinds of verdict."""

    KEEP = "keep"
    DUPLICATE = "duplicate"
    NOINDEX = "noindex"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a page goes into the index, and why."""

    judgement: Judgement
    reason: str = ""
    duplicate_of: int = 0  # fingerprint of the page it repeats

    @property
    def keep(self) -> bool:
        return self.judgement is Judgement.KEEP
