"""Circuit breakers of failing hosts: when they open, for how long, and what closes them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.hosts.circuit_breaker import LONGEST_PAUSE, CircuitBreaker, CircuitBreakers
from gossamer.crawl.settings import FrontierSettings


def settings(failures=3, pause=10.0, openings=3):
    return FrontierSettings(breaker_failures=failures, breaker_pause=pause, breaker_openings=openings)


def opened(**more):
    breaker = CircuitBreaker(settings(**more))
    for number in range(breaker.settings.breaker_failures):
        breaker.fail(float(number), "timeout", is_new=True)
    return breaker


def test_it_opens_after_so_many_pages_in_a_row():
    breaker = CircuitBreaker(settings(failures=3))
    assert [breaker.fail(now, "http-503", is_new=True) for now in (1.0, 2.0, 3.0)] == [0.0, 0.0, 13.0]
    assert (breaker.is_open, breaker.reason, breaker.since, breaker.failures) == (True, "http-503", 3.0, 3)


def test_a_success_in_between_begins_anew():
    breaker = CircuitBreaker(settings(failures=2))
    for now in range(10):
        assert breaker.fail(float(now), "http-500", is_new=True) == 0.0
        breaker.close()
    assert not breaker.is_open


def test_one_page_that_fails_again_and_again_is_not_its_host():
    breaker = CircuitBreaker(settings(failures=2))
    assert breaker.fail(1.0, "http-500", is_new=True) == 0.0
    assert [breaker.fail(float(now), "http-500", is_new=False) for now in range(2, 9)] == [0.0] * 7


def test_each_failure_after_a_pause_doubles_it_until_the_host_is_left_for_the_next_crawl():
    breaker = opened(pause=10.0, openings=3)
    now, pauses = breaker.until, []
    for _ in range(4):
        # the request that decides may be that of any page, for the first time or not
        until = breaker.fail(now, "connect", is_new=False)
        pauses.append(until - now)
        now = until
    assert pauses == [20.0, 40.0, LONGEST_PAUSE, LONGEST_PAUSE]
    assert (breaker.since, breaker.openings, breaker.reason) == (2.0, 5, "connect")


def test_a_host_that_is_away_is_left_alone_at_once():
    breaker = CircuitBreaker(settings(failures=9, pause=10.0))
    assert breaker.fail(1.0, "connect", is_new=True) == 0.0
    assert breaker.open(2.0, "connect") == 12.0
    assert breaker.fail(12.0, "connect", is_new=False) == 32.0
    book = CircuitBreakers(settings(failures=9))
    assert book.open("away.test", 1.0, "dns") == 11.0
    book.succeed("away.test")
    assert dict(book.pauses()) == {}


def test_no_pause_is_longer_than_an_hour():
    assert opened(pause=3000.0, openings=9).fail(0.0, "timeout", is_new=True) == LONGEST_PAUSE


def test_what_the_host_asks_for_is_the_least():
    breaker = opened(pause=10.0)
    assert breaker.fail(100.0, "http-429", is_new=True, not_before=900.0) == 900.0
    assert breaker.fail(900.0, "http-429", is_new=True, not_before=901.0) == 940.0


def test_an_answer_closes_it_and_all_is_forgotten():
    breaker = opened()
    breaker.close()
    assert (breaker.is_open, breaker.failures, breaker.until) == (False, 0, 0.0)
    assert breaker.fail(50.0, "timeout", is_new=True) == 0.0
    assert breaker.state() == {}


def test_it_outlives_the_process_and_then_the_first_answer_decides():
    before = opened()
    after = CircuitBreaker(settings())
    after.restore(json.loads(json.dumps(before.state())))
    assert after.state() == before.state()
    assert after.fail(20.0, "timeout", is_new=True) == 40.0


@pytest.mark.parametrize("state", [{"failures": 1}, {"failures": "x"}, []])
def test_notes_that_make_no_sense_are_said_so(state):
    breaker = CircuitBreaker(settings())
    if state:
        with pytest.raises((KeyError, ValueError, TypeError)):
            breaker.restore(state)
    else:
        breaker.restore(state)
        assert not breaker.is_open


def test_the_book_writes_only_what_opened_or_closed():
    book = CircuitBreakers(settings(failures=2))
    book.succeed("never.test")
    book.fail("once.test", 1.0, "timeout")
    assert book.fail("bad.test", 1.0, "timeout") == 0.0
    assert book.fail("bad.test", 2.0, "timeout") == 12.0
    assert list(book.changes()) == ["bad.test"]
    assert dict(book.pauses()) == {"bad.test": 12.0}
    book.succeed("once.test")
    assert book.changes() == {}
    book.succeed("bad.test")
    assert book.changes() == {"bad.test": {}}
    assert dict(book.pauses()) == {}


def test_the_book_is_bounded():
    book = CircuitBreakers(settings(failures=1), most=20)
    for number in range(100):
        book.fail(f"h{number}.test", 1.0, "timeout")
    assert len(book) <= 10
    assert len(book.changes()) == 100


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 5), st.integers(0, 5))
def test_a_host_is_asked_seldom_while_it_fails_and_at_once_when_it_answers(answers, failures, openings):
    """Compare the breaker with a simple model: what is counted, and how pauses grow."""
    breaker = CircuitBreaker(settings(failures=failures, pause=1.0, openings=openings))
    now, in_a_row, pauses = 0.0, 0, 0
    for good in answers:
        if good:
            breaker.close()
            in_a_row = pauses = 0
        else:
            in_a_row += 1
            pauses = pauses + 1 if in_a_row >= failures else 0
            expected = 0.0
            if pauses:
                expected = 2.0 ** (pauses - 1) if pauses <= openings else LONGEST_PAUSE
            until = breaker.fail(now, "timeout", is_new=True)
            assert until == (now + expected if pauses else 0.0)
            now = max(now, until)
        assert breaker.is_open == (pauses > 0)
        now += 1.0
