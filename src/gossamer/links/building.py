"""Who links to whom in a collection whose links do not fit into memory?

    links of the log -> pages: spread, sorted, each once -> numbers (`nodes`, `numbering`)
    links of the log -> pairs of numbers by target: spread, sorted, each once -> in-links, links of sites
                     -> pairs by source: spread, sorted -> out-links

Links are read twice and stand on the disk twice on their way, 8 bytes each; arrays are written from front to
back. In memory are so many bytes as the owner allows, of which pages take 30 each and links the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gossamer.links.arrays import NewArrays
from gossamer.links.finding import Finder
from gossamer.links.nodes import write_ends, write_nodes, write_places
from gossamer.links.numbering import number_pages
from gossamer.links.sites import write_domains, write_hosts
from gossamer.links.source import LinkSource, pairs, unvouched, vouched
from gossamer.links.spill import SOURCE, TARGET, Spill, starts_of
from gossamer.model import GossamerError
from gossamer.model.graph import LinkColumns

UNVOUCHED = "unvouched-"
MOST_PAGES = 1 << 32
PAGE_BYTES = 30  # of memory

Tell = Callable[[str, int, int], None]  # what is being done, how many links are done, of how many
Links = Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]


def build_graphs(new: NewArrays, source: LinkSource, memory: int, tell: Tell) -> None:
    """Writes the graphs of pages, hosts and domains, and that of links for which nobody vouches.

    Redirects and canonical addresses are followed to their end at both ends of a link; then links of a page
    to itself are dropped, and repeated ones count once. Pages that are linked to but were never fetched are
    nodes. Links marked nofollow, ugc or sponsored are a graph of their own, with nodes of its own.
    """
    source = _told(source, tell)
    write_ends(new, source, memory)
    pages, strangers = Finder(new.read("known")), Finder(new.read(f"{UNVOUCHED}fingerprints"))
    if len(pages.names) >= MOST_PAGES:
        raise GossamerError(f"a graph has fewer than {MOST_PAGES:,} pages, not {len(pages.names):,}")
    tell("numbering pages", 0, 0)
    numbering = number_pages(pages, source.addresses())
    write_nodes(new, source, pages, numbering)
    write_places(new, source, pages, numbering)
    left = max(memory - PAGE_BYTES * len(pages.names), memory // 4)
    links, others = _spread(new, source, pages, numbering.order, strangers, left)
    write_hosts(new, numbering, _sorted_links(new, "", links, len(pages.names), left, tell))
    write_domains(new, numbering)
    for _ in _sorted_links(new, UNVOUCHED, others, len(strangers.names), left, tell):
        pass


def _told(source: LinkSource, tell: Tell) -> LinkSource:
    """The same source, which tells how far it is read: twice, in all."""
    done = 0

    def links() -> Iterable[LinkColumns]:
        nonlocal done
        for columns in source.links():
            yield columns
            done += len(columns.targets)
            tell("reading links", done, 2 * source.total)

    return replace(source, links=links)


def _spread(
    new: NewArrays,
    source: LinkSource,
    pages: Finder,
    order: NDArray[np.uint32],
    strangers: Finder,
    memory: int,
) -> tuple[Spill, Spill]:
    """The links of both graphs of pages as pairs of nodes, on their way to be sorted by target."""
    own = np.arange(len(strangers.names), dtype=np.uint32)
    links = Spill(new.folder, "links", _bits(len(order)), memory // 2)
    others = Spill(new.folder, "unvouched", _bits(len(own)), memory // 4)
    for columns in source.links():
        links.add(pairs(columns, vouched(columns), source.representatives, pages, order))
        marked = unvouched(columns)
        if marked.any():
            others.add(pairs(columns, marked, source.representatives, strangers, own))
    return links, others


def _sorted_links(new: NewArrays, prefix: str, links: Spill, nodes: int, memory: int, tell: Tell) -> Links:
    """Writes links in both directions; passes targets and sources on as they come, by rising target."""
    by_source = Spill(new.folder, f"{prefix}by-source", _bits(nodes), memory // 2)
    degrees, count = np.zeros(nodes, np.uint32), 0
    with new.writing(f"{prefix}sources", np.uint32) as out:
        for piece in links.rising():
            targets, sources = (piece >> TARGET).astype(np.int64), (piece & SOURCE).astype(np.int64)
            out.append(sources)
            _count(degrees, targets)
            by_source.add((piece << TARGET) | (piece >> TARGET))
            count += len(piece)
            tell("sorting links by target", count, 0)
            yield targets, sources
    new.write(f"{prefix}starts", starts_of(degrees))
    degrees[:], done = 0, 0
    with new.writing(f"{prefix}out-targets", np.uint32) as out:
        for piece in by_source.rising():
            out.append(piece & SOURCE)
            _count(degrees, (piece >> TARGET).astype(np.int64))
            done += len(piece)
            tell("sorting links by source", done, count)
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
