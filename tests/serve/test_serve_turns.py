"""Searches wait in a queue; fast requests do not."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from starlette.exceptions import HTTPException

from gossamer.serve import search_queue as turns
from gossamer.serve.search_queue import SearchQueue


@pytest.fixture
def two_at_once(monkeypatch):
    monkeypatch.setattr(turns, "at_once", lambda: 2)
    monkeypatch.setattr(turns, "PATIENCE", 60.0)


@pytest.mark.usefixtures("two_at_once")
def test_searches_run_in_order_of_arrival():
    begun, running, most = [], [], []

    def search(number):
        running.append(number)
        begun.append(number)
        most.append(len(running))
        time.sleep(0.002)
        running.remove(number)
        return number

    async def many():
        in_turn = SearchQueue(60.0).taking(search)
        return await asyncio.gather(*(in_turn(number) for number in range(12)))

    assert asyncio.run(many()) == list(range(12))
    assert max(most) <= 2
    assert all(abs(place - number) <= 1 for place, number in enumerate(begun))


@pytest.mark.usefixtures("two_at_once")
def test_cancelled_searches_do_not_run():
    may_end, searched = threading.Event(), []

    def search(number):
        searched.append(number)
        assert may_end.wait(60)

    async def overtaken():
        in_turn = SearchQueue(0.01).taking(search)
        tasks = [asyncio.ensure_future(in_turn(number)) for number in range(4)]
        await asyncio.sleep(0.03)
        tasks[2].cancel()
        await asyncio.sleep(0)
        may_end.set()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        await in_turn(4)  # there is room again
        return ended

    first, second, cancelled, late = asyncio.run(overtaken())
    assert (first, second) == (None, None)
    assert isinstance(cancelled, asyncio.CancelledError)
    assert isinstance(late, HTTPException)
    assert sorted(searched) == [0, 1, 4]


@pytest.mark.usefixtures("two_at_once")
def test_a_search_that_fails_makes_room():
    def search():
        raise ValueError

    async def failing():
        in_turn = SearchQueue(60.0).taking(search)
        return await asyncio.gather(*(in_turn() for _ in range(5)), return_exceptions=True)

    assert [type(one) for one in asyncio.run(failing())] == [ValueError] * 5


def test_nobody_waits_long_for_a_slow_search(monkeypatch):
    monkeypatch.setattr(turns, "at_once", lambda: 1)
    monkeypatch.setattr(turns, "PATIENCE", 0.01)
    may_end, running, most = threading.Event(), [], []

    def search(number):
        running.append(number)
        most.append(len(running))
        assert number or may_end.wait(60)  # the first is slow
        running.remove(number)
        return number

    async def behind_it():
        in_turn = SearchQueue(60.0).taking(search)
        slow = asyncio.ensure_future(in_turn(0))
        others = await asyncio.gather(*(in_turn(number) for number in range(1, 5)))
        may_end.set()
        return [await slow, *others]

    assert asyncio.run(behind_it()) == list(range(5))
    assert max(most) == 2, "one at a time goes beside it"


def test_there_is_room_for_as_many_as_there_are_processors():
    assert turns.at_once() >= 1
