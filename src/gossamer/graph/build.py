"""Build page, host and domain graphs from link logs.

    links of the log -> pages: spread, sorted, each once -> numbers of nodes (`numbering.py`)
    links of the log -> pairs of numbers by target: spread, sorted, each once -> in-links, links of sites
                     -> pairs by source: spread, sorted -> out-links

Links are read twice and stand on the disk twice on their way, 8 bytes each; arrays are written from front to
back. In memory are so many bytes as the owner allows, of which pages take 30 each and links the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.partition import LINK_LOG, Partition
from gossamer.graph.external_sort import SOURCE, TARGET, ExternalSort, Numbers, starts_of
from gossamer.graph.generation import Append, NewArrays
from gossamer.graph.numbering import AddressColumns, FingerprintIndex, Fingerprints, Numbering, number_pages
from gossamer.model import GossamerError, LinkFlag, UsageError
from gossamer.model.graph import LinkColumns, LinkGraph, NameList
from gossamer.model.progress import Observer, StepProgress
from gossamer.storage.link_log import LinkRecord

# Aliases: redirects, canonicals and duplicates of one page
# ---------------------------------------------------------

Aliases = tuple[Fingerprints, Fingerprints]  # addresses, and what each leads to


def resolve(aliases: Aliases) -> Aliases:
    """Every alias (rising) and the page it stands for in the end.

    By pointer doubling: after k rounds each alias knows the one 2^k steps on, and the smallest fingerprint on
    the way. A chain has then come to its last alias; whoever is still inside a circle takes the circle's
    smallest.
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
    """Which page an address stands for in the end."""

    def __init__(self, aliases: Aliases) -> None:
        names, self._ends = resolve(aliases)
        self._finder = FingerprintIndex(names)

    def of(self, addresses: Fingerprints) -> Fingerprints:
        """The pages that these addresses stand for; most for themselves."""
        if not len(self._ends):
            return addresses
        where, is_alias = self._finder.found(addresses)
        return np.where(is_alias, self._ends[where], addresses)

    def pairs(self) -> Aliases:
        """Every alias, rising, and its page."""
        return self._finder.fingerprints, self._ends


# Which links count: vouched for, that is not marked nofollow
# -----------------------------------------------------------

NOFOLLOW = np.uint8(LinkFlag.NOFOLLOW)
# The author does not vouch for the target; or a statement about an address that no reader can follow.
NOT_COUNTED = np.uint8(LinkFlag.NOFOLLOW | LinkFlag.CANONICAL)
Mask = NDArray[np.bool_]
Places = tuple[Fingerprints, NDArray[np.int64]]  # pages, and where their links stand in the log


@dataclass(frozen=True, slots=True)
class LinkSource:
    """The links and addresses of a collection. What comes in pieces may be asked for more than once."""

    links: Callable[[], Iterable[LinkColumns]]  # of each page that was fetched; without anchors
    total: int  # how many links that are
    records: Callable[[], Iterable[Places]]
    canonical_pages: CanonicalPages
    pages: Callable[[], Iterable[Fingerprints]]  # that are nodes even without any link
    addresses: Callable[[], Iterable[AddressColumns]]


def vouched(columns: LinkColumns) -> Mask:
    """The links that count: not marked nofollow (`Links.followed`), and a reader can follow them."""
    counts: Mask = (columns.flags & NOT_COUNTED) == 0
    return counts


def unvouched(columns: LinkColumns) -> Mask:
    """The links marked nofollow, ugc or sponsored."""
    marked: Mask = (columns.flags & NOT_COUNTED) == NOFOLLOW
    return marked


