"""DNS cache and resolvers.

Addresses are cached for the TTL of their DNS records, within the limits in the settings, and failed lookups
for a shorter time. Concurrent requests for a name share one lookup. Names that will be needed soon are looked
up in advance. The owner's overrides come first.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gossamer.crawl.fetch.exchange import is_starved
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.model import BadSetting
from gossamer.web.host import HostOverride, address_and_port, is_address, is_ip_literal

if TYPE_CHECKING:
    from aiodns import DNSResolver
    from pycares import DNSRecord, DNSResult


# Resolvers: hosts file, name servers, system
# -------------------------------------------

HOSTS_FILE = Path("/etc/hosts")
LOOPBACK = ("127.0.0.1", "::1")
TRIES = 2  # queries to a name server before it counts as silent
GRACE = 0.2  # seconds to wait for the second kind of address; some servers never answer for IPv6
SYSTEM_THREADS = 8  # lookups by the system at a time; each may take half a minute


@dataclass(frozen=True, slots=True)
class NameAnswer:
    """The addresses of a name, IPv4 first."""

    addresses: tuple[str, ...]
    ttl: float = 0.0  # seconds


class SystemNames:
    """Resolves names by the hosts file, then by name servers (aiodns), then by the system's resolver.

    The system's resolver may know further names. Nothing here waits longer than `timeout`. A lookup by the
    system cannot be interrupted, so it runs in one of a few daemon threads.
    """

    def __init__(self, servers: Sequence[str] = (), timeout: float = 5.0, hosts: Path = HOSTS_FILE) -> None:
        self._servers = [checked_server(server) for server in servers]
        self._timeout = timeout
        self._listed = read_hosts(hosts)
        self._threads = asyncio.Semaphore(SYSTEM_THREADS)
        self._resolver: DNSResolver | None = None
        self._tried = False

    async def ask(self, host: str) -> NameAnswer:
        """Resolve a name; no addresses if it does not exist. Raise OSError if no name server answered."""
        listed = self._listed.get(host) or (LOOPBACK if is_local_name(host) else None)
        if listed:
            return NameAnswer(_ordered(listed))
        # c-ares must not get invalid names, and the system's resolver raises UnicodeError for them.
        if not _can_be_a_name(host):
            return NameAnswer(())
        try:
            async with asyncio.timeout(self._timeout):
                answer = await self._by_servers(host)
                return answer if answer.addresses else NameAnswer(_ordered(await self._by_system(host)))
        except TimeoutError as error:
            raise OSError(f"no name server answered for {host}") from error

    async def _by_servers(self, host: str) -> NameAnswer:
        """Query IPv4 and IPv6 addresses at once; the TTL is the shortest of their records."""
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
            # It does not work with every event loop and every system configuration.
            with suppress(RuntimeError, OSError, AresError):
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
            with suppress(RuntimeError):  # the event loop has ended meanwhile
                loop.call_soon_threadsafe(arrived, addresses)

        try:
            threading.Thread(target=look_up, name=f"look-up {host}", daemon=True).start()
        except RuntimeError:  # no more threads can be started
            arrived([])
        return await answer

    async def close(self) -> None:
        """Close the sockets."""
        if self._resolver is not None:
            await self._resolver.close()
            self._resolver = None


def _records(question: asyncio.Future[DNSResult]) -> list[DNSRecord]:
    """Return the records of a query; none if it failed or is not done."""
    if not question.done() or question.cancelled() or question.exception() is not None:
        return []
    return list(question.result().answer)


def read_hosts(path: Path) -> Mapping[str, tuple[str, ...]]:
    """Read the addresses of each name in a hosts file; nothing if there is no file."""
    found: dict[str, tuple[str, ...]] = {}
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return found
    for line in lines:
        address, *names = line.partition("#")[0].split() or [""]
        if names and is_address(address):
            for name in names:
                found[name.lower()] = (*found.get(name.lower(), ()), address)
    return found


def is_local_name(host: str) -> bool:
    """Return whether the name always means the local machine (RFC 6761, section 6.3)."""
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
    """Return each address once, IPv4 first: most machines have it, and without it an attempt fails fast."""
    valid = dict.fromkeys(filter(is_address, addresses))
    return tuple(sorted(valid, key=lambda address: ":" in address))


def checked_server(server: str) -> str:
    """Return the server if it is ADDRESS or ADDRESS:PORT; an IPv6 address with a port is in brackets."""
    if not is_address(server) and address_and_port(server) is None:
        raise BadSetting(f"cannot read the name server {server!r}: write ADDRESS or ADDRESS:PORT")
    return server


MOST_KEPT = 100_000  # names; about 35 MB
MOST_AHEAD = 10_000  # names that wait for a lookup in advance; further names are looked up when needed
AHEAD_AT_ONCE = 32  # lookups in advance at a time


class CachedName(NamedTuple):
    """A cache entry. It has no addresses if the lookup failed."""

    addresses: tuple[str, ...]
    until: float  # expiry, on the clock of the cache


class DnsCache:
    """A cache of the addresses of hosts."""

    def __init__(
        self,
        settings: FetchSettings,
        overrides: Sequence[HostOverride] = (),
        service: SystemNames | None = None,
        clock: Callable[[], float] = time.monotonic,
        most_kept: int = MOST_KEPT,
    ) -> None:
        self._settings = settings
        self._overrides = overrides
        self._service = service or SystemNames(settings.name_servers, settings.dns_timeout)
        self._clock = clock
        self._most_kept = most_kept
        self._known: OrderedDict[str, CachedName] = OrderedDict()  # in the order of use
        self._under_way: dict[str, asyncio.Task[tuple[str, ...]]] = {}
        self._ahead: OrderedDict[str, None] = OrderedDict()
        self._workers: set[asyncio.Task[None]] = set()

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Return the addresses of a host, IPv4 first; none if the lookup failed."""
        fixed = self._fixed(host)
        if fixed is not None:
            return (fixed,)
        known = self._known.get(host)
        if known is not None:
            self._known.move_to_end(host)
            if known.until > self._clock():
                return known.addresses
        # The cancellation of one waiting task must not cancel the lookup, because others wait for it too.
        return await asyncio.shield(self._look_up(host))

    def address_of(self, host: str) -> str | None:
        """Return the last known address of a host, without a lookup; None if there is none."""
        fixed = self._fixed(host)
        if fixed is not None:
            return fixed
        known = self._known.get(host)
        return known.addresses[0] if known is not None and known.addresses else None

    def prefetch(self, hosts: Iterable[str]) -> None:
        """Look up names in the background. Return at once and never raise."""
        now = self._clock()
        for host in hosts:
            known = self._known.get(host)
            is_fresh = known is not None and known.until > now
            if is_fresh or host in self._under_way or self._fixed(host) is not None:
                continue
            if len(self._ahead) < MOST_AHEAD:
                self._ahead[host] = None
        while len(self._workers) < min(AHEAD_AT_ONCE, len(self._ahead)):
            worker = asyncio.get_running_loop().create_task(self._look_up_in_advance())
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)

    async def close(self) -> None:
        """Cancel all lookups and close the resolver."""
        self._ahead.clear()
        running = [*self._workers, *self._under_way.values()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._service.close()

    def override_for(self, host: str) -> HostOverride | None:
        """Return the first override that matches a host, or None."""
        return next((override for override in self._overrides if override.matches(host)), None)

    def _fixed(self, host: str) -> str | None:
        """Return the address of a host that needs no lookup: an IP literal or an override; None otherwise."""
        if is_ip_literal(host):
            return host.strip("[]")
        override = self.override_for(host) if self._overrides else None
        return override.address if override else None

    async def _look_up_in_advance(self) -> None:
        while self._ahead:
            host, _ = self._ahead.popitem(last=False)
            if host not in self._known or self._known[host].until <= self._clock():
                await asyncio.shield(self._look_up(host))

    def _look_up(self, host: str) -> asyncio.Task[tuple[str, ...]]:
        task = self._under_way.get(host)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._resolve(host))
            self._under_way[host] = task
            task.add_done_callback(lambda _: self._under_way.pop(host, None))
        return task

    async def _resolve(self, host: str) -> tuple[str, ...]:
        settings, failure = self._settings, OSError()
        try:
            answer = await self._service.ask(host)
        except OSError as error:
            answer, failure = NameAnswer(()), error
        if answer.addresses:
            ttl = max(settings.dns_least_ttl, min(answer.ttl, settings.dns_most_ttl))
            self._keep(host, answer.addresses, ttl)
        elif not is_starved(failure):  # a lack of file descriptors says nothing about the name
            self._keep(host, (), settings.dns_negative_ttl)
        return answer.addresses

    def _keep(self, host: str, addresses: tuple[str, ...], seconds: float) -> None:
        self._known.pop(host, None)
        if len(self._known) >= self._most_kept:
            self._known.popitem(last=False)
        self._known[host] = CachedName(addresses, self._clock() + seconds)
