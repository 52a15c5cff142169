"""Number pages host by host; fingerprint look-up.

Most links stay within a host. With this numbering, the sources of a page's in-links have neighbouring
numbers, so that a step of PageRank mostly reads cached memory. Within a host, pages are numbered in the order
of discovery: pages linked from the same page are discovered together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import unchecked_kernel
from gossamer.model.graph import starts_of
from gossamer.model.url import host_of
from gossamer.web.host import registrable_domain

Fingerprints = NDArray[np.uint64]


# Kernel: locate fingerprints
# ---------------------------


@unchecked_kernel
def locate(
    names: NDArray[np.uint64],
    values: NDArray[np.uint64],
    shift: np.uint64,
    bounds: NDArray[np.int64],
    places: NDArray[np.int64],
) -> None:
    """Find the position of each value by binary search among the names that share its top bits.

    The names whose bits above `shift` are b are at `bounds[b]` to `bounds[b + 1]`.
    """
    for i in range(len(values)):
        bucket = np.int64(values[i] >> shift)
        low = bounds[bucket]
        high = bounds[bucket + np.int64(1)]
        while low < high:
            middle = (low + high) >> np.int64(1)
            if names[middle] < values[i]:
                low = middle + np.int64(1)
            else:
                high = middle
        places[i] = low


# Find fingerprints in a sorted list
# ----------------------------------

FINGERPRINTS_A_FLOOR = 8  # fingerprints per bucket: they fill one cache line


class FingerprintIndex:
    """Find values in a sorted list of fingerprints.

    Fingerprints are uniformly distributed, so their top bits nearly determine the position. A plain binary
    search misses the cache at every step and takes 8 times as long.
    """

    def __init__(self, fingerprints: NDArray[np.uint64]) -> None:
        bits = max(1, (len(fingerprints) // FINGERPRINTS_A_FLOOR).bit_length())
        self.fingerprints = fingerprints
        self._shift = np.uint64(64 - bits)
        floors = np.arange(1 << bits, dtype=np.uint64) << self._shift
        self._bounds = np.append(np.searchsorted(fingerprints, floors), len(fingerprints)).astype(np.int64)

    def places(self, values: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the position of each value, or its insertion point."""
        places = np.empty(len(values), np.int64)
        locate(self.fingerprints, values, self._shift, self._bounds, places)
        return places

    def found(self, values: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the position of each value and whether it exists; the position is arbitrary if not."""
        if not len(self.fingerprints):
            return np.zeros(len(values), np.int64), np.zeros(len(values), np.bool_)
        where = np.minimum(self.places(values), len(self.fingerprints) - 1)
        return where, self.fingerprints[where] == values


MOMENTS = 0xFFFFFFFF  # times are quantised to this many steps
UNKNOWN_HOST = 0xFFFFFFFF
AT_ONCE = 1 << 18  # pages per piece


class AddressColumns(NamedTuple):
    """Known URLs: fingerprints, the host of each (with its port), and the time of its discovery."""

    fingerprints: Fingerprints
    hosts: Sequence[str]
    met: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of pages, hosts and domains.

    Pages whose host is unknown come last and belong to no host.
    """

    order: NDArray[np.uint32]  # the number of each page; pages in fingerprint order
    hosts: list[str]
    host_firsts: NDArray[np.int64]  # the first page of each host, then the first page without a host
    domains: list[str]
    domain_firsts: NDArray[np.int64]  # the first host of each domain, then the number of hosts


def number_pages(finder: FingerprintIndex, addresses: Iterable[AddressColumns]) -> Numbering:
    """Number the pages in the finder. Needs about 30 bytes of memory per page."""
    seats: dict[str, int] = {}  # hosts by order of appearance
    met = np.zeros(len(finder.fingerprints), np.float64)
    host_ids = np.full(len(finder.fingerprints), UNKNOWN_HOST, np.uint32)
    for piece in addresses:
        where, is_page = finder.found(piece.fingerprints)
        ids = np.array([seats.setdefault(host, len(seats)) for host in piece.hosts], np.uint32)
        host_ids[where[is_page]] = ids[is_page]
        met[where[is_page]] = piece.met[is_page]
    hosts = sorted(seats, key=_host_key)
    ranks = np.empty(len(hosts) + 1, np.uint64)
    ranks[[seats[host] for host in hosts]] = np.arange(len(hosts))
    ranks[-1] = len(hosts)  # pages whose host is unknown
    keys, counts = _keys(host_ids, met, ranks)
    del host_ids, met
    used = [host for host, count in zip(hosts, counts, strict=True) if count]
    return _numbering(keys, used, counts[counts > 0])


def _keys(
    host_ids: NDArray[np.uint32], met: NDArray[np.float64], ranks: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the sort key of each page and the number of pages of each host.

    The upper 32 bits of a key are the rank of the host, the lower 32 bits the time of discovery. Pages are
    processed in pieces to keep temporary arrays small.
    """
    last = met.max(initial=0.0)
    first = met.min(where=met > 0, initial=last)
    scale = (MOMENTS - 1) / max(last - first, 1.0)
    keys, counts = np.empty(len(met), np.uint64), np.zeros(len(ranks), np.int64)
    for begin in range(0, len(met), AT_ONCE):
        part = slice(begin, begin + AT_ONCE)
        own = ranks[np.minimum(host_ids[part], len(ranks) - 1)]
        counts += np.bincount(own.astype(np.int64), minlength=len(ranks))
        times = np.where(met[part] > 0, 1 + (met[part] - first) * scale, 0)
        keys[part] = (own << np.uint64(32)) | times.astype(np.uint64)
    return keys, counts[:-1]


def _numbering(keys: NDArray[np.uint64], hosts: list[str], pages: NDArray[np.int64]) -> Numbering:
    order = np.empty(len(keys), np.uint32)
    order[np.argsort(keys, kind="stable")] = np.arange(len(keys), dtype=np.uint32)
    domains = [_domain(host) for host in hosts]
    begins = [i for i, domain in enumerate(domains) if not i or domain != domains[i - 1]]
    host_firsts = starts_of(pages)
    domain_firsts = np.array([*begins, len(hosts)], np.int64)
    return Numbering(order, hosts, host_firsts, [domains[i] for i in begins], domain_firsts)


def _domain(authority: str) -> str:
    """Return the registrable domain; an authority without a host (`news:`) is its own domain."""
    return registrable_domain(host_of(authority)) or authority


def _host_key(authority: str) -> tuple[list[str], list[str], str]:
    """Return a sort key that orders hosts by domain, and both by their labels from right to left.

    >>> sorted(["b.org", "x.a.org", "a.org:81", "a-b.org", "a.org"], key=_host_key)
    ['a.org', 'a.org:81', 'x.a.org', 'a-b.org', 'b.org']
    """
    return _labels(_domain(authority)), _labels(host_of(authority)), authority


def _labels(host: str) -> list[str]:
    return host.split(".")[::-1]
