"""Scripted web for tests and demo.

One script can be asked in memory (`ScriptedTransport`) or over sockets (`gossamer.demo.loopback_server`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from html import escape
from typing import NamedTuple

from gossamer.crawl.fetch.exchange import worth_keeping
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.model import Failure, FetchResult, Url
from gossamer.web.content_coding import BadEncoding, decode

SCRIPTED_ADDRESS = "192.0.2.1"  # reserved for documentation: no real server has it


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answers, and how slowly or badly."""

    status: int = 200
    body: bytes = b""  # as sent: compressed, when the headers say so
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0  # seconds before the first byte
    failure: Failure | None = None  # instead of an answer
    chunk: int = 0  # bytes sent at a time, 0 for all at once
    pause: float = 0.0  # seconds between chunks

    def pieces(self) -> list[bytes]:
        """The body in the pieces in which it is sent."""
        size = self.chunk or len(self.body) or 1
        return [self.body[start : start + size] for start in range(0, len(self.body), size)]

    def header(self, name: str) -> str:
        """The header of that name, or an empty string."""
        return _header(self.headers, name)


def _header(headers: Mapping[str, str], name: str) -> str:
    wanted = name.lower()
    return next((value for key, value in headers.items() if key.lower() == wanted), "")


Route = Reply | Callable[[str], Reply]
Form = Callable[[Mapping[str, str]], Reply]


@dataclass(frozen=True, slots=True)
class ScriptedHost:
    """The paths of one host. A path is looked up with its query string first, then without."""

    routes: Mapping[str, Route] = field(default_factory=dict)
    fallback: Route = Reply(404, b"<title>Not found</title><h1>Not found</h1>", {"Content-Type": "text/html"})
    forms: Mapping[str, Form] = field(default_factory=dict)  # what is answered to what was filled in

    def reply(self, path: str) -> Reply:
        """The answer to a path, which may have a query string."""
        route = self.routes.get(path) or self.routes.get(path.partition("?")[0]) or self.fallback
        return route if isinstance(route, Reply) else route(path)

    def reply_to_form(self, path: str, filled_in: Mapping[str, str]) -> Reply:
        """The answer to a form that is sent to a path."""
        form = self.forms.get(path)
        return form(filled_in) if form else Reply(405, b"No form here.\n", {"Content-Type": "text/plain"})


class ScriptedRequest(NamedTuple):
    """One request, as the script saw it."""

    time: float
    authority: str
    path: str


@dataclass(frozen=True, slots=True)
class ScriptedWeb:
    """Hosts by name (with a port only where ports differ), and a record of what was asked of them."""

    hosts: Mapping[str, ScriptedHost]
    clock: Callable[[], float] = time.monotonic
    asked: list[ScriptedRequest] = field(default_factory=list)

    def reply(self, authority: str, path: str, headers: Mapping[str, str] | None = None) -> Reply | None:
        """What the host answers, None when there is no such host. Conditional headers can lead to a 304."""
        host = self._asked(authority, path)
        if host is None:
            return None
        reply = host.reply(path)
        return _not_modified(reply) if headers and _is_unchanged(reply, headers) else reply

    def reply_to_form(self, authority: str, path: str, filled_in: Mapping[str, str]) -> Reply | None:
        """What the host answers to a form, None when there is no such host."""
        host = self._asked(authority, path)
        return host.reply_to_form(path, filled_in) if host else None

    def _asked(self, authority: str, path: str) -> ScriptedHost | None:
        self.asked.append(ScriptedRequest(self.clock(), authority, path))
        return self.hosts.get(authority) or self.hosts.get(_without_port(authority))


def _without_port(authority: str) -> str:
    host, colon, port = authority.rpartition(":")
    return host if colon and port.isdigit() else authority


def _is_unchanged(reply: Reply, headers: Mapping[str, str]) -> bool:
    """Whether a conditional request (RFC 9110, section 13) finds what it knows; the entity tag goes first."""
    if reply.status != 200:
        return False
    known = _header(headers, "If-None-Match")
    if known:
        tags = {tag.strip().removeprefix("W/") for tag in known.split(",")}
        return "*" in tags or reply.header("ETag").removeprefix("W/") in tags
    since, modified = _header(headers, "If-Modified-Since"), reply.header("Last-Modified")
    if not since or not modified:
        return False
    try:
        return parsedate_to_datetime(modified) <= parsedate_to_datetime(since)
    except (TypeError, ValueError):
        return False


def _not_modified(reply: Reply) -> Reply:
    kept = {name: value for name, value in reply.headers.items() if name.lower() in {"etag", "last-modified"}}
    return replace(reply, status=304, body=b"", headers=kept)


