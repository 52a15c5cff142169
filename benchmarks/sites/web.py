"""What can be asked of a web, and what must a crawler that starts at its seeds fetch?"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import NamedTuple, Protocol

ROBOTS = "/robots.txt"


class Kind(Enum):
    """What is found under an address."""

    PAGE = "page"
    REDIRECT = "redirect"
    MISSING = "missing"  # linked, and answered with 404
    FORBIDDEN = "forbidden"  # robots.txt says no
    TRAP = "trap"  # one of endlessly many


class Place(NamedTuple):
    """An address of a web. The host is as in the Host header, without a port."""

    host: str
    path: str  # with the query


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server says: head and body as they go over the wire, and how long it takes its time."""

    status: int
    content: bytes
    wait: float = 0.0


class ServedWeb(Protocol):
    """A web that can be served."""

    @property
    def pattern(self) -> str:
        """What matches the names of all hosts, as the `--resolve` option wants it."""

    def open(self, port: int) -> None:
        """Makes ready to answer on that port; called once, in the serving process."""

    def reply(self, host: str, path: str) -> Reply:
        """The answer to a request."""

    def seeds(self) -> list[Place]:
        """Where a crawl begins."""

    def kind(self, place: Place) -> Kind:
        """What is there."""


class Web(ServedWeb, Protocol):
    """A web that can be walked, too, without reading its pages."""

    def links(self, place: Place) -> list[Place]:
        """Where a page or a redirect leads."""

    def crawl_delay(self, host: str) -> float:
        """Seconds that the host's robots.txt asks for between two requests; 0 when it asks for none."""


def walk(web: Web) -> dict[Place, Kind]:
    """Everything that a crawler must fetch, each once; reads no HTML, and goes neither into traps nor behind
    what is forbidden.
    """
    found: dict[Place, Kind] = {}
    waiting = deque(web.seeds())
    while waiting:
        place = waiting.popleft()
        if place in found:
            continue
        kind = web.kind(place)
        if kind in {Kind.FORBIDDEN, Kind.TRAP}:
            continue
        found[place] = kind
        if kind is not Kind.MISSING:
            waiting.extend(link for link in web.links(place) if link not in found)
    return found


def reply(
    status: int,
    body: bytes,
    media_type: str = "text/html; charset=utf-8",
    location: str = "",
    wait: float = 0.0,
) -> Reply:
    """A reply that keeps the connection open."""
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"Content-Type: {media_type}"]
    if location:
        lines.append(f"Location: {location}")
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""])
    return Reply(status, head.encode("ascii") + body, wait)


def robots(disallow: str, allow: str = "", crawl_delay: float = 0.0) -> Reply:
    """A robots.txt with one group for everybody."""
    lines = ["User-agent: *", f"Disallow: {disallow}"]
    if allow:
        lines.append(f"Allow: {allow}")
    if crawl_delay:
        lines.append(f"Crawl-delay: {crawl_delay:g}")
    return reply(200, ("\n".join(lines) + "\n").encode(), "text/plain")


MISSING = reply(404, b"<html><title>Not found</title><h1>Nothing here</h1></html>")
