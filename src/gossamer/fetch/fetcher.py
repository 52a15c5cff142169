"""How is a page asked for, and how a robots.txt?"""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.fetch.session import with_sessions
from gossamer.fetch.settings import FetchSettings
from gossamer.fetch.transport import Transport
from gossamer.model import CrawlRequest, Failure, FetchResult, Url
from gossamer.web.coding import ACCEPT_ENCODING
from gossamer.web.robots import ALLOW_ALL, DISALLOW_ALL, MAX_BYTES, RobotsRules, parse
from gossamer.web.url import canonical

ACCEPT = "text/html, application/xhtml+xml, application/pdf;q=0.9, text/plain;q=0.9, */*;q=0.5"
MAX_ROBOTS_REDIRECTS = 5  # RFC 9309, section 2.3.1.2


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """What a host said about its rules; status and body are enough to bring the rules back."""

    rules: RobotsRules
    status: int  # of the last answer in a chain of redirects; 0 when none came
    body: bytes
    fetched_at: float
    reason: str  # why no rules of the host's own hold; "" when they do
    failure: Failure | None = None  # when no answer came
    detail: str = ""  # a few words for people, when something failed


def rules_from(status: int, body: bytes) -> RobotsRules:
    """The rules that an answer stands for, by RFC 9309, section 2.3.1.

    A success is parsed. An error of the client (4xx), or redirects without end, say that there are no rules:
    all is allowed. An error of the server (5xx), or no answer (0), say that nobody knows: nothing is.
    """
    if 200 <= status < 300:
        return parse(body)
    return ALLOW_ALL if 300 <= status < 500 else DISALLOW_ALL


class Fetcher:
    """Asks for pages and for robots.txt with the same manners."""

    def __init__(self, transport: Transport, settings: FetchSettings) -> None:
        self._transport = with_sessions(transport, settings)
        self._max_bytes = settings.max_bytes
        self._headers = {
            "User-Agent": settings.user_agent,
            "Accept": ACCEPT,
            "Accept-Language": settings.accept_language,
            "Accept-Encoding": ACCEPT_ENCODING,
        }

    async def look_up(self, host: str) -> None:
        """Waits until the address of a host is known, or that it has none."""
        await self._transport.look_up(host)

    def has_robots(self, url: Url) -> bool:
        """Whether the host of a URL has to be asked for its rules."""
        return self._transport.has_robots(url.scheme)

    async def fetch(self, request: CrawlRequest) -> FetchResult:
        """Asks once for the page; only for a change, when the request says what was there before."""
        headers = self._headers
        if request.etag:
            headers = {**headers, "If-None-Match": request.etag}
        if request.last_modified:
            headers = {**headers, "If-Modified-Since": request.last_modified}
        return await self._transport.get(request.url, headers, self._max_bytes)

    async def robots(self, origin_of: Url) -> RobotsAnswer:
        """Asks the origin of a URL for its rules, following redirects, also to other hosts."""
        url = canonical(f"{origin_of.origin}/robots.txt")
        assert url is not None, f"{origin_of.origin} is the origin of a canonical URL"
        result = await self._robots_at(url)
        for _ in range(MAX_ROBOTS_REDIRECTS):
            target = canonical(result.header("location"), result.url) if result.is_redirect else None
            if target is None:
                break
            result = await self._robots_at(target)
        rules = rules_from(result.status, result.body)
        return RobotsAnswer(
            rules,
            result.status,
            result.body,
            result.fetched_at,
            _reason(result),
            result.failure,
            result.detail,
        )

    async def _robots_at(self, url: Url) -> FetchResult:
        return await self._transport.get(url, {**self._headers, "Accept": "text/plain, */*;q=0.5"}, MAX_BYTES)


def _reason(result: FetchResult) -> str:
    if result.failure is not None:
        return f"robots.txt: {result.failure} ({result.detail}), so nothing may be asked"
    if result.is_success:
        return ""
    if result.is_redirect:
        return f"robots.txt redirects without end ({result.url}), so everything may be asked"
    allowed = "everything" if 300 <= result.status < 500 else "nothing"
    return f"robots.txt answered {result.status}, so {allowed} may be asked"
