"""Which requests carry log-ins and cookies, and which never do."""

import asyncio

import pytest
from fetchers import fetcher_of

from gossamer.crawl.fetch import site_logins as session
from gossamer.crawl.fetch.robots_cache import NO_RULES
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.crawl.fetch.site_logins import SessionTransport
from gossamer.demo.scripted_web import ScriptedTransport, ScriptedWeb
from gossamer.model import BadSetting, CrawlRequest, Failure, FetchResult
from gossamer.web.url import canonical

LOGIN_PAGE = b'<form method=post action="/in"><input type=hidden name=csrf value=7><input name=user>' \
    b"<input type=password name=pass></form>"  # fmt: skip
LINE = "wiki.test form https://wiki.test/login user=anna pass=env:WIKI"


@pytest.fixture(autouse=True)
def secrets(monkeypatch):
    monkeypatch.setenv("WIKI", "sesame")


class Wiki:
    """A transport with one host behind a log-in; records every request with its headers."""

    def __init__(self, password="sesame", page=LOGIN_PAGE):
        self.password = password
        self.page = page
        self.sessions = set()
        self.asked = []
        self.made = 0

    async def get(self, url, headers, max_bytes):
        self.asked.append(("GET", url.text, dict(headers)))
        if url.host != "wiki.test":
            return self.answer(url, 200, b"another host", ("Set-Cookie", "spy=1"))
        if url.path.startswith("/login"):
            return self.answer(url, 200, self.page, ("Set-Cookie", "visit=1; Path=/"))
        if url.path == "/start":
            return self.answer(url, 302, b"", ("Location", "/login?first=1"))
        cookies = set(headers.get("Cookie", "").split("; "))
        if not cookies & self.sessions or url.path == "/forbidden":
            return self.answer(url, 302, b"", ("Location", f"/login?next={url.path}"))
        return self.answer(url, 200, b"secret page", ("Set-Cookie", "last=1"), ("X-Other", "1"))

    async def post(self, url, headers, form, max_bytes):
        self.asked.append(("POST", url.text, dict(headers)))
        await asyncio.sleep(0)
        if form.get("pass") != self.password or form.get("csrf") != "7" or "visit=1" not in headers["Cookie"]:
            return self.answer(url, 200, self.page)
        self.made += 1
        self.sessions = {f"session={self.made}"}
        return self.answer(url, 303, b"", ("Location", "/"), ("Set-Cookie", f"session={self.made}; Path=/"))

    def answer(self, url, status, body, *headers):
        return FetchResult(url, 1.0, status=status, headers=headers, body=body)

    def has_robots(self, scheme):
        return scheme == "https"

    async def look_up(self, host):
        self.asked.append(host)

    def posts(self):
        return [url for kind, url, _ in self.asked if kind == "POST"]


def ask(wiki, *addresses, at_once=False, meanwhile=lambda wiki, number: None, **settings):
    async def run():
        transport = SessionTransport(wiki, FetchSettings(**{"logins": [LINE], **settings}))
        urls = [canonical(address) for address in addresses]
        if at_once:
            return await asyncio.gather(*(transport.get(url, {"A": "b"}, 1_000) for url in urls))
        results = []
        for number, url in enumerate(urls):
            results.append(await transport.get(url, {"A": "b"}, 1_000))
            meanwhile(wiki, number)
        return results

    return asyncio.run(run())


@pytest.mark.parametrize(("settings", "wraps"), [({}, False), ({"cookies": ["*"]}, True)])
def test_nothing_changes_for_those_who_want_nothing(settings, wraps):
    transport = ScriptedTransport(ScriptedWeb({}))
    used = fetcher_of(transport, FetchSettings(**settings))._client
    assert (used is transport, isinstance(used, SessionTransport)) == (not wraps, wraps)


def test_a_log_in_that_cannot_be_read_stops_the_crawl_before_it_begins():
    with pytest.raises(BadSetting, match="nonsense"):
        fetcher_of(ScriptedTransport(ScriptedWeb({})), FetchSettings(logins=["nonsense"]))


@pytest.mark.parametrize("at_once", [False, True])
def test_the_form_is_filled_in_once_before_the_first_page(at_once):
    wiki = Wiki()
    results = ask(wiki, "https://wiki.test/a", "https://wiki.test/b", "https://wiki.test/c", at_once=at_once)
    assert [(result.status, result.body) for result in results] == [(200, b"secret page")] * 3
    assert wiki.posts() == ["https://wiki.test/in"]
    assert all(headers["A"] == "b" for _, _, headers in wiki.asked)


