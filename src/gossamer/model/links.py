"""The links of a page, packed: a page has a hundred of them, and most lead to where everybody has been."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import TYPE_CHECKING

from gossamer.model.url import Url

if TYPE_CHECKING:  # who only asks for help does not wait for NumPy
    import numpy as np
    from numpy.typing import NDArray


class LinkFlag(IntFlag):
    """What kind of link it is, as the link log and the graph know it."""

    ORDINARY = 0
    NOFOLLOW = 1
    REDIRECT = 2
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
