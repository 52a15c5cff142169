"""Where does an HTML document point, and in which words?"""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.extract.scan import Scan
from gossamer.extract.tree_kernel import LONGEST_ANCHOR
from gossamer.model import Links, Url

__all__ = ["LONGEST_ANCHOR", "MOST_LINKS", "read_links"]

MOST_LINKS = 5_000  # a page; what has more is a trap or a dump


def read_links(scan: Scan, url: Url, targets: Sequence[Url | None], nofollow: bool) -> Links:
    """Each target once, in document order, with its first anchor that has words.

    A target is nofollow when every link to it is, or when the whole page says so. Links of the page to itself
    are left out. `targets` says where the addresses of the scan lead.
    """
    found: list[Url] = []
    places: list[int] = []
    for place, target in enumerate(targets):
        if target is not None and target.fingerprint != url.fingerprint:
            found.append(target)
            places.append(place)
    anchors = [scan.anchors[place] for place in places]
    flags = bytes([nofollow or scan.nofollow[place] for place in places])
    if len({target.fingerprint for target in found}) == len(found) <= MOST_LINKS:
        return Links.packed(found, anchors, flags)
    return _merged(found, anchors, flags)


def _merged(targets: list[Url], anchors: list[str], flags: bytes) -> Links:
    """The same where several addresses lead to one place, or where they are too many."""
    places: dict[int, int] = {}  # by fingerprint
    kept: list[int] = []
    words: list[str] = []
    wishes = bytearray()
    for number, target in enumerate(targets):
        place = places.get(target.fingerprint)
        if place is not None:
            words[place] = words[place] or anchors[number]
            wishes[place] &= flags[number]
        elif len(kept) < MOST_LINKS:
            places[target.fingerprint] = len(kept)
            kept.append(number)
            words.append(anchors[number])
            wishes.append(flags[number])
    return Links.packed([targets[number] for number in kept], words, bytes(wishes))
