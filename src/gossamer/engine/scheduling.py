"""When is each page asked for again? After every answer its visits are summed up, and it gets a date.

What pages told is kept with them in the catalogue, what they have in common with the other pages of their
host in the host's notes. See `gossamer.frontier.freshness.revisit` for how a date is found.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from gossamer.engine.discovery import Shard
from gossamer.engine.worth import KIND, VisitWorth, state_in
from gossamer.frontier.freshness.change_rate import Evidence, Visit, seen
from gossamer.frontier.freshness.gone import Presence, Standing, sign_of
from gossamer.frontier.freshness.hints import Hints
from gossamer.frontier.freshness.host_prior import HostPrior
from gossamer.frontier.freshness.revisit import next_visit
from gossamer.frontier.freshness.settings import DAY, FreshnessSettings
from gossamer.frontier.order import JUMP
from gossamer.model import Url
from gossamer.store.catalogue import Catalogue
from gossamer.store.revisits import KnownPage, Visits
from gossamer.web.dates import moment

MOST_HOSTS = 20_000  # hosts whose sums are in memory
NEVER = Visits()
NO_HINTS = Hints()

Clock = Callable[[], float]


@dataclass(slots=True)
class _Host:
    prior: HostPrior
    expected: Evidence  # of any of its pages: what the prior says, found once for all of them
    is_written: bool = True

    def learn(self, prior: HostPrior) -> None:
        self.prior = prior
        self.expected = prior.prior()


class Schedule:
    """Gives pages their dates."""

    def __init__(self, worth: VisitWorth, settings: FreshnessSettings, clock: Clock = time.time) -> None:
        self.settings = settings
        self.clock = clock
        self._worth = worth
        self._hosts: dict[str, _Host] = {}

    # What a visit leads to

    def answered(
        self, shard: Shard, url: Url, now: float, before: KnownPage | None, changed: bool, last_modified: str
    ) -> float:
        """A document, "not modified" or a redirect came: the page is there. Returns its date."""
        visits = before.visits if before else NEVER
        told = moment(last_modified) if last_modified else None
        evidence = Evidence(visits.changes, visits.seconds)
        if visits.checked_at is not None:
            visit = Visit.between(visits.checked_at, now, changed, told)
            evidence = self._learn(shard, url.authority, visits, visit)
        importance = self._importance(shard, url, visits)
        hints = NO_HINTS if told is None else Hints(told)
        date = self._date(shard, url.authority, now, evidence, hints, importance)
        after = Visits(now, evidence.changes, evidence.seconds, importance=importance, next_visit=date)
        return self._write(shard, url, after)

    def missed(self, shard: Shard, page: KnownPage, status: int, excluded: bool = False) -> Standing:
        """404 or 410 came for a page that was there, or robots.txt forbids it now; what follows from it.

        A page that is only suspect is looked at again some days later, when that can decide.
        """
        now = self.clock()
        presence = _presence(page.visits).after(sign_of(status, excluded), now, self.settings)
        date = min(now + self.settings.most_interval, presence.look_again_at(self.settings))
        after = replace(
            page.visits,
            standing=presence.standing.value,
            misses=presence.misses,
            missing_since=presence.missing_since,
            next_visit=max(date, now + self.settings.least_interval),
        )
        if presence.standing is Standing.GONE:
            after = replace(after, checked_at=None, changes=0.0, seconds=0.0)
            self._forget(shard, page)
        self._write(shard, page.request.url, after)
        return presence.standing

    def unanswered(self, shard: Shard, url: Url, before: KnownPage | None) -> float:
        """Nothing came, or nothing that says whether the page is there: it waits as long again as it did."""
        now, visits = self.clock(), before.visits if before else NEVER
        since = now - DAY if before is None else visits.checked_at or before.first_seen
        wait = min(max(now - since, self.settings.least_interval), self.settings.most_interval)
        return self._write(shard, url, replace(visits, next_visit=now + wait))

    def left(self, shard: Shard, url: Url, before: KnownPage | None) -> float:
        """There is no page here, or none that we may see: somebody looks now and then."""
        visits = before.visits if before else NEVER
        date = self.clock() + self.settings.most_interval
        return self._write(shard, url, replace(visits, next_visit=date))

    def trusts_dates(self, shard: Shard, authority: str) -> bool:
        """Whether the dates in the sitemaps and feeds of a host were true so far."""
        return self._host(shard, authority).prior.trusts_dates

    def _write(self, shard: Shard, url: Url, visits: Visits) -> float:
        shard.batch.then(lambda catalogue: catalogue.set_visits(url.fingerprint, visits), url)
        assert visits.next_visit is not None
        return visits.next_visit

    def _learn(self, shard: Shard, authority: str, visits: Visits, visit: Visit) -> Evidence:
        """What a page's visits tell together with the latest; its host learns from it."""
        assert visits.checked_at is not None
        host = self._host(shard, authority)
        before, hints = Evidence(visits.changes, visits.seconds), Hints(visits.lastmod)
        after = seen(before, host.expected + hints.evidence(visits.checked_at), visit)
        prior = host.prior.learned(before, after)
        if hints.announces(visits.checked_at, visits.checked_at + visit.interval):
            prior = prior.checked(visit.changed)
        host.learn(prior)
        self._note(shard, authority, host)
        return after

    def _forget(self, shard: Shard, page: KnownPage) -> None:
        """What a page told goes with it."""
        authority = page.request.url.authority
        host = self._host(shard, authority)
        host.learn(host.prior.learned(Evidence(page.visits.changes, page.visits.seconds), Evidence()))
        self._note(shard, authority, host)

    def _date(
        self, shard: Shard, authority: str, now: float, page: Evidence, hints: Hints, importance: float
    ) -> float:
        host = self._host(shard, authority)
        mu = self._worth.at(authority)
        if mu is None:
            # Nobody knows yet what a visit is worth: about when a change is to be expected.
            wait = 1 / (host.expected + hints.evidence(now) + page).rate
            return now + min(max(wait, self.settings.least_interval), self.settings.most_interval)
        return next_visit(now, now, page, host.prior, hints, importance, mu, self.settings)

    def _importance(self, shard: Shard, url: Url, visits: Visits) -> float:
        """What the pages that link here gave it since the last visit, smoothed; in OPIC, its cash."""
        cash = JUMP + shard.seen.score(url.fingerprint)
        return (visits.importance + cash) / 2 if visits.importance else cash

    # What is remembered of hosts

    def _host(self, shard: Shard, authority: str) -> _Host:
        host = self._hosts.get(authority)
        if host is None:
            if len(self._hosts) >= MOST_HOSTS:
                self._make_room()
            notes = shard.partition.catalogue.notes(authority, KIND)
            prior = HostPrior.restored(state_in(notes))
            host = self._hosts[authority] = _Host(prior, prior.prior())
        return host

    def _make_room(self) -> None:
        self._hosts = {authority: host for authority, host in self._hosts.items() if not host.is_written}

    def _note(self, shard: Shard, authority: str, host: _Host) -> None:
        """Lets the next commit write what was learned of a host, once for all of its pages."""
        if not host.is_written:
            return
        host.is_written = False

        def write(catalogue: Catalogue) -> None:
            catalogue.set_notes(authority, KIND, json.dumps(host.prior.state()))
            host.is_written = True

        shard.batch.then(write)


def _presence(visits: Visits) -> Presence:
    return Presence(Standing(visits.standing), visits.misses, visits.missing_since)
