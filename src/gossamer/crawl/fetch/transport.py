"""Transport interface, and plug-ins for other URL schemes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

from gossamer.crawl.fetch.exchange import brief
from gossamer.crawl.fetch.http import HttpTransport
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.model import Failure, FetchResult, GossamerError, Url
from gossamer.web.url import GROUP, OWN


class Client(Protocol):
    """The part of a transport that fetches pages."""

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Fetch a URL once, without following redirects. The result also describes failures.

        The body is decoded and has at most `max_bytes` bytes, much less if its type is not readable as text.
        `truncated` says that there was more.
        """


class Transport(Client, Protocol):
    """Access to the real web, or to a web in memory."""

    async def post(
        self, url: Url, headers: Mapping[str, str], form: Mapping[str, str], max_bytes: int
    ) -> FetchResult:
        """Send a filled-in form exactly once; the result is as for `get`."""

    def prefetch(self, hosts: Iterable[str]) -> None:
        """Prepare for requests to these hosts, without waiting and without errors."""

    async def look_up(self, host: str) -> None:
        """Wait until the address of a host is known, or that it has none."""

    def address_of(self, host: str) -> str | None:
        """Return the last known address of a host, without waiting; None if there is none."""

    def has_robots(self, scheme: str) -> bool:
        """Return whether the hosts of a scheme have a robots.txt."""

    async def close(self) -> None:
        """Close all connections. The transport cannot be used afterwards."""


# Fetchers of other schemes (entry points)
# ----------------------------------------
#
# A distribution offers a fetcher by an entry point of the group `gossamer.fetchers`. The entry point has
# the name of the scheme and refers to a class (or function) that takes the `FetchSettings` and returns a
# `SchemeFetcher`. In its pyproject.toml:
#
#     [project.entry-points."gossamer.fetchers"]
#     gemini = "my_package.gemini:GeminiTransport"
#
# and in `my_package/gemini.py`:
#
#     class GeminiTransport:
#         def __init__(self, settings: FetchSettings) -> None: ...
#         async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult: ...
#         async def close(self) -> None: ...
#
# A response becomes a `FetchResult` with the corresponding HTTP status. The fetcher itself must keep the
# limits of time and size and refuse private addresses (`gossamer.web.host.is_public`). A robots.txt is
# fetched only if the class has `has_robots = True`.


class SchemeFetcher(Client, Protocol):
    """The interface of a fetcher for another scheme."""

    async def close(self) -> None:
        """Close all connections; see `Transport.close`."""


@dataclass(frozen=True, slots=True)
class SchemePlugin:
    """A fetcher for a scheme, and the distribution that offers it."""

    scheme: str
    distribution: str
    make: Callable[[FetchSettings], SchemeFetcher]

    @property
    def has_robots(self) -> bool:
        """Whether the hosts of the scheme have a robots.txt."""
        return bool(getattr(self.make, "has_robots", False))


def offers() -> dict[str, SchemePlugin]:
    """Load the installed fetchers, by scheme; `GossamerError` names the distribution of a bad one."""
    found: dict[str, SchemePlugin] = {}
    for point in entry_points(group=GROUP):
        offer = _loaded(point)
        if offer.scheme in OWN or offer.scheme in found:
            other = found[offer.scheme].distribution if offer.scheme in found else "Gossamer"
            raise GossamerError(
                f"{offer.distribution} and {other} both offer a fetcher for {offer.scheme}; remove one"
            )
        found[offer.scheme] = offer
    return found


def _loaded(point: EntryPoint) -> SchemePlugin:
    distribution = point.dist.name if point.dist else point.value
    try:
        make = point.load()
    except Exception as error:
        raise GossamerError(
            f"the fetcher for {point.name} of {distribution} cannot be loaded ({brief(error)}); "
            f"repair or remove {distribution}"
        ) from error
    return SchemePlugin(point.name.lower(), distribution, make)


def open_transport(settings: FetchSettings) -> Transport:
    """Open the real web: HTTP, and the other schemes with an installed fetcher."""
    found = offers()
    http = HttpTransport(settings)
    return SchemeTransport(http, found, settings) if found else http


class SchemeTransport:
    """A `Transport` that passes other schemes to their fetchers, each made at its first use."""

    def __init__(self, http: Transport, offers: Mapping[str, SchemePlugin], settings: FetchSettings) -> None:
        self._http = http
        self._offers = offers
        self._settings = settings
        self._made: dict[str, SchemeFetcher] = {}

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Fetch with the fetcher of the scheme; an exception in a plug-in becomes a failure of this page."""
        offer = self._offers.get(url.scheme)
        if offer is None:
            return await self._http.get(url, headers, max_bytes)
        try:
            if offer.scheme not in self._made:
                self._made[offer.scheme] = offer.make(self._settings)
            return await self._made[offer.scheme].get(url, headers, max_bytes)
        except Exception as error:  # a plug-in may raise anything
            why = f"the fetcher of {offer.distribution} failed: {type(error).__name__} ({brief(error)})"
            return FetchResult(url, time.time(), failure=Failure.PROTOCOL, detail=why)

    async def post(
        self, url: Url, headers: Mapping[str, str], form: Mapping[str, str], max_bytes: int
    ) -> FetchResult:
        """See `Transport`; only HTTP has forms."""
        return await self._http.post(url, headers, form, max_bytes)

    def prefetch(self, hosts: Iterable[str]) -> None:
        """See `Transport`."""
        self._http.prefetch(filter(None, hosts))

    async def look_up(self, host: str) -> None:
        """See `Transport`."""
        await self._http.look_up(host)

    def address_of(self, host: str) -> str | None:
        """See `Transport`."""
        return self._http.address_of(host)

    def has_robots(self, scheme: str) -> bool:
        """See `Transport`."""
        offer = self._offers.get(scheme)
        return self._http.has_robots(scheme) if offer is None else offer.has_robots

    async def close(self) -> None:
        """See `Transport`."""
        await self._http.close()
        for fetcher in self._made.values():
            await fetcher.close()
