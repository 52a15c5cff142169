"""Extracted page, its packed links, verdict."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntFlag, StrEnum
from typing import TYPE_CHECKING, NamedTuple

from gossamer.model.url import Url

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# Packed links of a page
# ----------------------


class LinkFlag(IntFlag):
    """Kind of a link in the link log and in the graph."""

    ORDINARY = 0
    NOFOLLOW = 1
    REDIRECT = 2  # only in the link log: the graph takes redirects from the catalogue
    CANONICAL = 4
    SITEMAP = 8  # from a sitemap index to a sitemap


@dataclass(frozen=True, slots=True)
class Link:
    """A link from one page to another."""

    target: Url
    anchor: str = ""
    nofollow: bool = False  # rel=nofollow, ugc or sponsored, or nofollow for the whole page
    near: str = ""  # words around it


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a page in columns, each target once, in the order of the page.

    Neither URLs nor texts contain line feeds.
    """

    fingerprints: bytes = b""  # of the targets, 8 bytes each, little-endian
    flags: bytes = b""  # a LinkFlag each
    targets: str = ""  # canonical URLs, one per line
    anchors: str = ""  # one per line
    near: str = ""  # words around each link, one line per link; empty if no link has any

    @classmethod
    def of(cls, links: Iterable[Link]) -> Links:
        """Pack links.

        >>> len(Links.of([])), list(Links.of([]))
        (0, [])
        """
        links = tuple(links)
        return cls.packed(
            [link.target for link in links],
            [" ".join(link.anchor.split("\n")) for link in links],
            bytes(LinkFlag.NOFOLLOW if link.nofollow else LinkFlag.ORDINARY for link in links),
            [" ".join(link.near.split("\n")) for link in links],
        )

    @classmethod
    def packed(cls, targets: list[Url], anchors: list[str], flags: bytes, near: Sequence[str] = ()) -> Links:
        """Pack links that are given as columns. Neither `anchors` nor `near` contain line feeds."""
        numbers = struct.pack(f"<{len(targets)}Q", *[target.fingerprint for target in targets])
        addresses = "\n".join([url.text for url in targets])
        return cls(numbers, flags, addresses, "\n".join(anchors), "\n".join(near) if any(near) else "")

    def plus(self, target: Url, flag: LinkFlag) -> Links:
        """Return these links and one more, of another kind and without text."""
        number = target.fingerprint.to_bytes(8, "little")
        line = "\n" if self.flags else ""
        return Links(
            self.fingerprints + number,
            self.flags + bytes([flag]),
            f"{self.targets}{line}{target.text}",
            self.anchors + line,
            self.near and self.near + line,
        )

    @property
    def numbers(self) -> NDArray[np.uint64]:
        """Fingerprints of the targets."""
        import numpy as np

        return np.frombuffer(self.fingerprints, "<u8")

    @property
    def followed(self) -> NDArray[np.bool_]:
        """Whether each link counts, that is, has no nofollow."""
        import numpy as np

        # An operation of an array with a member of an enumeration takes ten times as long as with a number.
        lends: NDArray[np.bool_] = (np.frombuffer(self.flags, np.uint8) & LinkFlag.NOFOLLOW.value) == 0
        return lends

    def texts(self) -> list[str]:
        """Return the URLs of the targets."""
        return self.targets.split("\n") if self.flags else []

    def words(self) -> list[str]:
        """Return the anchor texts."""
        return self.anchors.split("\n") if self.flags else []

    def nearby(self) -> list[str]:
        """Return the words around each link."""
        return self.near.split("\n") if self.near else [""] * len(self.flags)

    def __len__(self) -> int:
        return len(self.flags)

    def __iter__(self) -> Iterator[Link]:
        columns = zip(self.texts(), self.words(), self.flags, self.nearby(), strict=True)
        for text, anchor, flag, near in columns:
            yield Link(Url.parsed(text), anchor, bool(flag & LinkFlag.NOFOLLOW), near)

    def __getitem__(self, place: int) -> Link:
        address, nofollow = self.texts()[place], bool(self.flags[place] & LinkFlag.NOFOLLOW)
        return Link(Url.parsed(address), self.words()[place], nofollow, self.nearby()[place])


NO_LINKS = Links()


class Passage(NamedTuple):
    """A part of a page's text in another language than the rest of the page."""

    language: str
    begin: int  # characters
    end: int


@dataclass(frozen=True, slots=True)
class Page:
    """The extracted content of a document."""

    url: Url
    fetched_at: float = 0.0
    media_type: str = "text/html"
    kind: str = "page"  # or "feed", or "sitemap" (read only for its links)
    title: str = ""
    headings: tuple[str, ...] = ()
    emphasised: str = ""  # highlighted words of the main content, one line per run
    text: str = ""  # the main content
    surroundings: str = ""  # navigation, headers, footers: searchable, with less weight
    description: str = ""
    author: str = ""  # authors that the document names, separated by commas
    language: str = ""  # code of two or three letters: as declared, or as detected if that is clear; or ""
    passages: tuple[Passage, ...] = ()  # in the order of the text
    published: float | None = None  # seconds since 1970
    links: Links = NO_LINKS
    modified: bytes = b""  # last change of each target as a float64, NaN if unknown; empty if no link has one
    alternates: tuple[tuple[str, Url], ...] = ()  # (language, URL) of translations
    feeds: tuple[Url, ...] = ()  # RSS and Atom feeds of the page
    canonical: Url | None = None
    refresh: Url | None = None  # target of an immediate meta refresh, which is treated as a redirect
    noindex: bool = False
    nofollow: bool = False
    digest: bytes = b""  # hash of the words of title and text; equal for duplicates
    sketch: bytes = b""  # MinHash of the text's shingles; similar for near-duplicates
    words: int = 0  # number of words of the text
    problem: str = ""  # why nothing could be extracted


class Judgement(StrEnum):
    """Kind of verdict."""

    KEEP = "keep"
    DUPLICATE = "duplicate"
    NOINDEX = "noindex"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a page is indexed, and why not."""

    judgement: Judgement
    reason: str = ""
    duplicate_of: int = 0  # fingerprint of the original

    @property
    def keep(self) -> bool:
        return self.judgement is Judgement.KEEP
