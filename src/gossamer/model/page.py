"""What extraction found in a document, and what quality thinks of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag, StrEnum

from gossamer.model.url import Url


@dataclass(frozen=True, slots=True)
class Link:
    """A link from a page to another, as its author wrote it."""

    target: Url
    anchor: str = ""
    nofollow: bool = False  # rel=nofollow, ugc or sponsored, or the whole page says so


@dataclass(frozen=True, slots=True)
class Page:
    """A document as a reader sees it."""

    url: Url
    fetched_at: float = 0.0
    media_type: str = "text/html"
    title: str = ""
    headings: tuple[str, ...] = ()
    text: str = ""  # the main content
    surroundings: str = ""  # navigation, headers, footers: findable, but worth less
    description: str = ""
    language: str = ""  # two- or three-letter code as declared, "" when not
    published: float | None = None  # seconds since 1970
    links: tuple[Link, ...] = ()
    canonical: Url | None = None
    refresh: Url | None = None  # where a meta refresh leads
    noindex: bool = False
    nofollow: bool = False
    problem: str = ""  # why nothing could be read, when nothing could


class LinkFlag(IntFlag):
    """What kind of link it is, as the link log and the graph know it."""

    ORDINARY = 0
    NOFOLLOW = 1
    REDIRECT = 2
    CANONICAL = 4


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
