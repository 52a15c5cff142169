"""Build page, host and domain graphs from link logs.

    link log -> fingerprints of pages, sorted, without repeats -> node numbers (`numbering.py`)
    link log -> (target, source) pairs, sorted, without repeats -> in-links, host and domain graphs
             -> (source, target) pairs, sorted                  -> out-links

Each sort is an external sort. The link log is read twice, and the pairs are written to disk twice, 8 bytes
each. Arrays are written sequentially. Memory use is limited by the setting `memory_mb`: pages take 30 bytes
each, and links use the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.partition import LINK_LOG, Partition
from gossamer.graph.external_sort import SOURCE, TARGET, ExternalSort, Numbers
from gossamer.graph.generation import Append, NewArrays
from gossamer.graph.numbering import AddressColumns, FingerprintIndex, Fingerprints, Numbering, number_pages
from gossamer.model import GossamerError, LinkFlag, UsageError
from gossamer.model.graph import LinkColumns, LinkGraph, NameList, starts_of
from gossamer.model.progress import Observer, StepProgress
from gossamer.storage.link_log import LinkRecord

# Aliases: redirects, canonicals and duplicates of one page
# ---------------------------------------------------------

Aliases = tuple[Fingerprints, Fingerprints]  # alias addresses, and the page to which each leads


def resolve(aliases: Aliases) -> Aliases:
    """Follow chains of aliases; return all aliases in ascending order and the final page of each.

    Pointer doubling: after k rounds each alias knows the alias 2^k steps ahead, and the smallest fingerprint
    between them. In the end each chain has reached its last alias. All members of a cycle stand for its
    smallest fingerprint.
    """
    order = np.argsort(aliases[0])
    names, ends = aliases[0][order], aliases[1][order]
    if not len(names):
        return names, ends
    following, goes_on = FingerprintIndex(names).found(ends)
    jump = np.where(goes_on, following, np.arange(len(names)))
    smallest = names.copy()
    for _ in range(len(names).bit_length()):
        smallest = np.minimum(smallest, smallest[jump])
        jump = jump[jump]
    return names, np.where(goes_on[jump], smallest[jump], ends[jump])


class CanonicalPages:
    """Map addresses to their canonical pages: aliases to the page they lead to, others to themselves."""

    def __init__(self, aliases: Aliases) -> None:
        names, self._ends = resolve(aliases)
        self._finder = FingerprintIndex(names)

    def of(self, addresses: Fingerprints) -> Fingerprints:
        """Return the canonical page of each address."""
        if not len(self._ends):
            return addresses
        where, is_alias = self._finder.found(addresses)
        return np.where(is_alias, self._ends[where], addresses)

    def pairs(self) -> Aliases:
        """Return all aliases in ascending order, and the canonical page of each."""
        return self._finder.fingerprints, self._ends


# Vouched links (followed) and unvouched links (nofollow)
# -------------------------------------------------------

NOFOLLOW = np.uint8(LinkFlag.NOFOLLOW)
# Links that carry no rank: nofollow links, and rel=canonical, which is not a link that a reader can follow.
NOT_COUNTED = np.uint8(LinkFlag.NOFOLLOW | LinkFlag.CANONICAL)
Mask = NDArray[np.bool_]
Places = tuple[Fingerprints, NDArray[np.int64]]  # pages, and the offsets of their records in the link log


@dataclass(frozen=True, slots=True)
class LinkSource:
    """The links and addresses of a collection, in pieces. Each callable can be called repeatedly."""

    links: Callable[[], Iterable[LinkColumns]]  # of all fetched pages, without anchor text
    total: int  # number of links
    records: Callable[[], Iterable[Places]]
    canonical_pages: CanonicalPages
    pages: Callable[[], Iterable[Fingerprints]]  # pages that become nodes even if they have no link
    addresses: Callable[[], Iterable[AddressColumns]]


def vouched(columns: LinkColumns) -> Mask:
    """Mark the links that carry rank: neither nofollow nor canonical (as `Links.followed`)."""
    counts: Mask = (columns.flags & NOT_COUNTED) == 0
    return counts


def unvouched(columns: LinkColumns) -> Mask:
    """Mark the links that are nofollow, ugc or sponsored."""
    marked: Mask = (columns.flags & NOT_COUNTED) == NOFOLLOW
    return marked


def counts_of(columns: LinkColumns, chosen: Mask) -> NDArray[np.int64]:
    """Count the chosen links of each page."""
    ends = np.concatenate([[0], np.cumsum(chosen, dtype=np.int64)])
    bounds = np.concatenate([[0], np.cumsum(columns.counts)])
    counts: NDArray[np.int64] = np.diff(ends[bounds])
    return counts


def pairs(
    columns: LinkColumns,
    chosen: Mask,
    canonical_pages: CanonicalPages,
    finder: FingerprintIndex,
    order: NDArray[np.uint32],
) -> Numbers:
    """Pack the chosen links as integers: target in the upper 32 bits, source in the lower. Drop self-links.

    The finder must contain both ends of every chosen link; `order` has the node of each page in the finder.
    """
    counts = counts_of(columns, chosen)
    has_any = counts > 0
    origins = order[finder.places(canonical_pages.of(columns.sources[has_any]))]
    sources = np.repeat(origins, counts[has_any])
    targets = order[finder.places(canonical_pages.of(columns.targets[chosen]))]
    is_other = sources != targets
    links: Numbers = (targets[is_other].astype(np.uint64) << TARGET) | sources[is_other]
    return links


# Committed links of all partitions
# ---------------------------------

PLACE_BITS = 48  # lower bits of a place: offset in the link log; the partition number is above them


class CommittedLinks:
    """The links committed when the object is created; a crawl may continue meanwhile."""

    def __init__(self, partitions: Sequence[Partition]) -> None:
        self._partitions = partitions
        self._records = [
            partition.link_log.latest(partition.catalogue.committed().get(LINK_LOG, 0))
            for partition in partitions
        ]
        pairs = [partition.catalogue.aliases() for partition in partitions]
        aliases, ends = (np.concatenate(column) for column in zip(*pairs, strict=True))
        self.canonical_pages = CanonicalPages((aliases, ends))

    def columns(self, with_anchors: bool = True) -> Iterator[LinkColumns]:
        """Yield the latest links of every page, in pieces."""
        for partition, records in zip(self._partitions, self._records, strict=True):
            yield from partition.link_log.columns(records, with_anchors)

    def source(self) -> LinkSource:
        """Return these links as the input of `build_graphs`."""
        return LinkSource(
            lambda: self.columns(with_anchors=False),
            sum(int(records.counts.sum()) for records in self._records),
            self._places,
            self.canonical_pages,
            lambda: (partition.catalogue.kept_versions()[0] for partition in self._partitions),
            self._addresses,
        )

    def _places(self) -> Iterator[Places]:
        for number, records in enumerate(self._records):
            yield records.sources, records.starts | (number << PLACE_BITS)

    def _addresses(self) -> Iterator[AddressColumns]:
        for partition in self._partitions:
            yield from (AddressColumns(*piece) for piece in partition.catalogue.urls_with_hosts())


def record_at(partitions: Sequence[Partition], place: int) -> LinkRecord | None:
    """Read the link record at a place stored in the graph; None if its partition no longer exists."""
    number, start = place >> PLACE_BITS, place & ((1 << PLACE_BITS) - 1)
    return partitions[number].link_log.at(start) if number < len(partitions) else None


# Write graph nodes
# -----------------

NO_NODE = 0xFFFFFFFF


def write_fingerprints(new: NewArrays, source: LinkSource, memory: int) -> None:
    """Write the fingerprints of the pages of both graphs (vouched and unvouched) in ascending order."""
    pages = ExternalSort(new.folder, "pages", 64, memory // 4 * 3)
    unvouched_pages = ExternalSort(new.folder, "unvouched-pages", 64, memory // 4)
    for piece in source.pages():
        pages.add(source.canonical_pages.of(piece))
    for columns in source.links():
        origins, targets = map(source.canonical_pages.of, (columns.sources, columns.targets))
        pages.add(origins[columns.counts > 0])
        pages.add(targets[vouched(columns)])
        marked = unvouched(columns)
        if marked.any():
            unvouched_pages.add(origins[counts_of(columns, marked) > 0])
            unvouched_pages.add(targets[marked])
    for name, spill in (("known", pages), ("unvouched-fingerprints", unvouched_pages)):
        with new.writing(name, np.uint64) as append:
            for piece in spill.rising():
                append(piece)


def write_nodes(new: NewArrays, source: LinkSource, pages: FingerprintIndex, numbering: Numbering) -> None:
    """Write the node of each page, and of each alias."""
    new.write("order", numbering.order)
    fingerprints = np.empty(len(pages.fingerprints), np.uint64)
    fingerprints[numbering.order] = pages.fingerprints
    new.write("fingerprints", fingerprints)
    aliases, ends = source.canonical_pages.pairs()
    where, is_page = pages.found(ends)
    nodes = np.full(len(ends), NO_NODE, np.uint32)
    nodes[is_page] = numbering.order[where[is_page]]
    new.write("alias-fingerprints", aliases)
    new.write("alias-nodes", nodes)


def write_places(new: NewArrays, source: LinkSource, pages: FingerprintIndex, numbering: Numbering) -> None:
    """Write the places of each node's records in the link log. A node with aliases may have several."""
    nodes, places = [np.empty(0, np.uint32)], [np.empty(0, np.int64)]
    for origins, own in source.records():
        where, is_page = pages.found(source.canonical_pages.of(origins))
        nodes.append(numbering.order[where[is_page]])
        places.append(own[is_page])
    record_nodes, record_places = np.concatenate(nodes), np.concatenate(places)
    order = np.argsort(record_nodes, kind="stable")
    new.write("record-nodes", record_nodes[order])
    new.write("record-places", record_places[order])


