"""Which pages are nodes, and what is written of them? Every page at an end of a link, fetched or not."""

from __future__ import annotations

import numpy as np

from gossamer.links.arrays import NewArrays
from gossamer.links.finding import Finder
from gossamer.links.numbering import Numbering
from gossamer.links.source import LinkSource, counts_of, unvouched, vouched
from gossamer.links.spill import Spill

NO_NODE = 0xFFFFFFFF


def write_ends(new: NewArrays, source: LinkSource, memory: int) -> None:
    """The pages of the graph, and those of the links for which nobody vouches, by rising fingerprint."""
    pages = Spill(new.folder, "pages", 64, memory // 4 * 3)
    strangers = Spill(new.folder, "strangers", 64, memory // 4)
    for piece in source.pages():
        pages.add(source.representatives.of(piece))
    for columns in source.links():
        origins, targets = map(source.representatives.of, (columns.sources, columns.targets))
        pages.add(origins[columns.counts > 0])
        pages.add(targets[vouched(columns)])
        marked = unvouched(columns)
        if marked.any():
            strangers.add(origins[counts_of(columns, marked) > 0])
            strangers.add(targets[marked])
    for name, spill in (("known", pages), ("unvouched-fingerprints", strangers)):
        with new.writing(name, np.uint64) as out:
            for piece in spill.rising():
                out.append(piece)


def write_nodes(new: NewArrays, source: LinkSource, pages: Finder, numbering: Numbering) -> None:
    """Which page is which node, by its own address and by others that stand for it."""
    new.write("order", numbering.order)
    fingerprints = np.empty(len(pages.names), np.uint64)
    fingerprints[numbering.order] = pages.names
    new.write("fingerprints", fingerprints)
    aliases, ends = source.representatives.pairs()
    where, is_page = pages.found(ends)
    nodes = np.full(len(ends), NO_NODE, np.uint32)
    nodes[is_page] = numbering.order[where[is_page]]
    new.write("alias-fingerprints", aliases)
    new.write("alias-nodes", nodes)


def write_places(new: NewArrays, source: LinkSource, pages: Finder, numbering: Numbering) -> None:
    """Where the links of each node stand in the log; of one that other addresses stand for, several."""
    nodes, places = [np.empty(0, np.uint32)], [np.empty(0, np.int64)]
    for origins, own in source.records():
        where, is_page = pages.found(source.representatives.of(origins))
        nodes.append(numbering.order[where[is_page]])
        places.append(own[is_page])
    record_nodes, record_places = np.concatenate(nodes), np.concatenate(places)
    order = np.argsort(record_nodes, kind="stable")
    new.write("record-nodes", record_nodes[order])
    new.write("record-places", record_places[order])
