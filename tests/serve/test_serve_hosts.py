"""Only accepted hosts are served: DNS rebinding reads nothing."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import threading
from pathlib import Path

import pytest
from fake_engine import FakeEngine, hits
from fastapi import FastAPI

from gossamer.config import ServeSettings
from gossamer.model import BadSetting
from gossamer.serve import server as run_module
from gossamer.serve.app import create_app
from gossamer.serve.i18n import translations
from gossamer.serve.middleware import LONGEST
from gossamer.serve.server import bind, run

LOCAL = "192.168.1.5"  # of the connection
ATTACKER = "attacker.example"
LISTED = ["search.example.org", "*.wild.example", "bücher.example", "2001:db8::7", "203.0.113.7"]
SECRET = "Title 1"  # of a result
ADDRESSES = (
    "/", "/search?q=cat", "/api/search?q=cat", "/api/suggest?q=c", "/suggest?q=c", "/search.rss?q=cat",
    "/search.csv?q=cat", "/api/status", "/metrics", "/healthz", "/openapi.json", "/opensearch.xml",
    "/static/style.css", "/you", "/cached?url=x", "/owner", "/owner/live.json", "/nowhere",
)  # fmt: skip


def answer(app, *hosts, path="/", local=LOCAL, version="1.1", headers=(), method="GET"):
    """The status and the body with which an application answers a request with these headers Host."""
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "http_version": version,
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [*[(b"host", host.encode("latin-1")) for host in hosts], *headers],
        "client": ("127.0.0.1", 50000),
        "server": (local, 8080) if local else None,
    }
    sent = []

    async def receive():
        return {"type": "http.request"}

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent).decode()


@pytest.fixture(scope="module")
def app():
    return create_app(FakeEngine(hits(2)), ServeSettings(hosts=LISTED))


@pytest.fixture(scope="module")
def closed():
    """An application that lists no host."""
    return create_app(FakeEngine(hits(2)))


@pytest.mark.parametrize(
    ("host", "status"),
    [
        # Loopback
        ("localhost", 200),
        ("localhost:8080", 200),
        ("LocalHost", 200),
        ("localhost.", 200),
        ("a.b.localhost:1", 200),
        ("127.0.0.1", 200),
        ("127.1.2.3:8080", 200),
        ("127.1", 200),
        ("[::1]:8080", 200),
        ("[0:0::1]", 200),
        ("[::ffff:127.0.0.1]", 200),
        # The address of the connection, and others
        (LOCAL, 200),
        (f"{LOCAL}:9999", 200),
        (f"[::ffff:{LOCAL}]", 200),
        ("192.168.1.6", 421),
        ("0.0.0.0", 421),
        ("[2001:db8::1]", 421),
        # Names that are listed, and others
        ("search.example.org", 200),
        ("Search.Example.Org.:443", 200),
        ("a.search.example.org", 421),
        ("example.org", 421),
        ("a.wild.example", 200),
        ("a.b.wild.example", 200),
        ("wild.example", 421),
        ("notwild.example", 421),
        ("xn--bcher-kva.example", 200),
        ("[2001:db8:0::7]", 200),
        ("203.0.113.7:80", 200),
        (ATTACKER, 421),
        ("localhost.attacker.example", 421),
        ("127.0.0.1.attacker.example", 421),
        ("notlocalhost", 421),
        ("my_box", 421),
        ("testserver", 421),
        # What names no host
        ("", 400),
        (" ", 400),
        (":8080", 400),
        ("user@localhost", 400),
        ("user:password@localhost", 400),
        ("localhost:http", 400),
        ("localhost/", 400),
        ("localhost attacker.example", 400),
        ("localhost,attacker.example", 400),
        ("localhost\\", 400),
        ("[::1", 400),
        ("[::1]x", 400),
        ("[:::]", 400),
        ("::1", 400),
        ("999.1.1.1", 400),
        ("%6cocalhost", 400),
        ("b\xfccher.example", 400),
        ("<script>alert(1)</script>", 400),
        ("localhost\x00", 400),
        ("a" * LONGEST, 421),
        ("a" * (LONGEST + 1), 400),
    ],
)
def test_hosts(app, host, status):
    assert answer(app, host)[0] == status
    assert answer(app, host)[0] == status  # as it is remembered


def test_a_request_has_one_host(app):
    assert answer(app)[0] == 400
    assert answer(app, version="2")[0] == 400
    assert answer(app, version="1.0")[0] == 200
    assert answer(app, ATTACKER, version="1.0")[0] == 421
    assert answer(app, "localhost", "localhost")[0] == 400
    assert answer(app, "localhost", ATTACKER)[0] == 400
    assert "2" in answer(app, "localhost", ATTACKER, path="/api/status")[1]


def test_the_page_for_an_unknown_host_offers_the_languages(app):
    status, page = answer(app, ATTACKER)
    assert status == 421
    assert page.count("hreflang=") == page.count("<a href=") > 4
    assert "[(" not in page


@pytest.mark.parametrize("name", ["SECURITY.md", "CHANGELOG.md", "docs/commands/serve.md"])
def test_it_is_documented_which_requests_need_no_host(name):
    text = (Path(__file__).parents[2] / name).read_text(encoding="utf-8")
    assert "only HTTP/1.0 requests may omit it" in " ".join(text.split())


@pytest.mark.parametrize("local", ["fe80::1%eth0", "::ffff:192.168.1.5", "/run/socket", "", "testserver"])
def test_the_address_of_a_connection_has_many_forms(closed, local):
    assert answer(closed, "[fe80::1]", local=local)[0] == (200 if local.startswith("fe80") else 421)
    assert answer(closed, LOCAL, local=local)[0] == (200 if local.endswith(LOCAL) else 421)
    assert answer(closed, "testserver", local=local)[0] == 421
    assert answer(closed, "localhost", local=local)[0] == 200


@pytest.mark.parametrize("path", ADDRESSES)
def test_other_hosts_are_refused(closed, path):
    for method in ("GET", "HEAD", "POST", "OPTIONS"):
        status, body = answer(closed, ATTACKER, path=path, method=method)
        assert status == 421
        assert SECRET not in body


def test_x_forwarded_host_is_ignored():
    app = create_app(FakeEngine(), ServeSettings(trusted_proxies=["127.0.0.1"], cors=["*"]))
    assert answer(app, ATTACKER, headers=[(b"x-forwarded-host", b"localhost")])[0] == 421
    assert answer(app, "localhost", headers=[(b"x-forwarded-host", ATTACKER.encode())])[0] == 200
    preflight = [(b"origin", b"http://a.example"), (b"access-control-request-method", b"GET")]
    assert answer(app, ATTACKER, path="/api/search", method="OPTIONS", headers=preflight)[0] == 421


def test_any_host_may_be_allowed():
    app = create_app(FakeEngine(), ServeSettings(hosts=["*"]))
    assert answer(app, ATTACKER)[0] == 200
    assert answer(app, ATTACKER, ATTACKER)[0] == 400
    assert answer(app, "a@b")[0] == 400


def test_within_another_application():
    outer = FastAPI()
    outer.mount("/closed", create_app(FakeEngine()))
    outer.mount("/open", create_app(FakeEngine(), ServeSettings(hosts=["outer.example"])))
    assert answer(outer, "outer.example", path="/closed/")[0] == 421
    assert answer(outer, "outer.example", path="/open/")[0] == 200
    assert json.loads(answer(outer, ATTACKER, path="/open/api/status")[1])["error"]["code"] == "unknown_host"


def test_programs_are_told_what_to_change(closed):
    status, body = answer(closed, "Search.Example.org:8080", path="/api/search?q=cat")
    error = json.loads(body)["error"]
    assert (status, error["code"]) == (421, "unknown_host")
    assert "serve.hosts" in error["message"]
    assert error["message"].endswith('hosts = ["search.example.org"]')


@pytest.mark.parametrize("language", translations())
def test_people_are_told_what_to_change(closed, language):
    status, body = answer(closed, "search.example.org:8080", path=f"/search?q=cat&ui={language}")
    assert status == 421
    assert f'<html lang="{language}">' in body
    assert translations()[language].phrases["because_unknown_host"] in body
    assert "serve.hosts" in body
    assert "<code>hosts = [&#34;search.example.org&#34;]</code>" in body
    assert "<form" not in body


def test_a_host_that_cannot_be_read_is_not_repeated(closed):
    for path in ("/", "/api/status"):
        assert "script>alert" not in answer(closed, "<script>alert(1)</script>", path=path)[1]


@pytest.mark.parametrize(
    "host", ["", "a:80", "http://a.example", "*.", "*a", "*.*", "a b", "a/b", "u@a", "[::1]:80"]
)
def test_invalid_hosts_in_settings(host):
    with pytest.raises(BadSetting, match=r"\[serve\] hosts: .* is not a host; write "):
        create_app(FakeEngine(), ServeSettings(hosts=[host]))


def exchanged(port, request):
    """The whole answer to a request, as bytes on a connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def asked_of_a_server(*requests, host="127.0.0.1"):
    """What a real server that listens on a host answers to requests, one after the other."""
    answers = []

    def visit(port):
        try:
            answers.extend(exchanged(port, request) for request in requests)
        finally:
            signal.raise_signal(signal.SIGINT)

    def ready(address):
        port = int(address.rstrip("/").rpartition(":")[2])
        threading.Thread(target=visit, args=(port,)).start()

    run(FakeEngine(hits(2)), host, 0, ready)
    return [(int(one.split()[1]), one) for one in answers]


