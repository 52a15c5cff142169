"""The order of the frontier, in cases that can be checked by hand."""

from collections import Counter
from math import inf

import pytest
from queues import queues_in_memory

from gossamer.crawl.frontier.host_queues import MOST_HELD_A_HOST, HostQueues
from gossamer.crawl.frontier.politeness import AddressRateLimit
from gossamer.crawl.settings import FrontierSettings
from gossamer.model import CrawlRequest, Url
from gossamer.storage.seen_urls import DONE, HELD, WAITING, SeenTable


def request(text, priority=0.0):
    return CrawlRequest(Url.parsed(f"http://{text}"), priority=priority)


def frontier(*requests, **settings):
    made = queues_in_memory(FrontierSettings(**settings))
    for one in requests:
        assert made.add_new(one)
    return made


def add_later(made, one, not_before):
    """Queue a known URL again."""
    made.seen.add(one.url.fingerprint, DONE, one.priority)
    made.add(one, not_before)


def drain(made, now=0.0):
    """Hand out all URLs, with responses that take no time; return (time, text) of each."""
    found = []
    while len(made):
        one = made.next(now)
        if one is None:
            now += made.wait(now) or 0.0
            continue
        found.append((now, one.url.text.removeprefix("http://")))
        made.done(one.url.authority, now, 0.0)
    return found


def test_hosts_are_asked_once_a_delay():
    made = frontier(request("a/1"), request("a/2"), request("b/1"), request("a/3"), delay=2.0)
    assert len(made) == 4
    assert drain(made) == [(0.0, "a/1"), (0.0, "b/1"), (2.0, "a/2"), (4.0, "a/3")]
    assert (len(made), made.wait(9.0)) == (0, None)


def test_one_request_at_a_time_to_a_host():
    made = frontier(request("a/1"), request("a/2"), delay=1.0)
    assert made.next(0.0) is not None
    assert made.next(50.0) is None
    assert made.wait(50.0) is None
    made.done("a", 50.0, 0.0)
    assert made.wait(50.0) == 1.0
    assert made.next(50.9) is None
    assert made.next(51.0).url.path == "/2"


@pytest.mark.parametrize(
    ("delay", "elapsed", "crawl_delay", "pause"),
    [
        (1.0, 0.0, None, 1.0),
        (1.0, 3.0, None, 15.0),
        (1.0, 0.1, 7.0, 7.0),
        (1.0, 0.1, 500.0, 60.0),
        (90.0, 0.1, 500.0, 90.0),
        (0.0, 3.0, None, 0.0),
        (0.0, 3.0, 0.0, 0.0),
        (0.0, 0.1, 7.0, 7.0),
    ],
)
def test_the_pause_is_the_largest_of_three(delay, elapsed, crawl_delay, pause):
    made = frontier(request("a/1"), request("a/2"), delay=delay)
    made.next(10.0)
    made.done("a", 20.0, elapsed, crawl_delay)
    assert made.wait(20.0) == pause
    assert made.next(20.0 + pause).url.path == "/2"


def test_a_delay_outlives_the_last_url():
    made = frontier(request("a/1"), delay=5.0)
    made.next(0.0)
    made.done("a", 0.0, 0.0)
    assert made.next(1.0) is None
    made.add_new(request("a/2"))
    assert made.wait(1.0) == 4.0
    assert made.next(4.9) is None
    assert made.next(5.0).url.path == "/2"


def test_hosts_without_urls_are_forgotten_in_time():
    made = frontier(request("a/1"), delay=5.0)
    made.next(0.0)
    made.done("a", 0.0, 0.0)
    made.delay_until("b", 9.0)
    made.next(4.0)
    assert set(made._hosts) == {"a", "b"}
    made.next(5.0)
    assert set(made._hosts) == {"b"}
    made.next(9.0)
    assert not made._hosts


def test_a_url_waits_for_its_time():
    made = frontier(request("a/1"))
    add_later(made, request("a/later", priority=1.0), 100.0)
    add_later(made, request("b/later"), 50.0)
    assert made.next(0.0).url.path == "/1"
    assert made.wait(0.0) == 50.0
    made.done("a", 0.0, 0.0)
    assert made.wait(0.0) == 50.0
    assert made.next(49.0) is None
    assert made.next(99.0).url.text == "http://b/later"
    assert made.next(100.0).url.text == "http://a/later"
    assert len(made) == 0


