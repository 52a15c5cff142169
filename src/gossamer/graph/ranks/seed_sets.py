"""Trusted set of TrustRank, spam set, topic pages from settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.reader import CollectionGraph, node_for_address
from gossamer.graph.settings import Topic
from gossamer.model import BadSetting

MOST_FOUND = 200  # pages that a topic's query gives
_PORT = re.compile(r":\d+$")
Nodes = NDArray[np.int64]
Found = Callable[[str, int], Sequence[int]]  # the fingerprints of the best pages for a query


@dataclass(frozen=True, slots=True)
class PageSet:
    """The nodes that are named, rising, and what names none."""

    nodes: Nodes
    unknown: tuple[str, ...] = ()


class SeedSets:
    """Finds what settings name in a graph; files are looked for in the collection's folder."""

    def __init__(self, graph: CollectionGraph, folder: Path, found: Found) -> None:
        self._graph = graph
        self._folder = folder
        self._found = found

    def named(self, entries: Sequence[str]) -> PageSet:
        """The pages of URLs, of hosts and of those below them, and of what files name."""
        listed = list(dict.fromkeys(self._listed(entries)))
        hosts = [entry for entry in listed if _is_host(entry)]
        places = self._of_hosts(hosts)
        for entry in listed:
            if entry not in places:
                node = node_for_address(self._graph, entry)
                places[entry] = np.array([] if node is None else [node], np.int64)
        unknown = tuple(entry for entry in listed if not len(places[entry]))
        return PageSet(_joined(list(places.values())), unknown)

    def of_topic(self, topic: Topic) -> PageSet:
        """The pages of a topic: those that are named, that a directory links to, that match a query."""
        named = self.named(topic.pages)
        parts, unknown = [named.nodes], list(named.unknown)
        for typed, pages in ((topic.directory, self._linked_by), (topic.query, self._matching)):
            if typed:
                parts.append(pages(typed))
                unknown += [] if len(parts[-1]) else [typed]
        return PageSet(_joined(parts), tuple(unknown))

    def _listed(self, entries: Sequence[str]) -> Iterator[str]:
        for entry in entries:
            if entry.startswith("@"):
                yield from _lines(self._folder / entry[1:])
            elif entry.strip():
                yield entry.strip()

    def _linked_by(self, address: str) -> Nodes:
        """What a directory names; where most of that stands on other hosts, the rest is its menu."""
        node = node_for_address(self._graph, address)
        if node is None:
            return np.empty(0, np.int64)
        named = self._graph.outward.targets_of(node)
        hosts = self._graph.hosts.site_of(np.append(named, node))
        elsewhere = named[hosts[:-1] != hosts[-1]]
        return elsewhere if 2 * len(elsewhere) > len(named) else named

    def _matching(self, query: str) -> Nodes:
        pages = np.array(self._found(query, MOST_FOUND), np.uint64)
        nodes = self._graph.nodes(pages)
        return nodes[nodes >= 0]

    def _of_hosts(self, hosts: Sequence[str]) -> dict[str, Nodes]:
        """The pages of each host and of those below it; one look at every name, however many are asked."""
        found: dict[str, list[Nodes]] = {_as_host(host): [] for host in hosts}
        names, firsts = self._graph.hosts.names, self._graph.hosts.firsts
        for number in range(len(names) if hosts else 0):
            for name in _above(names[number]):
                if name in found:
                    found[name].append(np.arange(firsts[number], firsts[number + 1]))
        return {host: _joined(found[_as_host(host)]) for host in hosts}


def _lines(path: Path) -> list[str]:
    """What a file names: one a line; # begins a remark."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise BadSetting(f"{path}, which the settings name, cannot be read: {why}") from error
    lines = (re.sub(r"(?:^|\s)#.*", "", line).strip() for line in text.splitlines())
    return [line for line in lines if line]


def _is_host(entry: str) -> bool:
    return "/" not in entry


def _as_host(entry: str) -> str:
    return entry.lower().removeprefix("*.").strip(".")


def _above(name: str) -> Iterator[str]:
    """A host's names that may be asked for: its own, without its port, and of what it is below.

    >>> list(_above("docs.example.org:8080"))
    ['docs.example.org:8080', 'docs.example.org', 'example.org', 'org']
    """
    yield name
    host = _PORT.sub("", name)
    if host != name:
        yield host
    while "." in host:
        host = host.partition(".")[2]
        yield host


def _joined(parts: Sequence[Nodes]) -> Nodes:
    return np.unique(np.concatenate([np.empty(0, np.int64), *parts]))
