"""May this document be indexed, and may its links be followed? What its head and its headers say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

AGENT = "gossamer"  # who we are where nobody says otherwise
VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


class Robots(NamedTuple):
    """What the author does not want; the stricter of two statements holds."""

    noindex: bool = False
    nofollow: bool = False

    def joined(self, other: Robots) -> Robots:
        return Robots(self.noindex or other.noindex, self.nofollow or other.nofollow)


SILENT = Robots()


def from_directives(directives: Iterable[str]) -> Robots:
    """The meaning of directives such as `noindex`; unknown ones mean nothing."""
    found = {directive.strip().lower() for directive in directives}
    none = "none" in found
    return Robots("noindex" in found or none, "nofollow" in found or none)


def from_meta(contents: Iterable[str]) -> Robots:
    """From the contents of <meta name="robots"> and of the <meta> that has the name of our agent."""
    directives = [directive for content in contents for directive in content.split(",")]
    return from_directives(directives) if directives else SILENT


def from_headers(headers: Iterable[tuple[str, str]], agent: str = AGENT) -> Robots:
    """From all X-Robots-Tag headers; an agent's name before a colon rules what follows in that header.

    >>> from_headers([("X-Robots-Tag", "otherbot: noindex, nofollow")])
    Robots(noindex=False, nofollow=False)
    >>> from_headers([("X-Robots-Tag", "otherbot: noindex, nofollow")], "OtherBot")
    Robots(noindex=True, nofollow=True)
    >>> from_headers([("X-Robots-Tag", "Gossamer: noindex")])
    Robots(noindex=True, nofollow=False)
    """
    values = [value for name, value in headers if name.lower() == "x-robots-tag"]
    if not values:
        return SILENT
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
