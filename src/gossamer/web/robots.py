"""What may a crawler ask of this host? (RFC 9309, the Robots Exclusion Protocol)"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from protego import Protego

from gossamer.model import Url

MAX_BYTES = 500 * 1024  # RFC 9309, section 2.5: at least this much must be read

_AGENT_LINE = re.compile(
    r"^([ \t]*user[- ]?agent[ \t]*:[ \t]*)([^\s#/*]+)[^\r\n]*", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules of one robots.txt. Made by `parse`."""

    agents: frozenset[str]  # product tokens that have a group of their own, in lower case
    sitemaps: tuple[str, ...]
    _protego: Any = field(repr=False, compare=False)

    def allows(self, url: Url, agent: str) -> bool:
        """Whether that user agent may ask for the URL; the longest matching rule decides."""
        return bool(self._protego.can_fetch(url.text, self._group(agent)))

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds the host wants between two requests of that user agent, when it says so."""
        delay = self._protego.crawl_delay(self._group(agent))
        return None if delay is None else float(delay)

    def _group(self, agent: str) -> str:
        # Protego also takes prefixes, and words in the comment of a user agent, for its name: with the exact
        # token, or "*", it has nothing to guess (RFC 9309, section 2.2.1).
        token = product_token(agent)
        return token if token in self.agents else "*"


def product_token(agent: str) -> str:
    """The name in a user agent: of `Gossamer/0.1 (+https://example.com)` it is `gossamer`."""
    return re.split(r"[/\s]", agent.strip(), maxsplit=1)[0].lower()


def parse(body: bytes) -> RobotsRules:
    """The rules in the body of a robots.txt. Lines that make no sense are passed over."""
    text = _AGENT_LINE.sub(r"\1\2", _within_limit(body).decode("utf-8-sig", "replace"))
    protego = Protego.parse(text)
    agents = frozenset(match[2].lower() for match in _AGENT_LINE.finditer(text))
    return RobotsRules(agents, tuple(protego.sitemaps), protego)


def _within_limit(body: bytes) -> bytes:
    """At most 500 KiB, without the line that the limit cuts: half of `Disallow: /a` would shut out all."""
    if len(body) <= MAX_BYTES:
        return body
    cut = body[:MAX_BYTES]
    return cut[: max(cut.rfind(b"\n"), cut.rfind(b"\r")) + 1]


ALLOW_ALL = parse(b"")
DISALLOW_ALL = parse(b"User-agent: *\nDisallow: /\n")
