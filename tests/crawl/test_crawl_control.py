"""Control of a crawl from outside: pause, stop, seeds, blocked sites, and the live status."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
import time
from contextlib import contextmanager
from functools import partial
from threading import Thread

import pytest
from replies import slow

from gossamer import Engine
from gossamer.crawl.control import MOST_AT_ONCE, LiveCrawl, SeedInbox, StatusWriter, Trap, live_crawl
from gossamer.crawl.control import STATUS_FILE as LIVE
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page
from gossamer.model import BadUrl, CollectionBusy, GossamerError, UsageError
from gossamer.model.progress import CrawlProgress

QUICK = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}, "crawl": {"commit_seconds": 0.1}}
MISSING = ScriptedHost().fallback
GUARD = 300.0  # seconds: only against hanging


def endless(hosts=1, delay=0.01):
    """Hosts with endless links to further pages."""

    def route(host, path):
        name = path.strip("/") or "0"
        if not name.isdigit():
            return MISSING
        number = int(name)
        words = " ".join(f"word{host}x{number}x{place}" for place in range(30))
        links = [f"/{number * 3 + more}" for more in (1, 2, 3)]
        return slow(page(f"Page {number}", f"common {words}", links), delay)

    return ScriptedWeb({f"h{n}.test": ScriptedHost({}, fallback=partial(route, n)) for n in range(hosts)})


def until(condition):
    """Wait for an event in another thread or process."""
    end = time.monotonic() + GUARD
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
    return found


@contextmanager
def crawling(folder, web, *seeds, partitions=1, **how):
    """Run a crawl in another thread, yield the engine that controls it, and stop it at the end."""
    with Engine.open(folder, create=True, partitions=partitions, settings=QUICK) as engine:
        ended = []
        work = lambda: ended.append(  # noqa: E731
            engine.crawl(seeds, transport=ScriptedTransport(web), **how)
        )
        thread = Thread(target=work)
        thread.start()
        other = Engine.open(folder)
        try:
            until(lambda: other.steering.is_running)
            yield other, ended
        finally:
            if other.steering.is_running:
                other.steering.stop()
            thread.join(GUARD)
            assert not thread.is_alive()
            other.close()


def states(folder):
    found = {}
    for path in folder.glob("partition-*/catalogue.sqlite"):
        connection = sqlite3.connect(path)
        found.update(connection.execute("SELECT url, state FROM urls"))
        connection.close()
    return found


def asked_of(web, host):
    return [one.path for one in web.asked if one.authority == host]


def test_the_state_of_a_running_crawl_can_be_seen(tmp_path):
    web = endless(2)
    with crawling(tmp_path, web, "http://h0.test/", "http://h1.test/") as (engine, _):
        live = until(lambda: (found := engine.steering.live()).pages > 5 and found)
        assert live.running
        assert not any((live.paused, live.stopping, live.finished, live.died))
        assert live.hosts == 2
        assert live.pid == os.getpid()
        assert live.statuses["2xx"] >= live.pages
        assert {host for host, _ in live.busiest} == {"h0.test", "h1.test"}
        assert {host for host, _ in live.slowest} == {"h0.test", "h1.test"}
        assert sum(until(lambda: engine.steering.live().history)) <= engine.steering.live().pages
        later = until(lambda: (found := engine.steering.live()).updated > live.updated and found)
        assert later.pages >= live.pages
    live = engine.steering.live()
    assert not live.running
    assert live.finished >= live.started
    assert live.stopping
    assert not live.finishing
    assert not live.failed
    assert not live.died
    assert live.pages == live.kept


def test_a_rest_stops_requests_and_it_goes_on_afterwards(tmp_path):
    web = endless()
    with crawling(tmp_path, web, "http://h0.test/") as (engine, ended):
        until(lambda: len(web.asked) > 5)
        engine.steering.pause()
        live = until(lambda: (found := engine.steering.live()).paused and not found.active and found)
        assert live.running
        count = len(web.asked)
        until(lambda: engine.steering.live().updated > live.updated + 1)
        assert len(web.asked) == count, "nothing is asked for"
        assert engine.steering.is_paused
        assert not ended
        kept = engine.steering.live().kept
        until(lambda: engine.status().documents == kept)  # what came can be found while it rests
        engine.steering.resume()
        until(lambda: len(web.asked) > count + 5)
        until(lambda: not engine.steering.live().paused)
    assert ended[0].pages > 5


def test_a_crawl_that_rests_can_be_ended(tmp_path):
    web = endless()
    Engine.open(tmp_path, create=True).close()
    with Engine.open(tmp_path) as engine:
        engine.steering.pause()
    with crawling(tmp_path, web, "http://h0.test/") as (engine, ended):
        until(lambda: engine.steering.live().paused)
        engine.steering.stop()
        until(lambda: ended)
    assert web.asked == []
    assert states(tmp_path) == {"http://h0.test/": "queued"}


def test_stop_ends_it_well(tmp_path):
    web = endless()
    with crawling(tmp_path, web, "http://h0.test/") as (engine, ended):
        until(lambda: engine.steering.live().pages)
        engine.steering.stop()
        until(lambda: ended)
        assert ended[0].stopping
        assert not engine.steering.is_running
        assert not (tmp_path / "owner" / "stop").exists()
        assert engine.search("common", 1).total == ended[0].pages == ended[0].indexed
        with pytest.raises(UsageError, match="no crawl is running"):
            engine.steering.stop()


def test_an_old_wish_for_the_end_does_not_hold_for_a_new_crawl(tmp_path):
    (tmp_path / "owner").mkdir()
    (tmp_path / "owner" / "stop").touch()
    web = ScriptedWeb({"a.test": ScriptedHost({"/": page("A", "word")})})
    with Engine.open(tmp_path, create=True, settings=QUICK) as engine:
        progress = engine.crawl("http://a.test/", transport=ScriptedTransport(web))
    assert (progress.pages, progress.stopping) == (1, False)


@pytest.mark.parametrize("partitions", [1, 3])
def test_seeds_arrive_while_it_runs(tmp_path, partitions):
    web = endless(3)
    with crawling(tmp_path, web, "http://h0.test/", partitions=partitions) as (engine, _):
        until(lambda: len(web.asked) > 3)
        assert engine.steering.add_seeds(["http://h1.test", "HTTP://h2.test/7"]) == [
            "http://h1.test/",
            "http://h2.test/7",
        ]
        with pytest.raises(BadUrl):
            engine.steering.add_seeds(["http://h1.test/ok", "two words"])
        (tmp_path / "owner" / "seeds" / "by-hand.txt").write_text("# mine\nnot a url\n\nhttp://h1.test/50\n")
        until(lambda: "/50" in asked_of(web, "h1.test") and "/7" in asked_of(web, "h2.test"))
        until(lambda: not os.listdir(tmp_path / "owner" / "seeds"))
        assert "/ok" not in asked_of(web, "h1.test"), "with nonsense among them, none is taken"
        live = until(lambda: (found := engine.steering.live()).seed_errors and found)
        assert list(live.seed_errors) == ["not a url"]
    assert {"http://h1.test/", "http://h2.test/7", "http://h1.test/50"} <= states(tmp_path).keys()


def test_seeds_wait_for_the_next_crawl_and_their_sites_are_kept_to(tmp_path):
    web = ScriptedWeb({
        "a.test": ScriptedHost({"/": page("A", "apple", ["/1", "http://b.test/"]), "/1": page("B", "pear")}),
        "b.test": ScriptedHost({"/": page("C", "plum")}),
    })  # fmt: skip
    settings = {**QUICK, "crawl": {"stay_on_site": True}}
    with Engine.open(tmp_path, create=True, settings=settings) as engine:
        engine.steering.add_seeds(["http://a.test/"])
        progress = engine.crawl(transport=ScriptedTransport(web))
        assert progress.pages == 2
        assert engine.search("plum", correct=False).total == 0
    assert os.listdir(tmp_path / "owner" / "seeds") == []


def test_many_seeds_are_taken_in_pieces_and_the_file_goes_last(tmp_path):
    inbox = SeedInbox(tmp_path)
    (tmp_path / "seeds").mkdir()
    big = tmp_path / "seeds" / "1-big.txt"
    big.write_text("".join(f"http://a.test/{n}\n" for n in range(MOST_AT_ONCE + 5)))
    (tmp_path / "seeds" / "2-small.txt").write_text("http://b.test/\n")
    first = inbox.take()
    assert (len(first.urls), first.files) == (MOST_AT_ONCE, ())
    inbox.acknowledge(first)
    assert big.exists()
    second = inbox.take()
    assert [url.text for url in second.urls][-2:] == [f"http://a.test/{MOST_AT_ONCE + 4}", "http://b.test/"]
    inbox.acknowledge(second)
    assert not os.listdir(tmp_path / "seeds")
    assert inbox.take() == SeedInbox(tmp_path / "nowhere").take()


def test_seeds_that_were_not_committed_come_again(tmp_path):
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds" / "one.txt").write_bytes(b"\xef\xbb\xbfhttp://a.test/\n\xff\xfe\n")
    first = SeedInbox(tmp_path).take()
    assert SeedInbox(tmp_path).take() == first
    assert [url.text for url in first.urls] == ["http://a.test/"]
    assert len(first.errors) == 1


def test_a_seed_file_that_cannot_be_read_is_told_once(tmp_path):
    (tmp_path / "seeds" / "folder.txt").mkdir(parents=True)
    inbox = SeedInbox(tmp_path)
    ((name, why),) = inbox.take().errors
    assert name.endswith("folder.txt")
    assert "cannot be read" in why
    assert inbox.take().errors == ()


# Blocked sites


def test_a_site_that_is_blocked_while_it_runs_is_asked_no_more(tmp_path):
    web = endless(2)
    with crawling(tmp_path, web, "http://h0.test/", "http://h1.test/") as (engine, _):
        until(lambda: len(asked_of(web, "h1.test")) > 5)
        engine.sites.block("h1.test")
        time.sleep(2.5)
        count = len(asked_of(web, "h1.test"))
        until(lambda: len(asked_of(web, "h0.test")) > count + 50)
        assert len(asked_of(web, "h1.test")) == count
        engine.steering.add_seeds(["http://h1.test/900"])
        told = {"http://h1.test/900": "it is blocked in sites.txt"}
        until(lambda: engine.steering.live().seed_errors == told)
    assert sorted(set(states(tmp_path).values())) == ["fetched", "queued"], "what waits stays queued"
    assert "http://h1.test/900" not in states(tmp_path)


def test_links_redirects_and_sitemaps_do_not_lead_to_blocked_sites(tmp_path):
    from gossamer.demo.scripted_web import redirect, text

    web = ScriptedWeb({
        "a.test": ScriptedHost({
            "/robots.txt": text("Sitemap: http://spam.test/map.xml\n"),
            "/": page("A", "apple", ["http://spam.test/1", "http://x.spam.test/", "/away"]),
            "/away": redirect("http://spam.test/2"),
        }),
        "spam.test": ScriptedHost({"/1": page("S", "spam"), "/2": page("S", "spam")}),
        "x.spam.test": ScriptedHost({"/": page("S", "spam")}),
    })  # fmt: skip
    with Engine.open(tmp_path, create=True, settings=QUICK) as engine:
        engine.sites.block("*.spam.test")
        progress = engine.crawl(["http://a.test/", "http://spam.test/seed"], transport=ScriptedTransport(web))
    assert {one.authority for one in web.asked} == {"a.test"}
    assert progress.seed_errors == {"http://spam.test/seed": "it is blocked in sites.txt"}
    assert not [url for url in states(tmp_path) if "spam" in url]


def test_what_waits_is_passed_over_and_fetched_when_it_is_let_in_again(tmp_path):
    routes = {"/": page("A", "apple", [f"/{n}" for n in range(30)])}
    routes |= {f"/{n}": page(f"P{n}", f"pear{n}") for n in range(30)}
    web = ScriptedWeb({"a.test": ScriptedHost(routes), "b.test": ScriptedHost({"/": page("B", "plum")})})
    transport = ScriptedTransport(web)
    with Engine.open(tmp_path, create=True, settings={**QUICK, "crawl": {"max_pages": 3}}) as engine:
        engine.crawl("http://a.test/", transport=transport)
    with Engine.open(tmp_path, settings=QUICK) as engine:
        engine.sites.block("a.test")
        count = len(asked_of(web, "a.test"))
        assert engine.crawl("http://b.test/", transport=ScriptedTransport(web)).pages == 1
        assert len(asked_of(web, "a.test")) == count
        assert engine.search("apple", correct=False).total == 0
        assert engine.cached("http://a.test/") is None
        engine.sites.unblock("a.test")
        assert engine.cached("http://a.test/") is not None
        assert engine.crawl(transport=ScriptedTransport(web)).pages == 28
        assert engine.search("apple").total == 1


def test_known_pages_of_a_blocked_site_are_not_looked_at_again(tmp_path):
    web = ScriptedWeb({
        "a.test": ScriptedHost({"/": page("A", "apple")}),
        "b.test": ScriptedHost({"/": page("B", "plum")}),
    })  # fmt: skip
    with Engine.open(tmp_path, create=True, settings=QUICK) as engine:
        engine.crawl(["http://a.test/", "http://b.test/"], transport=ScriptedTransport(web))
        for path in tmp_path.glob("partition-*/catalogue.sqlite"):
            with sqlite3.connect(path) as connection:
                connection.execute("UPDATE urls SET next_visit = 1")
            connection.close()
        engine.sites.block("a.test")
        web.asked.clear()
        progress = engine.crawl(refresh=True, transport=ScriptedTransport(web))
    assert {one.authority for one in web.asked} == {"b.test"}
    assert progress.revisits == 1


# What is told


def test_live_says_nothing_where_nobody_crawled_or_wrote_nonsense(tmp_path):
    assert live_crawl(tmp_path / "nowhere") is None
    for nonsense in ("", "{", "[]", '"x"', "{}", '{"running": true}', '{"pid": 1, "traps": 3}'):
        (tmp_path / LIVE).write_text(nonsense)
        assert live_crawl(tmp_path) is None


def test_the_state_is_written_and_read_without_loss(tmp_path):
    progress = CrawlProgress(finishing=True)
    progress.answered("a.test", 200, "", 0.5, 10)
    progress.answered("a.test", 0, "timeout", 0.5, 0)
    progress.asleep("a.test", "/cal/<n>", "calendar")
    progress.errors["http-404"] += 2
    progress.troubles.append("something")
    pulse = StatusWriter(tmp_path / "owner", progress)
    pulse.begin()
    live = live_crawl(tmp_path / "owner")
    assert live.running
    assert live.finishing
    assert live.traps == (Trap("a.test", "/cal/<n>", "calendar"),)
    assert (live.errors, live.statuses, live.unanswered) == ({"http-404": 2}, {"2xx": 1}, {"timeout": 1})
    assert (live.slowest, live.busiest) == ((("a.test", 0.5),), (("a.test", 1),))
    assert live.troubles == ("something",)
    assert LiveCrawl(**{**live.as_dict(), "traps": live.traps}) == live
    pulse.end()
    live = live_crawl(tmp_path / "owner")
    assert (live.running, live.failed, live.died) == (False, True, False), "it never said that all went well"
    assert not live.finishing
    assert stat.S_IMODE(os.stat(tmp_path / "owner").st_mode) == 0o700


def test_a_state_that_cannot_be_written_is_told_once_and_stops_nothing(tmp_path):
    (tmp_path / "owner").write_text("a file where a folder should be")
    progress = CrawlProgress()
    pulse = StatusWriter(tmp_path / "owner", progress)
    pulse.begin()
    pulse.beat()
    pulse.end()
    (trouble,) = progress.troubles
    assert trouble.startswith("cannot write the live status of the crawl")


# As a process of its own


@pytest.fixture
def served(tmp_path):
    """An endless web over sockets, and a collection with settings for it."""
    web = endless(2, delay=0.02)
    with LoopbackServer(web) as server:
        folder = tmp_path / "c"
        Engine.open(folder, create=True).close()
        (folder / "gossamer.toml").write_text(
            "[frontier]\ndelay = 0.0\n[extract]\nworkers = 1\n[crawl]\ncommit_seconds = 0.1\n"
            f'[fetch]\nallow_private = true\nhost_overrides = ["*.test=127.0.0.1:{server.port}"]\n'
        )
        with Engine.open(folder) as engine:
            yield web, engine
            if engine.steering.is_running:
                engine.steering.stop()
                until(lambda: not engine.steering.is_running)


def test_a_crawl_started_here_runs_rests_goes_on_and_ends(served):
    web, engine = served
    steering = engine.steering
    assert steering.live() is None
    steering.start(["http://h0.test/"])
    live = steering.live()
    assert live.running
    assert live.pid != os.getpid()
    with pytest.raises(CollectionBusy, match="running already"):
        steering.start()
    until(lambda: len(web.asked) > 5)
    steering.pause()
    until(lambda: (found := steering.live()).paused and not found.active)
    count = len(web.asked)
    steering.add_seeds(["http://h1.test/40"])
    time.sleep(1.5)
    assert len(web.asked) == count
    steering.resume()
    until(lambda: "/40" in asked_of(web, "h1.test"))
    steering.stop()
    live = until(lambda: not (found := steering.live()).running and found)
    assert (live.failed, live.died) == (False, False)
    assert engine.search("common", 1).total == live.pages
    until(lambda: not os.path.exists(f"/proc/{live.pid}"))
    assert (engine.directory / "logs" / "started.log").read_text(encoding="utf-8").startswith("fetched ")


def test_nobody_believes_what_a_killed_crawl_left(served):
    web, engine = served
    engine.steering.start(["http://h0.test/"])
    live = until(lambda: (found := engine.steering.live()).pages > 3 and found)
    os.kill(live.pid, signal.SIGKILL)
    live = until(lambda: not (found := engine.steering.live()).running and found)
    assert live.died
    assert live.finished is None
    assert json.loads((engine.directory / "owner" / LIVE).read_bytes())["running"]
    with pytest.raises(UsageError, match="no crawl is running"):
        engine.steering.stop()
    count = len(web.asked)
    until(_can_be_written(engine))
    engine.steering.start()
    until(lambda: len(web.asked) > count + 5)
    assert engine.steering.live().running


def _can_be_written(engine):
    """Wait until the last worker of the killed process has released the lock of the collection."""

    def free():
        try:
            engine.index()
        except CollectionBusy:
            return False
        return True

    return free


def test_a_crawl_that_cannot_begin_says_why(served):
    _, engine = served
    (engine.directory / "gossamer.toml").write_text("[crawl]\nconnections = 'many'\n")
    with pytest.raises(GossamerError, match=r"could not be started: .*connections"):
        engine.steering.start(["http://h0.test/"])
    assert not engine.steering.is_running
