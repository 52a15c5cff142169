"""The frontier compared with a plain list over random histories."""

from dataclasses import dataclass
from math import inf
from unittest.mock import patch

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from queues import queues_in_memory

from gossamer.crawl.frontier.host_queues import HostQueues
from gossamer.crawl.frontier.politeness import AddressRateLimit
from gossamer.crawl.settings import FrontierSettings
from gossamer.model import CrawlRequest, Url
from gossamer.storage.seen_urls import DONE, HELD, WAITING, SeenTable

ADDRESSES = {"a": "192.0.2.1", "b": "192.0.2.1", "c": "192.0.2.1", "d": "192.0.2.2", "e": None}
HOSTS = tuple(ADDRESSES)
hosts = st.sampled_from(HOSTS)
scores = st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0])
MOST_CRAWL_DELAY = 4.0


@dataclass
class Row:
    """A waiting URL, as in the catalogue."""

    request: CrawlRequest
    not_before: float = 0.0

    @property
    def host(self):
        return self.request.url.authority

    @property
    def number(self):
        return self.request.url.fingerprint


MOST_HELD_A_HOST = 4


class ListReserve:
    """All waiting URLs in their order; the seen table tells which are in memory."""

    def __init__(self, seen):
        self.rows: list[Row] = []
        self.seen = seen

    def _free(self, authority):
        return [row for row in self.rows if row.host == authority and self.seen.state(row.number) == WAITING]

    def take(self, authority, room, now):
        due = [row for row in self._free(authority) if row.not_before <= now]
        due.sort(key=lambda row: -self.seen.score(row.number))
        return [row.request for row in due[:room]]

    def due_at(self, authority):
        return min((row.not_before for row in self._free(authority)), default=inf)


