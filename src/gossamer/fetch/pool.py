"""Which connections are open, which of them can be used again, and which take too long?"""

from __future__ import annotations

import asyncio

from gossamer.fetch.connections import Connector
from gossamer.fetch.exchange import Answer, Connection
from gossamer.fetch.settings import FetchSettings
from gossamer.fetch.trouble import Stale
from gossamer.model import Url

KEEP_ALIVE_SECONDS = 5.0  # longer than the usual delay between two requests to a host
LOOKS = 8  # looks at the clock within the shortest time limit
FAREWELL = 100  # turns of the loop in which closed connections say so

Key = tuple[str, str, int]


class Pool:
    """Connections by what they are connected to. One timer watches all of them.

    At most `most_kept` stay open for later; the rest are closed after their exchange.
    """

    def __init__(self, settings: FetchSettings, connector: Connector, most_kept: int) -> None:
        self._settings = settings
        self._connector = connector
        self._most_kept = most_kept
        self._open: set[Connection] = set()
        self._idle: dict[Key, list[Connection]] = {}
        self._watch: asyncio.TimerHandle | None = None
        shortest = min(settings.read_timeout, settings.total_timeout, KEEP_ALIVE_SECONDS)
        self._tick = min(shortest / LOOKS, 1.0)

    def __len__(self) -> int:
        return len(self._open)

    async def exchange(self, url: Url, request: bytes, max_bytes: int, repeatable: bool) -> Answer:
        """Asks over a kept connection or a new one.

        A kept one may have been closed by the server in the very moment: then the request is sent again,
        if it does no harm to send it twice.
        """
        begun = asyncio.get_running_loop().time()
        key = (url.scheme, url.host, url.port)
        kept = self._kept(key) if repeatable else None
        if kept is not None:
            try:
                return await self._over(kept, request, max_bytes, begun)
            except Stale:
                pass
        connection = await self._connector.connect(url, self._lost)
        connection.key = key
        if connection.is_open:  # some servers hang up before they are asked
            self._open.add(connection)
        if self._watch is None:
            self._look_later()
        return await self._over(connection, request, max_bytes, begun)

    async def _over(self, connection: Connection, request: bytes, max_bytes: int, begun: float) -> Answer:
        try:
            answer = await connection.ask(request, max_bytes, begun)
        except BaseException:
            connection.drop()  # who was cancelled must not leave half an answer to the next
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

    def _look_later(self) -> None:
        self._watch = asyncio.get_running_loop().call_later(self._tick, self._look)

    def _look(self) -> None:
        """Gives up exchanges that take too long, and closes connections that nobody used for long."""
        now = asyncio.get_running_loop().time()
        for connection in list(self._open):
            connection.check(now, self._settings)
        for waiting in list(self._idle.values()):
            for connection in list(waiting):
                if now - connection.idle_since > KEEP_ALIVE_SECONDS:
                    connection.drop()
        self._watch = None
        if self._open:
            self._look_later()

    async def close(self) -> None:
        """Closes all connections."""
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        for connection in list(self._open):
            connection.drop()
        self._idle.clear()
        for _ in range(FAREWELL):
            if not self._open:
                break
            await asyncio.sleep(0)
