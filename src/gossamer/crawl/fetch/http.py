"""HTTP client: connection pool, private-address check.

This is an HTTP/1.1 client with persistent connections. It takes a third of the CPU time of general clients
for a page, and bounds in one place what a hostile server can do.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from urllib.parse import urlencode

from gossamer.crawl.fetch.dns import DnsCache
from gossamer.crawl.fetch.exchange import (
    Answer,
    Connection,
    DownloadBudget,
    FetchError,
    StaleConnection,
    brief,
    explained,
    is_starved,
    spare_descriptors,
    write_head,
)
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.model import Failure, FetchResult, GossamerError, Url
from gossamer.web.host import HostOverride, is_public

# Open connections; private-address check
# ---------------------------------------
#
# The check uses the very address that is connected to next. So it also covers a name whose address
# changes between check and use, and an IP literal without a DNS lookup.

MOST_TRIED = 4  # addresses of a host name


class Connector:
    """Opens connections, only to public addresses unless the owner allows others."""

    def __init__(self, settings: FetchSettings, names: DnsCache) -> None:
        self._settings = settings
        self._names = names
        self._receiving = DownloadBudget(settings.max_bytes)

    async def connect(self, url: Url, on_lost: Callable[[Connection], None]) -> Connection:
        """Open a connection to the host of the URL; raise `FetchError` or OSError if that fails."""
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                return await self._first_of(await self._addresses(url), url, on_lost)
        except TimeoutError as error:
            why = f"took too long (no connection in {self._settings.connect_timeout:g} s)"
            raise FetchError(Failure.TIMEOUT, why) from error

    async def _addresses(self, url: Url) -> tuple[str, ...]:
        """Return the addresses to which a connection is allowed."""
        found = await self._names.addresses(url.host)
        if not found:
            raise FetchError(Failure.DNS, "has no IP address")
        if self._settings.allow_private or self._names.override_for(url.host) is not None:
            return found
        public = tuple(address for address in found if is_public(address))
        if not public:
            remedy = "allow it with allow_private=True (command: --allow-private)"
            why = f"leads to an IP address that is not public; {remedy}"
            raise FetchError(Failure.PRIVATE_ADDRESS, why)
        return public

    async def _first_of(
        self, addresses: tuple[str, ...], url: Url, on_lost: Callable[[Connection], None]
    ) -> Connection:
        """Try the addresses in turn, each with its share of the remaining time."""
        tried = addresses[:MOST_TRIED]
        deadline = asyncio.get_running_loop().time() + self._settings.connect_timeout
        for place, address in enumerate(tried[:-1]):
            left = deadline - asyncio.get_running_loop().time()
            try:
                async with asyncio.timeout(left / (len(tried) - place)):
                    return await self._open(address, url, on_lost)
            except ssl.SSLError:
                raise  # the server answered, so another address would not help
            except OSError:  # includes TimeoutError
                continue
        return await self._open(tried[-1], url, on_lost)

    async def _open(self, address: str, url: Url, on_lost: Callable[[Connection], None]) -> Connection:
        override = self._names.override_for(url.host)
        port = override.port if override is not None and override.port else url.port
        is_secure = url.scheme == "https"
        if is_secure:
            _check_name(url.host)
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: Connection(on_lost, self._receiving, (url.scheme, url.host, url.port)),
            address,
            port,
            ssl=self._tls if is_secure else None,
            server_hostname=url.host.strip("[]") if is_secure else None,
        )
        return connection

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        return context


def _check_name(host: str) -> None:
    """Raise `FetchError` for a name that TLS cannot encode; asyncio would fail and leak the socket."""
    try:
        host.encode("idna")
    except UnicodeError as error:
        raise FetchError(Failure.TLS, f"is not a valid name for TLS ({brief(error)})") from error


# Connection pool
# ---------------

KEEP_ALIVE_SECONDS = 5.0  # longer than the usual delay between two requests to a host
CHECKS = 8  # checks of all connections within the shortest time limit
CLOSE_ROUNDS = 100  # iterations of the event loop for closed connections to report
Key = tuple[str, str, int]


class Pool:
    """A pool of connections by scheme, host and port. One timer checks all of them.

    At most `most_kept` connections stay open for later; the others are closed after their exchange.
    """

    def __init__(self, settings: FetchSettings, connector: Connector, most_kept: int) -> None:
        self._settings = settings
        self._connector = connector
        self._most_kept = most_kept
        self._open: set[Connection] = set()
        self._idle: dict[Key, list[Connection]] = {}
        self._timer: asyncio.TimerHandle | None = None
        shortest = min(settings.read_timeout, settings.total_timeout, KEEP_ALIVE_SECONDS)
        self._tick = min(shortest / CHECKS, 1.0)

    async def exchange(self, url: Url, request: bytes, max_bytes: int, repeatable: bool) -> Answer:
        """Send a request over a kept connection or a new one.

        The server may close a kept connection just when the request is sent. The request is then sent again
        over a new connection. A request that is not `repeatable` always gets a new connection.
        """
        begun = asyncio.get_running_loop().time()
        kept = self._kept((url.scheme, url.host, url.port)) if repeatable else None
        if kept is not None:
            try:
                return await self._over(kept, request, max_bytes, begun)
            except StaleConnection:
                pass
        connection = await self._connector.connect(url, self._lost)
        if connection.is_open:  # some servers hang up before they are asked
            self._open.add(connection)
        if self._timer is None:
            self._schedule_check()
        return await self._over(connection, request, max_bytes, begun)

    async def _over(self, connection: Connection, request: bytes, max_bytes: int, begun: float) -> Answer:
        try:
            answer = await connection.ask(request, max_bytes, begun)
        except BaseException:
            connection.drop()  # after a cancellation, half an answer must not stay on the connection
            raise
        if connection.is_open:
            self._keep(connection)
        return answer

    def _kept(self, key: Key) -> Connection | None:
        waiting = self._idle.get(key)
        while waiting:
            connection = waiting.pop()
            if not waiting:
                del self._idle[key]
            if connection.is_open:
                return connection
        return None

    def _keep(self, connection: Connection) -> None:
        if len(self._open) > self._most_kept:
            connection.drop()
            return
        connection.idle_since = asyncio.get_running_loop().time()
        self._idle.setdefault(connection.key, []).append(connection)

    def _lost(self, connection: Connection) -> None:
        self._open.discard(connection)
        waiting = self._idle.get(connection.key)
        if waiting and connection in waiting:
            waiting.remove(connection)
            if not waiting:
                del self._idle[connection.key]

    def _schedule_check(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._tick, self._check_all)

    def _check_all(self) -> None:
        """Abort exchanges that take too long, and close connections that were idle for long."""
        now = asyncio.get_running_loop().time()
        for connection in list(self._open):
            connection.check(now, self._settings)
        for waiting in list(self._idle.values()):
            for connection in list(waiting):
                if now - connection.idle_since > KEEP_ALIVE_SECONDS:
                    connection.drop()
        self._timer = None
        if self._open:
            self._schedule_check()

    async def close(self) -> None:
        """Close all connections."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for connection in list(self._open):
            connection.drop()
        self._idle.clear()
        for _ in range(CLOSE_ROUNDS):
            if not self._open:
                break
            await asyncio.sleep(0)


