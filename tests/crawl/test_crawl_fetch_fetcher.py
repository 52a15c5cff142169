"""Fetching of pages and robots.txt (RFC 9309)."""

import asyncio

import pytest
from fetchers import fetcher_of

from gossamer.collection.commit import Transaction, commit
from gossamer.collection.partition import Partition
from gossamer.config import Config
from gossamer.crawl.fetch.exchange import GLANCE
from gossamer.crawl.fetch.robots_cache import explanation, rules_from
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.demo.scripted_web import (
    Reply,
    ScriptedHost,
    ScriptedTransport,
    ScriptedWeb,
    error,
    redirect,
    text,
)
from gossamer.model import CrawlRequest, Failure
from gossamer.web.robots import MAX_BYTES
from gossamer.web.url import canonical

AGENT = "Gossamer"
RULES = text("User-agent: *\nDisallow: /private\n")
PAGE, PRIVATE = canonical("http://a.test/x"), canonical("http://a.test/private")


class Recording(ScriptedTransport):
    """A transport that records the request headers."""

    async def get(self, url, headers, max_bytes):
        self.headers, self.max_bytes = dict(headers), max_bytes
        return await super().get(url, headers, max_bytes)


def robots(hosts, origin_of=PAGE):
    web = ScriptedWeb({name: ScriptedHost(routes) for name, routes in hosts.items()})
    answer = asyncio.run(fetcher_of(ScriptedTransport(web)).robots.fetch(origin_of)).last
    return answer, [asked.authority + asked.path for asked in web.asked]


def allows(answer, url):
    return rules_from(answer.status, answer.body).allows(url, AGENT)


def test_a_page_is_asked_for_with_manners():
    transport = Recording(ScriptedWeb({"a.test": ScriptedHost({"/x": text("hello")})}))
    settings = FetchSettings(user_agent="Test/1.0", accept_language="el", max_bytes=3)
    result = asyncio.run(fetcher_of(transport, settings).fetch(CrawlRequest(PAGE)))
    assert (result.status, result.body, result.truncated) == (200, b"hel", True)
    assert transport.headers["User-Agent"] == "Test/1.0"
    assert transport.headers["Accept-Language"] == "el"
    assert transport.headers["Accept-Encoding"] == "gzip, deflate, br, zstd"
    assert "text/html" in transport.headers["Accept"]
    assert "If-None-Match" not in transport.headers


def test_what_is_known_is_not_asked_for_again():
    reply = Reply(200, b"same", {"ETag": '"1"'})
    transport = Recording(ScriptedWeb({"a.test": ScriptedHost({"/x": reply})}))
    request = CrawlRequest(PAGE, etag='"1"', last_modified="Tue, 05 Mar 2024 10:00:00 GMT")
    result = asyncio.run(fetcher_of(transport).fetch(request))
    assert result.status == 304
    assert transport.headers["If-None-Match"] == '"1"'
    assert transport.headers["If-Modified-Since"] == "Tue, 05 Mar 2024 10:00:00 GMT"


def test_robots_are_asked_of_the_origin():
    answer, asked = robots({"a.test:8080": {"/robots.txt": RULES}}, canonical("http://a.test:8080/deep/x?y"))
    assert asked == ["a.test:8080/robots.txt"]
    assert (answer.status, answer.body, explanation(answer)) == (200, RULES.body, "")
    assert answer.fetched_at > 0
    assert not allows(answer, PRIVATE)
    assert allows(answer, PAGE)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 429])
def test_errors_of_the_client_allow_all(status):
    answer, _ = robots({"a.test": {"/robots.txt": error(status)}})
    assert allows(answer, PRIVATE)
    assert str(status) in explanation(answer)
    assert "everything" in explanation(answer)


@pytest.mark.parametrize("status", [500, 502, 503])
def test_errors_of_the_server_forbid_all(status):
    answer, _ = robots({"a.test": {"/robots.txt": error(status)}})
    assert not allows(answer, PAGE)
    assert (answer.status, f"{status}" in explanation(answer), "nothing" in explanation(answer)) == (
        status,
        True,
        True,
    )