def test_session_cookies_stay_out_of_the_page_store():
    (result,) = ask(Wiki(), "https://wiki.test/a")
    assert result.headers == (("X-Other", "1"),)


def test_a_host_that_forgets_us_is_logged_in_to_again():
    def forget(wiki, number):
        wiki.sessions = set() if number == 0 else wiki.sessions

    wiki = Wiki()
    results = ask(wiki, "https://wiki.test/a", "https://wiki.test/b", "https://wiki.test/c", meanwhile=forget)
    assert [result.status for result in results] == [200, 200, 200]
    assert len(wiki.posts()) == 2


def test_a_page_that_no_log_in_opens_is_the_hosts_own_matter():
    wiki = Wiki()
    pages = ["https://wiki.test/forbidden"] * 3 + ["https://wiki.test/a"]
    results = ask(wiki, *pages)
    assert [result.status for result in results] == [302, 302, 302, 200]
    assert len(wiki.posts()) == 2, "tried again once, and then left alone for a while"


def test_the_log_in_page_itself_is_a_page():
    wiki = Wiki()
    assert [result.status for result in ask(wiki, "https://wiki.test/login")] == [200]
    assert len(wiki.posts()) == 1


@pytest.mark.parametrize(
    ("wiki", "why"),
    [
        (Wiki(password="other"), "does not accept"),
        (Wiki(page=b"no form"), "no form with the fields user, pass"),
        (Wiki(page=LOGIN_PAGE.replace(b"/in", b"https://evil.test/in")), "its own origin"),
    ],
)
def test_a_log_in_that_fails_has_its_name_and_is_not_repeated(wiki, why, monkeypatch):
    results = ask(wiki, "https://wiki.test/a", "https://wiki.test/b")
    assert [(result.failure, result.status) for result in results] == [(Failure.LOGIN, 0)] * 2
    assert why in results[0].detail
    assert "sesame" not in results[0].detail
    assert len([url for kind, url, _ in wiki.asked if url.endswith("/login")]) == 1
    monkeypatch.setattr(session, "AGAIN_AFTER", 0.0)
    ask(wiki, "https://wiki.test/a", "https://wiki.test/b")
    assert len([url for kind, url, _ in wiki.asked if url.endswith("/login")]) == 3


def test_a_log_in_page_elsewhere_on_the_host():
    wiki = Wiki()
    line = "wiki.test form https://wiki.test/start user=anna pass=env:WIKI"
    assert ask(wiki, "https://wiki.test/a", logins=[line])[0].status == 200
    assert wiki.asked[1][1] == "https://wiki.test/login?first=1"


def test_others_get_no_credentials_and_no_cookies():
    wiki = Wiki()
    logins = [LINE, "api.test bearer env:WIKI"]
    ask(wiki, "https://wiki.test/a", "https://other.test/", "https://other.test/", "http://wiki.test/x",
        "https://api.test/", "http://api.test/", "https://api.test.evil.test/", logins=logins)  # fmt: skip
    shown = [url for _, url, headers in wiki.asked if "Authorization" in headers]
    assert shown == ["https://api.test/"]
    with_cookies = {url for _, url, headers in wiki.asked if "Cookie" in headers}
    assert with_cookies == {"https://wiki.test/in", "https://wiki.test/a"}


def test_cookies_for_listed_hosts_only():
    wiki = Wiki()
    pages = [
        "https://a.shop.test/",
        "https://a.shop.test/2",
        "https://b.shop.test/",
        "https://c.test/",
        "https://c.test/",
    ]
    results = ask(wiki, *pages, logins=[], cookies=["*.shop.test"])
    assert [headers.get("Cookie") for _, _, headers in wiki.asked] == [None, "spy=1", None, None, None]
    assert [bool(result.header("set-cookie")) for result in results] == [False, False, False, True, True]


def test_names_and_schemes_are_the_transports_own_matter():
    wiki = Wiki()
    fetcher = fetcher_of(wiki, FetchSettings(logins=[LINE]))
    asyncio.run(fetcher.look_up("a.test"))
    assert wiki.asked == ["a.test"]
    assert fetcher.robots.known(None, canonical("http://wiki.test/a")) is NO_RULES


def test_a_fetcher_logs_in():
    wiki = Wiki()
    request = CrawlRequest(canonical("https://wiki.test/a"))
    result = asyncio.run(fetcher_of(wiki, FetchSettings(logins=[LINE])).fetch(request))
    assert result.body == b"secret page"
    assert all("User-Agent" in headers for _, _, headers in wiki.asked)