STARVED_PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0)  # seconds between tries if no file descriptor is left
NEED_DESCRIPTORS = frozenset({Failure.DNS, Failure.CONNECT, Failure.DISCONNECTED, Failure.TIMEOUT})


class HttpTransport:
    """A `Transport` over sockets.

    Half of the spare file descriptors are for connections in use. While more than a third of them are taken,
    no connection is kept. A request waits for a descriptor before its time limits begin, because the wait is
    not the fault of the host.
    """

    def __init__(self, settings: FetchSettings, names: DnsCache | None = None) -> None:
        overrides = [HostOverride.parse(text) for text in settings.host_overrides]
        self.names = names or DnsCache(settings, overrides)
        spare = max(spare_descriptors(), 3)
        self._free = asyncio.Semaphore(spare // 2)
        self._pool = Pool(settings, Connector(settings, self.names), spare // 3)

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Fetch a URL; see `Transport`. Only a lasting lack of file descriptors raises an exception."""
        return await self._ask(url, write_head("GET", url, headers), max_bytes, repeatable=True)

    async def post(
        self, url: Url, headers: Mapping[str, str], form: Mapping[str, str], max_bytes: int
    ) -> FetchResult:
        """Send a form; see `Transport`."""
        body = urlencode(form).encode("ascii")
        described = {
            **headers,
            "Content-Type": "application/x-www-form-urlencoded",
            "Content-Length": str(len(body)),
        }
        return await self._ask(url, write_head("POST", url, described) + body, max_bytes, repeatable=False)

    async def _ask(self, url: Url, request: bytes, max_bytes: int, repeatable: bool) -> FetchResult:
        for pause in STARVED_PAUSES:
            async with self._free:
                result = await self._exchange(url, request, max_bytes, repeatable)
            if result is not None:
                return result
            await asyncio.sleep(pause)  # kept connections are closed meanwhile
        raise GossamerError("this process has no file descriptors left; raise its limit (ulimit -n)")

    async def _exchange(
        self, url: Url, request: bytes, max_bytes: int, repeatable: bool
    ) -> FetchResult | None:
        """Make one exchange; return None if there was no file descriptor for it."""
        fetched_at, started = time.time(), time.perf_counter()
        try:
            answer = await self._pool.exchange(url, request, max_bytes, repeatable)
        except Exception as error:  # a hostile response may cause any exception
            failure, detail = explained(error, url)
            if failure in NEED_DESCRIPTORS and is_starved(error):
                return None
            elapsed = time.perf_counter() - started
            return FetchResult(url, fetched_at, elapsed, failure=failure, detail=detail)
        return FetchResult(
            url,
            fetched_at,
            time.perf_counter() - started,
            answer.status,
            answer.headers,
            answer.body,
            truncated=answer.truncated,
            address=answer.peer,
        )

    def prefetch(self, hosts: Iterable[str]) -> None:
        """Look up host names in advance; see `Transport`."""
        self.names.prefetch(hosts)

    async def look_up(self, host: str) -> None:
        """Look up a host name; see `Transport`. The later request reports an error."""
        with suppress(OSError):
            await self.names.addresses(host)

    def address_of(self, host: str) -> str | None:
        """Return the last known address of a host; see `Transport`."""
        return self.names.address_of(host)

    def has_robots(self, scheme: str) -> bool:
        """Return True, for http and https; see `Transport`."""
        return True

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.close()
        await self.names.close()
