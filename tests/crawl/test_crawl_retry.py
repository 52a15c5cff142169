"""Effects of failures in this crawl and in later ones: on a page, on a host, or none."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from contextlib import closing
from itertools import pairwise

import pytest

from gossamer import Engine
from gossamer.demo.scripted_web import Reply, ScriptedHost, ScriptedTransport, ScriptedWeb, error, page, text
from gossamer.model import Failure

PAGES = [f"/{number}" for number in range(8)]
ALL = text("User-agent: *\nAllow: /")
MISSING = error(404)


class Crowded(ScriptedTransport):
    """All hosts have one address, which is known after a lookup."""

    def __init__(self, web):
        super().__init__(web)
        self.found = set()

    async def look_up(self, host):
        self.found.add(host)

    def address_of(self, host):
        return "192.0.2.7" if host in self.found else None


def crawl(folder, web, *seeds, transport=ScriptedTransport, partitions=1, frontier=None, **settings):
    merged = {
        "frontier": {"delay": 0.0, "breaker_pause": 0.01, **(frontier or {})},
        "extract": {"workers": 0},
        "crawl": {"retry_delay": 0.01, **settings},
    }
    with Engine.open(folder, create=True, partitions=partitions, settings=merged) as engine:
        return engine.crawl(seeds, transport=transport(web))


def site(fallback=MISSING, **routes):
    known = {"/robots.txt": ALL, "/": page("Home", "front door", PAGES), **routes}
    return ScriptedWeb({"a.test": ScriptedHost(known, fallback=fallback)})


def write(folder, sql, values=()):
    with closing(sqlite3.connect(folder / "partition-000" / "catalogue.sqlite")) as connection, connection:
        return connection.execute(sql, values).fetchall()


def states(folder, host="a.test"):
    found = write(folder, "SELECT state, reason FROM urls WHERE authority = ?", (host,))
    return Counter(found)


def paths(web):
    return [one.path for one in web.asked]


@pytest.mark.parametrize("failure", [Failure.DECODING, Failure.PROTOCOL, Failure.LOGIN])
def test_a_broken_page_costs_that_page(tmp_path, failure):
    """This holds even if it is the first page of a crawl and robots.txt is known."""
    well = {path: page(path, f"text of {path}") for path in PAGES}
    web = site(**well, **{"/m": page("M", "a door", ["/broken"]), "/broken": Reply(failure=failure)})
    crawl(tmp_path, web, "http://a.test/", "http://a.test/m", max_pages=2)
    del web.asked[:]
    assert crawl(tmp_path, web).pages == 8
    assert paths(web)[0] == "/broken"
    assert states(tmp_path) == {("fetched", ""): 10, ("failed", failure.value): 1}


@pytest.mark.parametrize("failure", [Failure.DECODING, Failure.PROTOCOL, Failure.TLS])
def test_a_host_whose_rules_cannot_be_read_waits(tmp_path, failure):
    web = site(**{"/robots.txt": Reply(failure=failure)})
    seeds = [f"http://a.test{path}" for path in PAGES]
    assert crawl(tmp_path, web, *seeds).queue == 8
    assert crawl(tmp_path, web).queue == 8
    assert len(web.asked) == 1


def test_a_host_without_a_secure_connection_loses_no_page(tmp_path):
    crawl(tmp_path, site(), "http://a.test/", max_pages=1)
    insecure = site(Reply(failure=Failure.TLS))
    assert crawl(tmp_path, insecure).queue == 8
    assert len(insecure.asked) == 1
    assert states(tmp_path)["queued", ""] + states(tmp_path)["queued", "tls"] == 8


@pytest.mark.parametrize("status", [408, 425, 501, 507, 520, 522, 526, 599])
def test_whatever_may_pass_is_tried_again(tmp_path, status):
    answers = iter([error(status), error(status), page("Well", "well again")])
    web = site(**{"/": lambda path: next(answers)})
    assert crawl(tmp_path, web, "http://a.test/").pages == 1
    assert paths(web).count("/") == 3


@pytest.mark.parametrize("status", [429, 503])
def test_a_wish_for_a_pause_outlives_the_process(tmp_path, status):
    web = site(Reply(status, b"", {"Retry-After": "3600"}))
    begun = time.time()
    crawl(tmp_path, web, "http://a.test/")
    assert len(web.asked) == 3
    del web.asked[:]
    for _ in range(2):
        assert crawl(tmp_path, web).queue == 8
    assert not web.asked
    with Engine.open(tmp_path) as engine:
        due = engine.host_status("a.test").next_due
    assert due >= time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(begun + 3600))
    write(tmp_path, "UPDATE hosts SET not_before = 1")
    write(tmp_path, "UPDATE urls SET not_before = 0")
    crawl(tmp_path, web)
    assert len(web.asked) == 1, "once the time has come it is asked again"


def test_a_host_is_given_up_with_all_of_its_pages(tmp_path):
    """Return the requests that were to be tried again in this crawl."""
    links = [f"http://b.test/{number}" for number in range(12)]
    crawl(tmp_path, site(**{"/": page("Home", "front door", links)}), "http://a.test/", max_pages=1)
    write(tmp_path, "INSERT INTO hosts (authority, failures, failed_at) VALUES ('b.test', 5, 0)")
    away = ScriptedWeb({"b.test": ScriptedHost({}, fallback=Reply(failure=Failure.CONNECT))})
    progress = crawl(tmp_path, away)
    assert len(away.asked) > 1
    assert (progress.errors["connect"], progress.queue) == (12, 0)
    assert states(tmp_path, "b.test") == {("failed", "connect"): 12}
    assert not crawl(tmp_path, away).errors


@pytest.mark.parametrize("kind", ["traps", "equivalences", "soft-404", "mirrors", "breaker"])
@pytest.mark.parametrize("state", [{"x": 1}, [], 7, None, {"folders": 3}, {"failures": "many"}])
def test_notes_that_make_no_sense_are_learned_anew(tmp_path, kind, state):
    web = site(**{path: page(path, f"text of {path}") for path in PAGES})
    crawl(tmp_path, web, "http://a.test/", max_pages=1)
    write(tmp_path, "INSERT OR REPLACE INTO notes VALUES ('a.test', ?, ?)", (kind, json.dumps(state)))
    assert crawl(tmp_path, web).pages == 8


@pytest.mark.parametrize("partitions", [1, 4])
def test_hosts_of_all_partitions_take_turns_at_their_address(tmp_path, partitions):
    names = [f"host{number}-{number * 7}.test" for number in range(5)]
    web = ScriptedWeb({name: ScriptedHost({"/robots.txt": ALL, "/": page(name, name)}) for name in names})
    pace = {"delay": 0.1, "address_delay": 0.1}
    seeds = [f"http://{name}/" for name in names]
    assert crawl(tmp_path, web, *seeds, transport=Crowded, partitions=partitions, frontier=pace).pages == 5
    times = sorted(one.time for one in web.asked)
    assert all(later - earlier > 0.05 for earlier, later in pairwise(times))


def test_pages_that_stay_broken_have_an_end(tmp_path):
    """This holds although each of them opens the breaker of a host without other pages."""
    web = site(error(500))
    crawl(tmp_path, web, "http://a.test/")
    for _ in range(30):
        write(tmp_path, "UPDATE urls SET not_before = 0")
        write(tmp_path, "UPDATE notes SET content = json_set(content, '$.until', 1) WHERE content <> '{}'")
        crawl(tmp_path, web)
        if not states(tmp_path)["queued", "http-500"]:
            break
    assert states(tmp_path) == {("fetched", ""): 1, ("failed", "http-500"): 8}
    assert Counter(paths(web)) == {"/robots.txt": 1, "/": 1, **dict.fromkeys(PAGES, 3)}


def test_an_overloaded_host_loses_no_page(tmp_path):
    web = site(error(503))
    crawl(tmp_path, web, "http://a.test/")
    for _ in range(12):
        write(tmp_path, "UPDATE urls SET not_before = 0")
        write(tmp_path, "UPDATE notes SET content = json_set(content, '$.until', 1) WHERE content <> '{}'")
        crawl(tmp_path, web)
    assert not states(tmp_path)["failed", "http-503"]


def test_a_probe_that_robots_txt_forbids_is_answered_too(tmp_path):
    """Otherwise its folder would wait for the answer for ever."""
    rules = text("User-agent: *\nDisallow: /gossamer-")
    web = site(page("Not found", "there is no such page"), **{"/robots.txt": rules})
    progress = crawl(tmp_path, web, "http://a.test/")
    assert (progress.pages, progress.refused) == (9, 0)
    assert not any(path.startswith("/gossamer-") for path in paths(web))
    ((content,),) = write(tmp_path, "SELECT content FROM notes WHERE kind = 'soft-404'")
    asked, heard, *_ = json.loads(content)["folders"]["/"]
    assert asked == heard > 0


@pytest.mark.parametrize("status", [429, 503])
def test_a_wish_that_comes_with_robots_txt_counts_too(tmp_path, status):
    busy = Reply(status, b"", {"Retry-After": "86400"})
    web = site(**{"/robots.txt": busy})
    for seeds in (["http://a.test/"], [], []):
        assert crawl(tmp_path, web, *seeds).queue == 1
    assert paths(web) == ["/robots.txt"]


def test_naming_a_seed_does_not_override_the_pause_that_its_host_asked_for(tmp_path):
    busy = Reply(429, b"", {"Retry-After": "3600"})
    web = ScriptedWeb({"a.test": ScriptedHost({"/": busy, "/cat": page("Cat", "a spotted cat")})})
    settings = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}, "crawl": {"retries": 0}}
    for seed in ("http://a.test/", "http://a.test/cat"):
        with Engine.open(tmp_path, create=True, settings=settings) as engine:
            engine.crawl([seed], transport=ScriptedTransport(web))
    assert [one.path for one in web.asked] == ["/robots.txt", "/"]
