"""What a host allows: its robots.txt, asked once a day and kept in the catalogue."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from math import inf

from gossamer.engine.batch import Batch
from gossamer.fetch.fetcher import Fetcher, RobotsAnswer, rules_from
from gossamer.model import FetchResult, Url
from gossamer.store.rows import RobotsRow
from gossamer.web.robots import ALLOW_ALL, RobotsRules

KEPT_FOR = 24 * 3600.0  # RFC 9309, section 2.4
UNREACHABLE_FOR = 3600.0  # a server in trouble is asked again after an hour
LONGEST_SILENCE = 48 * 3600.0  # and one that stays silent at least every other day
GIVE_UP_AFTER = 6  # crawls in a row without an answer: nearly four days
LONGEST_WISH = 30 * 86_400  # seconds for which a server may ask to be left alone; nobody means more
OVERLOADED = {429, 503}  # with these a server may say how long it wants to be left alone
MOST_KNOWN = 5_000  # hosts whose parsed rules are kept in memory; the catalogue has them all


def silent_until(failed_at: float, failures: int) -> float:
    """When a host that did not answer is asked again: after 1, 2, 4, ... hours."""
    if failures <= 0:
        return 0.0
    return failed_at + min(UNREACHABLE_FOR * 2.0 ** (failures - 1), LONGEST_SILENCE)


def wished_until(status: int, retry_after: str, now: float) -> float:
    """The time before which a server does not want to be asked; 0 when it did not say so.

    `Retry-After` names seconds or a date (RFC 9110, 10.2.3).
    """
    value = retry_after.strip()
    try:
        if status not in OVERLOADED:
            return 0.0
        if value.isdigit():
            return now + min(int(value), LONGEST_WISH)
        return min(parsedate_to_datetime(value).timestamp(), now + LONGEST_WISH)
    except (ValueError, OverflowError):
        return 0.0


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
