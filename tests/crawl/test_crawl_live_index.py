"""The index during a crawl: the last version of each page counts."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from gossamer import Engine
from gossamer.collection.partition import Partition
from gossamer.config import Config
from gossamer.crawl import loop as crawling
from gossamer.crawl.live_index import LiveIndex
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, text
from gossamer.demo.scripted_web import page as reply

GUARD = 300  # seconds: only against hanging
ADDRESSES = ["http://a.test/x", "http://a.test/y"]


def held(partition):
    numbers, dates = partition.index.versions()
    return sorted(zip(numbers.tolist(), dates.tolist(), strict=True))


async def nothing():
    """Synchronise an index that already matches the catalogue."""
    return 0


def version(place, number):
    return replace(page(ADDRESSES[place], f"version {number}"), fetched_at=float(number))


@pytest.fixture
def partition(tmp_path):
    config = Config()
    found = Partition(0, tmp_path / "partition", config.store)
    found.create()
    yield found
    found.close()


@pytest.mark.parametrize("flushes", [1, 2])
def test_a_page_that_was_added_again_stays(partition, flushes):
    live = LiveIndex([partition], lambda host: 0, Config().index, Config().weighting, Config().text, nothing)
    live.add(version(0, 1))
    live.remove(version(0, 1).url)
    live.add(version(0, 2))
    for _ in range(flushes):
        asyncio.run(live.flush())
    assert held(partition) == [(version(0, 1).url.fingerprint, float(flushes))]


steps = st.lists(st.tuples(st.integers(0, 1), st.sampled_from(["add", "remove", "flush"])), max_size=12)


@given(steps)
def test_after_all_the_index_holds_the_last_versions(tmp_path_factory, steps):
    config = Config()
    partition = Partition(0, tmp_path_factory.mktemp("live"), config.store)
    partition.create()
    live, expected = (
        LiveIndex([partition], lambda host: 0, config.index, config.weighting, config.text, nothing),
        {},
    )
    for number, (place, what) in enumerate(steps, 1):
        one = version(place, number)
        if what == "add":
            live.add(one)
            expected[one.url.fingerprint] = float(number)
        elif what == "remove":
            live.remove(one.url)
            expected.pop(one.url.fingerprint, None)
        else:
            asyncio.run(live.flush())
    for _ in range(2):
        asyncio.run(live.flush())
    assert held(partition) == sorted(expected.items())
    assert not live.waits
    partition.close()


def test_a_crawl_without_end_brings_the_index_to_what_the_catalogue_says(tmp_path, monkeypatch):
    monkeypatch.setattr(crawling, "SEARCHABLE_SECONDS", 0.0)
    monkeypatch.setattr(crawling, "COMPLETE_SECONDS", 0.0)
    routes = {f"/{i}": reply(f"Page {i}", f"number{i} stands here") for i in range(9)}
    routes |= {"/": reply("Home", "front door", list(routes)), "/robots.txt": text("")}
    transport = ScriptedTransport(ScriptedWeb({"a.test": ScriptedHost(routes)}))
    begun = time.monotonic()

    def watch(progress):
        assert time.monotonic() - begun < GUARD
        progress.stopping = progress.stopping or progress.indexed >= 11

    quick = {
        "frontier": {"delay": 0.0},
        "extract": {"workers": 0},
        "crawl": {"commit_seconds": 0.05},
    }
    with Engine.open(tmp_path, create=True, settings=quick) as engine:
        engine.crawl(["http://a.test/"], transport=transport, index=False)
        routes["/new"] = reply("New", "a late guest")
        engine.crawl(["http://a.test/new"], transport=transport, continuous=True, observer=watch)
        assert [hit.url for hit in engine.search("number3").hits] == ["http://a.test/3"]