def test_a_host_is_held():
    made = frontier(request("a/1"), request("b/1"), request("b/2"), delay=0.0)
    made.delay_until("a", 30.0)
    assert drain(made) == [(0.0, "b/1"), (0.0, "b/2"), (30.0, "a/1")]


def test_holding_a_busy_or_waiting_host():
    made = frontier(request("a/1"), request("a/2"), request("b/1"), delay=1.0, front_queues=1)
    assert made.next(0.0).url.authority == "a"
    made.delay_until("a", 20.0)
    made.done("a", 1.0, 0.0)
    assert made.wait(1.0) == 0.0
    made.delay_until("b", 30.0)
    assert made.next(19.0) is None
    assert made.wait(19.0) == 1.0
    assert made.next(20.0).url.authority == "a"
    made.delay_until("b", 5.0)
    assert made.next(29.0) is None


def test_a_host_is_given_up():
    made = frontier(request("a/1"), request("a/2", 1.0), request("b/1"))
    add_later(made, request("a/later"), 10.0)
    assert [one.url.path for one in made.forget("a")] == ["/1", "/2", "/later"]
    assert made.forget("a") == made.forget("nobody") == []
    assert len(made) == 1
    assert made.next(0.0).url.authority == "b"
    assert made.next(20.0) is None


def test_one_front_queue_keeps_the_exact_order_of_priorities():
    found = frontier(
        request("a/low", 0.1),
        request("b/mid", 0.5),
        request("c/top", 0.9),
        request("a/mid", 0.5),
        delay=0.0,
        front_queues=1,
    )
    found.add_new(request("d/beyond", 7.0))
    assert [text for _, text in drain(found)] == ["d/beyond", "c/top", "b/mid", "a/mid", "a/low"]


def test_a_better_url_moves_its_host_forward():
    made = frontier(request("a/1", 0.1), request("b/1", 0.2), delay=0.0, front_queues=1)
    assert made.next(0.0).url.authority == "b"
    made.done("b", 0.0, 0.0)
    made.add_new(request("b/2", 0.5))
    made.add_new(request("a/2", 0.9))
    assert made.next(0.0).url.text == "http://a/2"


def test_front_queues_prefer_high_scores_and_starve_nobody():
    firsts = Counter()
    for seed in range(600):
        made = queues_in_memory(FrontierSettings(front_queues=4), seed=seed)
        made.add_new(request("usual/", 1.0))
        made.next(0.0)  # its score is the usual one from now on, which stands in the middle
        for host, score in (("low", 0.2), ("mid", 0.6), ("high", 1.5), ("top", 9.0)):
            made.add_new(request(f"{host}/", score))
        firsts[made.next(0.0).url.authority] += 1
    # weights 1, 2, 4, 8 of 15
    expected = {"low": 40, "mid": 80, "high": 160, "top": 320}
    assert all(0.6 * number < firsts[host] < 1.5 * number for host, number in expected.items())


def test_scores_may_be_anything():
    worths = (-1.0, -1e30, 0.0, 1e-45, 1e30, 3e38)
    requests = [request(f"h{place}/{turn}", worth) for turn in range(3) for place, worth in enumerate(worths)]
    assert len(drain(frontier(*requests, delay=0.0, front_queues=5))) == len(requests)


def test_a_score_that_rises_while_a_url_waits_counts():
    made = frontier(request("a/1", 0.2), request("a/2", 0.1), request("a/3", 0.1), delay=0.0)
    made.seen.set_score(request("a/3").url.fingerprint, 0.9)
    assert [text for _, text in drain(made)] == ["a/3", "a/1", "a/2"]


def test_the_same_seed_gives_the_same_crawl():
    requests = [request(f"h{i % 7}/{i}", (i * 37 % 10) / 10) for i in range(60)]
    assert drain(frontier(*requests)) == drain(frontier(*requests))


def test_a_host_that_was_not_asked_need_not_wait():
    made = frontier(request("a.test/1"), request("a.test/2"), delay=5.0)
    assert made.next(0.0) is not None
    made.unasked("a.test")
    assert made.next(0.0) is not None


