"""Crawls of hosts that keep failing: they are paused, nothing is lost, and the crawl ends."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from itertools import pairwise

import pytest

from gossamer import Engine
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.crawl.hosts.circuit_breaker import LONGEST_PAUSE
from gossamer.demo.scripted_web import Reply, ScriptedHost, ScriptedTransport, ScriptedWeb, error, page
from gossamer.model import Failure

PAGES = [f"/{i}" for i in range(12)]
IMPATIENT = FetchSettings(connect_timeout=0.2, read_timeout=0.2, total_timeout=0.4)
REFUSED = Reply(failure=Failure.CONNECT)


class Moody:
    """A host that answers its first page, then fails some times, and then recovers."""

    def __init__(self, failures, how):
        self.left = failures
        self.how = how

    def __call__(self, path):
        if self.left <= 0:
            return page(path, f"all is well with {path}")
        self.left -= 1
        return self.how


def web_of(route, **others):
    routes = {"/": page("Home", "front door", PAGES), **dict.fromkeys(PAGES, route), **others}
    return ScriptedWeb({"a.test": ScriptedHost(routes)})


def crawl(folder, web, *seeds, refresh=False, **frontier):
    settings = {
        "frontier": {"delay": 0.0, "breaker_failures": 4, "breaker_pause": 0.03, **frontier},
        "extract": {"workers": 0},
        "crawl": {"retry_delay": 0.01},
    }
    with Engine.open(folder, create=True, settings=settings) as engine:
        return engine.crawl(seeds, transport=ScriptedTransport(web, IMPATIENT), refresh=refresh)


def states(folder):
    with sqlite3.connect(folder / "partition-000" / "catalogue.sqlite") as connection:
        found = Counter(connection.execute("SELECT state, reason FROM urls").fetchall())
    connection.close()
    return found


def pause(folder, host="a.test"):
    with Engine.open(folder) as engine:
        return engine.host_status(host).pause


def asked(web):
    return [one for one in web.asked if one.path in PAGES]


@pytest.mark.parametrize("how", [error(503), error(429), error(500), REFUSED, Reply(failure=Failure.TIMEOUT)])
def test_a_host_that_recovers_loses_nothing(tmp_path, how):
    web = web_of(Moody(7, how))
    progress = crawl(tmp_path, web, "http://a.test/")
    assert (progress.pages, progress.failed, progress.queue) == (13, 0, 0)
    assert states(tmp_path) == {("fetched", ""): 13}
    assert len(asked(web)) == 12 + 7
    assert pause(tmp_path) is None


def test_pauses_grow_and_one_request_decides(tmp_path):
    web = web_of(Moody(6, error(503)))
    crawl(tmp_path, web, "http://a.test/", breaker_pause=0.1)
    times = [one.time for one in asked(web)]
    # four failures open it, the fifth and the sixth are the requests that decide
    gaps = [later - earlier for earlier, later in pairwise(times[3:7])]
    assert [gap >= least for gap, least in zip(gaps, (0.1, 0.2, 0.4), strict=True)] == [True] * 3


def test_a_host_that_stays_ill_is_left_for_the_next_crawl(tmp_path):
    ill = web_of(error(503))
    progress = crawl(tmp_path, ill, "http://a.test/", breaker_openings=2)
    assert (progress.pages, progress.failed, progress.queue) == (1, 0, 12)
    assert len(asked(ill)) == 4 + 2
    found = states(tmp_path)
    assert found["queued", "http-503"] + found["queued", ""] == 12
    left = pause(tmp_path)
    assert left is not None
    assert (left.state, left.reason, left.pauses) == ("open", "http-503", 3)
    # the next crawl does not come too soon, but whoever names the host asks once more
    assert crawl(tmp_path, (early := web_of(Moody(0, None)))).pages == 0
    assert not asked(early)
    again = web_of(error(503))
    assert crawl(tmp_path, again, "http://a.test/0", breaker_openings=2).queue == 12
    assert len(asked(again)) == 1, "half-open: one request decides"
    well = web_of(Moody(0, None))
    assert crawl(tmp_path, well, "http://a.test/0").pages == 12
    assert states(tmp_path) == {("fetched", ""): 13}
    assert pause(tmp_path) is None


def test_it_holds_for_an_hour_in_the_catalogue(tmp_path):
    before = time.time()
    crawl(tmp_path, web_of(error(503)), "http://a.test/", breaker_openings=0)
    with sqlite3.connect(tmp_path / "partition-000" / "catalogue.sqlite") as connection:
        (content,) = connection.execute("SELECT content FROM notes WHERE kind = 'breaker'").fetchone()
    connection.close()
    note = json.loads(content)
    assert (note["failures"], note["openings"]) == (4, 1)
    assert before + LONGEST_PAUSE <= note["until"] <= time.time() + LONGEST_PAUSE


def test_pages_that_are_broken_do_not_hide_those_that_are_not(tmp_path):
    broken = {path: error(500) for path in PAGES[:6]}
    web = web_of(Moody(0, None), **broken)
    progress = crawl(tmp_path, web, "http://a.test/", breaker_pause=0.01, breaker_openings=6)
    assert progress.pages == 7
    found = states(tmp_path)
    assert found["fetched", ""] == 7
    assert found["failed", "http-500"] + found["queued", "http-500"] == 6


def test_other_hosts_do_not_wait(tmp_path):
    others = {f"/{i}": page(f"B {i}", f"b {i}", [f"/{i + 1}"]) for i in range(20)}
    web = ScriptedWeb({**web_of(error(503)).hosts, "b.test": ScriptedHost(others)})
    # it is left alone for an hour, beginning with its fourth page
    progress = crawl(tmp_path, web, "http://a.test/", "http://b.test/0", breaker_openings=0)
    assert (progress.pages, progress.queue) == (21, 12)


def test_a_host_that_never_answered_is_silent_and_not_waited_for(tmp_path):
    away = ScriptedWeb({"a.test": ScriptedHost({}, fallback=REFUSED)})
    seeds = [f"http://a.test{path}" for path in PAGES]
    progress = crawl(tmp_path, away, *seeds)
    assert (progress.pages, progress.queue, len(away.asked)) == (0, 12, 4)
    with Engine.open(tmp_path) as engine:
        assert engine.host_status("a.test").silent_crawls == 1


def test_a_host_that_goes_away_is_waited_for(tmp_path):
    """The host has too few pages for the breaker. But it does not answer, so no page is at fault."""
    routes = {"/": page("Home", "front door", ["/0"]), "/0": Moody(5, REFUSED)}
    web = ScriptedWeb({"a.test": ScriptedHost(routes)})
    progress = crawl(tmp_path, web, "http://a.test/")
    assert (progress.pages, progress.failed, progress.queue) == (2, 0, 0)


def test_known_pages_wait_too(tmp_path):
    well = {path: page(path, f"text of {path}") for path in PAGES}
    crawl(tmp_path, web_of(Moody(0, None), **well), "http://a.test/")
    with sqlite3.connect(tmp_path / "partition-000" / "catalogue.sqlite") as connection:
        connection.execute("UPDATE urls SET next_visit = 1.0 WHERE state = 'fetched'")
    connection.close()
    web = ScriptedWeb({"a.test": ScriptedHost({}, fallback=Moody(6, error(503)))})
    progress = crawl(tmp_path, web, refresh=True)
    assert (progress.revisits, progress.failed) == (13, 0)
    assert pause(tmp_path) is None


def test_the_log_tells_of_pauses(tmp_path):
    crawl(tmp_path, web_of(Moody(5, error(503))), "http://a.test/")
    (log,) = (tmp_path / "logs").glob("*.jsonl")
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    told = [line for line in lines if line["event"] == "pause"]
    assert [(line["host"], line["reason"]) for line in told] == [("a.test", "http-503")] * 2


@pytest.mark.parametrize("value", ["9" * 400, "²", "Fri, 31 Dec 9999 23:59:59 GMT", "soon", "-5", ""])
def test_no_wish_for_a_pause_ends_a_crawl(tmp_path, value):
    busy = Reply(503, b"", {"Retry-After": value})
    progress = crawl(tmp_path, web_of(error(404), **{"/0": busy}), "http://a.test/")
    assert (progress.pages, progress.errors["http-404"] + progress.queue) in {(1, 11), (1, 12)}
