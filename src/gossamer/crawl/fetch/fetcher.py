"""Fetch pages and robots.txt files with common headers and limits."""

from __future__ import annotations

from gossamer.crawl.fetch.robots_cache import RobotsCache
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.crawl.fetch.transport import Client, Transport
from gossamer.model import CrawlRequest, FetchResult
from gossamer.web.content_coding import ACCEPT_ENCODING
from gossamer.web.robots import product_token

ACCEPT = "text/html, application/xhtml+xml, application/pdf;q=0.9, text/plain;q=0.9, */*;q=0.5"


class Fetcher:
    """Fetches pages and robots.txt files with the same headers and limits.

    `delay` is the number of seconds between two requests for robots.txt to one host. The frontier controls
    the delay between pages.
    """

    def __init__(self, transport: Transport, settings: FetchSettings, delay: float) -> None:
        self._transport = transport
        self._client: Client = transport
        if settings.logins or settings.cookies:
            from gossamer.crawl.fetch.site_logins import SessionTransport

            self._client = SessionTransport(transport, settings)
        self._max_bytes = settings.max_bytes
        self._headers = {
            "User-Agent": settings.user_agent,
            "Accept": ACCEPT,
            "Accept-Language": settings.accept_language,
            "Accept-Encoding": ACCEPT_ENCODING,
        }
        self.looking_up = 0  # visits that wait for a DNS lookup
        self.robots = RobotsCache(
            self._client, transport.has_robots, self._headers, product_token(settings.user_agent), delay
        )

    async def look_up(self, host: str) -> None:
        """Wait until the address of a host is known, or that it has none.

        Waiting visits are counted, because they do not take a connection.
        """
        self.looking_up += 1
        try:
            await self._transport.look_up(host)
        finally:
            self.looking_up -= 1

    async def fetch(self, request: CrawlRequest) -> FetchResult:
        """Fetch a page once; with a conditional request if an ETag or Last-Modified is known."""
        headers = self._headers
        if request.etag:
            headers = {**headers, "If-None-Match": request.etag}
        if request.last_modified:
            headers = {**headers, "If-Modified-Since": request.last_modified}
        return await self._client.get(request.url, headers, self._max_bytes)
