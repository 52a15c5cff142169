"""Run the server: uvicorn, limits on requests, large memory pages."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from gossamer.config import ServeSettings
from gossamer.model import UsageError
from gossamer.serve.app import create_app
from gossamer.serve.middleware import AUTHORITY
from gossamer.serve.owner_pages.base import OwnerState
from gossamer.serve.searchable import SearchEngine

# Huge memory pages (Linux)
# -------------------------
#
# A search reads a few bytes at many places of hundreds of megabytes. With memory pages of 4 KB, the
# processor must look up most of these places in page tables in memory, twice on a virtual machine.
# With pages of 2 MB, the table entries fit into its cache. Linux provides large pages on request:
# https://docs.kernel.org/admin-guide/mm/transhuge.html. Mapped files keep small pages: reading 2 MB
# for every missing page would slow down an index that is larger than the memory.

LARGE = 1 << 21  # bytes
HUGEPAGE, COLLAPSE = 14, 25  # advice of madvise(2); COLLAPSE needs Linux 6.1 and takes effect at once
_MAPS = Path("/proc/self/maps")
_ANONYMOUS = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p \S+ \S+ 0 +(?:\[heap\])?", re.ASCII)


def use_large_pages() -> int:
    """Request large pages for all memory that is not mapped from files. Return how many were made at once.

    Where large pages are unavailable, nothing happens, and searches are slower.
    """
    madvise = getattr(ctypes.CDLL(None), "madvise", None) if _MAPS.exists() else None
    if madvise is None:
        return 0
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    made = 0
    for begin, end in _large_ranges(_MAPS.read_text(encoding="ascii")):
        madvise(begin, end - begin, HUGEPAGE)
        # One by one: in a single call, one page that fails would stop the rest.
        made += sum(madvise(page, LARGE, COLLAPSE) == 0 for page in range(begin, end, LARGE))
    return made


def _large_ranges(maps: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of whole large pages in memory that is not mapped from files.

    >>> list(_large_ranges("00100000-00900000 rw-p 00000000 00:00 0 \\n00a00000-01000000 r--p 0 00:00 7 /a"))
    [(2097152, 8388608)]
    """
    for line in maps.splitlines():
        if match := _ANONYMOUS.fullmatch(line):
            begin, end = (int(number, 16) for number in match.groups())
            begin, end = -(-begin // LARGE) * LARGE, end // LARGE * LARGE
            if begin < end:
                yield begin, end


# Limits on request heads
# -----------------------
#
# The parser itself has no such limit, so an endless header would fill the memory. The parser also
# ignores the host of an absolute request target (`GET http://example.org/ HTTP/1.1`). It is
# recorded here for `Hosts` to check.

LARGEST_HEAD = 65_536  # bytes; more than the limits of URL and headers together
_ABSOLUTE = re.compile(rb"[^/?#]*://([^/?#]*)")


class BoundedProtocol(HttpToolsProtocol):
    """Refuse requests with an endless head or endless trailers."""

    _in_head = True
    _unfinished = 0  # bytes received of the current head
    _trailing = 0  # bytes of headers and trailers of the current request

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._unfinished += len(data)
        super().data_received(data)
        if self._in_head and self._unfinished > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The head of this request is too large.")

    def on_message_begin(self) -> None:
        self._in_head, self._trailing = True, 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._trailing += len(name) + len(value)
        if self._trailing > LARGEST_HEAD:
            raise ValueError  # the parser reports an invalid request
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head, self._unfinished = False, 0
        if absolute := _ABSOLUTE.match(self.url):
            self.scope[AUTHORITY] = absolute[1]  # type: ignore[literal-required]
        super().on_headers_complete()

    def _unsupported_upgrade_warning(self) -> None:
        """Do not log requests for an upgrade to another protocol; answer them as plain requests.

        Uvicorn's warning would recommend installing a library, and any visitor could fill the log with it.
        """


PATIENCE = 5  # seconds that requests in flight get after Ctrl-C
LARGEST_PORT = 65_535
_ANY_ADDRESS = frozenset({"", "0.0.0.0", "::"})
OnReady = Callable[[str], None]


def run(
    engine: SearchEngine,
    host: str,
    port: int,
    on_ready: OnReady | None = None,
    settings: ServeSettings | None = None,
    owned: OwnerState | None = None,
) -> None:
    """Serve the pages and the API until the process is stopped.

    `on_ready` is called with the address of the server. Port 0 means any free port. With `owned`, the
    owner's pages are served too, if the settings allow them.
    """
    with bind(host, port) as listener:
        config = uvicorn.Config(
            create_app(engine, _with_own_address(settings or ServeSettings(), host), owned),
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # the application itself handles trusted proxies
            lifespan="off",
            ws="none",
            http=BoundedProtocol,
            timeout_graceful_shutdown=PATIENCE,
        )
        address = _address(host, listener.getsockname()[1])
        # uvicorn raises the signal again once it has shut down.
        with contextlib.suppress(KeyboardInterrupt):
            _Server(config, address, on_ready).run(sockets=[listener])


def _with_own_address(settings: ServeSettings, host: str) -> ServeSettings:
    """Add the address that the server listens on to the accepted hosts."""
    bound = host.partition("%")[0]  # without the interface of a link-local address
    return replace(settings, hosts=[*settings.hosts, bound]) if bound else settings


class _Server(uvicorn.Server):
    """A server that calls `on_ready` once it accepts requests."""

    def __init__(self, config: uvicorn.Config, address: str, on_ready: OnReady | None) -> None:
        super().__init__(config)
        self._address = address
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._on_ready is not None:
            self._on_ready(self._address)


def bind(host: str, port: int) -> socket.socket:
    """Open the listening socket first, so that a port in use is a one-line error, not a traceback."""
    if not 0 <= port <= LARGEST_PORT:
        raise UsageError(f"there is no port {port}; choose one from 0 to {LARGEST_PORT} with --port")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(_why(host, port, error)) from error


def _why(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; choose another port with --port"
    if error.errno == errno.EACCES:
        return f"port {port} on {host} needs more privileges; choose a port above 1023 with --port"
    return f"cannot listen on {host}: {error.strerror or error}; choose another address with --host"


def _address(host: str, port: int) -> str:
    shown = "localhost" if host in _ANY_ADDRESS else host
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"
