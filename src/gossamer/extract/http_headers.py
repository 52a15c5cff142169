"""X-Robots-Tag, meta robots and Link headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gossamer.extract.html.link_targets import Resolver
from gossamer.model import Url
from gossamer.text.language_codes import language_tag

# Link header (RFC 8288)
# ----------------------

MOST = 200  # links read from all Link headers of a response
_LINK = re.compile(r"\s*<([^>]*)>((?:\s*;\s*[^\s;,=\"]+(?:\s*=\s*(?:\"(?:[^\"\\]|\\.)*\"|[^\s;,\"]*))?)*)")
_PARAMETER = re.compile(r";\s*([^\s;,=\"]+)(?:\s*=\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s;,\"]*)))?")


class HeaderLinks(NamedTuple):
    """What the Link headers of a response say."""

    canonical: Url | None = None
    alternates: tuple[tuple[str, Url], ...] = ()


NOTHING = HeaderLinks()


def links_from_headers(headers: Iterable[tuple[str, str]], url: Url, resolver: Resolver) -> HeaderLinks:
    """Return the canonical URL and the versions in other languages from all Link headers."""
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
    return HeaderLinks(canonical, tuple(alternates))


def _links(values: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each link with its parameters. A syntax error ends the header.

    If a parameter is repeated, the first value is used.

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


AGENT = "gossamer"  # default name of the crawler in robots directives
VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


class Robots(NamedTuple):
    """Robots directives of a page."""

    noindex: bool = False
    nofollow: bool = False

    def joined(self, other: Robots) -> Robots:
        """Combine two statements: the stricter one applies."""
        return Robots(self.noindex or other.noindex, self.nofollow or other.nofollow)


SILENT = Robots()


def from_directives(directives: Iterable[str]) -> Robots:
    """Interpret directives such as `noindex`. Unknown ones are ignored."""
    found = {directive.strip().lower() for directive in directives}
    none = "none" in found
    return Robots("noindex" in found or none, "nofollow" in found or none)


def from_meta(contents: Iterable[str]) -> Robots:
    """Interpret the contents of <meta name="robots"> and of <meta> elements with the name of our agent."""
    return from_directives(directive for content in contents for directive in content.split(","))


def robots_from_headers(headers: Iterable[tuple[str, str]], agent: str = AGENT) -> Robots:
    """Interpret all X-Robots-Tag headers.

    After an agent's name and a colon, the rest of the header applies to that agent only.

    >>> robots_from_headers([("X-Robots-Tag", "otherbot: noindex, nofollow")])
    Robots(noindex=False, nofollow=False)
    >>> robots_from_headers([("X-Robots-Tag", "otherbot: noindex, nofollow")], "OtherBot")
    Robots(noindex=True, nofollow=True)
    >>> robots_from_headers([("X-Robots-Tag", "Gossamer: noindex")])
    Robots(noindex=True, nofollow=False)
    """
    values = [value for name, value in headers if name.lower() == "x-robots-tag"]
    return from_directives(directive for value in values for directive in _addressed_to(agent, value))


def _addressed_to(agent: str, value: str) -> Iterable[str]:
    ours = True
    names = {agent.lower(), "*"}
    for piece in value.split(","):
        name, colon, rest = piece.partition(":")
        if colon and name.strip().lower() in VALUED:
            continue
        if colon:
            ours = name.strip().lower() in names
        if ours:
            yield rest if colon else piece
