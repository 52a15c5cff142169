"""Fetch and cache robots.txt; interpret its status and failures."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from gossamer.collection.commit import Transaction
from gossamer.crawl.fetch.transport import Client
from gossamer.crawl.hosts.circuit_breaker import UNREACHABLE_FOR, retry_after_until
from gossamer.model import Failure, FetchResult, Url
from gossamer.storage.catalogue.schema import RobotsRow
from gossamer.web.robots import ALLOW_ALL, DISALLOW_ALL, MAX_BYTES, RobotsRules, parse, whole_lines
from gossamer.web.url import canonical, redirect_target

KEPT_FOR = 24 * 3600.0  # seconds (RFC 9309, section 2.4)
MOST_ENTRIES = 5_000  # hosts whose parsed rules are kept in memory; the catalogue has them all
MAX_REDIRECTS = 5  # RFC 9309, section 2.3.1.2

# Rate limit of robots.txt redirects
# ----------------------------------
#
# The frontier controls the pauses between pages. But redirects of robots.txt are followed at once, and
# many hosts may redirect to the same one. So these requests need a rate limit of their own.

LONGEST_WAIT = 60.0  # seconds
MOST_KNOWN = 1_000  # hosts; above it, hosts without waiting requests are forgotten


class _Turn:
    """The lock of one host, and when the next request may be sent."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.free_at = 0.0  # on the clock of the event loop


class RobotsRateLimit:
    """Allows one request at a time to a host, and waits `delay` seconds after each response."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._turns: dict[str, _Turn] = {}

    @asynccontextmanager
    async def at(self, authority: str) -> AsyncIterator[None]:
        """Wait for a turn and hold it within the block; raise TimeoutError after `LONGEST_WAIT` seconds."""
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


# Rules from a response
# ---------------------


def rules_from(status: int, body: bytes) -> RobotsRules:
    """Return the rules that follow from a response, by RFC 9309, section 2.3.1.

    A success is parsed. After a client error (4xx) or too many redirects there are no rules, so everything is
    allowed. After a server error (5xx) or no response (0) the rules are unknown, so nothing is allowed.
    """
    if 200 <= status < 300:
        return parse(body)
    return ALLOW_ALL if 300 <= status < 500 else DISALLOW_ALL


def explanation(result: FetchResult) -> str:
    """Explain which default rules hold after a response; "" if the host has rules of its own."""
    if result.failure is not None:
        return f"robots.txt: {result.failure} ({result.detail}), so nothing may be fetched"
    if result.is_success:
        return ""
    if result.is_redirect:
        return f"robots.txt redirects without end ({result.url}), so everything may be fetched"
    allowed = "everything" if 300 <= result.status < 500 else "nothing"
    return f"robots.txt answered {result.status}, so {allowed} may be fetched"


@dataclass(frozen=True, slots=True)
class RobotsEntry:
    """The current rules of one origin."""

    rules: RobotsRules
    crawl_delay: float | None
    unreachable: str  # why nothing may be fetched now; "" if the rules are known
    fetched_at: float
    status: int = 0
    not_before: float = 0.0  # end of the pause that the response asked for
    elapsed: float = 0.0  # seconds that the response took, if it came in this run

    @property
    def expired(self) -> bool:
        return time.time() - self.fetched_at > (UNREACHABLE_FOR if self.unreachable else KEPT_FOR)


NO_RULES = RobotsEntry(ALLOW_ALL, None, "", inf)  # for schemes whose hosts have no robots.txt


class RobotsAnswer(NamedTuple):
    """The first and the last response in a chain of redirects of a robots.txt."""

    first: FetchResult
    last: FetchResult


class RobotsCache:
    """A cache of the robots.txt rules of all hosts.

    `delay` is the number of seconds between two requests for robots.txt to one host.
    """

    def __init__(
        self,
        client: Client,
        has_robots: Callable[[str], bool],
        headers: Mapping[str, str],
        agent: str,
        delay: float,
    ) -> None:
        self.agent = agent
        self._client = client
        self._has_robots = has_robots  # whether the hosts of a scheme have a robots.txt
        self._headers = {**headers, "Accept": "text/plain, */*;q=0.5"}
        self._turns = RobotsRateLimit(delay)
        self._known: dict[str, RobotsEntry] = {}

    def known(self, transaction: Transaction, url: Url) -> RobotsEntry | None:
        """Return the rules for a URL; None if they must be fetched first."""
        found = self._known.get(url.origin)
        if found is None and not self._has_robots(url.scheme):
            found = self._remember(url.origin, NO_RULES)
        elif found is None:
            row = transaction.partition.catalogue.robots(url.authority)
            # After a server error in an earlier crawl, robots.txt is fetched again.
            if row is not None and row.origin == url.origin and 0 < row.status < 500:
                found = self._remember(url.origin, _entry(row))
        return None if found is None or found.expired else found

    async def ask(self, transaction: Transaction, url: Url) -> FetchResult | None:
        """Fetch the rules for a URL; return the failure if no response came."""
        first, last = await self.fetch(url)
        if last.failure is not None:
            return FetchResult(url, last.fetched_at, failure=last.failure, detail=last.detail)
        delay = rules_from(last.status, last.body).crawl_delay(self.agent)
        row = RobotsRow(url.origin, last.status, last.body, last.fetched_at, explanation(last), delay)
        wished = retry_after_until(last.status, first.header("retry-after"), last.fetched_at)
        self._remember(url.origin, replace(_entry(row), not_before=wished, elapsed=first.elapsed))
        transaction.on_commit(lambda catalogue: catalogue.set_robots(url.authority, row))
        return None

    async def fetch(self, origin_of: Url) -> RobotsAnswer:
        """Fetch the robots.txt of a URL's origin, following redirects, also to other hosts.

        Each request waits for its turn at the host, because many hosts may redirect to the same one.
        """
        url = canonical(f"{origin_of.origin}/robots.txt")
        assert url is not None, f"{origin_of.origin} is the origin of a canonical URL"
        last = first = await self._get(url)
        for _ in range(MAX_REDIRECTS):
            target = redirect_target(last)
            if target is None:
                break
            last = await self._get(target)
        # The stored body must not end in half a line, because later nothing shows that it was truncated.
        return RobotsAnswer(first, replace(last, body=whole_lines(last.body)) if last.truncated else last)

    async def _get(self, url: Url) -> FetchResult:
        try:
            async with self._turns.at(url.authority):
                return await self._client.get(url, self._headers, MAX_BYTES)
        except TimeoutError:
            why = f"too many hosts wait for a robots.txt of {url.authority}"
            return FetchResult(url, time.time(), failure=Failure.TIMEOUT, detail=why)

    def _remember(self, origin: str, rules: RobotsEntry) -> RobotsEntry:
        if len(self._known) >= MOST_ENTRIES:
            self._known.pop(next(iter(self._known)))
        self._known[origin] = rules
        return rules


def _entry(row: RobotsRow) -> RobotsEntry:
    unreachable = row.reason if row.status >= 500 else ""
    rules = rules_from(row.status, row.body)
    return RobotsEntry(rules, row.crawl_delay, unreachable, row.fetched_at, row.status)