class ScriptedTransport:
    """A `Transport` that asks a script, with the delays and time limits of the real one."""

    def __init__(self, web: ScriptedWeb, settings: FetchSettings | None = None) -> None:
        self.web = web
        self._settings = settings or FetchSettings()

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Asks the script; see `Transport`."""
        return await self._answered(self.web.reply(url.authority, url.path, headers), url, max_bytes)

    async def post(
        self, url: Url, headers: Mapping[str, str], form: Mapping[str, str], max_bytes: int
    ) -> FetchResult:
        """Sends a form to the script; see `Transport`."""
        return await self._answered(self.web.reply_to_form(url.authority, url.path, form), url, max_bytes)

    async def _answered(self, reply: Reply | None, url: Url, max_bytes: int) -> FetchResult:
        started, fetched_at = time.perf_counter(), time.time()
        failure, detail = await self._waited(reply, url)
        body, truncated = b"", False
        if reply is not None and failure is None:
            try:
                limit = worth_keeping(reply.header("Content-Type"), max_bytes)
                body, truncated = decode(reply.pieces(), reply.header("Content-Encoding"), limit)
            except BadEncoding as error:
                failure, detail = Failure.DECODING, str(error)
        elapsed = time.perf_counter() - started
        if reply is None or failure is not None:
            return FetchResult(url, fetched_at, elapsed, failure=failure, detail=detail)
        sent = tuple(reply.headers.items())
        return FetchResult(
            url, fetched_at, elapsed, reply.status, sent, body, truncated=truncated, address=SCRIPTED_ADDRESS
        )

    async def _waited(self, reply: Reply | None, url: Url) -> tuple[Failure | None, str]:
        """Lets the scripted time pass, up to the limits; why no answer came of it, if none did."""
        if reply is None:
            return Failure.DNS, f"the name {url.host} is unknown"
        limits, drip = self._settings, reply.pause * max(0, len(reply.pieces()) - 1)
        crawls = drip > limits.read_timeout and len(reply.body) < limits.min_bytes_per_second * drip
        stalls = reply.failure is Failure.TIMEOUT or max(reply.delay, reply.pause) > limits.read_timeout
        stalls |= crawls
        seconds = min(limits.total_timeout, limits.read_timeout if stalls else reply.delay + drip)
        if seconds > 0:
            await asyncio.sleep(seconds)
        if stalls or reply.delay + drip > limits.total_timeout:
            return Failure.TIMEOUT, f"{url.authority} took too long"
        return reply.failure, f"scripted: {reply.failure}" if reply.failure else ""

    def prefetch(self, hosts: Iterable[str]) -> None:
        """There is no name to look up."""

    async def look_up(self, host: str) -> None:
        """There is no name to look up."""

    def address_of(self, host: str) -> str | None:
        """Every host of a script is a machine of its own: no two of them share an address."""
        return None

    def has_robots(self, scheme: str) -> bool:
        """They have what their script says."""
        return True

    async def close(self) -> None:
        """There is nothing to let go of."""


def page(title: str, text: str, links: Mapping[str, str] | Iterable[str] = (), language: str = "en") -> Reply:
    """A simple HTML page; `links` are targets, or anchor texts by target."""
    pairs = links.items() if isinstance(links, Mapping) else ((target, target) for target in links)
    anchors = "".join(f'<p><a href="{escape(to)}">{escape(anchor)}</a></p>\n' for to, anchor in pairs)
    return html(
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"</head>\n<body><main><h1>{escape(title)}</h1>\n<p>{escape(text)}</p>\n{anchors}</main></body></html>\n"
    )


def html(markup: str, charset: str = "utf-8", declared: str = "", status: int = 200) -> Reply:
    """HTML in some encoding; `declared` is the charset that the header claims, rightly or wrongly."""
    content_type = f"text/html; charset={declared}" if declared else "text/html"
    return Reply(status, markup.encode(charset, "xmlcharrefreplace"), {"Content-Type": content_type})


def text(body: str) -> Reply:
    """A plain text file, such as a robots.txt."""
    return Reply(200, body.encode(), {"Content-Type": "text/plain; charset=utf-8"})


def redirect(to: str, status: int = 301) -> Reply:
    """An answer that sends the asker elsewhere."""
    return Reply(status, b"", {"Location": to})


def error(status: int) -> Reply:
    """A page that only says that something went wrong."""
    return html(f"<title>Error {status}</title><h1>Error {status}</h1>", status=status)


def slow(reply: Reply, delay: float) -> Reply:
    """The same answer, later."""
    return replace(reply, delay=delay)


def huge(size: int) -> Reply:
    """An HTML page of that many bytes."""
    start = b"<!doctype html><title>Huge</title><p>"
    return Reply(200, (start + b"word " * (size // 5 + 1))[:size], {"Content-Type": "text/html"})
