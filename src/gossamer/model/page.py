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
    """What kind of link it is, as the link log and the graph know it."""

    ORDINARY = 0
    NOFOLLOW = 1
    REDIRECT = 2  # noted in the log only: the graph takes redirects from the catalogue
    CANONICAL = 4
    SITEMAP = 8  # from a sitemap index to a sitemap


@dataclass(frozen=True, slots=True)
class Link:
    """A link from a page to another, as its author wrote it."""

    target: Url
    anchor: str = ""
    nofollow: bool = False  # rel=nofollow, ugc or sponsored, or the whole page says so
    near: str = ""  # words that stand around it


@dataclass(frozen=True, slots=True)
class Links:
    """Each target once, in the order of the page. Neither addresses nor words hold line feeds."""

    fingerprints: bytes = b""  # of the targets, 8 bytes each, little-endian
    flags: bytes = b""  # a LinkFlag each
    targets: str = ""  # canonical addresses, a line each
    anchors: str = ""  # a line each
    near: str = ""  # the words around each, a line each; empty where no link has any

    @classmethod
    def of(cls, links: Iterable[Link]) -> Links:
        """Packs links.

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
        """The same from columns; neither anchors nor words near them have line feeds."""
        numbers = struct.pack(f"<{len(targets)}Q", *[target.fingerprint for target in targets])
        addresses = "\n".join([url.text for url in targets])
        return cls(numbers, flags, addresses, "\n".join(anchors), "\n".join(near) if any(near) else "")

    def plus(self, target: Url, flag: LinkFlag) -> Links:
        """These and one more, of another kind and without words."""
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
        """The fingerprints of the targets."""
        import numpy as np

        return np.frombuffer(self.fingerprints, "<u8")

    @property
    def followed(self) -> NDArray[np.bool_]:
        """Of each link, whether its author lends it weight."""
        import numpy as np

        # A member of an enumeration beside an array costs ten times the number that it is.
        lends: NDArray[np.bool_] = (np.frombuffer(self.flags, np.uint8) & LinkFlag.NOFOLLOW.value) == 0
        return lends

    def texts(self) -> list[str]:
        """The addresses of the targets."""
        return self.targets.split("\n") if self.flags else []

    def words(self) -> list[str]:
        """The anchors."""
        return self.anchors.split("\n") if self.flags else []

    def nearby(self) -> list[str]:
        """The words around each."""
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
