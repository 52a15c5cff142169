"""Same behaviour of the transports in memory and over sockets."""

import asyncio
import gzip
from contextlib import contextmanager

import brotli
import pytest
import uvloop
from replies import huge, slow

from gossamer.crawl.fetch.exchange import GLANCE
from gossamer.crawl.fetch.http import HttpTransport
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
)
from gossamer.model import Failure
from gossamer.web.url import canonical

LIMITS = {"connect_timeout": 2.0, "read_timeout": 0.15, "total_timeout": 0.6}
LIMIT = 100_000
TEXT = b"<title>x</title>" + b"a long text " * 200
KNOWN = {"ETag": '"v1"', "Last-Modified": "Tue, 05 Mar 2024 10:00:00 GMT", "Content-Type": "text/html"}


def compressed(body, encoding):
    return Reply(200, body, {"Content-Encoding": encoding, "Content-Type": "text/html"})


ROUTES = {
    "/": page("Start", "Welcome & hello.", {"/a": "To A"}),
    "/a?q=1": page("Query", "With a query."),
    "/moved": redirect("http://b.test/", 302),
    "/gone": error(410),
    "/busy": error(503),
    "/late": slow(page("Late", "But it came."), 0.05),
    "/too-late": slow(page("Too late", "Nobody reads this."), 30),
    "/drip": Reply(200, TEXT, chunk=1_000, pause=0.01),
    "/stalls": Reply(200, TEXT, chunk=1_000, pause=30),
    "/endless": Reply(200, TEXT, chunk=100, pause=0.1),
    "/chunked": Reply(200, TEXT, chunk=7),
    "/huge": huge(LIMIT * 3),
    "/limit": huge(LIMIT),
    "/picture": Reply(200, bytes(LIMIT), {"Content-Type": "image/png"}),
    "/icon": Reply(200, bytes(GLANCE), {"Content-Type": "image/png"}),
    "/unsaid": Reply(200, bytes(LIMIT), {"Content-Type": "application/octet-stream"}),
    "/empty": Reply(200),
    "/gzip": compressed(gzip.compress(TEXT), "gzip"),
    "/br": compressed(brotli.compress(TEXT), "br"),
    "/bomb": compressed(gzip.compress(bytes(30_000_000)), "gzip"),
    "/liar": compressed(b"no gzip at all", "gzip"),
    "/known": Reply(200, TEXT, KNOWN),
    "/latin": html("<p>caf\u00e9", charset="latin-1", declared="utf-8"),
    "/teapot": Reply(418, b"short and stout"),
    "/strange": Reply(299, b"who knows"),
} | {f"/{failure}": Reply(failure=failure) for failure in Failure}


def script():
    return ScriptedWeb({"a.test": ScriptedHost(ROUTES), "b.test": ScriptedHost({"/": page("B", "Another.")})})


@contextmanager
def in_memory(web):
    yield lambda: ScriptedTransport(web, FetchSettings(**LIMITS))


@contextmanager
def over_sockets(web):
    with LoopbackServer(web) as server:
        settings = FetchSettings(**LIMITS, host_overrides=[f"*.test=127.0.0.1:{server.port}"])
        yield lambda: HttpTransport(settings)


def run(work, loop):
    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(work)


ASYNCIO, UVLOOP = asyncio.new_event_loop, uvloop.new_event_loop


@pytest.fixture(params=[(in_memory, ASYNCIO), (over_sockets, ASYNCIO), (over_sockets, UVLOOP)])
def web_and_ask(request):
    """Yield the script, and a function that fetches paths of a.test in turn and returns the results."""
    web = script()

    async def ask_all(make, paths, headers):
        transport = make()
        try:
            return [await transport.get(canonical(f"http://a.test{path}"), headers, LIMIT) for path in paths]
        finally:
            await transport.close()

    where, loop = request.param
    with where(web) as make:
        yield (
            web,
            lambda *paths, **headers: run(
                ask_all(make, paths, {name.replace("_", "-"): value for name, value in headers.items()}), loop
            ),
        )


@pytest.fixture
def ask(web_and_ask):
    return web_and_ask[1]