@pytest.mark.parametrize(("crawl_delay", "pause"), [(None, 5.0), (2.0, 5.0), (30.0, 30.0)])
def test_a_host_asked_for_by_name_wakes_up(crawl_delay, pause):
    made = frontier(delay=5.0)
    made.delay_until("a.test", 1000.0)
    add_later(made, request("a.test/1"), 2000.0)
    assert made.wait(0.0) == 2000.0
    made.wake("a.test", 0.0, crawl_delay)
    assert made.wait(0.0) == pause
    assert made.next(pause - 0.1) is None
    assert made.next(pause) is not None


def test_a_known_url_is_not_added_twice():
    made = frontier(request("a/1", 0.5))
    assert not made.add_new(request("a/1", 0.9))
    made.seen.add(request("b/1").url.fingerprint, DONE)
    assert not made.add_new(request("b/1"))
    assert (len(made), made.waiting_at("a"), made.waiting_at("b")) == (1, 1, 0)
    assert made.seen.score(request("a/1").url.fingerprint) == 0.5
    made.next(0.0)
    assert set(made._hosts) == {"a"}, "a host of which nothing waits is not remembered"


def test_only_what_is_known_can_wait_again():
    with pytest.raises(KeyError):
        frontier().add(request("a/1"))


def test_so_many_of_a_host_are_held_and_the_rest_waits_in_the_reserve():
    made = with_reserve(Shelf())
    requests = [request(f"a/{number}") for number in range(MOST_HELD_A_HOST + 100)]
    for one in requests:
        assert made.add_new(one)
    assert len(made) == len(requests)
    assert len(made.forget("a")) == MOST_HELD_A_HOST
    states = [made.seen.state(one.url.fingerprint) for one in requests]
    assert states == [HELD] * MOST_HELD_A_HOST + [WAITING] * 100


class Shelf:
    """A reserve of a few URLs that records when it is read."""

    def __init__(self, *requests):
        self.requests = list(requests)
        self.asked = 0

    def take(self, authority, room, now):
        self.asked += 1
        taken, self.requests = self.requests[:room], self.requests[room:]
        return taken

    def due_at(self, authority):
        return 0.0 if self.requests else inf


def with_reserve(reserve, **limits):
    settings = FrontierSettings(delay=0.0)
    rate_limit = AddressRateLimit.by(settings, lambda host: None)
    return HostQueues(settings, SeenTable(), reserve, rate_limit, 0, **limits)


def test_what_has_no_room_waits_in_the_reserve():
    shelf = Shelf()
    made = with_reserve(shelf, most_held=2)
    requests = [request(f"a/{number}") for number in range(5)]
    for one in requests:
        made.add_new(one)
    states = [made.seen.state(one.url.fingerprint) for one in requests]
    assert states == [HELD, HELD, WAITING, WAITING, WAITING]
    shelf.requests = requests[2:]
    assert [text for _, text in drain(made)] == [f"a/{number}" for number in range(5)]
    assert shelf.asked == 1
    assert (len(made), made.wait(0.0)) == (0, None)


@pytest.mark.parametrize("promised", [1, 2, 40])
def test_a_reserve_may_hold_more_or_less_than_was_said(promised):
    requests = [request(f"a/{number}") for number in range(2)]
    made = with_reserve(Shelf(*requests))
    for one in requests:
        made.seen.add(one.url.fingerprint)
    made.add_reserve("a", promised)
    assert len(made) == promised
    assert [text for _, text in drain(made)] == ["a/0", "a/1"]
    assert made.wait(0.0) is None


def test_a_reserve_that_has_nothing_is_asked_once():
    shelf = Shelf()
    made = with_reserve(shelf)
    made.add_reserve("a", 3)
    assert made.wait(0.0) == 0.0
    assert [made.next(now) for now in (0.0, 0.0, 9.0)] == [None] * 3
    assert (len(made), made.wait(0.0), shelf.asked) == (0, None, 1)


def test_a_host_that_was_forgotten_does_not_ask_the_reserve():
    shelf = Shelf(request("a/1"))
    made = with_reserve(shelf)
    made.add_reserve("a", 1)
    assert made.forget("a") == []
    assert (made.next(0.0), made.wait(0.0), shelf.asked) == (None, None, 0)
