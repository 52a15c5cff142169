"""Read the link graph: links, ranks and anchor text of a page."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.partition import Partition
from gossamer.graph.build import NO_NODE, record_at
from gossamer.graph.generation import Generation, ranked_generation
from gossamer.graph.link_counts import LinkCounter
from gossamer.model import BadUrl, LinkFlag, UnknownPage, Url
from gossamer.model.graph import LinkGraph, Nodes, OutLinks, SiteGraph
from gossamer.model.notebook import NotebookTable, tabled
from gossamer.storage.link_log import LoggedLink
from gossamer.web.url import canonical, repair

# Anchor text between two pages
# -----------------------------

Fingerprints = NDArray[np.uint64]


class LinkTexts:
    """Anchor text of the links between the pages of a generation."""

    def __init__(self, partitions: Sequence[Partition], generation: Generation) -> None:
        self._partitions = partitions
        self._generation = generation

    def nodes(self, fingerprints: Fingerprints) -> NDArray[np.int64]:
        """Return the nodes of addresses; an alias has the node of its page. -1 for unknown addresses."""
        found = self._generation.nodes.find(fingerprints)
        ends = self._aliases.find(fingerprints)
        return np.where(ends < 0, found, np.where(ends == NO_NODE, -1, ends))

    def anchors(self, source: int, targets: Fingerprints, vouched: bool) -> list[tuple[str, ...]]:
        """Return the distinct anchor texts of a node's links to each target, in page order."""
        keys = self._keys(targets)
        texts: dict[Hashable, dict[str, None]] = {key: {} for key in keys}
        for key, text in self._links(source, vouched):
            if text and key in texts:
                texts[key].setdefault(text)
        return [tuple(texts[key]) for key in keys]

    def _links(self, source: int, vouched: bool) -> Iterator[tuple[Hashable, str]]:
        """Yield target and anchor text of the links of a node, including the links of its aliases."""
        nodes, places = self._records
        begin, end = np.searchsorted(nodes, np.array([source, source + 1], np.int64))
        for place in places[begin:end].tolist():
            record = record_at(self._partitions, place)
            links = [link for link in record.links if _counts(link, vouched)] if record else []
            keys = self._keys(np.array([link.target for link in links], np.uint64))
            yield from zip(keys, (link.anchor for link in links), strict=True)

    def _keys(self, fingerprints: Fingerprints) -> list[Hashable]:
        """Return a key for each page: its node, or its fingerprint if it is not a node."""
        rows = zip(self.nodes(fingerprints).tolist(), fingerprints.tolist(), strict=True)
        return [node if node >= 0 else ("no node", page) for node, page in rows]

    @cached_property
    def _aliases(self) -> Nodes:
        """The nodes of aliases; NO_NODE for an alias whose page is not a node."""
        aliases = self._generation.array("alias-fingerprints")
        return Nodes(aliases, aliases, self._generation.array("alias-nodes"))

    @cached_property
    def _records(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        return self._generation.array("record-nodes"), self._generation.array("record-places")


def _counts(link: LoggedLink, vouched: bool) -> bool:
    return not link.flags & LinkFlag.CANONICAL and bool(link.flags & LinkFlag.NOFOLLOW) != vouched


# Titles and URLs of graph nodes
# ------------------------------


def names_of(partitions: Sequence[Partition], pages: NDArray[np.uint64]) -> list[tuple[str, str]]:
    """Return URL and title of pages for display; a page that is not indexed has an empty title."""
    found = zip(known_names_of(partitions, pages), pages.tolist(), strict=True)
    return [(url or unknown(page), title) for (url, title), page in found]


def known_names_of(partitions: Sequence[Partition], pages: NDArray[np.uint64]) -> list[tuple[str, str]]:
    """Return URL and title of pages. An unknown URL is "": the link log has only its fingerprint."""
    titles = _titles(partitions, pages)
    return [titles.get(page) or (_known_url(partitions, page), "") for page in pages.tolist()]


def unknown(fingerprint: int) -> str:
    """Return the text shown instead of an unknown URL."""
    return f"(not in the catalogue: {fingerprint:016x})"


def _titles(partitions: Sequence[Partition], wanted: NDArray[np.uint64]) -> dict[int, tuple[str, str]]:
    """Return URL and title of the pages that are indexed."""
    found = {}
    for partition in partitions:
        for view in partition.index.snapshot().views:
            places = view.segment.places(wanted)
            for doc in set(places[places >= 0].tolist()) - set(view.deleted.tolist()):
                stored = view.segment.stored.document(doc)
                found[int(view.segment.columns.fingerprints[doc])] = (stored.url, stored.title)
    return found


def _known_url(partitions: Sequence[Partition], fingerprint: int) -> str:
    rows = (partition.catalogue.url(fingerprint) for partition in partitions)
    return next((row.url.text for row in rows if row is not None), "")


MOST_LINKS = 100  # links returned by default
Node = int


@dataclass(frozen=True, slots=True)
class GraphPage(NotebookTable):
    """Name a page of the graph.

    Attributes:
        node: Its number; -1 if only nofollow, ugc and sponsored links lead to it.
        fingerprint: The 64-bit fingerprint of its URL.
        url: Its URL; empty if it is not known.
        title: Its title; empty if it was never fetched.
        host: Its host; empty if it is not known.
    """

    node: Node
    fingerprint: int
    url: str
    title: str
    host: str

    @property
    def name(self) -> str:
        """The URL, or a replacement text if the URL is not known."""
        return self.url or unknown(self.fingerprint)


@dataclass(frozen=True, slots=True)
class GraphLink(NotebookTable):
    """Describe a link, seen from one of its ends.

    Attributes:
        page: The page at the other end.
        rank: PageRank of that page.
        texts: Anchor text; several if the page has the link several times.
        vouched: False if the link is marked nofollow, ugc or sponsored.
    """

    page: GraphPage
    rank: float
    texts: tuple[str, ...]
    vouched: bool


@dataclass(frozen=True, slots=True)
class RankPosition(NotebookTable):
    """Describe the position of a page by one rank.

    Attributes:
        name: The rank, such as "pagerank".
        value: Its value.
        percentile: The share of pages with a lower value, in percent: near 100 for the highest values. They
            are the best, except by `distrust` and `spam-mass`.
        place: 1 for the highest value; pages with equal values share a place.
    """

    name: str
    value: float
    percentile: float
    place: int


class CollectionGraph:
    """Read the link graph of one ranking; a later ranking does not change it.

    Each page is a node with a number. The pages of a host have consecutive numbers.

    Example:
        >>> graph = engine.graph()
        >>> node = graph.node(Url.parsed("https://example.org/visit"))
        >>> [link.page.title for link in graph.out_links(node, k=1)]
        ['The collection']
    """

    def __init__(self, partitions: Sequence[Partition], generation: Generation) -> None:
        self._partitions = partitions
        self._texts = LinkTexts(partitions, generation)
        self.generation = generation

    @classmethod
    def open(cls, partitions: Sequence[Partition], graph_folder: Path) -> CollectionGraph:
        """Open the current generation."""
        return cls(partitions, ranked_generation(graph_folder))

    def _repr_html_(self) -> str:
        counts = {"pages": self.inward.pages, "links": self.inward.links}
        own = {"generation": self.generation.number, **counts, "ranks": sorted(self.generation.ranks)}
        return tabled("CollectionGraph", own)

    @cached_property
    def inward(self) -> LinkGraph:
        """The links by target."""
        return self.generation.graph()

    @cached_property
    def outward(self) -> OutLinks:
        """The links by source."""
        return self.generation.outward()

    @cached_property
    def links_between(self) -> LinkCounter:
        """Counts the links between the results of a query."""
        return LinkCounter(self.generation.nodes, self.generation.array("starts"), self.outward)

    @cached_property
    def unvouched(self) -> tuple[LinkGraph, OutLinks]:
        """Links marked nofollow, ugc or sponsored. Their nodes are numbered separately, by fingerprint."""
        return self.generation.unvouched()

    @cached_property
    def hosts(self) -> SiteGraph:
        """The graph of hosts: names, number of pages, links with weights."""
        return self.generation.sites("hosts")

    @cached_property
    def domains(self) -> SiteGraph:
        """The graph of registrable domains, in the form of `hosts`."""
        return self.generation.sites("domains")

    @cached_property
    def host_numbers(self) -> NDArray[np.uint32]:
        """The host number of each page; each page with an unknown host gets a number of its own."""
        known = np.repeat(np.arange(len(self.hosts), dtype=np.uint32), np.diff(self.hosts.firsts))
        others = len(self.generation.nodes) - len(known)
        return np.concatenate([known, np.arange(len(self.hosts), len(self.hosts) + others, dtype=np.uint32)])

    # Pages

    def node(self, page: Url | int) -> Node | None:
        """Return the node of a page by its URL or fingerprint; an alias leads to its page's node."""
        fingerprint = page.fingerprint if isinstance(page, Url) else page
        node = int(self.nodes(np.array([fingerprint], np.uint64))[0])
        return None if node < 0 else node

    def nodes(self, fingerprints: Fingerprints) -> NDArray[np.int64]:
        """Return the nodes of pages; -1 for unknown pages."""
        return self._texts.nodes(fingerprints)

    def pages(self, nodes: Sequence[Node] | NDArray[np.int64]) -> list[GraphPage]:
        """Return the pages of nodes."""
        return self._pages_of(self.generation.fingerprints[np.asarray(nodes, np.int64)])

    def page(self, node: Node) -> GraphPage:
        """Return the page of a node."""
        return self.pages([node])[0]

    def host(self, node: Node) -> str:
        """Return the host of a page, with its port; "" if it is not known."""
        number = int(self.hosts.site_of(np.array([node]))[0])
        return "" if number < 0 else self.hosts.names[number]

    def standings(self, node: Node) -> list[RankPosition]:
        """Return the position of a page by every rank, PageRank first."""
        ranks = sorted(self.generation.ranks.items(), key=lambda one: (one[0] != "pagerank", one[0]))
        return [_standing(name, values, node) for name, values in ranks]

    # Links

    def degrees(self, node: Node) -> tuple[int, int]:
        """Count the links to a page, and those from it."""
        starts = self.inward.starts
        return int(starts[node + 1] - starts[node]), int(self.inward.out_degrees[node])

    def in_links(self, node: Node, k: int = MOST_LINKS) -> list[GraphLink]:
        """Return links to a page; sources with the highest PageRank first."""
        sources = self._best(self.inward.sources_of(node), k)
        return self._in_links(sources, int(self.generation.fingerprints[node]), True)

    def out_links(self, node: Node, k: int = MOST_LINKS) -> list[GraphLink]:
        """Return links from a page; targets with the highest PageRank first."""
        targets = self._best(self.outward.targets_of(node), k)
        return self._out_links(node, self.generation.fingerprints[targets], True)

    def all_in_links(self, node: Node) -> Iterator[GraphLink]:
        """Yield all links to a page; sources with the highest PageRank first."""
        sources, page = self.inward.sources_of(node), int(self.generation.fingerprints[node])
        for some in _pieces(self._best(sources, len(sources))):
            yield from self._in_links(some, page, True)

    def all_out_links(self, node: Node) -> Iterator[GraphLink]:
        """Yield all links from a page; targets with the highest PageRank first."""
        targets = self.outward.targets_of(node)
        for some in _pieces(self._best(targets, len(targets))):
            yield from self._out_links(node, self.generation.fingerprints[some], True)

    def links(self) -> Iterator[tuple[GraphPage, GraphPage]]:
        """Yield every link of the graph as (source, target), grouped by source."""
        starts, ends = self.outward.starts, self.outward.targets
        for some in _pieces(np.arange(len(starts) - 1)):
            first, last = int(some[0]), int(some[-1]) + 1
            sources = np.repeat(some, np.diff(starts[first : last + 1]))
            targets = ends[starts[first] : starts[last]].astype(np.int64)
            nodes = np.unique(np.concatenate([sources, targets]))
            known = dict(zip(nodes.tolist(), self.pages(nodes), strict=True))
            for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
                yield known[source], known[target]

    def unvouched_in_links(self, fingerprint: int, k: int = MOST_LINKS) -> list[GraphLink]:
        """Return nofollow, ugc and sponsored links to a page; sources with the highest PageRank first."""
        sources = self._unvouched_sources(fingerprint)
        return self._in_links(self._best(sources, k), fingerprint, False)

    def unvouched_out_links(self, node: Node, k: int = MOST_LINKS) -> list[GraphLink]:
        """Return nofollow, ugc and sponsored links from a page; targets with the highest PageRank first."""
        targets = self._unvouched_targets(node)
        best = _first(self.generation.lookup("pagerank", targets), targets, k)
        return self._out_links(node, targets[best], False)

    def unvouched_degrees(self, node: Node) -> tuple[int, int]:
        """Count the nofollow, ugc and sponsored links to a page, and those from it."""
        sources = self._unvouched_sources(int(self.generation.fingerprints[node]))
        return len(sources), len(self._unvouched_targets(node))

    def _unvouched_sources(self, fingerprint: int) -> NDArray[np.int64]:
        graph, _ = self.unvouched
        found = _row(graph.fingerprints, fingerprint, graph.starts, graph.sources)
        sources = self.generation.nodes.find(graph.fingerprints[found])
        return sources[sources >= 0]

    def _unvouched_targets(self, node: Node) -> Fingerprints:
        graph, outward = self.unvouched
        own = int(self.generation.fingerprints[node])
        return graph.fingerprints[_row(graph.fingerprints, own, outward.starts, outward.targets)]

    def _in_links(self, sources: NDArray[np.int64], fingerprint: int, vouched: bool) -> list[GraphLink]:
        ranks = self.generation.rank("pagerank")[sources].tolist()
        rows = zip(self.pages(sources), ranks, strict=True)
        anchors, target = self._texts.anchors, np.array([fingerprint], np.uint64)
        return [GraphLink(page, rank, anchors(page.node, target, vouched)[0], vouched) for page, rank in rows]

    def _out_links(self, node: Node, targets: Fingerprints, vouched: bool) -> list[GraphLink]:
        ranks = self.generation.lookup("pagerank", targets).tolist()
        texts = self._texts.anchors(node, targets, vouched)
        rows = zip(self._pages_of(targets), ranks, texts, strict=True)
        return [GraphLink(*row, vouched) for row in rows]

    def _best(self, nodes: NDArray[np.int64], most: int) -> NDArray[np.int64]:
        """Return the nodes with the highest PageRank, the highest first."""
        ranks = self.generation.rank("pagerank")[nodes]
        return nodes[_first(ranks, self.generation.fingerprints[nodes], most)]

    def _pages_of(self, fingerprints: Fingerprints) -> list[GraphPage]:
        nodes = self.generation.nodes.find(fingerprints)
        names = known_names_of(self._partitions, fingerprints)
        rows = zip(nodes.tolist(), fingerprints.tolist(), names, strict=True)
        return [
            GraphPage(node, page, *name, self.host(node) if node >= 0 else "") for node, page, name in rows
        ]


def _pieces(nodes: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield nodes in pieces: URLs and titles are looked up for many pages at once."""
    for first in range(0, len(nodes), MOST_LINKS):
        yield nodes[first : first + MOST_LINKS]


def _first(ranks: NDArray[np.float64], fingerprints: Fingerprints, most: int) -> NDArray[np.int64]:
    """Return the positions of the highest ranks, the highest first."""
    places = np.arange(len(ranks))
    if len(ranks) > most > 0:
        # Keep all ties with the last one: their order must not depend on how many are requested.
        places = np.flatnonzero(ranks >= np.partition(ranks, -most)[-most])
    return places[np.lexsort((fingerprints[places], -ranks[places]))[:most]]


def _row(
    fingerprints: Fingerprints, page: int, starts: NDArray[np.int64], ends: NDArray[np.uint32]
) -> NDArray[np.int64]:
    """Return the links of a page in a graph whose fingerprints are in ascending order."""
    node = int(np.searchsorted(fingerprints, np.uint64(page)))
    if node == len(fingerprints) or int(fingerprints[node]) != page:
        return np.empty(0, np.int64)
    return ends[starts[node] : starts[node + 1]].astype(np.int64)


def _standing(name: str, values: NDArray[np.float64], node: Node) -> RankPosition:
    value = values[node]
    lower, higher = np.count_nonzero(values < value), np.count_nonzero(values > value)
    return RankPosition(name, float(value), 100.0 * int(lower) / len(values), 1 + int(higher))


# Graph node for a typed address
# ------------------------------

SCHEMES = {"http": "https", "https": "http"}
MOST_COMPARED = 2_000  # pages of a host that are searched for a similar URL
ALIKE = 0.6  # least similarity of a suggested URL (0 to 1)


def page_meant(graph: CollectionGraph, typed: str) -> tuple[Node, Url]:
    """Return the node and the URL of a typed address, which may lack a scheme or have the wrong one."""
    url, _ = repair(typed)
    for one in likely_urls(url):
        node = graph.node(one)
        if node is not None:
            return node, one
    near = nearest(graph, url)
    hint = f"the nearest known is {near}" if near else "if it is new, run: gossamer rank"
    raise UnknownPage(url.text, f"is not in the link graph; {hint}")


def node_for_address(graph: CollectionGraph, typed: str) -> Node | None:
    """Return the node of a typed address (see `page_meant`); None if it is not known."""
    try:
        url, _ = repair(typed)
    except BadUrl:
        return None
    found = (graph.node(one) for one in likely_urls(url))
    return next((node for node in found if node is not None), None)


def nearest(graph: CollectionGraph, url: Url) -> str:
    """Return the most similar URL of the same host, or else one of its URLs; "" for an unknown host."""
    for authority in dict.fromkeys(one.authority for one in likely_urls(url)):
        number = graph.hosts.names.number(authority)
        if number is not None:
            first, end = graph.hosts.firsts[number : number + 2].tolist()
            pages = graph.pages(np.arange(first, min(end, first + MOST_COMPARED)))
            near = difflib.get_close_matches(url.text, [page.url for page in pages], 1, ALIKE)
            return near[0] if near else pages[0].url
    return ""


def likely_urls(url: Url) -> Iterator[Url]:
    """Yield the URL and common variants: other scheme, with or without www. and a final slash."""
    yield url
    scheme, _, address = url.text.partition("://")
    named = (address, address.removeprefix("www.") if address.startswith("www.") else f"www.{address}")
    schemes = (scheme, SCHEMES.get(scheme, scheme))
    for own, name, otherwise in product(schemes, named, (False, True)):
        one = canonical(f"{own}://{_ended_otherwise(name) if otherwise else name}")
        if one is not None and one != url:
            yield one


def _ended_otherwise(address: str) -> str:
    return address[:-1] if address.endswith("/") else f"{address}/"
