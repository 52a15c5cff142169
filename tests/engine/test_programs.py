"""Small programs that a user writes from `help(gossamer)`: only names of `gossamer`, and a web to crawl."""

from __future__ import annotations

import asyncio
import re

import httpx
import pytest
from fastapi import FastAPI
from museum import MUSEUM
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

import gossamer
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.query.syntax import FIELDS

SITE = "http://example.org"


@pytest.fixture(scope="module")
def here():
    """How example.org is reached: a server on this machine, asked without pauses."""
    with LoopbackServer(MUSEUM) as server:
        yield {"resolve": f"*example.org=127.0.0.1:{server.port}", "delay": 0}


@pytest.fixture(scope="module")
def collection(here, tmp_path_factory):
    place = tmp_path_factory.mktemp("programs") / "my-search"
    with gossamer.Engine.open(place, create=True) as engine:
        engine.crawl(SITE, **here)
        engine.rank()
    return place


# Crawl a site with limits


def test_crawl_a_site_with_limits(here, tmp_path):
    with gossamer.Engine.open(tmp_path / "c", create=True) as engine:
        progress = engine.crawl(SITE, max_pages=10, stay=True, exclude="/collection", **here)
        assert repr(progress) == "<CrawlProgress done: 3 pages, 0 failed, 0 queued>"
        found = sorted(page.url for page in engine.pages())
        assert found == [f"{SITE}/", f"{SITE}/visit", "http://shop.example.org/"]
        assert engine.crawl(f"{SITE}/collection", depth=0, **here).pages == 1
        assert engine.config.crawl.depth == -1, "limits hold for one crawl"


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"include": "("}, "not a regular expression"),
        ({"max_pages": -1}, "max_pages must be at least 0"),
        ({"delay": "2"}, "delay must be a number"),
        ({"resolve": "example.org"}, "PATTERN=ADDRESS"),
    ],
)
def test_a_wrong_limit_is_a_usage_error(tmp_path, limit, said):
    with gossamer.Engine.open(tmp_path / "c", create=True) as engine:
        with pytest.raises(gossamer.UsageError, match=said):
            engine.crawl(SITE, **limit)
        assert engine.status().queued == 0


def test_a_wrong_setting_makes_no_folder(tmp_path):
    with pytest.raises(gossamer.BadSetting, match=r"'allow_private'; it belongs in \[fetch\]"):
        gossamer.Engine.open(tmp_path / "c", create=True, settings={"crawl": {"allow_privat": True}})
    assert not (tmp_path / "c").exists()


def test_a_seed_that_cannot_be_reached_is_told(tmp_path):
    with gossamer.Engine.open(tmp_path / "c", create=True) as engine:
        progress = engine.crawl("http://127.0.0.1:9/", delay=0)
        ((seed, why),) = progress.seed_errors.items()
        assert "127.0.0.1" in seed
        assert "allow_private=True" in why


# Search with filters, and read on


def test_search_with_filters_and_page_on(collection):
    with gossamer.Engine.open(collection) as engine:
        options = gossamer.SearchOptions(k=2, everything=True, explain=True)
        first = engine.search("site:example.org -intitle:shop", options=options)
        second = engine.search("site:example.org -intitle:shop", options=options, offset=2)
        assert [hit.rank for hit in (*first, *second)] == [1, 2, 3]
        assert first.total == second.total == 3
        assert all(hit.explanation.factor > 0 for hit in first)
        assert [hit.url for hit in engine.results("site:example.org -intitle:shop", everything=True)] == [
            hit.url for hit in (*first, *second)
        ]
        snippet = engine.search("opening hours", languages="en")[0].snippet
        assert [snippet.text[start:end] for start, end in snippet.highlights] == ["Opening", "hours"]


def test_a_search_that_finds_nothing_says_what_was_searched_instead(collection):
    with gossamer.Engine.open(collection) as engine:
        page, results = engine.search("hours site:a.test"), engine.results("hours site:a.test")
        assert (page.searched, page.searched_because, page.total) == ("hours", "relaxed", 2)
        assert (results.first.searched, len(results)) == ("hours", 2)
        assert not engine.search("hours site:a.test", correct=False)
        assert not engine.results("hours site:a.test", correct=False)
        assert list(engine.pages("hours site:a.test")) == []


def test_the_help_of_a_search_names_every_field_of_a_query():
    assert [field for field in FIELDS if f"{field}:" not in gossamer.Engine.search.__doc__] == []


def test_mistakes_in_a_search_are_told(collection):
    with gossamer.Engine.open(collection) as engine:
        with pytest.raises(gossamer.BadQuery) as caught:
            engine.search('"never closed')
        assert caught.value.pointer() == '"never closed\n^'
        with pytest.raises(gossamer.BadSetting, match="unknown weighting scheme"):
            engine.search("hours", scheme="magic")
        with pytest.raises(TypeError, match="explian"):
            engine.search("hours", explian=True)


def test_an_option_given_by_name_wins(collection):
    with gossamer.Engine.open(collection) as engine:
        options = gossamer.SearchOptions(k=1, explain=True)
        page = engine.search("hours", 2, options=options, explain=False)
        assert (len(page), page[0].explanation) == (2, None)