@pytest.mark.parametrize("failure", list(Failure))
def test_no_answer_forbids_all(failure):
    settings = FetchSettings(read_timeout=0.01)
    web = ScriptedWeb({"a.test": ScriptedHost({"/robots.txt": Reply(failure=failure)})})
    answer = asyncio.run(fetcher_of(ScriptedTransport(web, settings), settings).robots.fetch(PAGE)).last
    assert not allows(answer, PAGE)
    assert (answer.status, answer.failure, failure in explanation(answer)) == (0, failure, True)
    assert answer.detail


def test_redirects_are_followed_across_hosts():
    answer, asked = robots(
        {"a.test": {"/robots.txt": redirect("//b.test/r")}, "b.test": {"/r": redirect("/s"), "/s": RULES}}
    )
    assert asked == ["a.test/robots.txt", "b.test/r", "b.test/s"]
    assert not allows(answer, PRIVATE)


@pytest.mark.parametrize(("hops", "allowed"), [(5, False), (6, True)])
def test_five_redirects_are_followed_and_no_more(hops, allowed):
    chain = {f"/{hop}": redirect(f"/{hop + 1}") for hop in range(1, hops)} | {f"/{hops}": RULES}
    answer, asked = robots({"a.test": {"/robots.txt": redirect("/1"), **chain}})
    assert len(asked) == 6
    assert allows(answer, PRIVATE) is allowed
    assert ("without end" in explanation(answer)) is allowed


@pytest.mark.parametrize("target", ["", "ftp://b.test/robots.txt"])
def test_redirects_to_nowhere_allow_all(target):
    answer, asked = robots({"a.test": {"/robots.txt": redirect(target)}})
    assert allows(answer, PRIVATE)
    assert len(asked) == 1


def test_a_redirect_to_an_unknown_host_forbids_all():
    answer, _ = robots({"a.test": {"/robots.txt": redirect("http://c.test/robots.txt")}})
    assert (answer.status, allows(answer, PAGE)) == (0, False)


def test_only_the_beginning_of_a_long_file_is_kept():
    body = "User-agent: *\nDisallow: /private\n" + "# more\n" * 200_000
    answer, _ = robots({"a.test": {"/robots.txt": text(body)}})
    assert MAX_BYTES - len("# more\n") < len(answer.body) <= MAX_BYTES
    assert answer.body.endswith(b"\n# more\n")
    assert not allows(answer, PRIVATE)


@pytest.mark.parametrize(("content_type", "limit"), [("text/plain", MAX_BYTES), ("image/png", GLANCE)])
def test_half_a_rule_is_none(content_type, limit):
    """The file is truncated within `Disallow: /private/x`, right after the first slash."""
    start, end = b"User-agent: *\nDisallow: /private\n#", b"\nDisallow: /"
    body = start + b"x" * (limit - len(start) - len(end)) + end + b"private/x\n"
    answer, _ = robots({"a.test": {"/robots.txt": Reply(200, body, {"Content-Type": content_type})}})
    assert allows(answer, PAGE)
    assert not allows(answer, PRIVATE)


@pytest.mark.parametrize("reply", [RULES, error(404), error(503), Reply(301)])
def test_stored_answers_bring_the_rules_back(reply, tmp_path):
    """The next crawl takes the rules from the catalogue, except after a server error."""
    partition = Partition(0, tmp_path / "partition", Config().store)
    partition.create()
    partition.recover()
    web = ScriptedWeb({"a.test": ScriptedHost({"/robots.txt": reply})})
    transaction, asked = Transaction(partition), fetcher_of(ScriptedTransport(web)).robots
    assert asyncio.run(asked.ask(transaction, PAGE)) is None
    commit([transaction])
    again = fetcher_of(ScriptedTransport(web)).robots.known(transaction, PAGE)
    if reply.status >= 500:
        assert again is None
    else:
        first = asked.known(transaction, PAGE)
        assert [again.rules.allows(url, AGENT) for url in (PAGE, PRIVATE)] == [
            first.rules.allows(url, AGENT) for url in (PAGE, PRIVATE)
        ]
    partition.close()
