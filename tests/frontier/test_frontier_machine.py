"""The frontier against a plain list, over any history: polite, complete, and never twice."""

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from gossamer.frontier.frontier import Frontier
from gossamer.frontier.settings import FrontierSettings
from gossamer.model import CrawlRequest, Url

HOSTS = ("a", "b", "c", "d")
hosts = st.sampled_from(HOSTS)


@dataclass
class Waiting:
    request: CrawlRequest
    not_before: float


class FrontierMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.now = 1.0
        self.number = 0
        self.waiting: list[Waiting] = []
        self.flying: set[str] = set()
        self.allowed = dict.fromkeys(HOSTS, 0.0)
        self.timed = False

    @initialize(queues=st.sampled_from([1, 3, 8]), delay=st.sampled_from([0.0, 1.0, 2.5]))
    def start(self, queues, delay):
        self.settings = FrontierSettings(delay=delay, front_queues=queues, max_crawl_delay=4.0)
        self.frontier = Frontier(self.settings)

    @rule(
        host=hosts,
        priority=st.sampled_from([-1.0, 0.0, 0.3, 0.5, 1.0]),
        later=st.sampled_from([0, 0, 0, 3, 9]),
    )
    def add(self, host, priority, later):
        self.number += 1
        path = f"/{self.number}"
        request = CrawlRequest(Url(f"http://{host}{path}", "http", host, 80, path), priority=priority)
        not_before = self.now + later if later else 0.0
        self.timed = self.timed or bool(later)
        self.waiting.append(Waiting(request, not_before))
        self.frontier.add(request, not_before)

    def ready(self):
        return [
            one
            for one in self.waiting
            if one.not_before <= self.now
            and one.request.url.authority not in self.flying
            and self.allowed[one.request.url.authority] <= self.now
        ]

    @rule()
    def take(self):
        ready = self.ready()
        request = self.frontier.next(self.now)
        assert (request is None) == (not ready)
        if request is None:
            return
        chosen = next(one for one in ready if one.request is request)
        same_host = [one for one in ready if one.request.url.authority == request.url.authority]
        assert request.priority == max(one.request.priority for one in same_host)
        if self.settings.front_queues == 1 and not self.timed:
            best = max(one.request.priority for one in ready)
            assert chosen is next(one for one in ready if one.request.priority == best)
        self.waiting.remove(chosen)
        self.flying.add(request.url.authority)

    @rule(
        host=hosts,
        elapsed=st.sampled_from([0.0, 0.2, 1.0]),
        crawl_delay=st.sampled_from([None, 0.0, 3.0, 9.0]),
    )
    def finish(self, host, elapsed, crawl_delay):
        if host not in self.flying:
            return
        self.flying.remove(host)
        asked = min(crawl_delay or 0.0, 4.0)
        pause = max(self.settings.delay, asked, 5.0 * elapsed) if self.settings.delay or asked else 0.0
        self.allowed[host] = max(self.allowed[host], self.now + pause)
        self.frontier.done(host, self.now, elapsed, crawl_delay)

    @rule(host=hosts, seconds=st.sampled_from([0.5, 4.0, 20.0]))
    def hold(self, host, seconds):
        self.allowed[host] = max(self.allowed[host], self.now + seconds)
        self.frontier.hold(host, self.now + seconds)

    @rule(host=hosts)
    def forget(self, host):
        gone = self.frontier.forget(host)
        expected = [one.request for one in self.waiting if one.request.url.authority == host]
        assert sorted(map(id, gone)) == sorted(map(id, expected))
        self.waiting = [one for one in self.waiting if one.request.url.authority != host]

    @rule(seconds=st.sampled_from([0.25, 1.0, 5.0]))
    def pass_time(self, seconds):
        self.now += seconds

    @rule()
    def sleep_as_told(self):
        seconds = self.frontier.wait(self.now)
        if seconds is not None:
            self.now += seconds
            assert self.ready()

    @invariant()
    def the_same_wait(self):
        if not self.number:
            return
        assert len(self.frontier) == len(self.waiting)
        times = [
            max(one.not_before, self.allowed[one.request.url.authority], self.now) - self.now
            for one in self.waiting
            if one.request.url.authority not in self.flying
        ]
        assert self.frontier.wait(self.now) == (min(times) if times else None)


TestFrontierMachine = FrontierMachine.TestCase
TestFrontierMachine.settings = settings(max_examples=120, stateful_step_count=40)
