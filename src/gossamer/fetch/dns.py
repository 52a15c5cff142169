"""Where does a name lead, without asking for it again and again?

Answers are kept for as long as the name's own server says, within the owner's bounds; so are failures, for a
shorter time. A look-up that is under way is shared by all who want it, and names that will be wanted soon
are looked up ahead. The owner's overrides come before everything.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from gossamer.fetch.descriptors import is_starved
from gossamer.fetch.nameservice import NameService, SystemNames
from gossamer.fetch.settings import FetchSettings
from gossamer.web.host import is_ip_literal
from gossamer.web.resolve import HostOverride

MOST_KEPT = 100_000  # names; some 35 MB
MOST_AHEAD = 10_000  # names that wait to be looked up ahead; who comes later is looked up when asked
AHEAD_AT_ONCE = 32  # look-ups ahead at a time


class Known(NamedTuple):
    """What is kept about a name. No addresses: it could not be looked up."""

    addresses: tuple[str, ...]
    until: float  # on the clock


class Names:
    """The addresses of hosts, cached."""

    def __init__(
        self,
        settings: FetchSettings,
        overrides: Sequence[HostOverride] = (),
        service: NameService | None = None,
        clock: Callable[[], float] = time.monotonic,
        most_kept: int = MOST_KEPT,
    ) -> None:
        self._settings = settings
        self._overrides = overrides
        self._service = service or SystemNames(settings.name_servers, settings.dns_timeout)
        self._clock = clock
        self._most_kept = most_kept
        self._known: OrderedDict[str, Known] = OrderedDict()  # in the order of use
        self._under_way: dict[str, asyncio.Task[tuple[str, ...]]] = {}
        self._ahead: OrderedDict[str, None] = OrderedDict()
        self._workers: set[asyncio.Task[None]] = set()

    async def addresses(self, host: str) -> tuple[str, ...]:
        """The addresses of a host, IPv4 first; none when it has none or nobody could tell."""
        fixed = self._fixed(host)
        if fixed is not None:
            return (fixed,)
        known = self._known.get(host)
        if known is not None:
            self._known.move_to_end(host)
            if known.until > self._clock():
                return known.addresses
        # Whoever stops waiting must not stop the look-up: others wait for it too.
        return await asyncio.shield(self._look_up(host))

    def address_of(self, host: str) -> str | None:
        """The address that the host was last seen at, without waiting; None when none is known."""
        fixed = self._fixed(host)
        if fixed is not None:
            return fixed
        known = self._known.get(host)
        return known.addresses[0] if known is not None and known.addresses else None

    def prefetch(self, hosts: Iterable[str]) -> None:
        """Begins to look names up that will be wanted soon. Returns at once and never raises."""
        now = self._clock()
        for host in hosts:
            known = self._known.get(host)
            is_fresh = known is not None and known.until > now
            if is_fresh or host in self._under_way or self._fixed(host) is not None:
                continue
            if len(self._ahead) < MOST_AHEAD:
                self._ahead[host] = None
        while len(self._workers) < min(AHEAD_AT_ONCE, len(self._ahead)):
            worker = asyncio.get_running_loop().create_task(self._look_ahead())
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)

    async def close(self) -> None:
        """Ends what is under way and lets go of the name service."""
        self._ahead.clear()
        running = [*self._workers, *self._under_way.values()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._service.close()

    def override_for(self, host: str) -> HostOverride | None:
        """The first override that means this host."""
        return next((override for override in self._overrides if override.matches(host)), None)

    def _fixed(self, host: str) -> str | None:
        """The address of a host that nobody need be asked for: a literal, or one that the owner gave."""
        if is_ip_literal(host):
            return host.strip("[]")
        override = self.override_for(host) if self._overrides else None
        return override.address if override else None

    async def _look_ahead(self) -> None:
        while self._ahead:
            host, _ = self._ahead.popitem(last=False)
            if host not in self._known or self._known[host].until <= self._clock():
                await asyncio.shield(self._look_up(host))

    def _look_up(self, host: str) -> asyncio.Task[tuple[str, ...]]:
        task = self._under_way.get(host)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._asked(host))
            self._under_way[host] = task
            task.add_done_callback(lambda _: self._under_way.pop(host, None))
        return task

    async def _asked(self, host: str) -> tuple[str, ...]:
        settings = self._settings
        try:
            answer = await self._service.ask(host)
        except OSError as error:
            if not is_starved(error):  # our own lack says nothing about the name
                self._keep(host, (), settings.dns_unknown_ttl)
            return ()
        if answer.addresses:
            ttl = max(settings.dns_least_ttl, min(answer.ttl, settings.dns_most_ttl))
            self._keep(host, answer.addresses, ttl)
        elif not is_starved(OSError()):
            self._keep(host, (), settings.dns_unknown_ttl)
        return answer.addresses

    def _keep(self, host: str, addresses: tuple[str, ...], seconds: float) -> None:
        self._known.pop(host, None)
        if len(self._known) >= self._most_kept:
            self._known.popitem(last=False)
        self._known[host] = Known(addresses, self._clock() + seconds)
