"""Where does an HTML document point, and in which words?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.merge_kernel import merge
from gossamer.extract.resolving import Resolver
from gossamer.extract.scan import Scan
from gossamer.extract.tables import address_table, scanner_table
from gossamer.extract.target_kernel import plain_targets
from gossamer.model import Links, Url
from gossamer.model.links import NO_LINKS
from gossamer.web.schemes import OWN

MOST_LINKS = 5_000  # a page; what has more is a trap or a dump


def read_links(scan: Scan, url: Url, base: Url, resolver: Resolver, nofollow: bool) -> Links:
    """Each target once, in document order, with its first anchor that has words, and the first words near it.

    A target is nofollow when every link to it is, or when the whole page says so; where one is not, words of
    those that are do not count. Links of the page to itself
    are left out. Addresses are relative to `base`.
    """
    if not len(scan.nofollow):
        return NO_LINKS
    targets, places = _targets(scan, base, resolver)
    own = np.uint64(url.fingerprint)
    numbers, flags, addresses, anchors, near = merge(
        targets, places, scan.words, scan.near, scan.nofollow, own, int(nofollow), MOST_LINKS
    )
    nearby = _text(near)
    return Links(
        numbers.tobytes(),
        flags.tobytes(),
        _text(addresses),
        _text(anchors),
        nearby if len(nearby) >= len(numbers) else "",  # line feeds alone are one less
    )


def _targets(scan: Scan, base: Url, resolver: Resolver) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Where the addresses lead: the bytes of all targets, and the place of each in them."""
    if base.scheme not in OWN:
        nowhere = np.zeros((len(scan.nofollow), 2), np.int64)
        return _completed(scan, base, resolver, np.empty(0, np.uint8), nowhere), nowhere
    origin = len(base.text) - len(base.path)
    page = base.text.partition("?")[0].encode()
    targets, places, left = plain_targets(
        scan.hrefs,
        len(scan.nofollow),
        np.frombuffer(page, np.uint8),
        len(base.text[:origin].encode()),
        page.rindex(b"/") + 1,
        address_table(),
        scanner_table(()),
    )
    return (_completed(scan, base, resolver, targets, places), places) if left else (targets, places)


def _completed(
    scan: Scan, base: Url, resolver: Resolver, targets: NDArray[np.uint8], places: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """Adds the targets of addresses that are not plain."""
    addresses = scan.addresses
    missing = np.flatnonzero(places[:, 1] == 0).tolist()
    others = bytearray()
    for number, target in zip(
        missing, resolver.targets(base, [addresses[number] for number in missing]), strict=True
    ):
        if target is not None:
            start = len(targets) + len(others)
            others += target.text.encode()
            places[number] = start, len(targets) + len(others)
    return np.concatenate((targets, np.frombuffer(bytes(others), np.uint8)))


def _text(array: NDArray[np.uint8]) -> str:
    return str(array.data, "utf-8", "replace") if len(array) else ""
