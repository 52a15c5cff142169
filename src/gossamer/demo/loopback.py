"""How is a scripted web served over real sockets?"""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
from types import TracebackType
from typing import Self

from gossamer.demo.connection import Connection
from gossamer.fetch.scripted import ScriptedWeb

ADDRESS = "127.0.0.1"


class LoopbackServer:
    """Serves every host of a scripted web on one port of this machine, told apart by the Host header.

    It runs in a thread with an event loop of its own, so that the asker's loop cannot hold it up. Use it as a
    context manager, with `with` or `async with`.
    """

    def __init__(self, web: ScriptedWeb, port: int = 0) -> None:
        self.web = web
        self.port = port  # 0 until the server has started: any free port
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._connections: set[asyncio.BaseTransport] = set()

    def start(self) -> None:
        """Begins to answer; OSError, naming the port, when somebody else listens there."""
        listener = _listener(self.port)
        self.port = listener.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(self._loop, listener, ready), name=f"loopback-{self.port}", daemon=True
        )
        self._thread.start()
        ready.wait()

    def stop(self) -> None:
        """Closes all connections and ends the thread. Stopping twice is no harm."""
        if self._loop is None or self._thread is None:
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop = self._thread = None

    def _run(self, loop: asyncio.AbstractEventLoop, listener: socket.socket, ready: threading.Event) -> None:
        server = loop.run_until_complete(loop.create_server(self._connection, sock=listener, backlog=1_024))
        loop.call_soon(ready.set)
        try:
            loop.run_forever()
        finally:
            server.close()
            for transport in list(self._connections):
                transport.close()
            loop.run_until_complete(asyncio.sleep(0))  # closed transports say so on the next turn
            loop.close()

    def _connection(self) -> Connection:
        return Connection(self.web, self._connections)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)


def _listener(port: int) -> socket.socket:
    try:
        return socket.create_server((ADDRESS, port), backlog=1_024)
    except OSError as error:
        why = "it is in use" if error.errno == errno.EADDRINUSE else str(error)
        raise OSError(error.errno, f"cannot listen on {ADDRESS} port {port}: {why}") from error