def counts_of(columns: LinkColumns, chosen: Mask) -> NDArray[np.int64]:
    """How many of the chosen links each page has."""
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
    """The chosen links as numbers, target above and source below, without those of a page to itself.

    The finder knows both ends of all of them; `order` is the node of each page that it knows.
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

PLACE_BITS = 48  # of a place in a log; above it stands the number of the partition


class CommittedLinks:
    """What counts when this is made; a crawl may go on meanwhile."""

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
        """The latest links of every page, piece by piece."""
        for partition, records in zip(self._partitions, self._records, strict=True):
            yield from partition.link_log.columns(records, with_anchors)

    def source(self) -> LinkSource:
        """The same, as the graph is built of it."""
        return LinkSource(
            lambda: self.columns(with_anchors=False),
            sum(int(records.counts.sum()) for records in self._records),
            self._places,
            self.canonical_pages,
            lambda: (partition.catalogue.kept_versions()[0] for partition in self._partitions),
            self._addresses,
        )

    def _places(self) -> Iterator[tuple[Fingerprints, NDArray[np.int64]]]:
        for number, records in enumerate(self._records):
            yield records.sources, records.starts | (number << PLACE_BITS)

    def _addresses(self) -> Iterator[AddressColumns]:
        for partition in self._partitions:
            yield from (AddressColumns(*piece) for piece in partition.catalogue.urls_with_hosts())


def record_at(partitions: Sequence[Partition], place: int) -> LinkRecord | None:
    """The links that stand at a place that a graph remembers; None when they are gone."""
    number, start = place >> PLACE_BITS, place & ((1 << PLACE_BITS) - 1)
    return partitions[number].link_log.at(start) if number < len(partitions) else None


# Write graph nodes
# -----------------

NO_NODE = 0xFFFFFFFF


def write_fingerprints(new: NewArrays, source: LinkSource, memory: int) -> None:
    """The pages of the graph, and those of the links for which nobody vouches, by rising fingerprint."""
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
    """Which page is which node, by its own address and by others that stand for it."""
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
    """Where the links of each node stand in the log; of one that other addresses stand for, several."""
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

MOST = 0xFFFFFFFF  # a weight tells no more than this
AT_ONCE = 1 << 20  # links between hosts that are read together
Integers = NDArray[np.int64]
Sites = NDArray[np.signedinteger[Any]]


class WeightedLinks:
    """Adds links up and writes them by target. No target of a later piece is below one of a piece before."""

    def __init__(self, sources: Append, weights: Append, sites: int) -> None:
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
            self._sources(links & SOURCE)
            self._weights(np.minimum(sums, MOST))
            first = int(links[0] >> TARGET)
            counts = np.bincount((links >> TARGET).astype(np.int64) - first)
            self.degrees[first : first + len(counts)] += counts


def _write_rest(
    new: NewArrays, level: str, names: list[str], firsts: Integers, pages: Integers, degrees: Integers
) -> None:
    """Writes what belongs to the weighted links of a level: which sites they are, and the links by source."""
    packed = NameList.of(names)
    new.write(f"{level}-names", packed.text)
    new.write(f"{level}-name-starts", packed.starts)
    new.write(f"{level}-firsts", firsts)
    new.write(f"{level}-pages", pages)
    new.write(f"{level}-starts", starts_of(degrees))
    starts, sources, weights = (new.read(f"{level}-{name}") for name in ("starts", "sources", "weights"))
    by_source = np.argsort(sources, kind="stable")  # targets stay rising
    targets = np.repeat(np.arange(len(names), dtype=np.uint32), np.diff(starts))
    new.write(f"{level}-out-starts", starts_of(np.bincount(sources, minlength=len(names))))
    new.write(f"{level}-out-targets", targets[by_source])
    new.write(f"{level}-out-weights", weights[by_source])


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


UNVOUCHED = "unvouched-"
MOST_PAGES = 1 << 32
PAGE_BYTES = 30  # of memory


def build_graphs(new: NewArrays, source: LinkSource, memory: int, tell: Observer[StepProgress]) -> None:
    """Writes the graphs of pages, hosts and domains, and that of links for which nobody vouches.

    Aliases (redirects, canonical addresses, exact and near duplicates) are followed to their end at both ends
    of a link; then links of a page to itself are dropped, and repeated ones count once. Pages that are linked
    to but were never fetched are nodes. Links marked nofollow, ugc or sponsored are a graph of their own,
    with nodes of its own.
    """
    source = _told(source, tell)
    write_fingerprints(new, source, memory)
    pages, unvouched_pages = (
        FingerprintIndex(new.read("known")),
        FingerprintIndex(new.read(f"{UNVOUCHED}fingerprints")),
    )
    if len(pages.fingerprints) >= MOST_PAGES:
        raise GossamerError(f"a graph has fewer than {MOST_PAGES:,} pages, not {len(pages.fingerprints):,}")
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


def _told(source: LinkSource, tell: Observer[StepProgress]) -> LinkSource:
    """The same source, which tells how far it is read: twice, in all."""
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
    """The links of both graphs of pages as pairs of nodes, on their way to be sorted by target."""
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
    """Writes links in both directions; passes targets and sources on as they come, by rising target."""
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


def _count(degrees: NDArray[np.uint32], nodes: NDArray[np.int64]) -> None:
    """Counts rising nodes."""
    if len(nodes):
        first = int(nodes[0])
        counts = np.bincount(nodes - first).astype(np.uint32)
        degrees[first : first + len(counts)] += counts


def _bits(nodes: int) -> int:
    return 32 + max(1, nodes.bit_length())


# Graph from pairs of links, for examples and tests
# -------------------------------------------------


def graph_of(pairs: Iterable[tuple[int, int]], pages: int | None = None) -> LinkGraph:
    """The graph of these links, (from, to), between pages numbered from 0, which are their own fingerprints.

    A repeated link counts once; one of a page to itself stays, unlike in the graph of a crawl, since
    examples of spider traps need it. There are as many pages as the links name, unless more are asked for.

    >>> web = graph_of([(0, 1), (0, 2), (1, 1), (0, 1)], pages=4)
    >>> web.pages, web.links, web.out_degrees.tolist()
    (4, 3, [2, 1, 0, 0])
    """
    links = np.array(sorted({(target, source) for source, target in pairs}), np.int64).reshape(-1, 2)
    named = int(links.max(initial=-1)) + 1
    count = named if pages is None else pages
    if named > count or links.min(initial=0) < 0:
        raise UsageError(f"the links must be between pages 0 to {count - 1}")
    in_degrees, out_degrees = (np.bincount(ends, minlength=count).astype(np.uint32) for ends in links.T)
    sources = links[:, 1].astype(np.uint32)
    return LinkGraph(np.arange(count, dtype=np.uint64), starts_of(in_degrees), sources, out_degrees)
