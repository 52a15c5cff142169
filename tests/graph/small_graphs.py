"""Small collections of links: as the builder reads them, and as plain Python sees them."""

from __future__ import annotations

import json
import os
import zlib
from collections import Counter

import numpy as np
import pytest

from gossamer.graph.build import CanonicalPages, LinkSource, build_graphs
from gossamer.graph.generation import FORMAT, new_generation
from gossamer.graph.numbering import AddressColumns
from gossamer.model import LinkFlag
from gossamer.model.graph import LinkColumns
from gossamer.model.progress import unobserved
from gossamer.model.url import host_of
from gossamer.storage.files import read_arrays, read_manifest
from gossamer.web.host import registrable_domain


def without_waiting_for_the_disk():
    """Fifty files a graph, hundreds of graphs: a test of what is in them need not wait for each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _descriptor: None)
        yield


def canonical_pages(aliases):
    """From a dictionary: which page an address stands for."""
    names, ends = list(aliases), list(aliases.values())
    return CanonicalPages((np.array(names, np.uint64), np.array(ends, np.uint64)))


def source_of(edges, aliases=None, pages=(), hosts=None, piece=3):
    """The links of the log, some at a time; `hosts` says of which host a page is."""
    by_page = {}
    for source, target, flag in edges:
        by_page.setdefault(source, []).append((target, flag))
    rows = list(by_page.items())

    def links():
        for begin in range(0, len(rows), piece):
            some = rows[begin : begin + piece]
            yield LinkColumns(
                np.array([page for page, _ in some], np.uint64),
                np.array([len(own) for _, own in some], np.int64),
                np.array([target for _, own in some for target, _ in own], np.uint64),
                np.array([flag for _, own in some for _, flag in own], np.uint8),
                b"",
                b"",
            )

    def addresses():
        for number, (page, host) in enumerate((hosts or {}).items()):
            yield AddressColumns(np.array([page], np.uint64), [host], np.array([1e9 + number]))

    def records():
        yield np.array(list(by_page), np.uint64), np.arange(len(by_page), dtype=np.int64)

    return LinkSource(
        links,
        len(edges),
        records,
        canonical_pages(aliases or {}),
        lambda: iter([np.array(pages, np.uint64)]),
        addresses,
    )


def write_generation(directory, source, ranks=None, anchors=None, memory=1 << 20):
    with new_generation(directory) as new:
        build_graphs(new, source, memory, unobserved)
        for name, values in (ranks or {}).items():
            new.write_rank(name, values)
        return new.finish(anchors)


def as_format_2(directory, number=2):
    """Rewrites the generation that counts as it was before format 3: .npy files and one JSON object."""
    content = read_manifest(directory / "MANIFEST", FORMAT, "")
    folder, files = directory / f"gen-{content['generation']:06d}", {}
    for name in content["files"]:
        old = folder / name.replace(".arrays", ".npy")
        np.save(old, read_arrays(folder / name)["values"])
        (folder / name).unlink()
        files[old.name] = {"bytes": old.stat().st_size, "crc32": zlib.crc32(old.read_bytes())}
    ranks = {
        level: {name: file.replace(".arrays", ".npy") for name, file in own.items()}
        for level, own in content["ranks"].items()
    }
    content |= {"format": number, "files": files, "ranks": ranks}
    whole = {"content": content, "crc32": zlib.crc32(json.dumps(content, sort_keys=True).encode())}
    (directory / "MANIFEST").write_text(json.dumps(whole, indent=1, sort_keys=True))


def links_of(graph, names=None):
    """The links of a graph as pairs of fingerprints, or of names."""
    pages = graph.fingerprints.tolist() if names is None else names
    return [
        (pages[source], pages[target])
        for target in range(len(graph.starts) - 1)
        for source in graph.sources[graph.starts[target] : graph.starts[target + 1]]
    ]


def plain_representative(page, aliases):
    """Walks on; a circle stands for its smallest member."""
    path = [page]
    while path[-1] in aliases:
        following = aliases[path[-1]]
        if following in path:
            return min(path[path.index(following) :])
        path.append(following)
    return path[-1]


def plain_build(edges, aliases, pages):
    """Nodes, links, and links for which nobody vouches."""
    nodes = {plain_representative(page, aliases) for page in pages}
    links, unvouched = set(), set()
    for source, target, flags in edges:
        a, b = (plain_representative(page, aliases) for page in (source, target))
        nodes.add(a)
        if flags & LinkFlag.CANONICAL:
            continue
        if flags & LinkFlag.NOFOLLOW:
            unvouched |= {(a, b)}
            continue
        nodes.add(b)
        if a != b:
            links.add((a, b))
    return nodes, links, unvouched


def plain_sites(links, site_of):
    """How many links lead from one site to another."""
    return Counter(
        (site_of[a], site_of[b])
        for a, b in links
        if a in site_of and b in site_of and site_of[a] != site_of[b]
    )


def domain_of(hosts):
    """By page its domain; an address without a host belongs to its scheme."""
    return {page: registrable_domain(host_of(host)) or host for page, host in hosts.items()}
