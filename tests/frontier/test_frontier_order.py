"""The frontier: what comes when, in cases that can be followed by hand."""

from collections import Counter

import pytest

from gossamer.frontier.frontier import Frontier
from gossamer.frontier.settings import FrontierSettings
from gossamer.model import CrawlRequest, Url


def request(text, priority=0.0):
    host, _, path = text.partition("/")
    return CrawlRequest(Url(f"http://{text}", "http", host, 80, "/" + path), priority=priority)


def frontier(*requests, **settings):
    made = Frontier(FrontierSettings(**settings))
    for one in requests:
        made.add(one)
    return made


def drain(made, now=0.0):
    """Everything, with answers that take no time; (time, text) each."""
    found = []
    while len(made):
        one = made.next(now)
        if one is None:
            now += made.wait(now)
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
    made.add(request("a/2"))
    assert made.wait(1.0) == 4.0
    assert made.next(4.9) is None
    assert made.next(5.0).url.path == "/2"


def test_hosts_without_urls_are_forgotten_in_time():
    made = frontier(request("a/1"), delay=5.0)
    made.next(0.0)
    made.done("a", 0.0, 0.0)
    made.hold("b", 9.0)
    made.next(4.0)
    assert set(made._hosts) == {"a", "b"}
    made.next(5.0)
    assert set(made._hosts) == {"b"}
    made.next(9.0)
    assert not made._hosts


def test_a_url_waits_for_its_time():
    made = frontier(request("a/1"))
    made.add(request("a/later", priority=1.0), not_before=100.0)
    made.add(request("b/later"), not_before=50.0)
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
    made.hold("a", 30.0)
    assert drain(made) == [(0.0, "b/1"), (0.0, "b/2"), (30.0, "a/1")]


def test_holding_a_busy_or_waiting_host():
    made = frontier(request("a/1"), request("a/2"), request("b/1"), delay=1.0, front_queues=1)
    assert made.next(0.0).url.authority == "a"
    made.hold("a", 20.0)
    made.done("a", 1.0, 0.0)
    assert made.wait(1.0) == 0.0
    made.hold("b", 30.0)
    assert made.next(19.0) is None
    assert made.wait(19.0) == 1.0
    assert made.next(20.0).url.authority == "a"
    made.hold("b", 5.0)
    assert made.next(29.0) is None


def test_a_host_is_given_up():
    made = frontier(request("a/1"), request("a/2", 1.0), request("b/1"))
    made.add(request("a/later"), not_before=10.0)
    assert [one.url.path for one in made.forget("a")] == ["/2", "/1", "/later"]
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
    found.add(request("d/beyond", 7.0))
    assert [text for _, text in drain(found)] == ["d/beyond", "c/top", "b/mid", "a/mid", "a/low"]


def test_a_better_url_moves_its_host_forward():
    made = frontier(request("a/1", 0.1), request("b/1", 0.2), delay=0.0, front_queues=1)
    assert made.next(0.0).url.authority == "b"
    made.done("b", 0.0, 0.0)
    made.add(request("b/2", 0.5))
    made.add(request("a/2", 0.9))
    assert made.next(0.0).url.text == "http://a/2"


def test_front_queues_prefer_high_priorities_and_starve_nobody():
    firsts = Counter()
    for seed in range(300):
        made = Frontier(FrontierSettings(front_queues=4), seed)
        for host, priority in (("low", 0.0), ("mid", 0.3), ("high", 0.6), ("top", 1.0)):
            made.add(request(f"{host}/", priority))
        firsts[made.next(0.0).url.authority] += 1
    # weights 1, 2, 4, 8 of 15
    expected = {"low": 20, "mid": 40, "high": 80, "top": 160}
    assert all(0.6 * number < firsts[host] < 1.5 * number for host, number in expected.items())


def test_the_same_seed_gives_the_same_crawl():
    requests = [request(f"h{i % 7}/{i}", (i * 37 % 10) / 10) for i in range(60)]
    assert drain(frontier(*requests)) == drain(frontier(*requests))


def test_a_host_that_was_not_asked_need_not_wait():
    made = Frontier(FrontierSettings(delay=5.0))
    made.add(request("a.test/1"))
    made.add(request("a.test/2"))
    assert made.next(0.0) is not None
    made.unasked("a.test")
    assert made.next(0.0) is not None


def test_a_host_asked_for_by_name_wakes_up():
    made = Frontier(FrontierSettings(delay=5.0))
    made.hold("a.test", 1000.0)
    made.add(request("a.test/1"), not_before=2000.0)
    assert made.wait(0.0) == 2000.0
    made.wake("a.test", 0.0)
    assert made.wait(0.0) == 5.0
    assert made.next(4.9) is None
    assert made.next(5.0) is not None
