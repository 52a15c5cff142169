"""Seed sets from the settings: trusted pages, spam pages, topic pages."""

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

MOST_FOUND = 200  # results of a topic's query
_PORT = re.compile(r":\d+$")
Nodes = NDArray[np.int64]
Found = Callable[[str, int], Sequence[int]]  # query and count to the fingerprints of the best pages


@dataclass(frozen=True, slots=True)
class PageSet:
    """The nodes named by some entries, in ascending order, and the entries without a page."""

    nodes: Nodes
    unknown: tuple[str, ...] = ()


class SeedSets:
    """Find the pages that settings name; @FILE entries are relative to the collection's folder."""

    def __init__(self, graph: CollectionGraph, folder: Path, found: Found) -> None:
        self._graph = graph
        self._folder = folder
        self._found = found

    def named(self, entries: Sequence[str]) -> PageSet:
        """Return the pages of entries: URLs, hosts with all hosts below them, and files of both."""
        listed = list(dict.fromkeys(self._listed(entries)))
        places = self._of_hosts([entry for entry in listed if "/" not in entry])
        for entry in listed:
            if entry not in places:
                node = node_for_address(self._graph, entry)
                places[entry] = np.array([] if node is None else [node], np.int64)
        unknown = tuple(entry for entry in listed if not len(places[entry]))
        return PageSet(_joined(list(places.values())), unknown)

    def of_topic(self, topic: Topic) -> PageSet:
        """Return the pages of a topic: named pages, links of its directory, results of its query."""
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
        """Return the pages that a directory links to.

        If most of them are on other hosts, the links within the host are its menu and are left out.
        """
        node = node_for_address(self._graph, address)
        if node is None:
            return np.empty(0, np.int64)
        named = self._graph.outward.targets_of(node)
        hosts = self._graph.hosts.site_of(np.append(named, node))
        elsewhere = named[hosts[:-1] != hosts[-1]]
        return elsewhere if 2 * len(elsewhere) > len(named) else named

    def _matching(self, query: str) -> Nodes:
        nodes = self._graph.nodes(np.array(self._found(query, MOST_FOUND), np.uint64))
        return nodes[nodes >= 0]

    def _of_hosts(self, hosts: Sequence[str]) -> dict[str, Nodes]:
        """Return the pages of each host and of all hosts below it, in one pass over all host names."""
        found: dict[str, list[Nodes]] = {_as_host(host): [] for host in hosts}
        names, firsts = self._graph.hosts.names, self._graph.hosts.firsts
        for number in range(len(names) if hosts else 0):
            for name in _above(names[number]):
                if name in found:
                    found[name].append(np.arange(firsts[number], firsts[number + 1]))
        return {host: _joined(found[_as_host(host)]) for host in hosts}


def _lines(path: Path) -> list[str]:
    """Read the entries of a file, one per line; # begins a comment."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise BadSetting(f"{path}, which the settings name, cannot be read: {why}") from error
    lines = (re.sub(r"(?:^|\s)#.*", "", line).strip() for line in text.splitlines())
    return [line for line in lines if line]


def _as_host(entry: str) -> str:
    return entry.lower().removeprefix("*.").strip(".")


def _above(name: str) -> Iterator[str]:
    """Yield the names that include a host: its own, its name without the port, and its parent domains.

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
