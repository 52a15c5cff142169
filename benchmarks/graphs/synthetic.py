"""A web graph out of a seed: hosts, pages that link mostly inside of their host, and the order of a crawl."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphs.synthetic_kernel import draw_links, renumber, transpose

LEAST_HOST = 6
TAIL = 1.1  # of the sizes of hosts
LARGEST_SHARE = 40  # no host has more than the 40th part of all pages
LINKS_A_PAGE = 20.0  # at most, on the mean
SPREAD = 0.1  # of the order inside of a host


@dataclass(frozen=True, slots=True)
class Web:
    """Links in both directions; pages are numbered in the order of the crawl, or host by host."""

    starts: NDArray[np.int64]  # by source
    targets: NDArray[np.uint32]
    in_starts: NDArray[np.int64]  # by target
    sources: NDArray[np.uint32]
    hosts: NDArray[np.uint32]  # of each page

    @property
    def pages(self) -> int:
        return len(self.starts) - 1

    @property
    def links(self) -> int:
        return len(self.targets)


def web(pages: int, seed: int, order: str = "crawl") -> Web:
    """A web of so many pages. `order` is "crawl" or "host"."""
    chance = np.random.default_rng(seed)
    firsts = _hosts(pages, chance)
    host_of = np.repeat(np.arange(len(firsts) - 1, dtype=np.uint32), np.diff(firsts))
    ends = np.empty(pages, np.int64)
    targets = np.empty(int(pages * LINKS_A_PAGE), np.uint32)
    count = draw_links(host_of, firsts, np.uint64(seed), 0, pages, ends, targets)
    targets = targets[:count]
    if order == "host":
        starts = np.concatenate([[0], ends])
    else:
        fetched = _crawl(firsts, host_of, chance)
        places = np.empty(pages, np.uint32)
        places[fetched] = np.arange(pages, dtype=np.uint32)
        starts, moved = np.empty(pages + 1, np.int64), np.empty_like(targets)
        renumber(ends, targets, fetched, places, starts, moved)
        host_of, targets = host_of[fetched], moved
    in_starts, sources = np.empty(pages + 2, np.int64), np.empty_like(targets)
    transpose(starts, targets, in_starts[:-1], sources)
    return Web(starts, targets, in_starts[:-1], sources, host_of)


def _hosts(pages: int, chance: np.random.Generator) -> NDArray[np.int64]:
    """Where each host's pages begin; the hosts that are linked to most come first."""
    draws = chance.random(pages // LEAST_HOST + 1)
    sizes = np.minimum(LEAST_HOST * draws ** (-1 / TAIL), max(pages // LARGEST_SHARE, LEAST_HOST))
    sizes = sizes.astype(np.int64)
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), pages))]
    left = pages - int(sizes.sum())
    sizes = np.append(sizes, left) if left else sizes
    by_popularity = np.argsort(-np.log(sizes) - chance.normal(0, 1, len(sizes)), kind="stable")
    return np.concatenate([[0], np.cumsum(sizes[by_popularity])])


def _crawl(
    firsts: NDArray[np.int64], host_of: NDArray[np.uint32], chance: np.random.Generator
) -> NDArray[np.uint32]:
    """Pages as a crawl meets them: wave after wave, the first pages of all hosts, then the next ones.

    A host that is linked to more is found earlier. Page j of a host comes about log2(j) waves after its
    first, so that the pages of thousands of hosts are interleaved.
    """
    hosts = len(firsts) - 1
    found = np.log2(1 + np.arange(hosts)) / 3 + chance.random(hosts)
    within = np.arange(len(host_of)) - np.repeat(firsts[:-1], np.diff(firsts))
    when = found[host_of] + np.log2(1 + within) + SPREAD * chance.random(len(host_of))
    return np.argsort(when, kind="stable").astype(np.uint32)
