"""Where does a connection lead, and may it lead there?

Names are looked up by the resolver here: the owner's overrides first, then the name service. Whether the
address may be asked is decided at the socket, the one place that every connection passes: a name whose
address changes between check and use, and an IP literal that no resolver sees, both end there.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address
from typing import Any
from weakref import WeakSet

from aiohttp import AsyncResolver, ThreadedResolver
from aiohttp.abc import AbstractResolver, ResolveResult

from gossamer.web.address import is_public
from gossamer.web.resolve import HostOverride


class PrivateAddress(OSError):
    """A connection was about to go where nobody should be led by a stranger's link.

    The text is always the same: when a name has several addresses, the connector raises the error itself
    only if all say the same, and otherwise a new one that no longer tells what it was.
    """

    def __init__(self) -> None:
        super().__init__("the address is not public")


class Sockets:
    """Opens sockets, and knows how many are open: the kept connections of a library do not tell."""

    def __init__(self) -> None:
        self._open: WeakSet[socket.socket] = WeakSet()

    def __len__(self) -> int:
        return len(self._open)

    def guarded(self, addr_info: tuple[Any, ...]) -> socket.socket:
        """A socket for the address, or `PrivateAddress`."""
        if not is_public(addr_info[4][0]):
            raise PrivateAddress
        return self.open(addr_info)

    def open(self, addr_info: tuple[Any, ...]) -> socket.socket:
        """A socket for any address."""
        family, kind, protocol, _, _ = addr_info
        opened = _Socket(family, kind, protocol)
        opened.others = self._open
        self._open.add(opened)
        return opened


class _Socket(socket.socket):
    """Says when it is closed."""

    others: WeakSet[socket.socket]

    def close(self) -> None:
        super().close()
        self.others.discard(self)


class Resolver(AbstractResolver):
    """Overrides, then aiodns, then the system's own look-up, which knows names that aiodns does not."""

    def __init__(self, overrides: Sequence[HostOverride]) -> None:
        self._overrides = overrides
        self._system = ThreadedResolver()
        self._fast = _async_resolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses of a name; OSError when it has none."""
        override = override_for(host, self._overrides)
        if override is not None:
            return [_overridden(override, host, port)]
        if self._fast is not None:
            try:
                return await self._fast.resolve(host, port, family)
            except OSError:
                pass
        return await self._system.resolve(host, port, family)

    async def close(self) -> None:
        """Lets go of the name service."""
        if self._fast is not None:
            await self._fast.close()


def override_for(host: str, overrides: Sequence[HostOverride]) -> HostOverride | None:
    """The first override that means this host."""
    return next((override for override in overrides if override.matches(host)), None)


def _async_resolver() -> AsyncResolver | None:
    try:
        return AsyncResolver()
    except (RuntimeError, OSError):
        # aiodns is not there, or cannot use this event loop or the machine's name service settings.
        return None


def _overridden(override: HostOverride, host: str, port: int) -> ResolveResult:
    is_v6 = isinstance(ip_address(override.address), IPv6Address)
    return ResolveResult(
        hostname=host,
        host=override.address,
        port=override.port or port,
        family=socket.AF_INET6 if is_v6 else socket.AF_INET,
        proto=0,
        flags=socket.AI_NUMERICHOST,
    )
