"""What does a real server say?

HTTP/1.1 with kept connections, spoken by a client of our own: a page costs a third of what the general
clients take, and what a hostile server can do to us is bounded in one place.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from urllib.parse import urlencode

from gossamer.fetch.connections import Connector
from gossamer.fetch.descriptors import is_starved, spare_descriptors
from gossamer.fetch.dns import Names
from gossamer.fetch.head import write_head
from gossamer.fetch.pool import Pool
from gossamer.fetch.settings import FetchSettings
from gossamer.fetch.trouble import explained
from gossamer.model import Failure, FetchResult, GossamerError, Url
from gossamer.web.resolve import HostOverride

STARVED_PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0)  # seconds between tries when no descriptor is left
NEED_DESCRIPTORS = frozenset({Failure.DNS, Failure.CONNECT, Failure.DISCONNECTED, Failure.TIMEOUT})


class HttpTransport:
    """A `Transport` over sockets.

    Half of the descriptors that can be spared are for connections in use, and while more than a third are
    taken no connection is kept. Who waits for a descriptor waits here, before the clock of the exchange
    starts: it is not the host that is slow.
    """

    def __init__(self, settings: FetchSettings, names: Names | None = None) -> None:
        overrides = [HostOverride.parse(text) for text in settings.resolve]
        self.names = names or Names(settings, overrides)
        spare = max(spare_descriptors(), 3)
        self._free = asyncio.Semaphore(spare // 2)
        self._pool = Pool(settings, Connector(settings, self.names), spare // 3)

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Asks a server; see `Transport`. Only a lasting lack of descriptors is raised: it is our own."""
        return await self._ask(url, write_head("GET", url, headers), max_bytes, repeatable=True)

    async def post(
        self, url: Url, headers: Mapping[str, str], form: Mapping[str, str], max_bytes: int
    ) -> FetchResult:
        """Sends a form; see `Transport`."""
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
                result = await self._once(url, request, max_bytes, repeatable)
            if result is not None:
                return result
            await asyncio.sleep(pause)  # kept connections are closed meanwhile
        raise GossamerError("this process may open no more files; raise its limit (ulimit -n) and go on")

    async def _once(self, url: Url, request: bytes, max_bytes: int, repeatable: bool) -> FetchResult | None:
        """What came of asking; None when there was no descriptor to ask with."""
        fetched_at, started = time.time(), time.perf_counter()
        try:
            answer = await self._pool.exchange(url, request, max_bytes, repeatable)
        except Exception as error:  # of a stranger's answer anything must be expected
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
        """Looks names up ahead; see `Transport`."""
        self.names.prefetch(hosts)

    async def look_up(self, host: str) -> None:
        """Looks a name up; see `Transport`. What is wrong with it is said when the host is asked."""
        with suppress(OSError):
            await self.names.addresses(host)

    def address_of(self, host: str) -> str | None:
        """Where a host was last found; see `Transport`."""
        return self.names.address_of(host)

    def has_robots(self, scheme: str) -> bool:
        """All have; see `Transport`."""
        return True

    async def close(self) -> None:
        """Closes all connections."""
        await self._pool.close()
        await self.names.close()
