"""Rate limit of hosts that share an IP address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from queues import queues_in_memory

from gossamer.crawl.frontier import politeness as addresses
from gossamer.crawl.frontier.politeness import AddressRateLimit
from gossamer.crawl.settings import FrontierSettings
from gossamer.model import BadSetting, CrawlRequest, Url

SHARED = "192.0.2.1"


def pace(pause=1.0, unlimited=(), places=None):
    return AddressRateLimit(pause, unlimited, lambda host: SHARED if places is None else places.get(host))


def frontier(hosts, places, pages=1, **settings):
    chosen = FrontierSettings(**settings)
    made = queues_in_memory(chosen, AddressRateLimit.by(chosen, places.get))
    for page in range(pages):
        for host in hosts:
            made.add_new(CrawlRequest(Url.parsed(f"http://{host}/{page}")))
    return made


def asked(made, until, steps=1.0):
    """Return (time, host) of all requests handed out to a loop that checks at regular intervals."""
    found, now = [], 0.0
    while now <= until:
        while one := made.next(now):
            found.append((now, one.url.authority))
            made.done(one.url.authority, now, 0.0)
        now += steps
    return found


def test_a_line_by_hand():
    line = pace(pause=1.0)
    turns = {}
    for host, when in (("a", 10.0), ("b", 11.0), ("c", 12.0)):
        turns[host], may_come_at = line.turn(host, None, 10.0)
        assert may_come_at == when or (host == "a" and may_come_at <= 10.0)
    # b comes half a second late, and so does everybody after it
    assert line.turn("b", turns["b"], 11.5) == (turns["b"], 11.0)
    assert line.turn("c", turns["c"], 12.0) == (turns["c"], 12.5)
    # c does not come at all before d, which has drawn the next number
    turns["d"], when = line.turn("d", None, 12.0)
    assert when == 13.5
    assert line.turn("d", turns["d"], 13.5)[1] == 13.5
    # whose turn has passed need not draw again, but waits for the pause
    assert line.turn("c", turns["c"], 14.0)[1] == 14.5
    assert line.turn("c", turns["c"], 14.5)[1] == 14.5
    # and where nobody was for a while one may come at once
    assert line.turn("e", None, 100.0)[1] <= 100.0


def test_a_crowd_is_asked_one_after_the_other():
    hosts = [f"h{number}" for number in range(20)]
    made = frontier(hosts, dict.fromkeys(hosts, SHARED), delay=1.0, address_delay=0.5)
    found = asked(made, 10.0, 0.25)
    assert [when for when, _ in found] == [number / 2 for number in range(20)]
    assert len(made) == 0


def test_nobody_who_looks_rarely_asks_twice_at_once():
    hosts = [f"h{number}" for number in range(6)]
    made = frontier(hosts, dict.fromkeys(hosts, SHARED), delay=1.0, address_delay=0.5)
    assert [when for when, _ in asked(made, 15.0, 3.0)] == [0.0, 3.0, 6.0, 9.0, 12.0, 15.0]


def test_a_crowd_is_woken_seldom():
    hosts = [f"h{number}" for number in range(200)]
    made = frontier(hosts, dict.fromkeys(hosts, SHARED), pages=2, delay=1.0, address_delay=0.5)
    turns = []
    whole = made._rate_limit.turn
    made._rate_limit.turn = lambda *given: (turns.append(given), whole(*given))[1]
    count, now = 0, 0.0
    while len(made):
        if one := made.next(now):
            made.done(one.url.authority, now, 0.0)
            count += 1
        # always a little late: the delays add up, and the whole line is behind its time
        now += (made.wait(now) or 0.0) + 0.125
    assert count == 400
    assert len(turns) < 5 * count


def test_listed_and_unknown_addresses_have_no_limit():
    places = {"a": "127.0.0.1", "b": "127.0.0.1", "c": "2001:db8::1%eth0", "d": "2001:db8::1", "e": None}
    made = frontier(places, places, delay=1.0, unlimited_addresses=["127.0.0.0/8", " 2001:db8::1 "])
    assert {when for when, _ in asked(made, 0.0)} == {0.0}
    assert len(made) == 0


def test_no_delay_is_no_delay_for_addresses_either():
    places = dict.fromkeys("abc", SHARED)
    made = frontier(places, places, delay=0.0, address_delay=5.0)
    assert len(asked(made, 0.0)) == 3


def test_other_addresses_need_not_wait():
    places = {"a": SHARED, "b": SHARED, "c": "192.0.2.9"}
    found = asked(frontier(places, places, delay=8.0, address_delay=4.0), 4.0)
    assert sorted(found) == [(0.0, "a"), (0.0, "c"), (4.0, "b")]


def test_a_name_that_moves_draws_a_number_at_its_new_address():
    places = {"a": SHARED, "b": SHARED, "c": SHARED}
    made = frontier(places, places, delay=1.0, address_delay=10.0)
    assert made.next(0.0).url.host == "a"
    assert made.next(0.0) is None
    places["c"] = "192.0.2.9"
    assert [made.next(20.0).url.host for _ in range(2)] == ["b", "c"]


def test_a_host_that_is_woken_still_waits_for_its_turn():
    places = {"a": SHARED, "b": SHARED}
    made = frontier(places, places, delay=1.0, address_delay=10.0)
    assert made.next(0.0).url.host == "a"
    assert made.next(0.0) is None
    made.wake("b", 0.0)
    assert made.next(1.0) is None
    assert made.next(10.0).url.host == "b"


def test_only_so_many_addresses_are_remembered(monkeypatch):
    monkeypatch.setattr(addresses, "MOST_REMEMBERED", 3)
    places = {f"h{number}": f"192.0.2.{number}" for number in range(20)}
    line = pace(1.0, ["198.51.100.0/24"], places)
    for number in range(20):
        assert line.turn(f"h{number}", None, 10.0 * number)[1] <= 10.0 * number
        assert len(line._lines) <= 3
        assert line._limited.cache_info().currsize <= 3
    # those where somebody waits are not forgotten
    for host in ("h18", "h17", "h16", "h15"):
        line.turn(host, None, 190.0)
        line.turn(host, None, 190.0)
    assert line.turn("h18", None, 190.0)[1] > 191.0


@pytest.mark.parametrize("text", ["localhost", "192.0.2.1/99", ""])
def test_a_list_with_something_else_in_it_is_refused(text):
    with pytest.raises(BadSetting, match="unlimited_addresses"):
        pace(1.0, [text])


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.sampled_from([0.0, 0.25, 0.5, 1.0, 7.0])),
        min_size=1,
        max_size=60,
    )
)
def test_never_closer_than_the_pause(visits):
    """For hosts in any order, early or late, no pause is too short and no wait too long."""
    line, turns, now, last = pace(1.0), {}, 0.0, None
    for host, later in visits:
        now += later
        turns[host], may_come_at = line.turn(host, turns.get(host), now)
        if may_come_at <= now:
            assert last is None or now >= last + 1.0
            last, turns[host] = now, None
        else:
            assert may_come_at <= now + 1.0 * (sum(turn is not None for turn in turns.values()) + len(visits))


def test_a_host_takes_turns_once_its_address_is_known():
    places = {"b": SHARED, "c": "127.0.0.1"}
    made = frontier("abc", places, delay=1.0)
    assert [made.takes_turns(host) for host in "abc"] == [False, True, False]
    places["a"] = SHARED
    assert made.takes_turns("a")
    assert not frontier("b", places, delay=0.0).takes_turns("b")


def test_two_frontiers_share_an_address():
    settings = FrontierSettings(delay=1.0, address_delay=0.5)
    shared = AddressRateLimit.by(settings, lambda host: SHARED)
    first, second = (queues_in_memory(settings, shared) for _ in range(2))
    first.add_new(CrawlRequest(Url.parsed("http://a/")))
    second.add_new(CrawlRequest(Url.parsed("http://b/")))
    assert first.next(0.0) is not None
    assert second.next(0.0) is None
    assert second.wait(0.0) == 0.5
    assert second.next(0.5) is not None