def test_a_page(ask):
    (result,) = ask("/")
    assert (result.status, result.failure, result.truncated) == (200, None, False)
    assert result.body == ROUTES["/"].body
    assert result.header("content-type") == "text/html"
    assert result.address


def test_queries_and_kept_connections(web_and_ask):
    web, ask = web_and_ask
    results = ask("/a?q=1", "/a?q=2", "/?x=1", "/a?q=1")
    assert [result.status for result in results] == [200, 404, 200, 200]
    assert [asked.path for asked in web.asked] == ["/a?q=1", "/a?q=2", "/?x=1", "/a?q=1"]


def test_redirects_are_not_followed(web_and_ask):
    web, ask = web_and_ask
    (result,) = ask("/moved")
    assert result.status == 302
    assert result.is_redirect
    assert result.header("location") == "http://b.test/"
    assert {asked.authority for asked in web.asked} == {"a.test"}


@pytest.mark.parametrize(
    ("path", "status"), [("/gone", 410), ("/busy", 503), ("/nowhere", 404), ("/teapot", 418)]
)
def test_error_statuses_are_answers(ask, path, status):
    (result,) = ask(path)
    assert (result.status, result.failure) == (status, None)
    assert result.body


@pytest.mark.parametrize("path", ["/chunked", "/drip", "/gzip", "/br", "/known"])
def test_bodies_arrive_whole(ask, path):
    (result,) = ask(path)
    assert (result.body, result.truncated, result.failure) == (TEXT, False, None)


@pytest.mark.parametrize("path", ["/empty", "/strange", "/late", "/latin"])
def test_odd_answers(ask, path):
    (result,) = ask(path)
    assert (result.status, result.body) == (ROUTES[path].status, ROUTES[path].body)


@pytest.mark.parametrize(("path", "truncated"), [("/huge", True), ("/bomb", True), ("/limit", False)])
def test_the_size_is_limited(ask, path, truncated):
    result, after = ask(path, "/")
    assert (len(result.body), result.truncated, result.failure) == (LIMIT, truncated, None)
    assert after.status == 200


@pytest.mark.parametrize(
    ("path", "size", "truncated"),
    [("/picture", GLANCE, True), ("/icon", GLANCE, False), ("/unsaid", LIMIT, False)],
)
def test_what_nobody_can_read_is_only_glanced_at(ask, path, size, truncated):
    result, after = ask(path, "/")
    assert (result.status, len(result.body), result.truncated) == (200, size, truncated)
    assert result.header("content-type") == ROUTES[path].header("content-type")
    assert after.status == 200


@pytest.mark.parametrize("path", ["/too-late", "/stalls", "/endless", "/timeout"])
def test_slow_servers(ask, path):
    result, after = ask(path, "/")
    assert (result.status, result.failure, result.body) == (0, Failure.TIMEOUT, b"")
    assert "too long" in result.detail
    assert after.status == 200


@pytest.mark.parametrize(
    ("path", "failure"),
    [
        ("/liar", Failure.DECODING),
        ("/decoding", Failure.DECODING),
        ("/disconnected", Failure.DISCONNECTED),
        ("/protocol", Failure.PROTOCOL),
    ],
)
def test_bad_servers(ask, path, failure):
    result, after = ask(path, "/")
    assert (result.status, result.failure) == (0, failure)
    assert result.detail
    assert after.status == 200


def test_conditional_requests(ask):
    (by_tag,) = ask("/known", If_None_Match='"v0", W/"v1"')
    (by_date,) = ask("/known", If_Modified_Since=KNOWN["Last-Modified"])
    for result in (by_tag, by_date):
        assert (result.status, result.body, result.header("etag")) == (304, b"", '"v1"')
    (changed,) = ask("/known", If_None_Match='"v0"', If_Modified_Since=KNOWN["Last-Modified"])
    (older,) = ask("/known", If_Modified_Since="Mon, 04 Mar 2024 10:00:00 GMT")
    (nonsense,) = ask("/known", If_Modified_Since="yesterday")
    assert [result.status for result in (changed, older, nonsense)] == [200, 200, 200]
