"""Redirects by a meta refresh, and copies whose original was demoted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from random import Random

import pytest

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html, page, text

QUICK = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}


def crawl(folder, routes, *seeds, fallback=None, refresh=False, **settings):
    web = ScriptedWeb({"a.test": ScriptedHost({"/robots.txt": text(""), **routes}, fallback=fallback)})
    with Engine.open(folder, create=True, settings={**QUICK, "crawl": settings}) as engine:
        return engine.crawl(seeds, transport=ScriptedTransport(web), refresh=refresh)


def sql(folder, statement, *values):
    with closing(sqlite3.connect(next(folder.glob("partition-*/catalogue.sqlite")))) as connection:
        found = connection.execute(statement, values).fetchall()
        connection.commit()
    return found


def hits(folder, query):
    with Engine.open(folder) as engine:
        return [hit.url.removeprefix("http://a.test") for hit in engine.search(query).hits]


def moved(target, delay=0, words="this has moved elsewhere"):
    return html(f'<title>Old</title><meta http-equiv=refresh content="{delay}; url={target}"><p>{words}</p>')


ROUTES = {
    "/": page("Home", "a front door", ["/old"]),
    "/old": moved("/new"),
    "/new": page("New", "a fresh zebra"),
}


@pytest.mark.parametrize(
    "old", [moved("/new"), moved("/new", 10), html("<meta http-equiv=refresh content='0;url=/new'>")]
)
def test_a_refresh_is_a_redirect(tmp_path, old):
    progress = crawl(tmp_path, {**ROUTES, "/old": old}, "http://a.test/")
    assert (progress.pages, progress.redirects) == (2, 1)
    rows = sql(tmp_path, "SELECT url, state, depth, redirects, verdict FROM urls ORDER BY url")
    assert [(url.removeprefix("http://a.test"), *more) for url, *more in rows] == [
        ("/", "fetched", 0, 0, "keep"),
        ("/new", "fetched", 1, 1, "keep"),
        ("/old", "redirect", 1, 0, None),
    ]
    targets = "SELECT redirect_to FROM urls WHERE url LIKE '%/old'"
    assert sql(tmp_path, f"SELECT url FROM urls WHERE fingerprint = ({targets})") == [("http://a.test/new",)]
    assert hits(tmp_path, "moved") == []


@pytest.mark.parametrize("old", [moved("/old"), moved("/new", 30)])
def test_a_page_that_reloads_is_a_page(tmp_path, old):
    crawl(tmp_path, {**ROUTES, "/old": old}, "http://a.test/")
    assert hits(tmp_path, "moved") == ["/old"]
    assert sql(tmp_path, "SELECT state FROM urls WHERE url LIKE '%/old'") == [("fetched",)]
    assert bool(hits(tmp_path, "zebra")) == (old != moved("/old"))


def test_a_chain_of_refreshes_ends(tmp_path):
    def step(path):
        return moved(f"/{int(path[1:]) + 1}", words=f"step {path}")

    progress = crawl(tmp_path, {}, "http://a.test/0", fallback=step, max_redirects=3)
    assert (progress.redirects, progress.errors["too-many-redirects"]) == (4, 1)
    assert sql(tmp_path, "SELECT count(*) FROM urls") == [(4,)]


def pass_time(folder):
    sql(folder, "UPDATE urls SET checked_at = checked_at - 864000, next_visit = 1.0")


def test_a_known_page_that_comes_to_lead_elsewhere_leaves_the_index(tmp_path):
    crawl(tmp_path, {**ROUTES, "/old": page("Old", "a giraffe stood here")}, "http://a.test/")
    assert hits(tmp_path, "giraffe") == ["/old"]
    for unchanged in (1, 3):
        pass_time(tmp_path)
        progress = crawl(tmp_path, ROUTES, refresh=True)
        assert progress.unchanged == unchanged
        assert hits(tmp_path, "giraffe") == []
        assert hits(tmp_path, "zebra") == ["/new"]
    pass_time(tmp_path)
    crawl(tmp_path, {**ROUTES, "/old": page("Old", "a giraffe stood here")}, refresh=True)
    assert hits(tmp_path, "giraffe") == ["/old"]


def said(words, link):
    return html(f"<title>T</title><main><p>{' '.join(words)}</p></main><a href={link}>on</a>")


def test_copies_of_a_copy_are_judged_anew(tmp_path):
    choice = Random(5)  # sketches are estimates: with these words the outer two are not alike, the others are
    words = [f"w{choice.randrange(10**6)}" for _ in range(400)]
    late = words[:-18] + [f"d{number}" for number in range(18)]
    early = [f"b{number}" for number in range(18)] + words[18:]
    routes = {
        "/middle": said(words, "/copied-late"),
        "/copied-late": said(late, "/b"),
        "/b": said(early, "/middle"),
    }
    crawl(tmp_path, routes, "http://a.test/middle")
    assert hits(tmp_path, words[200]) == ["/b"]
    assert hits(tmp_path, "d3") == []
    crawl(tmp_path, routes, refresh=True)
    assert hits(tmp_path, "d3") == ["/copied-late"]
    assert sql(tmp_path, "SELECT verdict_reason FROM urls WHERE url LIKE '%/middle'") == [("near-duplicate",)]