def test_one_text_counts_as_a_list_of_one():
    options = gossamer.SearchOptions(languages="en", context="big cats", sites="example.org")
    assert (options.languages, options.context, options.sites) == (("en",), ("big cats",), ("example.org",))


# Rank, and list the best pages


def test_rank_and_list_the_best_pages(collection):
    with gossamer.Engine.open(collection) as engine:
        best = engine.top(2, by="indegree")
        assert [(page.rank, page.url) for page in best] == [(1, f"{SITE}/visit"), (2, f"{SITE}/collection")]
        links = engine.links(best[0].url, k=1)
        assert (links.in_degree, len(links.in_links)) == (3, 1)
        with pytest.raises(gossamer.UsageError):
            engine.top(by="no-such-rank")


def test_what_is_not_ranked_says_so(tmp_path):
    with (
        gossamer.Engine.open(tmp_path / "c", create=True) as engine,
        pytest.raises(gossamer.NotRanked, match=r"engine\.rank\(\).*gossamer rank"),
    ):
        engine.top()


# Serve within another ASGI application


def ask(app, *paths, host="www.example.org"):
    async def asking():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
            return [await client.get(path) for path in paths]

    return asyncio.run(asking())


def starlette_app(search):
    home = Route("/", lambda _: PlainTextResponse("home"))
    return Starlette(routes=[home, Mount("/find", search)])


def fastapi_app(search):
    app = FastAPI()
    app.get("/")(lambda: "home")
    app.mount("/find", search)
    return app


@pytest.mark.parametrize("outer", [starlette_app, fastapi_app])
def test_serve_within_another_application(collection, outer):
    with gossamer.Engine.open(collection) as engine:
        app = outer(gossamer.asgi_app(engine, hosts="www.example.org"))
        home, page, api, style, missing = ask(
            app,
            "/",
            "/find/search?q=hours",
            "/find/api/search?q=hours",
            "/find/static/style.css",
            "/find/nothing",
        )
        assert "home" in home.text
        assert "Visit us" in page.text
        assert 'href="/find/static/style.css' in page.text
        assert 'action="/find/search"' in page.text
        assert api.json()["hits"][0]["url"] == f"{SITE}/visit"
        assert (style.status_code, missing.status_code) == (200, 404)
        for link in set(re.findall(r'(?:href|src|action)="(/[^"]*)"', page.text)):
            assert link.startswith("/find/"), link


def test_serve_an_async_engine_alone(collection):
    async def answer():
        async with await gossamer.AsyncEngine.open(collection) as engine:
            transport = httpx.ASGITransport(gossamer.asgi_app(engine))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return (await client.get("/api/search", params={"q": "hours"})).json()["total"]

    assert asyncio.run(answer()) == 2


def test_other_hosts_are_refused_and_owners_pages_are_not_there(collection):
    with gossamer.Engine.open(collection) as engine:
        app = gossamer.asgi_app(engine)
        assert ask(app, "/search?q=hours")[0].status_code == 421
        assert ask(gossamer.asgi_app(engine, hosts="*"), "/search?q=hours")[0].status_code == 200
        assert [answer.status_code for answer in ask(app, "/", "/owner", host="localhost")] == [200, 404]
        owned = gossamer.asgi_app(engine, owner=True)
        assert ask(owned, "/owner", host="localhost")[0].status_code != 404
        with pytest.raises(gossamer.BadSetting):
            gossamer.asgi_app(engine, hosts="not a host")
    with pytest.raises(gossamer.UsageError, match=r"Engine\.open\('my-search'\)"):
        gossamer.asgi_app("my-search")


# React to progress


class Log:
    """One observer for all jobs."""

    def __init__(self):
        self.lines = []

    def __call__(self, progress):
        self.lines.append(f"{progress.what} {progress.done}/{progress.total}")


def test_react_to_progress(here, tmp_path):
    log = Log()
    with gossamer.Engine.open(tmp_path / "c", create=True) as engine:
        engine.crawl(SITE, **here, observer=log)
        assert log.lines[-1] == "done 4/0"
        for job in (engine.index, engine.rank, engine.check, engine.graph_report):
            before = len(log.lines)
            job(**({"rebuild": True} if job == engine.index else {}), observer=log)
            assert len(log.lines) > before, job
        engine.export(tmp_path / "pages.warc.gz", "warc", observer=log)
        engine.import_files(tmp_path / "pages.warc.gz", observer=log)
    assert any(line.startswith("exporting ") for line in log.lines)
    assert any(line.startswith("importing ") for line in log.lines)


def test_an_observer_stops_a_crawl(here, tmp_path):
    with gossamer.Engine.open(tmp_path / "c", create=True) as engine:
        progress = engine.crawl(SITE, **here, observer=lambda progress: progress.stop())
        assert progress.stopping


def test_an_observer_that_fails_ends_the_job(collection, tmp_path):
    def fail(_progress):
        raise RuntimeError("enough")

    with (
        gossamer.Engine.open(collection) as engine,
        pytest.raises(RuntimeError, match="enough"),
    ):
        engine.export(tmp_path / "pages.jsonl", observer=fail)
