"""Transport interface; fetchers of other schemes (plug-ins)."""

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
    """Somebody who can be asked for pages."""

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Asks once, without following redirects. Failures of the outside world are values in the result.

        The body is decoded and has at most `max_bytes`, and much less when nobody could read it as text;
        `truncated` says that there was more.
        """


class Transport(Client, Protocol):
    """The real web, or one in memory."""

    async def post(
        self, url: Url, headers: Mapping[str, str], form: Mapping[str, str], max_bytes: int
    ) -> FetchResult:
        """Sends a form that was filled in, once and only once; what comes back is as for `get`."""

    def prefetch(self, hosts: Iterable[str]) -> None:
        """Hosts that will be asked soon: whatever can be prepared is, without waiting and without errors."""

    async def look_up(self, host: str) -> None:
        """Waits until the address of a host is known, or that it has none."""

    def address_of(self, host: str) -> str | None:
        """The address at which a host was last found, without waiting; None when it is not known."""

    def has_robots(self, scheme: str) -> bool:
        """Whether hosts that are asked by this scheme have a robots.txt."""

    async def close(self) -> None:
        """Lets go of connections. Nothing may be asked afterwards."""


# Fetchers of other schemes (entry points)
# ----------------------------------------
#
# A distribution offers one by an entry point of the group `gossamer.fetchers`, named for the scheme,
# that leads to something which makes a `Transport` of `FetchSettings`. In its pyproject.toml:
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
# An answer becomes a `FetchResult` with the status that HTTP would have given it. Limits of time and
# size, and the refusal of private addresses (`gossamer.web.host.is_public`), are the fetcher's own
# to keep. Hosts are asked for a robots.txt only if the class says `has_robots = True`.


class SchemeFetcher(Client, Protocol):
    """What a fetcher of another scheme must be able to do."""

    async def close(self) -> None:
        """As `Transport.close`."""


@dataclass(frozen=True, slots=True)
class SchemePlugin:
    """A fetcher that a distribution offers for a scheme."""

    scheme: str
    distribution: str
    make: Callable[[FetchSettings], SchemeFetcher]

    @property
    def has_robots(self) -> bool:
        """Whether the hosts of the scheme have a robots.txt."""
        return bool(getattr(self.make, "has_robots", False))


def offers() -> dict[str, SchemePlugin]:
    """The fetchers that are installed, by scheme; `GossamerError` naming the distribution when one is bad."""
    found: dict[str, SchemePlugin] = {}
    for point in entry_points(group=GROUP):
        offer = _loaded(point)
        if offer.scheme in OWN or offer.scheme in found:
            other = found[offer.scheme].distribution if offer.scheme in found else "Gossamer"
            raise GossamerError(
                f"{offer.distribution} offers a fetcher for {offer.scheme}, and so does {other}; remove one"
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
    """The real web: HTTP, and whatever other schemes are installed."""
    found = offers()
    http = HttpTransport(settings)
    return SchemeTransport(http, found, settings) if found else http


class SchemeTransport:
    """A `Transport` that leaves other schemes to their fetchers, each made when it is first needed."""

    def __init__(self, http: Transport, offers: Mapping[str, SchemePlugin], settings: FetchSettings) -> None:
        self._http = http
        self._offers = offers
        self._settings = settings
        self._made: dict[str, SchemeFetcher] = {}

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Asks whoever knows the scheme; a fetcher that breaks costs its page and no more."""
        offer = self._offers.get(url.scheme)
        if offer is None:
            return await self._http.get(url, headers, max_bytes)
        try:
            if offer.scheme not in self._made:
                self._made[offer.scheme] = offer.make(self._settings)
            return await self._made[offer.scheme].get(url, headers, max_bytes)
        except Exception as error:  # of a stranger's code anything must be expected
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
