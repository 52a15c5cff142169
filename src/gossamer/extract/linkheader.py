"""What does the HTTP header `Link` say (RFC 8288)? It speaks for documents that have no <head>."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gossamer.extract.metadata import language_tag
from gossamer.extract.resolving import Resolver
from gossamer.model import Url

MOST = 200  # links of all headers together that are read
_LINK = re.compile(r"\s*<([^>]*)>((?:\s*;\s*[^\s;,=\"]+(?:\s*=\s*(?:\"(?:[^\"\\]|\\.)*\"|[^\s;,\"]*))?)*)")
_PARAMETER = re.compile(r";\s*([^\s;,=\"]+)(?:\s*=\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s;,\"]*)))?")


class Pointed(NamedTuple):
    """What was said; nothing, as a rule."""

    canonical: Url | None = None
    alternates: tuple[tuple[str, Url], ...] = ()


NOTHING = Pointed()


def from_headers(headers: Iterable[tuple[str, str]], url: Url, resolver: Resolver) -> Pointed:
    """The canonical address and the other languages of a document, from all its Link headers."""
    values = [value for name, value in headers if name.lower() == "link"]
    if not values:
        return NOTHING
    canonical: Url | None = None
    alternates: list[tuple[str, Url]] = []
    for address, parameters in _links(values):
        rels = parameters.get("rel", "").lower().split()
        if "canonical" not in rels and "alternate" not in rels:
            continue
        target = resolver.target(url, address) if address else None
        if target is not None and "canonical" in rels:
            canonical = canonical or target
        elif target is not None and target != url and (tag := language_tag(parameters.get("hreflang", ""))):
            alternates.append((tag, target))
    return Pointed(canonical, tuple(alternates))


def _links(values: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each link with its parameters, of which the first of a name counts; what cannot be read ends a header.

    >>> list(_links(['<a>; rel="x y"; REL=z, <b>;hreflang=de']))
    [('a', {'rel': 'x y'}), ('b', {'hreflang': 'de'})]
    """
    count = 0
    for value in values:
        position = 0
        while count < MOST and (match := _LINK.match(value, position)):
            parameters: dict[str, str] = {}
            for name, quoted, bare in _PARAMETER.findall(match[2]):
                parameters.setdefault(name.lower(), quoted or bare)
            yield match[1].strip(), parameters
            count += 1
            comma = value.find(",", match.end())
            if comma < 0 or value[match.end() : comma].strip():
                break
            position = comma + 1
