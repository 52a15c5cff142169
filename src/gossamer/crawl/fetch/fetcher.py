"""Fetch one page with conditional headers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.crawl.fetch.site_logins import with_sessions
from gossamer.crawl.fetch.transport import Transport
from gossamer.model import CrawlRequest, Failure, FetchResult, Url
from gossamer.web.content_coding import ACCEPT_ENCODING
from gossamer.web.robots import ALLOW_ALL, DISALLOW_ALL, MAX_BYTES, RobotsRules, parse, whole_lines
from gossamer.web.url import canonical

# Rate limit of robots.txt redirects
# ----------------------------------
#
# Pauses between pages are the frontier's business. Redirects of robots.txt are followed at once, so
# they need a clock of their own: many hosts may send us to the same one.

LONGEST_WAIT = 60.0  # seconds
MOST_KNOWN = 1_000  # hosts, before those that nobody waits for are forgotten


class _Turn:
    """Whose turn it is at one host."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.free_at = 0.0  # by the clock of the loop


class Turns:
    """One question at a time to a host, and `delay` seconds after each answer."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._turns: dict[str, _Turn] = {}

    @asynccontextmanager
    async def at(self, authority: str) -> AsyncIterator[None]:
        """Waits for a turn, and has it within the block; TimeoutError when it does not come soon."""
        if not self._delay:
            yield
            return
        now = asyncio.get_running_loop().time
        turn = self._turn(authority, now())
        async with asyncio.timeout(LONGEST_WAIT):
            await turn.lock.acquire()
            try:
                await asyncio.sleep(turn.free_at - now())
            except BaseException:
                turn.lock.release()
                raise
        try:
            yield
        finally:
            turn.free_at = now() + self._delay
            turn.lock.release()

    def _turn(self, authority: str, now: float) -> _Turn:
        if len(self._turns) >= MOST_KNOWN and authority not in self._turns:
            kept = {
                host: turn for host, turn in self._turns.items() if turn.lock.locked() or turn.free_at > now
            }
            self._turns = kept
        return self._turns.setdefault(authority, _Turn())


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
    elapsed: float = 0.0  # seconds that the host itself took, without redirects and the pauses before them
    retry_after: str = ""  # the header of that name, of the host itself


def rules_from(status: int, body: bytes) -> RobotsRules:
    """The rules that an answer stands for, by RFC 9309, section 2.3.1.

    A success is parsed. An error of the client (4xx), or redirects without end, say that there are no rules:
    all is allowed. An error of the server (5xx), or no answer (0), say that nobody knows: nothing is.
    """
    if 200 <= status < 300:
        return parse(body)
    return ALLOW_ALL if 300 <= status < 500 else DISALLOW_ALL


class Fetcher:
    """Asks for pages and for robots.txt with the same manners.

    `delay` is that between two questions for robots.txt to one host.
    """

    def __init__(self, transport: Transport, settings: FetchSettings, delay: float = 0.0) -> None:
        self._transport = with_sessions(transport, settings)
        self._turns = Turns(delay)
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
        """Asks the origin of a URL for its rules, following redirects, also to other hosts.

        Each of the hosts is asked when it is its turn: many may send us to the same one.
        """
        url = canonical(f"{origin_of.origin}/robots.txt")
        assert url is not None, f"{origin_of.origin} is the origin of a canonical URL"
        result = first = await self._robots_at(url)
        for _ in range(MAX_ROBOTS_REDIRECTS):
            target = canonical(result.header("location"), result.url) if result.is_redirect else None
            if target is None:
                break
            result = await self._robots_at(target)
        # What is kept must not end in half a line: nobody could tell later that it was cut.
        body = whole_lines(result.body) if result.truncated else result.body
        return RobotsAnswer(
            rules_from(result.status, body),
            result.status,
            body,
            result.fetched_at,
            _reason(result),
            result.failure,
            result.detail,
            first.elapsed,
            first.header("retry-after"),
        )

    async def _robots_at(self, url: Url) -> FetchResult:
        headers = {**self._headers, "Accept": "text/plain, */*;q=0.5"}
        try:
            async with self._turns.at(url.authority):
                return await self._transport.get(url, headers, MAX_BYTES)
        except TimeoutError:
            why = f"{url.authority} is asked by too many for their robots.txt"
            return FetchResult(url, time.time(), failure=Failure.TIMEOUT, detail=why)


def _reason(result: FetchResult) -> str:
    if result.failure is not None:
        return f"robots.txt: {result.failure} ({result.detail}), so nothing may be asked"
    if result.is_success:
        return ""
    if result.is_redirect:
        return f"robots.txt redirects without end ({result.url}), so everything may be asked"
    allowed = "everything" if 300 <= result.status < 500 else "nothing"
    return f"robots.txt answered {result.status}, so {allowed} may be asked"
