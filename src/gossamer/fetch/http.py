"""What does a real server say?"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Mapping
from typing import Any, ClassVar

import aiohttp
from yarl import URL

from gossamer.fetch.connections import (
    PrivateAddress,
    Resolver,
    Sockets,
    override_for,
)
from gossamer.fetch.descriptors import is_starved, spare_descriptors
from gossamer.fetch.media import worth_keeping
from gossamer.fetch.settings import FetchSettings
from gossamer.model import Failure, FetchResult, GossamerError, Url
from gossamer.web.coding import BadEncoding, Body
from gossamer.web.resolve import HostOverride

DNS_CACHE_SECONDS = 300
KEEP_ALIVE_SECONDS = 5  # longer than the usual delay between two requests to a host
STARVED_PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0)  # seconds between tries when no descriptor is left
MAX_HEADER_BYTES = 64 * 1024  # some sites send security policies of many kilobytes

NEED_DESCRIPTORS = frozenset({Failure.DNS, Failure.CONNECT, Failure.DISCONNECTED, Failure.TIMEOUT})


class _Response(aiohttp.ClientResponse):
    """Remembers who answered: a short answer has given its connection back before anybody can look."""

    sockets: ClassVar[Sockets]
    kept: ClassVar[int]  # so many open sockets, and no further connection is kept
    peer = ""

    async def start(self, connection: Any) -> aiohttp.ClientResponse:
        if len(self.sockets) > self.kept and connection.protocol is not None:
            connection.protocol.force_close()
        peername = connection.transport.get_extra_info("peername") if connection.transport else None
        self.peer = peername[0] if peername else ""
        return await super().start(connection)


class HttpTransport:
    """A `Transport` over HTTP/1.1 with kept connections, by aiohttp.

    Two sessions: the guarded one refuses addresses that are not public; the open one is for hosts that the
    owner gave an address, and for all when private addresses are allowed.

    Of the descriptors that can be spared a third is for connections in use, a third for kept ones, and the
    rest for hosts that are tried at two addresses at once. Who waits for a descriptor waits here, before the
    clock of the exchange starts: it is not the host that is slow.
    """

    def __init__(self, settings: FetchSettings) -> None:
        self._settings = settings
        self._sockets = Sockets()
        share = max(spare_descriptors() // 3, 1)
        self._free = asyncio.Semaphore(share)
        self._response_class = type("_Response", (_Response,), {"sockets": self._sockets, "kept": share})
        self._overrides = [HostOverride.parse(text) for text in settings.resolve]
        self._resolver: Resolver | None = None
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Asks a server; see `Transport`. Only a lasting lack of descriptors is raised: it is our own."""
        for pause in STARVED_PAUSES:
            async with self._free:
                result = await self._get(url, headers, max_bytes)
            if result is not None:
                return result
            await asyncio.sleep(pause)  # kept connections are closed meanwhile
        raise GossamerError("this process may open no more files; raise its limit (ulimit -n) and go on")

    async def _get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult | None:
        """What came of asking; None when there was no descriptor to ask with."""
        fetched_at, started = time.time(), time.perf_counter()
        try:
            status, received, peer, body, truncated = await self._exchange(url, headers, max_bytes)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failure, detail = _explained(error, url)
            if failure in NEED_DESCRIPTORS and is_starved(error):
                return None
            elapsed = time.perf_counter() - started
            return FetchResult(url, fetched_at, elapsed, failure=failure, detail=detail)
        elapsed = time.perf_counter() - started
        return FetchResult(
            url, fetched_at, elapsed, status, received, body, truncated=truncated, address=peer
        )

    async def _exchange(
        self, url: Url, headers: Mapping[str, str], max_bytes: int
    ) -> tuple[int, tuple[tuple[str, str], ...], str, bytes, bool]:
        session = self._session(guarded=self._is_guarded(url.host))
        target = URL(url.text, encoded=True)
        async with session.get(target, headers=headers, allow_redirects=False) as response:
            received = tuple((name, _as_text(value)) for name, value in response.headers.items())
            limit = worth_keeping(response.headers.get("Content-Type", ""), max_bytes)
            body = Body(response.headers.get("Content-Encoding", ""), limit)
            async for piece in response.content.iter_any():
                body.add(piece)
                if body.is_full:
                    response.close()
                    break
            peer = response.peer if isinstance(response, _Response) else ""
            return response.status, received, peer, body.content(), body.is_full

    def _is_guarded(self, host: str) -> bool:
        return not self._settings.allow_private and override_for(host, self._overrides) is None

    def _session(self, guarded: bool) -> aiohttp.ClientSession:
        if guarded not in self._sessions:
            self._sessions[guarded] = self._new_session(guarded)
        return self._sessions[guarded]

    def _new_session(self, guarded: bool) -> aiohttp.ClientSession:
        if self._resolver is None:
            self._resolver = Resolver(self._overrides)
        connector = aiohttp.TCPConnector(
            resolver=self._resolver,
            socket_factory=self._sockets.guarded if guarded else self._sockets.open,
            ttl_dns_cache=DNS_CACHE_SECONDS,
            keepalive_timeout=KEEP_ALIVE_SECONDS,
            limit=0,  # who would wait here would be taken for a host that does not answer
        )
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=_timeouts(self._settings),
            auto_decompress=False,
            response_class=self._response_class,
            max_line_size=MAX_HEADER_BYTES,
            max_field_size=MAX_HEADER_BYTES,
        )

    async def close(self) -> None:
        """Closes all connections."""
        for session in self._sessions.values():
            await session.close()
        self._sessions.clear()
        if self._resolver is not None:
            await self._resolver.close()
            self._resolver = None


def _timeouts(settings: FetchSettings) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(
        total=settings.total_timeout, connect=settings.connect_timeout, sock_read=settings.read_timeout
    )


def _as_text(value: str) -> str:
    """A header's value without the lone surrogates that aiohttp makes of bytes that are not UTF-8."""
    if value.isascii():
        return value
    raw = value.encode("utf-8", "surrogateescape")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _explained(error: Exception, url: Url) -> tuple[Failure, str]:
    """The name of what went wrong, and a few words for people."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return Failure.DNS, f"the name {url.host} is unknown"
        case UnicodeError():
            return Failure.DNS, f"{url.host} cannot be a host name"
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return Failure.TLS, f"no secure connection to {url.authority} ({_brief(error)})"
        case aiohttp.ClientConnectorError(os_error=PrivateAddress()):
            return Failure.PRIVATE_ADDRESS, f"{url.host} leads to an address that is not public"
        case aiohttp.ClientConnectorError():
            return Failure.CONNECT, f"no connection to {url.authority} ({_brief(error.os_error)})"
        case TimeoutError():
            return Failure.TIMEOUT, f"{url.authority} took too long ({_brief(error)})"
        case BadEncoding():
            return Failure.DECODING, str(error)
        case aiohttp.ClientPayloadError() | aiohttp.ClientConnectionError() | OSError():
            return Failure.DISCONNECTED, f"{url.authority} hung up ({_brief(error)})"
        case _:
            return Failure.PROTOCOL, f"what {url.authority} sent is not HTTP ({_brief(error)})"


def _brief(error: BaseException) -> str:
    """The first line of an error, short enough for a table."""
    text = getattr(error, "message", "") or str(error) or type(error).__name__
    return str(text).splitlines()[0][:120]
