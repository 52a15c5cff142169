"""The web in memory."""

import asyncio

import pytest
from replies import huge, slow

from gossamer.demo import scripted_web as scripted
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
from gossamer.web.url import canonical


def ask(web, address):
    return asyncio.run(ScriptedTransport(web).get(canonical(address), {}, 1_000))


def test_routes_can_be_replies_or_functions():
    host = ScriptedHost({"/": text("start"), "/f": text}, fallback=lambda path: text("?" + path))
    assert [host.reply(path).body for path in ("/", "/?a=1", "/f?a=1", "/g")] == [
        b"start",
        b"start",
        b"/f?a=1",
        b"?/g",
    ]


def test_unknown_paths_and_hosts():
    web = ScriptedWeb({"a.test": ScriptedHost()})
    assert ask(web, "http://a.test/x").status == 404
    assert ask(web, "http://b.test/").failure is Failure.DNS


def test_hosts_are_found_with_and_without_port():
    web = ScriptedWeb(
        {"a.test": ScriptedHost({"/": text("any")}), "a.test:81": ScriptedHost({"/": text("81")})}
    )
    assert [ask(web, f"http://a.test{port}/").body for port in ("", ":80", ":81", ":82")] == [
        b"any",
        b"any",
        b"81",
        b"any",
    ]
    assert web.reply("[::1]:80", "/") is None


def test_what_was_asked_is_recorded():
    ticks = iter(range(10))
    web = ScriptedWeb({}, clock=lambda: float(next(ticks)))
    web.reply("a.test", "/x")
    web.reply("b.test:8080", "/?y")
    assert web.asked == [(0.0, "a.test", "/x"), (1.0, "b.test:8080", "/?y")]


@pytest.mark.parametrize(
    ("reply", "waited", "failure"),
    [
        (slow(text("x"), 3), [3], None),
        (text("x"), [], None),
        (Reply(200, b"x", chunk=1, delay=1), [1], None),
        (Reply(200, b"x" * 5, chunk=1, pause=2, delay=1), [9], None),
        (slow(text("x"), 21), [20.0], Failure.TIMEOUT),
        (Reply(200, b"x" * 50_000, chunk=1_000, pause=2), [60.0], Failure.TIMEOUT),
        (Reply(200, b"x" * 50, chunk=1, pause=2), [20.0], Failure.TIMEOUT),
        (Reply(failure=Failure.TIMEOUT), [20.0], Failure.TIMEOUT),
    ],
)
def test_delays_pass_up_to_the_limits(monkeypatch, reply, waited, failure):
    seconds = []

    async def sleep(duration):
        seconds.append(duration)

    monkeypatch.setattr(scripted.asyncio, "sleep", sleep)
    result = ask(ScriptedWeb({"a.test": ScriptedHost({"/": reply})}), "http://a.test/")
    assert (seconds, result.failure) == (waited, failure)
    assert result.body == (b"" if failure else reply.body)


def test_pages_escape_what_they_are_given():
    body = page("A & B", "1 < 2", {"/x?a=1&b=2": '"x"'}, language="da").body.decode()
    assert "<title>A &amp; B</title>" in body
    assert "1 &lt; 2" in body
    assert 'href="/x?a=1&amp;b=2">&quot;x&quot;</a>' in body
    assert 'lang="da"' in body
    assert 'href="/y">/y</a>' in page("t", "x", ["/y"]).body.decode()


@pytest.mark.parametrize(("size", "pieces"), [(0, 1), (1, 6), (4, 2), (100, 1)])
def test_pieces(size, pieces):
    reply = Reply(200, b"abcdef", chunk=size)
    assert len(reply.pieces()) == pieces
    assert b"".join(reply.pieces()) == b"abcdef"
    assert Reply(chunk=size).pieces() == []


def test_builders():
    assert redirect("/x").headers == {"Location": "/x"}
    assert redirect("/x", 307).status == 307
    assert error(503).status == 503
    assert slow(text("x"), 2).delay == 2
    assert len(huge(12_345).body) == 12_345
    wrong = html("<p>\u00e9", charset="latin-1", declared="utf-8")
    assert (wrong.body, wrong.header("content-type")) == (b"<p>\xe9", "text/html; charset=utf-8")
