"""Serves an engine until Ctrl-C."""

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Callable
from dataclasses import replace

import uvicorn

from gossamer.engine.serve_settings import ServeSettings
from gossamer.model import GossamerError
from gossamer.serve.app import create_app
from gossamer.serve.owner.owned import Owned
from gossamer.serve.protocol import Bounded
from gossamer.serve.searchable import Searchable

PATIENCE = 5  # seconds that a request in flight gets after Ctrl-C
LARGEST_PORT = 65_535
_ANY_ADDRESS = frozenset({"", "0.0.0.0", "::"})

OnReady = Callable[[str], None]


def run(
    engine: Searchable,
    host: str,
    port: int,
    on_ready: OnReady | None = None,
    settings: ServeSettings | None = None,
    owned: Owned | None = None,
) -> None:
    """Serves the page and the API; tells `on_ready` the address; port 0 means any that is free.

    With `owned` there are the owner's pages too, where the settings want them.
    """
    with bind(host, port) as listener:
        config = uvicorn.Config(
            create_app(engine, _answering(settings or ServeSettings(), host), owned),
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # the application itself asks those that are trusted
            lifespan="off",
            ws="none",
            http=Bounded,
            timeout_graceful_shutdown=PATIENCE,
        )
        address = _address(host, listener.getsockname()[1])
        # uvicorn raises the signal again once it has shut down.
        with contextlib.suppress(KeyboardInterrupt):
            _Announcing(config, address, on_ready).run(sockets=[listener])


def _answering(settings: ServeSettings, host: str) -> ServeSettings:
    """The settings where the server may also be asked by what it listens on."""
    bound = host.partition("%")[0]  # without the interface of a link-local address
    return replace(settings, hosts=[*settings.hosts, bound]) if bound else settings


class _Announcing(uvicorn.Server):
    """A server that says when it can be asked."""

    def __init__(self, config: uvicorn.Config, address: str, on_ready: OnReady | None) -> None:
        super().__init__(config)
        self._address = address
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._on_ready is not None:
            self._on_ready(self._address)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket, before anything else starts: a port in use is one line, not a traceback."""
    if not 0 <= port <= LARGEST_PORT:
        raise GossamerError(f"there is no port {port}; choose one from 0 to {LARGEST_PORT} with --port")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise GossamerError(_why(host, port, error)) from error


def _why(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; choose another with --port"
    if error.errno == errno.EACCES:
        return f"port {port} on {host} needs more rights; choose one above 1023 with --port"
    return f"cannot listen on {host}: {error.strerror or error}; choose another address with --host"


def _address(host: str, port: int) -> str:
    shown = "localhost" if host in _ANY_ADDRESS else host
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"
