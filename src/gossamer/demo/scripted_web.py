"""Scripted web for tests and the demo.

`ScriptedTransport` answers requests in memory, `gossamer.demo.loopback_server` over HTTP.
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
    """The reply of a server, with delays and failures."""

    status: int = 200
    body: bytes = b""  # as sent: compressed, if the headers say so
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0  # seconds before the first byte
    failure: Failure | None = None  # the server fails in this way instead of replying
    chunk: int = 0  # bytes per chunk; 0: the whole body at once
    pause: float = 0.0  # seconds between chunks

    def pieces(self) -> list[bytes]:
        """Return the body, divided into chunks."""
        size = self.chunk or len(self.body) or 1
        return [self.body[start : start + size] for start in range(0, len(self.body), size)]

    def header(self, name: str) -> str:
        """Return the value of a header, or an empty string."""
        return _header(self.headers, name)


def _header(headers: Mapping[str, str], name: str) -> str:
    wanted = name.lower()
    return next((value for key, value in headers.items() if key.lower() == wanted), "")


Route = Reply | Callable[[str], Reply]
Form = Callable[[Mapping[str, str]], Reply]


@dataclass(frozen=True, slots=True)
class ScriptedHost:
    """The replies of one host by path. A path is looked up with its query string first, then without it."""

    routes: Mapping[str, Route] = field(default_factory=dict)
    fallback: Route = Reply(404, b"<title>Not found</title><h1>Not found</h1>", {"Content-Type": "text/html"})
    forms: Mapping[str, Form] = field(default_factory=dict)  # by path: from the fields of a form to the reply

    def reply(self, path: str) -> Reply:
        """Return the reply to a path, which may have a query string."""
        route = self.routes.get(path) or self.routes.get(path.partition("?")[0]) or self.fallback
        return route if isinstance(route, Reply) else route(path)

    def reply_to_form(self, path: str, filled_in: Mapping[str, str]) -> Reply:
        """Return the reply to a form that is sent to a path."""
        form = self.forms.get(path)
        return form(filled_in) if form else Reply(405, b"No form here.\n", {"Content-Type": "text/plain"})


class ScriptedRequest(NamedTuple):
    """One request to a scripted web."""

    time: float
    authority: str
    path: str


@dataclass(frozen=True, slots=True)
class ScriptedWeb:
    """Scripted hosts by name, and a record of all requests. A name may have a port: `a.test:81`."""

    hosts: Mapping[str, ScriptedHost]
    clock: Callable[[], float] = time.monotonic
    asked: list[ScriptedRequest] = field(default_factory=list)

    def reply(self, authority: str, path: str, headers: Mapping[str, str] | None = None) -> Reply | None:
        """Return the reply of a host, or None for an unknown host. Conditional requests may get a 304."""
        host = self._asked(authority, path)
        if host is None:
            return None
        reply = host.reply(path)
        return _not_modified(reply) if headers and _is_unchanged(reply, headers) else reply

    def reply_to_form(self, authority: str, path: str, filled_in: Mapping[str, str]) -> Reply | None:
        """Return the reply of a host to a form, or None for an unknown host."""
        host = self._asked(authority, path)
        return host.reply_to_form(path, filled_in) if host else None

    def _asked(self, authority: str, path: str) -> ScriptedHost | None:
        self.asked.append(ScriptedRequest(self.clock(), authority, path))
        return self.hosts.get(authority) or self.hosts.get(_without_port(authority))


def _without_port(authority: str) -> str:
    host, colon, port = authority.rpartition(":")
    return host if colon and port.isdigit() else authority


def _is_unchanged(reply: Reply, headers: Mapping[str, str]) -> bool:
    """Whether the client's copy is current (RFC 9110, section 13). An entity tag overrides the date."""
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
    """A `Transport` that answers from a script, with the scripted delays and the configured time limits."""

    def __init__(self, web: ScriptedWeb, settings: FetchSettings | None = None) -> None:
        self.web = web
        self._settings = settings or FetchSettings()

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Return the scripted answer to a request; see `Transport`."""
        return await self._answered(self.web.reply(url.authority, url.path, headers), url, max_bytes)

    async def post(
        self, url: Url, headers: Mapping[str, str], form: Mapping[str, str], max_bytes: int
    ) -> FetchResult:
        """Return the scripted answer to a form; see `Transport`."""
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
        """Wait as long as the script says, up to the limits. Return the failure and its detail, if any."""
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
        """Do nothing: scripted hosts need no DNS."""

    async def look_up(self, host: str) -> None:
        """Do nothing: scripted hosts need no DNS."""

    def address_of(self, host: str) -> str | None:
        """Return None: no two scripted hosts share an IP address."""
        return None

    def has_robots(self, scheme: str) -> bool:
        """Return True: a scripted host may have a robots.txt."""
        return True

    async def close(self) -> None:
        """Do nothing: there is no connection to close."""


def page(title: str, text: str, links: Mapping[str, str] | Iterable[str] = (), language: str = "en") -> Reply:
    """Make a simple HTML page. `links` are targets, or anchor texts by target."""
    pairs = links.items() if isinstance(links, Mapping) else ((target, target) for target in links)
    anchors = "".join(f'<p><a href="{escape(to)}">{escape(anchor)}</a></p>\n' for to, anchor in pairs)
    return html(
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"</head>\n<body><main><h1>{escape(title)}</h1>\n<p>{escape(text)}</p>\n{anchors}</main></body></html>\n"
    )


def html(markup: str, charset: str = "utf-8", declared: str = "", status: int = 200) -> Reply:
    """Make an HTML page in a charset. `declared` is the charset in the header, which may be wrong."""
    content_type = f"text/html; charset={declared}" if declared else "text/html"
    return Reply(status, markup.encode(charset, "xmlcharrefreplace"), {"Content-Type": content_type})


def text(body: str) -> Reply:
    """Make a plain text file, such as a robots.txt."""
    return Reply(200, body.encode(), {"Content-Type": "text/plain; charset=utf-8"})


def redirect(to: str, status: int = 301) -> Reply:
    """Make a redirect."""
    return Reply(status, b"", {"Location": to})


def error(status: int) -> Reply:
    """Make an error page."""
    return html(f"<title>Error {status}</title><h1>Error {status}</h1>", status=status)
