"""Which addresses does a name have, by whoever may know it: the hosts file, name servers, the system?"""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gossamer.model import BadSetting

if TYPE_CHECKING:
    from aiodns import DNSResolver
    from pycares import DNSRecord, DNSResult

HOSTS_FILE = Path("/etc/hosts")
LOOPBACK = ("127.0.0.1", "::1")
TRIES = 2  # times a name server is asked before it counts as silent
GRACE = 0.2  # seconds that the second kind of address may come later: some servers never answer for IPv6
SYSTEM_THREADS = 8  # look-ups by the system at a time: each may hold its thread for half a minute

_SERVER = re.compile(r"(?:\[([^\]]+)\]|([^\[\]:]+))(?::(\d{1,5}))?")


@dataclass(frozen=True, slots=True)
class NameAnswer:
    """The addresses of a name, IPv4 first, and for how many seconds they hold by the name's own server."""

    addresses: tuple[str, ...]
    ttl: float = 0.0


class NameService(Protocol):
    """Whoever can be asked for a name."""

    async def ask(self, host: str) -> NameAnswer:
        """What is known about a name; no addresses when nothing is. OSError when nobody could be asked."""

    async def close(self) -> None:
        """Lets go of sockets and threads."""


class SystemNames:
    """The hosts file, then name servers by aiodns, then the system's own look-up, which may know more.

    Nothing here waits longer than `timeout`. The system's look-up cannot be interrupted, so it runs in
    threads of its own that nobody waits for, and few of them.
    """

    def __init__(self, servers: Sequence[str] = (), timeout: float = 5.0, hosts: Path = HOSTS_FILE) -> None:
        self._servers = [_checked(server) for server in servers]
        self._timeout = timeout
        self._listed = read_hosts(hosts)
        self._threads = asyncio.Semaphore(SYSTEM_THREADS)
        self._resolver: DNSResolver | None = None
        self._tried = False

    async def ask(self, host: str) -> NameAnswer:
        listed = self._listed.get(host) or (LOOPBACK if is_local_name(host) else None)
        if listed:
            return NameAnswer(_ordered(listed))
        # c-ares never sees what no name can be, and the system says UnicodeError, not OSError, of it.
        if not _can_be_a_name(host):
            return NameAnswer(())
        try:
            async with asyncio.timeout(self._timeout):
                answer = await self._by_servers(host)
                return answer if answer.addresses else NameAnswer(_ordered(await self._by_system(host)))
        except TimeoutError as error:
            raise OSError(f"no name server answered for {host}") from error

    async def _by_servers(self, host: str) -> NameAnswer:
        """Asks for IPv4 and IPv6 at once; the addresses hold as long as the shortest of their records."""
        resolver = self._opened()
        if resolver is None:
            return NameAnswer(())
        questions = [resolver.query_dns(host, kind) for kind in ("A", "AAAA")]
        try:
            await asyncio.wait(questions, return_when=asyncio.FIRST_COMPLETED)
            is_enough = any(_records(question) for question in questions)
            await asyncio.wait(questions, timeout=GRACE if is_enough else None)
            records = [record for question in questions for record in _records(question)]
        finally:
            for question in questions:
                question.cancel()
        addresses = [record.data.addr for record in records if hasattr(record.data, "addr")]
        return NameAnswer(_ordered(addresses), min((record.ttl for record in records), default=0))

    def _opened(self) -> DNSResolver | None:
        if not self._tried:
            from aiodns import DNSResolver
            from pycares import AresError

            self._tried = True
            with suppress(
                RuntimeError, OSError, AresError
            ):  # this event loop or the machine's settings do not suit it
                seconds = self._timeout / TRIES
                self._resolver = DNSResolver(self._servers or None, timeout=seconds, tries=TRIES)
        return self._resolver

    async def _by_system(self, host: str) -> list[str]:
        await self._threads.acquire()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str]] = loop.create_future()

        def arrived(addresses: list[str]) -> None:
            self._threads.release()
            if not answer.done():
                answer.set_result(addresses)

        def look_up() -> None:
            addresses = _system_addresses(host)
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(arrived, addresses)

        try:
            threading.Thread(target=look_up, name=f"look-up {host}", daemon=True).start()
        except RuntimeError:  # the system gives no more threads
            arrived([])
        return await answer

    async def close(self) -> None:
        if self._resolver is not None:
            await self._resolver.close()
            self._resolver = None


def _records(question: asyncio.Future[DNSResult]) -> list[DNSRecord]:
    """The records of a question that was answered well."""
    if not question.done() or question.cancelled() or question.exception() is not None:
        return []
    return list(question.result().answer)


def read_hosts(path: Path) -> Mapping[str, tuple[str, ...]]:
    """The addresses of each name in a hosts file; nothing when there is none."""
    found: dict[str, tuple[str, ...]] = {}
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return found
    for line in lines:
        address, *names = line.partition("#")[0].split() or [""]
        if names and _is_address(address):
            for name in names:
                found[name.lower()] = (*found.get(name.lower(), ()), address)
    return found


def is_local_name(host: str) -> bool:
    """Whether the name means this machine for everybody (RFC 6761, section 6.3)."""
    return host == "localhost" or host.endswith(".localhost")


def _can_be_a_name(host: str) -> bool:
    labels = host.removesuffix(".").split(".")
    return host.isascii() and len(host) <= 254 and all(0 < len(label) < 64 for label in labels)


def _system_addresses(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [str(one[4][0]) for one in found]


def _ordered(addresses: Sequence[str]) -> tuple[str, ...]:
    """Each address once, IPv4 first: more machines have it, and one without it learns so at once."""
    valid = dict.fromkeys(address for address in addresses if _is_address(address))
    return tuple(sorted(valid, key=lambda address: ":" in address))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _checked(server: str) -> str:
    """The server, if it is ADDRESS or ADDRESS:PORT; an IPv6 address with a port stands in brackets."""
    written = _SERVER.fullmatch(server)
    address = (written[1] or written[2]) if written else server
    port = int(written[3] or 53) if written else 53
    if not _is_address(address) or not 0 < port < 65_536:
        raise BadSetting(f"cannot read the name server {server!r}: it is written ADDRESS or ADDRESS:PORT")
    return server
