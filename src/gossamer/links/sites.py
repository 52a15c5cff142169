"""How strongly do sites link to each other? Links of pages, or hosts, summed up by what they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.links.arrays import NewArrays
from gossamer.links.files import ArrayFile
from gossamer.links.numbering import Numbering
from gossamer.links.sites_kernel import turn_round
from gossamer.links.spill import SOURCE, TARGET, Numbers, starts_of
from gossamer.model.graph import Names

MOST = 0xFFFFFFFF  # a weight tells no more than this
AT_ONCE = 1 << 20  # links between hosts that are read together

Integers = NDArray[np.int64]
Sites = NDArray[np.signedinteger[Any]]


class WeightedLinks:
    """Adds links up and writes them by target. No target of a later piece is below one of a piece before."""

    def __init__(self, sources: ArrayFile, weights: ArrayFile, sites: int) -> None:
        self._sources, self._weights = sources, weights
        self.degrees = np.zeros(sites, np.int64)
        self._links = np.empty(0, np.uint64)  # to the last target: more of them may come
        self._sums = np.empty(0, np.int64)

    def add(self, targets: Sites, sources: Sites, weights: NDArray[Any] | None = None) -> None:
        """Takes links between sites, each of weight 1 if nothing else is said.

        Those from or to -1, and those of a site to itself, do not count.
        """
        counted = (targets >= 0) & (sources >= 0) & (targets != sources)
        links = (targets[counted].astype(np.uint64) << TARGET) | sources[counted].astype(np.uint64)
        if not len(links):
            return
        new = np.ones(len(links), np.int64) if weights is None else weights[counted].astype(np.int64)
        links, sums = _summed(np.concatenate([self._links, links]), np.concatenate([self._sums, new]))
        last = int(np.searchsorted(links, links[-1] >> TARGET << TARGET))
        self._write(links[:last], sums[:last])
        self._links, self._sums = links[last:], sums[last:]

    def finish(self) -> None:
        """Nothing more comes."""
        self._write(self._links, self._sums)

    def _write(self, links: Numbers, sums: Integers) -> None:
        if len(links):
            self._sources.append(links & SOURCE)
            self._weights.append(np.minimum(sums, MOST))
            first = int(links[0] >> TARGET)
            counts = np.bincount((links >> TARGET).astype(np.int64) - first)
            self.degrees[first : first + len(counts)] += counts


def _write_rest(
    new: NewArrays, level: str, names: list[str], firsts: Integers, pages: Integers, degrees: Integers
) -> None:
    """Writes what belongs to the weighted links of a level: which sites they are, and the links by source."""
    packed = Names.of(names)
    new.write(f"{level}-names", packed.text)
    new.write(f"{level}-name-starts", packed.starts)
    new.write(f"{level}-firsts", firsts)
    new.write(f"{level}-pages", pages)
    new.write(f"{level}-starts", starts_of(degrees))
    starts, sources, weights = (new.read(f"{level}-{name}") for name in ("starts", "sources", "weights"))
    out_starts = starts_of(np.bincount(sources, minlength=len(names)))
    targets, out_weights = np.empty(len(sources), np.uint32), np.empty(len(sources), np.uint32)
    turn_round(starts, sources, weights, out_starts[:-1].copy(), targets, out_weights)
    new.write(f"{level}-out-starts", out_starts)
    new.write(f"{level}-out-targets", targets)
    new.write(f"{level}-out-weights", out_weights)


def write_hosts(new: NewArrays, numbering: Numbering, links: Iterable[tuple[Integers, Integers]]) -> None:
    """The graph of hosts, from the links of pages: targets and sources by rising target."""
    pages = np.diff(numbering.host_firsts)
    host_of = np.full(len(numbering.order), -1, np.int32)
    host_of[: numbering.host_firsts[-1]] = np.repeat(np.arange(len(pages), dtype=np.int32), pages)
    with (
        new.writing("hosts-sources", np.uint32) as sources_out,
        new.writing("hosts-weights", np.uint32) as weights_out,
    ):
        hosts = WeightedLinks(sources_out, weights_out, len(pages))
        for targets, sources in links:
            hosts.add(host_of[targets], host_of[sources])
        hosts.finish()
    _write_rest(new, "hosts", numbering.hosts, numbering.host_firsts, pages, hosts.degrees)


def write_domains(new: NewArrays, numbering: Numbering) -> None:
    """The graph of domains, from that of their hosts."""
    domains, firsts = numbering.domains, numbering.domain_firsts
    starts, sources, weights = (new.read(f"hosts-{name}") for name in ("starts", "sources", "weights"))
    domain_of = np.repeat(np.arange(len(domains)), np.diff(firsts))
    with (
        new.writing("domains-sources", np.uint32) as out_sources,
        new.writing("domains-weights", np.uint32) as out_weights,
    ):
        links = WeightedLinks(out_sources, out_weights, len(domains))
        for begin in range(0, len(sources), AT_ONCE):
            end = min(begin + AT_ONCE, len(sources))
            targets = np.searchsorted(starts, np.arange(begin, end), "right") - 1
            links.add(domain_of[targets], domain_of[sources[begin:end]], weights[begin:end])
        links.finish()
    pages = np.add.reduceat(new.read("hosts-pages"), firsts[:-1]) if domains else np.empty(0, np.int64)
    _write_rest(new, "domains", domains, firsts, pages, links.degrees)


def _summed(links: Numbers, weights: Integers) -> tuple[Numbers, Integers]:
    """Each link once, rising, with the sum of its weights."""
    order = np.argsort(links)
    links = links[order]
    begins = np.flatnonzero(np.append(True, links[1:] != links[:-1]))
    return links[begins], np.add.reduceat(weights[order], begins)