def request(target, *lines, version="1.1"):
    head = [f"GET {target} HTTP/{version}", *lines, "Connection: close", "", ""]
    return "\r\n".join(head).encode()


def test_a_rebound_name_reads_nothing():
    """The scenario: a page of attacker.example gives its name our address, and asks for the collection."""
    expected = {
        request("/api/search?q=cat", "Host: 127.0.0.1"): 200,
        request("/api/search?q=cat", f"Host: {ATTACKER}"): 421,
        request("/search?q=cat", f"Host: {ATTACKER}:8080"): 421,
        request("/search?q=cat", f"Host: {ATTACKER}", "Upgrade: websocket", "Connection: Upgrade"): 421,
        request("/search?q=cat", "Host: 127.0.0.1", f"Host: {ATTACKER}"): 400,
        request("/search?q=cat"): 400,
        request("/search?q=cat", version="1.0"): 200,
        request("http://localhost/search?q=cat", "Host: localhost"): 200,
        request(f"http://{ATTACKER}/search?q=cat", f"Host: {ATTACKER}"): 421,
        request(f"http://{ATTACKER}/search?q=cat", "Host: localhost"): 400,
        request("http://localhost/search?q=cat", f"Host: {ATTACKER}"): 400,
        request("http://u@localhost/search?q=cat", "Host: localhost"): 400,
        request("http://localhost/search?q=cat"): 400,
    }
    answers = asked_of_a_server(*expected)
    assert [status for status, _ in answers] == [*expected.values()]
    assert all((SECRET.encode() in body) == (status == 200) for status, body in answers)


def test_the_listening_address_is_accepted(monkeypatch):
    named = "search.example.org"
    hosts = (named, "0.0.0.0", "127.0.0.1", ATTACKER)
    requests = [request("/healthz", f"Host: {host}") for host in hosts]
    assert [status for status, _ in asked_of_a_server(*requests, host="0.0.0.0")] == [421, 200, 200, 421]
    monkeypatch.setattr(run_module, "bind", lambda host, port: bind("127.0.0.1", port))
    assert [status for status, _ in asked_of_a_server(*requests, host=named)] == [200, 421, 200, 421]