# Host and domain graphs with weights
# -----------------------------------

MOST = 0xFFFFFFFF  # weights are capped to fit 32 bits
AT_ONCE = 1 << 20  # host links read at a time
Integers = NDArray[np.int64]
Sites = NDArray[np.signedinteger[Any]]


class WeightedLinks:
    """Sum the weights of equal links and write them by target. Targets must not decrease between pieces."""

    def __init__(self, sources: Append, weights: Append, sites: int) -> None:
        self._sources, self._weights = sources, weights
        self.degrees = np.zeros(sites, np.int64)
        self._links = np.empty(0, np.uint64)  # links to the last target; the next piece may have more
        self._sums = np.empty(0, np.int64)

    def add(self, targets: Sites, sources: Sites, weights: NDArray[Any] | None = None) -> None:
        """Add links between sites, with weight 1 by default.

        Links of a site to itself, and links from or to -1 (no site), are ignored.
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
        """Write the links to the last target."""
        self._write(self._links, self._sums)

    def _write(self, links: Numbers, sums: Integers) -> None:
        if len(links):
            self._sources(links & SOURCE)
            self._weights(np.minimum(sums, MOST))
            _count(self.degrees, (links >> TARGET).astype(np.int64))


@contextmanager
def _writing_links(new: NewArrays, level: str, sites: int) -> Iterator[WeightedLinks]:
    """Write the weighted links of a level; they are complete when the block ends."""
    with (
        new.writing(f"{level}-sources", np.uint32) as sources,
        new.writing(f"{level}-weights", np.uint32) as weights,
    ):
        links = WeightedLinks(sources, weights, sites)
        yield links
        links.finish()


def _write_rest(
    new: NewArrays, level: str, names: list[str], firsts: Integers, pages: Integers, degrees: Integers
) -> None:
    """Write the other arrays of a level: the names and members of its sites, and its links by source."""
    packed = NameList.of(names)
    new.write(f"{level}-names", packed.text)
    new.write(f"{level}-name-starts", packed.starts)
    new.write(f"{level}-firsts", firsts)
    new.write(f"{level}-pages", pages)
    new.write(f"{level}-starts", starts_of(degrees))
    starts, sources, weights = (new.read(f"{level}-{name}") for name in ("starts", "sources", "weights"))
    by_source = np.argsort(sources, kind="stable")  # targets stay in ascending order
    targets = np.repeat(np.arange(len(names), dtype=np.uint32), np.diff(starts))
    new.write(f"{level}-out-starts", starts_of(np.bincount(sources, minlength=len(names))))
    new.write(f"{level}-out-targets", targets[by_source])
    new.write(f"{level}-out-weights", weights[by_source])


def write_hosts(new: NewArrays, numbering: Numbering, links: Iterable[tuple[Integers, Integers]]) -> None:
    """Write the host graph. `links` are the targets and sources of page links, in ascending target order."""
    pages = np.diff(numbering.host_firsts)
    host_of = np.full(len(numbering.order), -1, np.int32)
    host_of[: numbering.host_firsts[-1]] = np.repeat(np.arange(len(pages), dtype=np.int32), pages)
    with _writing_links(new, "hosts", len(pages)) as hosts:
        for targets, sources in links:
            hosts.add(host_of[targets], host_of[sources])
    _write_rest(new, "hosts", numbering.hosts, numbering.host_firsts, pages, hosts.degrees)


def write_domains(new: NewArrays, numbering: Numbering) -> None:
    """Write the domain graph, computed from the host graph."""
    domains, firsts = numbering.domains, numbering.domain_firsts
    starts, sources, weights = (new.read(f"hosts-{name}") for name in ("starts", "sources", "weights"))
    domain_of = np.repeat(np.arange(len(domains)), np.diff(firsts))
    with _writing_links(new, "domains", len(domains)) as links:
        for begin in range(0, len(sources), AT_ONCE):
            end = min(begin + AT_ONCE, len(sources))
            targets = np.searchsorted(starts, np.arange(begin, end), "right") - 1
            links.add(domain_of[targets], domain_of[sources[begin:end]], weights[begin:end])
    pages = np.add.reduceat(new.read("hosts-pages"), firsts[:-1]) if domains else np.empty(0, np.int64)
    _write_rest(new, "domains", domains, firsts, pages, links.degrees)


def _summed(links: Numbers, weights: Integers) -> tuple[Numbers, Integers]:
    """Return each distinct link in ascending order, with the sum of its weights."""
    order = np.argsort(links)
    links = links[order]
    begins = np.flatnonzero(np.append(True, links[1:] != links[:-1]))
    return links[begins], np.add.reduceat(weights[order], begins)


UNVOUCHED = "unvouched-"
MOST_PAGES = 1 << 32
PAGE_BYTES = 30  # memory per page


def build_graphs(new: NewArrays, source: LinkSource, memory: int, tell: Observer[StepProgress]) -> None:
    """Write the graphs of pages, hosts and domains, and the graph of unvouched links.

    Both ends of a link are first replaced by their canonical pages (aliases are redirects, canonical
    addresses, exact and near duplicates). Then self-links are dropped, and repeated links count once. Pages
    that are linked to but were never fetched are nodes too. Links marked nofollow, ugc or sponsored form a
    separate graph with its own node numbers.
    """
    source = _with_progress(source, tell)
    write_fingerprints(new, source, memory)
    pages = FingerprintIndex(new.read("known"))
    unvouched_pages = FingerprintIndex(new.read(f"{UNVOUCHED}fingerprints"))
    if len(pages.fingerprints) >= MOST_PAGES:
        raise GossamerError(
            f"the graph has {len(pages.fingerprints):,} pages; it must have fewer than {MOST_PAGES:,}"
        )
    tell(StepProgress("numbering pages"))
    numbering = number_pages(pages, source.addresses())
    write_nodes(new, source, pages, numbering)
    write_places(new, source, pages, numbering)
    left = max(memory - PAGE_BYTES * len(pages.fingerprints), memory // 4)
    links, others = _spread(new, source, pages, numbering.order, unvouched_pages, left)
    write_hosts(new, numbering, _sorted_links(new, "", links, len(pages.fingerprints), left, tell))
    write_domains(new, numbering)
    for _ in _sorted_links(new, UNVOUCHED, others, len(unvouched_pages.fingerprints), left, tell):
        pass


def _with_progress(source: LinkSource, tell: Observer[StepProgress]) -> LinkSource:
    """Wrap a source so that reading its links reports progress; they are read twice in all."""
    done = 0

    def links() -> Iterable[LinkColumns]:
        nonlocal done
        for columns in source.links():
            yield columns
            done += len(columns.targets)
            tell(StepProgress("reading links", done, 2 * source.total))

    return replace(source, links=links)


def _spread(
    new: NewArrays,
    source: LinkSource,
    pages: FingerprintIndex,
    order: NDArray[np.uint32],
    unvouched_pages: FingerprintIndex,
    memory: int,
) -> tuple[ExternalSort, ExternalSort]:
    """Add the links of both page graphs, as node pairs, to external sorts by target."""
    own = np.arange(len(unvouched_pages.fingerprints), dtype=np.uint32)
    links = ExternalSort(new.folder, "links", _bits(len(order)), memory // 2)
    others = ExternalSort(new.folder, "unvouched", _bits(len(own)), memory // 4)
    for columns in source.links():
        links.add(pairs(columns, vouched(columns), source.canonical_pages, pages, order))
        marked = unvouched(columns)
        if marked.any():
            others.add(pairs(columns, marked, source.canonical_pages, unvouched_pages, own))
    return links, others


def _sorted_links(
    new: NewArrays, prefix: str, links: ExternalSort, nodes: int, memory: int, tell: Observer[StepProgress]
) -> Iterator[tuple[Integers, Integers]]:
    """Write links in both directions. Yield their targets and sources, in ascending target order."""
    by_source = ExternalSort(new.folder, f"{prefix}by-source", _bits(nodes), memory // 2)
    degrees, count = np.zeros(nodes, np.uint32), 0
    with new.writing(f"{prefix}sources", np.uint32) as append:
        for piece in links.rising():
            targets, sources = (piece >> TARGET).astype(np.int64), (piece & SOURCE).astype(np.int64)
            append(sources)
            _count(degrees, targets)
            by_source.add((piece << TARGET) | (piece >> TARGET))
            count += len(piece)
            tell(StepProgress("sorting links by target", count, 0))
            yield targets, sources
    new.write(f"{prefix}starts", starts_of(degrees))
    degrees[:], done = 0, 0
    with new.writing(f"{prefix}out-targets", np.uint32) as append:
        for piece in by_source.rising():
            append(piece & SOURCE)
            _count(degrees, (piece >> TARGET).astype(np.int64))
            done += len(piece)
            tell(StepProgress("sorting links by source", done, count))
    new.write(f"{prefix}out-starts", starts_of(degrees))
    new.write(f"{prefix}out-degrees", degrees)


def _count(degrees: NDArray[np.integer], nodes: NDArray[np.int64]) -> None:
    """Add the number of occurrences of each node to its degree; nodes are in ascending order."""
    if len(nodes):
        first = int(nodes[0])
        counts = np.bincount(nodes - first).astype(degrees.dtype)
        degrees[first : first + len(counts)] += counts


def _bits(nodes: int) -> int:
    return 32 + max(1, nodes.bit_length())


# Graph from (source, target) pairs, for examples and tests
# ---------------------------------------------------------


def graph_of(pairs: Iterable[tuple[int, int]], pages: int | None = None) -> LinkGraph:
    """Build a graph from (source, target) pairs of page numbers, which also serve as fingerprints.

    A repeated link counts once. A self-link stays, unlike in the graph of a crawl: examples of spider traps
    need it. `pages` is the number of pages; by default the largest number in a link, plus one.

    >>> web = graph_of([(0, 1), (0, 2), (1, 1), (0, 1)], pages=4)
    >>> web.pages, web.links, web.out_degrees.tolist()
    (4, 3, [2, 1, 0, 0])
    """
    links = np.array(sorted({(target, source) for source, target in pairs}), np.int64).reshape(-1, 2)
    named = int(links.max(initial=-1)) + 1
    count = named if pages is None else pages
    if named > count or links.min(initial=0) < 0:
        raise UsageError(f"the links must connect pages 0 to {count - 1}")
    in_degrees, out_degrees = (np.bincount(ends, minlength=count).astype(np.uint32) for ends in links.T)
    sources = links[:, 1].astype(np.uint32)
    return LinkGraph(np.arange(count, dtype=np.uint64), starts_of(in_degrees), sources, out_degrees)
