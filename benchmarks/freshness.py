"""How fresh does each way of revisiting keep a collection? A simulation with pages whose habits are unknown.

    .venv/bin/python benchmarks/freshness.py [--pages 2000] [--days 120] [--seeds 5] [--every 10]

Pages on 40 hosts change as Poisson processes with log-normal rates (a host's pages resemble each other); the
crawler may make as many visits as would let it see every page once in `--every` days, and knows nothing of
the rates at the start. Freshness is the share of pages that are up to date, averaged over time.

    uniform        every page as often as any other
    proportional   as often as it changes, by the estimate that is learned on the way
    gossamer       frontier.revisit: learned rates, visits where they gain most
    all-knowing    the same with the true rates: no schedule of regular visits does better

Fails when gossamer does not beat uniform and proportional for every seed.
"""

from __future__ import annotations

import argparse
import heapq
import sys
import time

import numpy as np

from gossamer.crawl.revisit.change_rate import ChangeEvidence, HostPrior, Visit, updated_evidence
from gossamer.crawl.revisit.freshness import allocate, interval
from gossamer.crawl.settings import DAY, FreshnessSettings

SETTINGS = FreshnessSettings()
HOSTS = 40
PARTS = 3
PLAN = 2 * DAY  # between two allocations


class Crawler:
    """What is learned, whatever the policy makes of it."""

    def __init__(self, rates, hosts, budget):
        self.true_rates = rates
        self.hosts = hosts
        self.budget = budget
        self.pages = [ChangeEvidence()] * len(rates)
        self.priors = [HostPrior()] * HOSTS
        self.told = np.zeros((len(rates), 2))  # the same as `pages`, to be summed quickly

    def learn(self, page, visit):
        host = self.hosts[page]
        before = self.pages[page]
        after = self.pages[page] = updated_evidence(before, self.priors[host].prior(), visit)
        self.priors[host] = self.priors[host].learned(before, after)
        self.told[page] = after.changes, after.seconds

    def rate(self, page):
        return (self.priors[self.hosts[page]].prior() + self.pages[page]).rate

    def rates(self):
        expected = [one.prior() for one in self.priors]
        known = self.told + np.array([(one.changes, one.seconds) for one in expected])[self.hosts]
        return known[:, 0] / known[:, 1]

    def plan(self):
        """Called now and then, before the dates of single pages are asked for."""


class Uniform(Crawler):
    def learn(self, page, visit):
        pass

    def date(self, page, now):
        return now + len(self.pages) / self.budget


class Proportional(Crawler):
    def plan(self):
        self.factor = self.budget / self.rates().sum()

    def date(self, page, now):
        wanted = 1 / (self.factor * self.rate(page))
        return now + min(max(wanted, SETTINGS.least_interval), SETTINGS.most_interval)


class Gossamer(Crawler):
    def plan(self):
        self.mu = allocated(self.rates(), self.budget)

    def date(self, page, now):
        return now + interval(self.rate(page), 1.0, self.mu, SETTINGS)


class AllKnowing(Uniform):
    def plan(self):
        self.mu = allocated(self.true_rates, self.budget)

    def date(self, page, now):
        return now + interval(self.true_rates[page], 1.0, self.mu, SETTINGS)


POLICIES = {"uniform": Uniform, "proportional": Proportional, "gossamer": Gossamer, "all-knowing": AllKnowing}


def allocated(rates, budget):
    least, most = SETTINGS.least_interval, SETTINGS.most_interval
    return allocate(rates, np.ones(len(rates)), budget, slowest=1 / most, fastest=1 / least).mu


def web(pages, random):
    """Rates of change (a second) and hosts: a median of once in 30 days, spread over factors of hundreds."""
    hosts = random.integers(0, HOSTS, pages)
    habits = random.normal(np.log(1 / (30 * DAY)), 1.2, HOSTS)
    return np.exp(habits[hosts] + random.normal(0, 1.4, pages)), hosts


def simulate(crawler, days, random):
    """The freshness in each part of the time. One visit at a time, as fast as the budget allows.

    Where no page is due, the one that will be next comes early: no visit of the budget is lost.
    """
    end, pages = days * DAY, len(crawler.pages)
    fresh = np.zeros(PARTS)
    visited = np.full(pages, -1.0)
    changes_at = np.zeros(pages)  # the first change after the latest visit
    queue = [(0.0, page) for page in range(pages)]  # the first crawl
    now, planned = 0.0, -PLAN
    while now < end:
        page = heapq.heappop(queue)[1]
        if now - planned >= PLAN:
            crawler.plan()
            planned = now
        if visited[page] >= 0:
            changed = changes_at[page] < now
            count(fresh, visited[page], min(changes_at[page], now), end)
            crawler.learn(page, Visit(now - visited[page], bool(changed)))
        visited[page] = now
        changes_at[page] = now + random.exponential(1 / crawler.true_rates[page])
        heapq.heappush(queue, (crawler.date(page, now), page))
        now += 1 / crawler.budget
    for page in np.flatnonzero(visited >= 0):
        count(fresh, visited[page], min(changes_at[page], end), end)
    return fresh / (pages * end / PARTS)


def count(fresh, since, until, end):
    """Adds the time from `since` to `until` to the parts that it lies in."""
    width = end / PARTS
    for part in range(int(since / width), min(PARTS, int(until / width) + 1)):
        fresh[part] += min(until, (part + 1) * width) - max(since, part * width)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--days", type=int, default=120)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--every", type=float, default=10.0)
    options = parser.parse_args()
    begun = time.process_time()
    found = {name: [] for name in POLICIES}
    for seed in range(options.seeds):
        rates, hosts = web(options.pages, np.random.default_rng(seed))
        for name, policy in POLICIES.items():
            crawler = policy(rates, hosts, options.pages / (options.every * DAY))
            found[name].append(simulate(crawler, options.days, np.random.default_rng(1000 + seed)))
    report(found, options)
    print(f"\n{time.process_time() - begun:.1f} s of CPU")
    best = np.array(found["gossamer"])[:, -1]
    return int(any((np.array(found[other])[:, -1] >= best).any() for other in ("uniform", "proportional")))


def report(found, options):
    third = options.days // PARTS
    print(f"{options.pages} pages, {options.pages / options.every:.0f} visits a day, {options.seeds} seeds")
    spans = [f"days {part * third}-{(part + 1) * third}" for part in range(PARTS)]
    print(f"{'freshness':14}" + "".join(f"{span:>18}" for span in spans))
    for name, runs in found.items():
        table = np.array(runs)
        cells = zip(table.mean(axis=0), table.std(axis=0), strict=True)
        print(f"{name:14}" + "".join(f"{f'{mean:.3f} ± {spread:.3f}':>18}" for mean, spread in cells))


if __name__ == "__main__":
    sys.exit(main())
