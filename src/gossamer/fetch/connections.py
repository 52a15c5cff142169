"""Where does a connection lead, and may it lead there?

Whether an address may be asked is decided here, with the address in hand that is connected to next: a name
whose address changes between check and use, and an IP literal that no look-up sees, both end here.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from functools import cached_property

from gossamer.fetch.dns import Names
from gossamer.fetch.exchange import Connection
from gossamer.fetch.receiving import Receiving
from gossamer.fetch.settings import FetchSettings
from gossamer.fetch.trouble import Trouble, brief
from gossamer.model import Failure, Url
from gossamer.web.address import is_public

MOST_TRIED = 4  # addresses of a name


class Connector:
    """Opens connections, to public addresses only unless the owner says otherwise."""

    def __init__(self, settings: FetchSettings, names: Names) -> None:
        self._settings = settings
        self._names = names
        self._receiving = Receiving(settings.max_bytes)

    async def connect(self, url: Url, on_lost: Callable[[Connection], None]) -> Connection:
        """A new connection to the host of the URL; `Trouble` or OSError when there is none."""
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                return await self._first_of(await self._addresses(url), url, on_lost)
        except TimeoutError as error:
            why = f"took too long (no connection in {self._settings.connect_timeout:g} s)"
            raise Trouble(Failure.TIMEOUT, why) from error

    async def _addresses(self, url: Url) -> tuple[str, ...]:
        """The addresses that may be asked."""
        found = await self._names.addresses(url.host)
        if not found:
            raise Trouble(Failure.DNS, "is a name that nobody knows")
        if self._settings.allow_private or self._names.override_for(url.host) is not None:
            return found
        public = tuple(address for address in found if is_public(address))
        if not public:
            raise Trouble(Failure.PRIVATE_ADDRESS, "leads to an address that is not public")
        return public

    async def _first_of(
        self, addresses: tuple[str, ...], url: Url, on_lost: Callable[[Connection], None]
    ) -> Connection:
        """The addresses in turn, each with its share of the time that is left."""
        tried = addresses[:MOST_TRIED]
        deadline = asyncio.get_running_loop().time() + self._settings.connect_timeout
        for place, address in enumerate(tried[:-1]):
            left = deadline - asyncio.get_running_loop().time()
            try:
                async with asyncio.timeout(left / (len(tried) - place)):
                    return await self._open(address, url, on_lost)
            except ssl.SSLError:
                raise  # somebody answered, and it is not a matter of the address
            except OSError:  # a TimeoutError is one too
                continue
        return await self._open(tried[-1], url, on_lost)

    async def _open(self, address: str, url: Url, on_lost: Callable[[Connection], None]) -> Connection:
        override = self._names.override_for(url.host)
        port = override.port if override is not None and override.port else url.port
        is_secure = url.scheme == "https"
        if is_secure:
            _check_name(url.host)
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: Connection(on_lost, self._receiving),
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
    """`Trouble` for a name that TLS cannot say; it would be found too late to close the socket."""
    try:
        host.encode("idna")
    except UnicodeError as error:
        raise Trouble(Failure.TLS, f"is no name for a secure connection ({brief(error)})") from error
