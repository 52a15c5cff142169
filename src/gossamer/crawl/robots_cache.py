"""Fetch and cache robots.txt; what 4xx, 5xx and silence mean."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import inf

from gossamer.collection.commit import Batch
from gossamer.crawl.fetch.fetcher import Fetcher, RobotsAnswer, rules_from
from gossamer.crawl.hosts.circuit_breaker import UNREACHABLE_FOR, wished_until
from gossamer.model import FetchResult, Url
from gossamer.storage.catalogue.schema import RobotsRow
from gossamer.web.robots import ALLOW_ALL, RobotsRules

KEPT_FOR = 24 * 3600.0  # RFC 9309, section 2.4
MOST_KNOWN = 5_000  # hosts whose parsed rules are kept in memory; the catalogue has them all


@dataclass(frozen=True, slots=True)
class HostRules:
    """The rules of one authority as they hold now."""

    rules: RobotsRules
    crawl_delay: float | None
    unreachable: str  # why nothing may be asked for the moment; "" when the rules are the host's own
    fetched_at: float
    status: int = 0  # of the answer
    not_before: float = 0.0  # with the answer the host asked to be left alone until then
    elapsed: float = 0.0  # seconds that the answer took, when it came in this run

    @property
    def expired(self) -> bool:
        return time.time() - self.fetched_at > (UNREACHABLE_FOR if self.unreachable else KEPT_FOR)


NO_RULES = HostRules(ALLOW_ALL, None, "", inf)  # of schemes whose hosts have no robots.txt


class Hosts:
    """The rules of every host that a crawl meets."""

    def __init__(self, fetcher: Fetcher, agent: str) -> None:
        self._fetcher = fetcher
        self.agent = agent
        self._known: dict[str, HostRules] = {}

    def known(self, batch: Batch, url: Url) -> HostRules | None:
        """The rules of a URL's host, when they need not be asked for."""
        found = self._known.get(url.origin)
        if found is None and not self._fetcher.has_robots(url):
            found = self._remember(url.origin, NO_RULES)
        elif found is None:
            row = batch.partition.catalogue.robots(url.authority)
            # A server in trouble yesterday, or an hour ago, deserves a new question when a crawl starts.
            if row is not None and row.origin == url.origin and 0 < row.status < 500:
                found = self._remember(url.origin, self._rules(row))
        return None if found is None or found.expired else found

    async def ask(self, batch: Batch, url: Url) -> FetchResult | None:
        """Asks a host for its rules; the failure when it does not answer at all."""
        answer = await self._fetcher.robots(url)
        if answer.failure is not None:
            return FetchResult(url, answer.fetched_at, failure=answer.failure, detail=answer.detail)
        row = self._row(url, answer)
        wished = wished_until(answer.status, answer.retry_after, answer.fetched_at)
        rules = replace(self._rules(row), not_before=wished, elapsed=answer.elapsed)
        self._remember(url.origin, rules)
        batch.then(lambda catalogue: catalogue.set_robots(url.authority, row))
        return None

    def _remember(self, origin: str, rules: HostRules) -> HostRules:
        if len(self._known) >= MOST_KNOWN:
            self._known.pop(next(iter(self._known)))
        self._known[origin] = rules
        return rules

    def _row(self, url: Url, answer: RobotsAnswer) -> RobotsRow:
        delay = answer.rules.crawl_delay(self.agent)
        return RobotsRow(url.origin, answer.status, answer.body, answer.fetched_at, answer.reason, delay)

    def _rules(self, row: RobotsRow) -> HostRules:
        unreachable = row.reason if row.status >= 500 else ""
        rules = rules_from(row.status, row.body)
        return HostRules(rules, row.crawl_delay, unreachable, row.fetched_at, row.status)
