"""Which page of the graph does somebody mean who types this address?"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import product

import numpy as np

from gossamer.engine.graph import CollectionGraph, Node
from gossamer.model import BadUrl, UnknownPage, Url
from gossamer.web.url import canonical, repair

SCHEMES = {"http": "https", "https": "http"}
MOST_COMPARED = 2_000  # pages of a host among which a similar address is looked for
ALIKE = 0.6


def page_meant(graph: CollectionGraph, typed: str) -> tuple[Node, Url]:
    """The node of an address as people type it: without a scheme, or with the wrong one."""
    url, _ = repair(typed)
    for one in likely(url):
        node = graph.node(one)
        if node is not None:
            return node, one
    near = nearest(graph, url)
    hint = f"the nearest known is {near}" if near else "pages that came since get there by: gossamer rank"
    raise UnknownPage(url.text, f"is not in the link graph; {hint}")


def node_meant(graph: CollectionGraph, typed: str) -> Node | None:
    """The same, or None where nobody knows what is meant."""
    try:
        url, _ = repair(typed)
    except BadUrl:
        return None
    found = (graph.node(one) for one in likely(url))
    return next((node for node in found if node is not None), None)


def nearest(graph: CollectionGraph, url: Url) -> str:
    """The address of the host's pages that is most like this one; "" where none is."""
    for authority in dict.fromkeys(one.authority for one in likely(url)):
        number = graph.hosts.names.number(authority)
        if number is not None:
            first, end = graph.hosts.firsts[number : number + 2].tolist()
            pages = graph.pages(np.arange(first, min(end, first + MOST_COMPARED)))
            near = difflib.get_close_matches(url.text, [page.url for page in pages], 1, ALIKE)
            return near[0] if near else pages[0].url
    return ""


def likely(url: Url) -> Iterator[Url]:
    """The address itself, and those under which many pages are there as well."""
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