class FrontierMachine(RuleBasedStateMachine):
    """A host gets one request at a time; a URL that was handed out is then done or waits again."""

    def __init__(self):
        super().__init__()
        self.now = 1.0
        self.number = 0
        self.flying: dict[str, Row] = {}
        self.allowed = dict.fromkeys(HOSTS, 0.0)
        self.asked_at: dict[str, float] = {}
        self.exact = True  # the order over all hosts can be told
        self.counted = True  # the frontier was told the right numbers
        self.patches = [
            patch.multiple("gossamer.crawl.frontier.host_queues", LEAST_FETCHED=2),
            patch.multiple("gossamer.crawl.frontier.host_queues", LEAST_DRAWN=3),
        ]
        for one in self.patches:
            one.start()

    def request(self, host, priority):
        self.number += 1
        return CrawlRequest(Url.parsed(f"http://{host}/{self.number}"), priority=priority)

    @initialize(
        queues=st.sampled_from([1, 3, 8]),
        delay=st.sampled_from([0.0, 1.0, 2.5]),
        address_delay=st.sampled_from([0.0, 0.0, 0.5]),
        most_held=st.sampled_from([None, None, 0, 3, 6]),
        stored=st.lists(st.tuples(hosts, scores, st.sampled_from([0.0, 0.0, 5.0, 20.0])), max_size=12),
        miscount=st.sampled_from([0, 0, 1, 3]),
    )
    def start(self, queues, delay, address_delay, most_held, stored, miscount):
        self.settings = FrontierSettings(
            delay=delay,
            address_delay=address_delay,
            front_queues=queues,
            max_crawl_delay=MOST_CRAWL_DELAY,
            unlimited_addresses=["192.0.2.2"],
        )
        self.paced = bool(delay and address_delay)
        self.seen = SeenTable()
        self.reserve = ListReserve(self.seen)
        self.has_reserve = most_held is not None
        rate_limit = AddressRateLimit.by(self.settings, ADDRESSES.get)
        self.frontier = (
            HostQueues(self.settings, self.seen, self.reserve, rate_limit, 0, most_held, MOST_HELD_A_HOST)
            if self.has_reserve
            else queues_in_memory(self.settings, rate_limit, seen=self.seen)
        )
        if self.has_reserve:
            self.restore(stored, miscount)

    def restore(self, stored, miscount):
        """Add the URLs of an earlier crawl, perhaps with wrong counts."""
        self.counted = not miscount
        for host, score, not_before in stored:
            request = self.request(host, score)
            self.seen.add(request.url.fingerprint, WAITING, score)
            self.reserve.rows.append(Row(request, not_before))
        for host in {row.host for row in self.reserve.rows}:
            self.frontier.add_reserve(host, sum(row.host == host for row in self.reserve.rows) + miscount)

    @rule(host=hosts, priority=scores)
    def add_new(self, host, priority):
        request = self.request(host, priority)
        self.reserve.rows.append(Row(request))
        assert self.frontier.add_new(request)

    @rule(host=hosts)
    def add_what_is_known(self, host):
        known = [row for row in [*self.reserve.rows, *self.flying.values()] if row.host == host]
        if known:
            before = len(self.frontier)
            assert not self.frontier.add_new(known[0].request)
            assert len(self.frontier) == before

    @rule(host=hosts, amount=st.sampled_from([0.25, 2.0]))
    def pay(self, host, amount):
        numbers = [row.number for row in self.reserve.rows if row.host == host]
        self.seen.pay(np.array(numbers[::2], np.uint64), amount)
        self.exact = self.exact and not numbers

    def is_rested(self, host):
        address = ADDRESSES[host] if self.paced else None
        return address is None or self.asked_at.get(address, -inf) + self.settings.address_delay <= self.now

    def ready(self):
        """Return the URLs whose hosts may be asked now."""
        return [
            row
            for row in self.reserve.rows
            if row.not_before <= self.now
            and row.host not in self.flying
            and self.allowed[row.host] <= self.now
        ]

    @rule()
    def ask(self):
        self.take()

    def take(self):
        ready = self.ready()
        request = self.frontier.next(self.now)
        if request is None:
            # hosts behind one address may also wait for each other
            assert not ready or (self.paced and {ADDRESSES[row.host] for row in ready} == {"192.0.2.1"})
            self.check_that_waiting_helps()
            return None
        (chosen,) = (row for row in ready if row.request is request or row.request == request)
        self.check_best(chosen, ready)
        if self.paced and ADDRESSES[chosen.host] == "192.0.2.1":
            assert self.is_rested(chosen.host)
            self.asked_at[ADDRESSES[chosen.host]] = self.now
        assert self.seen.state(chosen.number) == HELD
        self.reserve.rows.remove(chosen)
        self.flying[chosen.host] = chosen
        return chosen

    def check_best(self, chosen, ready):
        score = self.seen.score(chosen.number)
        held = [row for row in ready if self.seen.state(row.number) == HELD]
        assert score == max(self.seen.score(row.number) for row in held if row.host == chosen.host)
        if self.settings.front_queues == 1 and self.exact and not self.has_reserve and not self.paced:
            best = max(self.seen.score(row.number) for row in ready)
            assert chosen is next(row for row in ready if self.seen.score(row.number) == best)

    def check_that_waiting_helps(self):
        """If no URL is available now, `wait` must be above 0 and finite."""
        wait = self.frontier.wait(self.now)
        times = self.times()
        assert wait is None or wait > 0
        if times:
            assert wait is not None
            assert self.paced or wait <= min(times)
        elif self.counted:
            assert wait is None

    def times(self):
        return [
            max(row.not_before, self.allowed[row.host], self.now) - self.now
            for row in self.reserve.rows
            if row.host not in self.flying
        ]

    @rule(
        host=hosts,
        elapsed=st.sampled_from([0.0, 0.25, 1.0]),
        crawl_delay=st.sampled_from([None, 0.0, 3.0, 9.0]),
        again=st.sampled_from([None, None, 0.0, 3.0]),
        first=st.booleans(),
    )
    def finish(self, host, elapsed, crawl_delay, again, first):
        """End a request; its URL is done or waits again, for a shorter or longer time than its host."""
        row = self.flying.pop(host, None)
        if row is None:
            return
        asked = min(crawl_delay or 0.0, MOST_CRAWL_DELAY)
        pause = max(self.settings.delay, asked, 5.0 * elapsed) if self.settings.delay or asked else 0.0
        self.allowed[host] = max(self.allowed[host], self.now + pause)
        if first:
            self.frontier.done(host, self.now, elapsed, crawl_delay)
        self.settle(row, again)
        if not first:
            self.frontier.done(host, self.now, elapsed, crawl_delay)

    def settle(self, row, again):
        if again is None:
            self.seen.set_state(row.number, DONE)
            return
        row.not_before = self.now + again if again else 0.0
        self.exact = False
        self.reserve.rows.append(row)
        self.frontier.add(row.request, row.not_before)

    @rule(host=hosts)
    def unasked(self, host):
        row = self.flying.pop(host, None)
        if row is not None:
            self.settle(row, None)
            self.frontier.unasked(host)

    @rule(host=hosts, seconds=st.sampled_from([0.5, 4.0, 20.0]))
    def hold(self, host, seconds):
        self.allowed[host] = max(self.allowed[host], self.now + seconds)
        self.frontier.delay_until(host, self.now + seconds)

    @rule(host=hosts, crawl_delay=st.sampled_from([None, 3.0, 9.0]))
    def wake(self, host, crawl_delay):
        pause = max(self.settings.delay, min(crawl_delay or 0.0, MOST_CRAWL_DELAY))
        self.allowed[host] = min(self.allowed[host], self.now + pause)
        for row in self.reserve.rows:
            if row.host == host:
                row.not_before = 0.0
        self.exact = False
        self.frontier.wake(host, self.now, crawl_delay)

    @rule(host=hosts)
    def forget(self, host):
        rows = [row for row in self.reserve.rows if row.host == host]
        held = [row.request for row in rows if self.seen.state(row.number) == HELD]
        gone = self.frontier.forget(host)
        assert sorted(request.url.text for request in gone) == sorted(request.url.text for request in held)
        assert self.frontier.waiting_at(host) == 0
        self.reserve.rows = [row for row in self.reserve.rows if row.host != host]
        for row in rows:
            self.seen.set_state(row.number, DONE)

    @rule(seconds=st.sampled_from([0.25, 1.0, 5.0]))
    def pass_time(self, seconds):
        self.now += seconds

    @rule()
    def sleep_as_told(self):
        """After the time that `wait` says, a URL is available, after a few false alarms at most."""
        for _ in range(3 * len(HOSTS)):
            wait = self.frontier.wait(self.now)
            if wait is None:
                return
            self.now += wait
            if self.take():
                return
        raise AssertionError("woken again and again for nothing")

    @invariant()
    def the_same_wait(self):
        if not self.number:
            return
        wait, times = self.frontier.wait(self.now), self.times()
        if times:
            assert wait is not None
        if self.counted:
            assert len(self.frontier) == len(self.reserve.rows)
            for host in HOSTS:
                count = sum(row.host == host for row in self.reserve.rows)
                assert self.frontier.waiting_at(host) == count
            assert (wait is None) == (not times)
        if times and not self.paced:
            # the reserve may have nothing when it is asked, but never has something unasked
            assert wait <= min(times) if self.has_reserve else wait == min(times)

    def teardown(self):
        try:
            if self.number:
                self.drain()
        finally:
            for one in self.patches:
                one.stop()

    def drain(self):
        """At the end, every URL was handed out once."""
        for host in HOSTS:
            self.finish(host, 0.0, None, None, True)
        for _ in range(20 * (len(self.reserve.rows) + len(HOSTS))):
            taken = self.take()
            if taken:
                self.finish(taken.host, 0.0, None, None, True)
            elif (wait := self.frontier.wait(self.now)) is not None:
                self.now += wait
            else:
                break
        assert not self.reserve.rows
        assert len(self.frontier) == 0
        self.frontier.next(self.now + 1000.0)
        assert not self.frontier._hosts
        assert self.frontier._held == 0


TestFrontierMachine = FrontierMachine.TestCase
TestFrontierMachine.settings = settings(max_examples=150, stateful_step_count=40)
