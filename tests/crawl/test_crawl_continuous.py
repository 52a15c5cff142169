"""Revisits of known pages: changes, pages that leave the index, and pages that never do."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from replies import slow

from gossamer import Engine
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.demo.scripted_web import (
    Reply,
    ScriptedHost,
    ScriptedTransport,
    ScriptedWeb,
    error,
    html,
    page,
    redirect,
    text,
)
from gossamer.model import Failure

DAY = 86_400.0
QUICK = {
    "frontier": {"delay": 0.0, "breaker_pause": 0.02},
    "extract": {"workers": 0},
    "crawl": {"retry_delay": 0.01, "retries": 1, "commit_seconds": 0.05},
}
IMPATIENT = FetchSettings(connect_timeout=0.05, read_timeout=0.05, total_timeout=0.1)
GUARD = 300  # seconds: only against hanging


class Site:
    """A small web that changes, and the collection that crawls it."""

    def __init__(self, folder, routes, host="a.test", partitions=1):
        self.folder = folder
        self.host = host
        self.routes = dict(routes)
        self.web = ScriptedWeb({host: ScriptedHost(self.routes)})
        self._partitions = partitions

    def crawl(self, *seeds, **options):
        with Engine.open(self.folder, create=True, partitions=self._partitions, settings=QUICK) as engine:
            return engine.crawl(seeds, transport=ScriptedTransport(self.web, IMPATIENT), **options)

    def begin(self):
        return self.crawl(f"http://{self.host}/")

    def refresh(self):
        """Let some days pass."""
        self.pass_time()
        self.web.asked.clear()
        return self.crawl(refresh=True)

    def pass_time(self, days=10.0):
        """Move all stored times into the past, because the clock cannot be moved."""
        self.sql(
            "UPDATE urls SET checked_at = checked_at - ?, missing_since = missing_since - ?, next_visit = 1.0"
            " WHERE next_visit IS NOT NULL",
            (days * DAY, days * DAY),
        )
        self.sql("UPDATE hosts SET robots_fetched_at = 0, failed_at = failed_at - ?", (days * DAY,))

    def sql(self, statement, values=()):
        found = []
        for path in sorted(self.folder.glob("partition-*/catalogue.sqlite")):
            with closing(sqlite3.connect(path)) as connection:
                found += connection.execute(statement, values).fetchall()
                connection.commit()
        return found

    def state(self, path):
        sql = "SELECT state, verdict, reason, fetched_at FROM urls WHERE url = ?"
        return self.sql(sql, (f"http://{self.host}{path}",))[0]

    def asked(self):
        return sorted(one.path for one in self.web.asked if one.path != "/robots.txt")

    def hits(self, query):
        with Engine.open(self.folder) as engine:
            return [hit.url.removeprefix(f"http://{self.host}") for hit in engine.search(query).hits]

    def is_sound(self):
        with Engine.open(self.folder) as engine:
            return engine.check().problems == ()


@pytest.fixture
def site(tmp_path):
    return Site(
        tmp_path / "collection",
        {
            "/": page("Home", "welcome to the zebra house", ["/cat", "/dog"]),
            "/cat": page("Cat", "a spotted leopard sleeps"),
            "/dog": page("Dog", "a spaniel runs"),
        },
    )


def test_a_crawl_gives_every_page_a_date_and_does_not_ask_again(site):
    site.begin()
    dates = site.sql("SELECT next_visit - fetched_at, checked_at - fetched_at FROM urls")
    assert len(dates) == 3
    assert all(3600 <= date <= 90 * DAY and abs(checked) < 1 for date, checked in dates)
    site.web.asked.clear()
    site.begin()
    assert site.asked() == []


def test_a_page_that_changed_is_found_changed_and_searchable(site):
    site.begin()
    site.routes["/cat"] = page("Cat", "a lynx hunts", ["/mouse"])
    site.routes["/mouse"] = page("Mouse", "a vole hides")
    progress = site.refresh()
    assert site.asked() == ["/", "/cat", "/dog", "/mouse"]
    assert (progress.revisits, progress.unchanged) == (3, 2)
    assert site.hits("lynx") == ["/cat"]
    assert site.hits("leopard") == []
    assert site.hits("vole") == ["/mouse"]
    assert site.is_sound()


def test_only_what_is_due_is_asked_for(site):
    site.begin()
    site.sql("UPDATE urls SET next_visit = 1.0, checked_at = checked_at - 9999 WHERE url LIKE '%/dog'")
    site.web.asked.clear()
    site.crawl(refresh=True)
    assert site.asked() == ["/dog"]
    site.web.asked.clear()
    site.crawl(refresh=True)
    assert site.asked() == []


@pytest.mark.parametrize("headers", [{"ETag": '"1"'}, {"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}, {}])
def test_a_page_that_is_as_it_was_keeps_its_version(site, headers):
    plain = site.routes["/cat"]
    site.routes["/cat"] = Reply(200, plain.body, {**plain.headers, **headers})
    site.begin()
    before = site.state("/cat")
    progress = site.refresh()
    assert site.state("/cat") == before
    assert (progress.revisits, progress.unchanged, progress.indexed, progress.failed) == (3, 3, 0, 0)
    ((status,),) = site.sql(
        "SELECT fetches.status FROM fetches JOIN urls USING (fingerprint) WHERE url LIKE '%/cat'"
        " ORDER BY id DESC LIMIT 1"
    )
    assert status == (304 if headers else 200)
    assert site.hits("leopard") == ["/cat"]
    ((changes, seconds),) = site.sql("SELECT changes, seconds FROM urls WHERE url LIKE '%/cat'")
    assert changes == 0
    assert abs(seconds - 10 * DAY) < 60
    assert site.is_sound()


def test_changes_are_counted_for_the_page_and_its_host(site):
    site.begin()
    for i in range(4):
        site.routes["/cat"] = page("Cat", f"a cat number {i}")
        site.refresh()
    seen = {
        path: site.sql("SELECT changes FROM urls WHERE url LIKE ?", (f"%{path}",))[0][0]
        for path in ("/cat", "/dog")
    }
    assert 0 == seen["/dog"] < seen["/cat"] < 4
    ((notes,),) = site.sql("SELECT content FROM notes WHERE kind = 'freshness' AND authority = 'a.test'")
    assert '"changes"' in notes


def test_a_page_leaves_after_404_twice_days_apart(site):
    site.begin()
    site.routes["/cat"] = error(404)
    site.refresh()
    assert site.state("/cat")[:3] == ("fetched", "keep", "http-404")
    assert site.hits("leopard") == ["/cat"]
    ((date,),) = site.sql("SELECT next_visit - missing_since FROM urls WHERE url LIKE '%/cat'")
    assert date == pytest.approx(3 * DAY)
    progress = site.refresh()
    assert progress.left == 1
    assert site.state("/cat")[:3] == ("failed", None, "http-404")
    assert site.hits("leopard") == []
    assert site.is_sound()


def test_two_404_on_one_day_are_not_enough(site):
    site.begin()
    site.routes["/cat"] = error(410)
    for _ in range(3):
        site.pass_time(days=0.1)
        site.crawl(refresh=True)
    assert site.state("/cat")[:2] == ("fetched", "keep")


def test_a_page_that_was_gone_comes_back(site):
    site.begin()
    there, site.routes["/cat"] = site.routes["/cat"], error(404)
    site.refresh()
    site.refresh()
    assert site.hits("leopard") == []
    site.routes["/cat"] = there
    site.refresh()
    assert site.hits("leopard") == ["/cat"]
    assert site.sql("SELECT standing, misses FROM urls WHERE url LIKE '%/cat'") == [("keep", 0)]


@pytest.mark.parametrize(
    "trouble",
    [
        Reply(failure=Failure.TIMEOUT),
        Reply(failure=Failure.CONNECT),
        Reply(failure=Failure.DISCONNECTED),
        Reply(failure=Failure.TLS),
        error(500),
        error(503),
        error(403),
        Reply(200, b"", {"Content-Type": "text/html"}),
    ],
)
def test_trouble_never_takes_a_page_out(site, trouble):
    site.begin()
    before = site.state("/cat")
    site.routes["/cat"] = trouble
    for _ in range(3):
        site.refresh()
        state, verdict, _, fetched_at = site.state("/cat")
        assert (state, verdict, fetched_at) == (before[0], before[1], before[3])
    assert site.state("/cat")[2]
    assert site.hits("leopard") == ["/cat"]
    assert site.is_sound()


def test_a_host_that_is_away_keeps_all_its_pages(site):
    site.begin()
    home = site.web.hosts.pop("a.test")
    for _ in range(8):
        site.refresh()
    assert {site.state(path)[:2] for path in ("/", "/cat", "/dog")} == {("fetched", "keep")}
    assert site.hits("leopard") == ["/cat"]
    site.web.hosts["a.test"] = home
    site.routes["/cat"] = page("Cat", "a lynx hunts")
    site.refresh()
    assert site.hits("lynx") == ["/cat"]


def test_a_page_that_is_tried_in_vain_waits_longer_each_time(site):
    site.begin()
    site.routes["/cat"] = error(500)
    waits = []
    for days in (1, 2, 4):
        site.pass_time(days)
        site.crawl(refresh=True)
        waits += site.sql("SELECT next_visit - ? FROM urls WHERE url LIKE '%/cat'", (time.time(),))
    assert [round(wait / DAY) for (wait,) in waits] == [1, 3, 7]


def test_a_page_that_robots_forbids_now_leaves(site):
    site.begin()
    site.routes["/robots.txt"] = text("User-agent: *\nDisallow: /cat\n")
    progress = site.refresh()
    assert progress.left == 1
    assert site.asked() == ["/", "/dog"]
    assert site.state("/cat")[:3] == ("refused", None, "robots")
    assert site.hits("leopard") == []


def test_robots_that_cannot_be_read_takes_nothing_out(site):
    site.begin()
    site.routes["/robots.txt"] = error(503)
    site.refresh()
    assert site.state("/cat")[:2] == ("fetched", "keep")
    assert site.hits("leopard") == ["/cat"]


def test_a_page_that_says_noindex_now_leaves_at_once(site):
    site.begin()
    site.routes["/cat"] = html('<meta name="robots" content="noindex"><title>Cat</title>'
                               "<p>a spotted leopard sleeps</p>")  # fmt: skip
    site.refresh()
    assert site.state("/cat")[:2] == ("fetched", "noindex")
    assert site.hits("leopard") == []


def test_a_page_that_has_moved_becomes_a_redirect(site):
    site.begin()
    site.routes["/cat"] = redirect("/lynx")
    site.routes["/lynx"] = page("Lynx", "a spotted leopard sleeps")
    site.refresh()
    assert site.state("/cat")[:2] == ("redirect", None)
    assert site.hits("leopard") == ["/lynx"]
    site.refresh()
    assert site.state("/cat")[0] == "redirect"


def test_a_copy_takes_the_place_of_a_page_that_changed(site):
    site.routes["/"] = page("Home", "welcome", ["/cat", "/another-cat-page"])
    site.routes["/another-cat-page"] = Reply(
        200, site.routes["/cat"].body, {**site.routes["/cat"].headers, "ETag": '"c"'}
    )
    site.begin()
    assert site.hits("leopard") == ["/cat"]
    site.routes["/cat"] = page("Cat", "a lynx hunts")
    site.refresh()
    site.sql("UPDATE hosts SET robots_fetched_at = ?", (time.time(),))
    site.crawl(refresh=True)
    assert site.hits("leopard") == ["/another-cat-page"]
    assert site.hits("lynx") == ["/cat"]


def test_a_sitemap_brings_a_page_sooner(site):
    site.routes["/robots.txt"] = text("Sitemap: http://a.test/sitemap.xml\n")
    site.routes["/sitemap.xml"] = sitemap({"/cat": "2024-01-01"})
    site.begin()
    site.sql("UPDATE urls SET checked_at = checked_at - ?", (10 * DAY,))
    site.sql("UPDATE urls SET next_visit = 1.0 WHERE url LIKE '%sitemap.xml'")
    yesterday = time.strftime("%Y-%m-%d", time.gmtime(time.time() - DAY))
    site.routes["/sitemap.xml"] = sitemap({"/cat": yesterday, "/dog": "2024-01-01"})
    site.web.asked.clear()
    site.crawl(refresh=True)
    site.routes["/cat"] = page("Cat", "a lynx hunts")
    site.crawl(refresh=True)
    assert site.asked() == ["/cat", "/sitemap.xml"]
    assert site.hits("lynx") == ["/cat"]
    ((notes,),) = site.sql("SELECT content FROM notes WHERE kind = 'freshness' AND authority = 'a.test'")
    assert '"announced": 1.0, "confirmed": 1.0' in notes


def sitemap(dates):
    entries = "".join(f"<url><loc>http://a.test{path}</loc><lastmod>{date}</lastmod></url>"
                      for path, date in dates.items())  # fmt: skip
    body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    return Reply(200, body.encode(), {"Content-Type": "application/xml"})


def stop_when(condition):
    """Return an observer that ends a continuous crawl."""
    begun = time.monotonic()

    def watch(progress):
        assert time.monotonic() - begun < GUARD, "the crawl never came to it"
        progress.stopping = progress.stopping or condition(progress)

    return watch


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_continuous_crawl_finds_new_pages_and_changes(tmp_path, partitions):
    routes = {"/": page("Home", "welcome", [f"/{i}" for i in range(20)])}
    routes |= {f"/{i}": page(f"Page {i}", f"old{i} words") for i in range(20)}
    site = Site(tmp_path / "collection", routes, partitions=partitions)
    site.begin()
    site.pass_time()
    site.routes["/"] = page("Home", "welcome", [f"/{i}" for i in range(40)])
    site.routes.update({f"/{i}": page(f"Page {i}", f"new{i} words") for i in range(10, 40)})
    done = stop_when(lambda seen: seen.pages >= 31 and seen.revisits >= 21)
    progress = site.crawl(continuous=True, observer=done)
    assert (progress.revisits, progress.unchanged) == (21, 10)
    assert site.hits("new10") == ["/10"]
    assert site.hits("new39") == ["/39"]
    assert site.hits("old10") == []
    assert site.is_sound()


def test_an_idle_crawl_looks_ahead_of_the_dates_but_not_too_soon(site):
    site.begin()
    site.sql("UPDATE urls SET checked_at = checked_at - ? WHERE url LIKE '%/cat'", (DAY,))
    site.routes["/cat"] = page("Cat", "a lynx hunts")
    site.web.asked.clear()
    site.crawl(continuous=True, observer=stop_when(lambda progress: progress.revisits))
    assert site.asked() == ["/cat"]
    assert site.hits("lynx") == ["/cat"]


def test_new_and_known_pages_share_a_host(tmp_path):
    routes = {"/": page("Home", "welcome", [f"/{i}" for i in range(60)])}
    routes |= {f"/{i}": page(f"Page {i}", f"some{i} words") for i in range(60)}
    site = Site(tmp_path / "collection", routes)
    site.begin()
    site.pass_time()
    site.sql("UPDATE urls SET next_visit = 2.0 WHERE url <> 'http://a.test/'")
    site.routes["/"] = page("Home", "welcome", [f"/{i}" for i in range(120)])
    site.routes.update({f"/{i}": page(f"Page {i}", f"some{i} words") for i in range(60, 120)})
    site.web.asked.clear()
    site.crawl(refresh=True)
    asked = [one.path for one in site.web.asked if one.path not in ("/", "/robots.txt")]
    assert len(asked) == len(set(asked)) == 120
    new = [int(path[1:]) >= 60 for path in asked[:80]]
    assert 30 <= sum(new) <= 50


def test_an_end_in_the_middle_leaves_known_pages_known(tmp_path):
    routes = {"/": page("Home", "welcome", [f"/{i}" for i in range(20)])}
    routes |= {f"/{i}": page(f"Page {i}", f"some{i} words") for i in range(20)}
    site = Site(tmp_path / "collection", routes)
    site.begin()
    site.pass_time()
    site.routes.update({path: slow(reply, 0.04) for path, reply in site.routes.items()})
    site.crawl(continuous=True, observer=stop_when(lambda progress: progress.revisits >= 2))
    assert site.sql("SELECT DISTINCT state FROM urls") == [("fetched",)]
    site.web.asked.clear()
    progress = site.crawl()
    assert (progress.queue, site.asked()) == (0, [])
    assert site.crawl(refresh=True).revisits > 0


def test_a_killed_continuous_crawl_goes_on(tmp_path):
    routes = {"/": page("Home", "welcome", [f"/{i}" for i in range(30)])}
    routes |= {f"/{i}": page(f"Page {i}", f"old{i} words") for i in range(30)}
    site = Site(tmp_path / "collection", routes)
    site.begin()
    site.pass_time()
    site.routes.update({f"/{i}": page(f"Page {i}", f"new{i} words") for i in range(30)})
    site.web.asked.clear()
    with LoopbackServer(site.web) as server:
        where = ["--delay", "0.02", "--allow-private", "--resolve", f"*.test=127.0.0.1:{server.port}"]
        crawl = ["crawl", "--continuous", "--quiet", *where]
        command = [sys.executable, "-m", "gossamer", "-C", str(site.folder), *crawl]
        process = subprocess.Popen(command, start_new_session=True)
        deadline = time.monotonic() + GUARD
        while len(site.asked()) < 10 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert len(site.asked()) >= 10
    site.crawl(refresh=True)
    assert all(site.hits(f"new{i}") == [f"/{i}"] for i in range(30))
    assert site.is_sound()
