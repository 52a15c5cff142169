"""Requests that are too large, too many or too slow are refused, without harm to others."""

from __future__ import annotations

import threading
import time
from functools import partial

import pytest
from fake_engine import FakeEngine, hits

from gossamer.config import ServeSettings
from gossamer.model import BadSetting
from gossamer.serve import middleware as limits
from gossamer.serve.middleware import (
    LARGEST_BODY,
    LARGEST_HEADERS,
    LONGEST_URL,
    MOST_VISITORS,
    RateLimiter,
    checked_origins,
    checked_proxies,
    visitor_of,
)


class SlowEngine(FakeEngine):
    """Answers when it is told to."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.may_answer = threading.Event()
        self.begun = threading.Semaphore(0)

    def search(self, text, *, options):
        self.begun.release()
        assert self.may_answer.wait(120)
        return super().search(text, options=options)


def code_of(answer):
    return answer.json()["error"]["code"]


@pytest.mark.parametrize("address", ["/search", "/api/search"])
def test_too_long_an_address(client_of, address):
    client = client_of(FakeEngine())
    answer = client.get(f"{address}?q=" + "a" * LONGEST_URL)
    assert answer.status_code == 414
    assert "32,768 bytes" in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert client.get(f"{address}?q=" + "%C3%A9" * 2000).status_code == 200


def test_too_large_headers(client_of):
    client = client_of(FakeEngine(hits(1)))
    answer = client.get("/api/search?q=cat", headers={"X-Filler": "a" * LARGEST_HEADERS})
    assert (answer.status_code, code_of(answer)) == (431, "headers_too_large")
    assert client.get("/api/search?q=cat", headers={"X-Filler": "a" * 8000}).status_code == 200


def test_too_large_a_body(client_of):
    client = client_of(FakeEngine())
    answer = client.post("/api/search?q=cat", content=b"a" * (LARGEST_BODY + 1))
    assert (answer.status_code, code_of(answer)) == (413, "body_too_large")
    assert client.post("/api/search?q=cat", content=b"a").status_code == 405


def test_a_visitor_who_asks_too_often_must_wait(client_of):
    engine = FakeEngine(hits(1))
    client = client_of(engine, "192.0.2.1", rate=0.001, burst=3)
    assert [client.get("/api/search?q=cat").status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = client.get("/api/search?q=cat")
    assert code_of(refused) == "too_many_requests"
    assert 1 <= int(refused.headers["retry-after"]) <= 1000
    page = client.get("/search?q=cat")
    assert page.status_code == 429
    assert "Too many requests" in page.text
    assert len(engine.asked) == 3
    assert client.get("/healthz").status_code == 200
    assert client.get("/metrics").status_code == 200


def test_monitoring_below_a_root_path_is_never_refused(client_of):
    client = client_of(FakeEngine(hits(1)), "192.0.2.1", root="/find", rate=0.001, burst=1)
    assert [client.get("/find/api/search?q=cat").status_code for _ in range(2)] == [200, 429]
    assert client.get("/find/healthz").status_code == 200
    assert client.get("/find/metrics").status_code == 200


def test_each_visitor_has_a_limit_except_loopback(client_of):
    engine = FakeEngine(hits(1))
    local = client_of(engine, "127.0.0.1", rate=0.001, burst=1)
    assert [local.get("/api/search?q=cat").status_code for _ in range(3)] == [200] * 3


def test_trusted_proxies_name_the_visitor(client_of):
    client = client_of(FakeEngine(hits(1)), "127.0.0.1", rate=0.001, burst=1, trusted_proxies=["127.0.0.1"])
    for visitor, expected in (("192.0.2.1", 200), ("192.0.2.1", 429), ("192.0.2.2", 200)):
        # what a visitor wrote there before stands first, and is not believed
        forwarded = {"X-Forwarded-For": f"198.51.100.9, {visitor}"}
        assert client.get("/api/search?q=cat", headers=forwarded).status_code == expected


def test_other_proxies_are_ignored(client_of):
    client = client_of(FakeEngine(hits(1)), "192.0.2.1", rate=0.001, burst=1, trusted_proxies=["127.0.0.1"])
    seen = [
        client.get("/api/search?q=cat", headers={"X-Forwarded-For": f"192.0.2.{n}"}).status_code
        for n in range(2, 4)
    ]
    assert seen == [200, 429]


def test_requests_time_out(client_of):
    engine = SlowEngine(hits(1))
    client = client_of(engine, timeout=0.05)
    with client:
        answer = client.get("/api/search?q=cat")
        page = client.get("/search?q=cat")
        engine.may_answer.set()
        # On a busy machine even this may take longer than is waited for.
        assert any(client.get("/api/status").status_code == 200 for _ in range(100))
    assert (answer.status_code, code_of(answer)) == (503, "too_slow")
    assert int(answer.headers["retry-after"]) > 0
    assert page.status_code == 503
    assert "This took too long" in page.text


def test_too_many_requests_at_once(client_of):
    engine = SlowEngine(hits(1))
    client = client_of(engine, max_concurrent_requests=2)
    codes = []
    with client:
        threads = [
            threading.Thread(target=lambda: codes.append(client.get("/api/search?q=cat").status_code))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for _ in threads:
            assert engine.begun.acquire(timeout=120)
        refused = client.get("/api/search?q=cat")
        alive = client.get("/healthz")
        engine.may_answer.set()
        for thread in threads:
            thread.join()
        after = client.get("/api/search?q=cat")
    assert (refused.status_code, code_of(refused)) == (503, "too_busy")
    assert refused.headers["retry-after"] == "1"
    assert alive.status_code == 200
    assert codes == [200, 200]
    assert after.status_code == 200


def test_an_error_after_the_timeout_is_ignored(client_of):
    engine = SlowEngine(failure=RuntimeError("secret"))
    with client_of(engine, timeout=0.05) as client:
        assert client.get("/api/search?q=cat").status_code == 503
        engine.may_answer.set()
        time.sleep(0.05)
        assert client.get("/api/search?q=cat").status_code == 500


def test_buckets_fill_again():
    now = 0.0
    rates = RateLimiter(2.0, 3, lambda: now)
    assert [rates.wait("a") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    now = 0.4
    assert rates.wait("a") == pytest.approx(0.1)
    now = 0.5
    assert rates.wait("a") == 0.0
    now = 100.0
    assert [rates.wait("a") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    assert rates.wait("b") == 0.0


def test_only_so_many_visitors_are_remembered():
    rates = RateLimiter(1.0, 1, lambda: 0.0)
    for number in range(MOST_VISITORS + 5):
        rates.wait(f"visitor {number}")
    assert len(rates._buckets) == MOST_VISITORS
    assert rates.wait("visitor 0") == 0.0  # forgotten
    assert rates.wait(f"visitor {MOST_VISITORS + 4}") == 1.0


@pytest.mark.parametrize(
    ("address", "visitor"),
    [
        ("203.0.113.5", "203.0.113.5"),
        ("::ffff:203.0.113.5", "203.0.113.5"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", ""),
        ("127.8.9.1", ""),
        ("::ffff:127.0.0.1", ""),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_keys_of_visitors(address, visitor):
    assert visitor_of(address) == visitor


def test_cors_is_off_unless_the_owner_names_origins(client_of):
    asked = {"Origin": "https://example.org"}
    answer = client_of(FakeEngine(hits(1))).get("/api/search?q=cat", headers=asked)
    assert "access-control-allow-origin" not in answer.headers


def test_pages_of_named_origins_may_read_the_api_and_nothing_else(client_of):
    client = client_of(FakeEngine(hits(1)), cors=["https://example.org"])
    shared = "access-control-allow-origin"
    asked = {"Origin": "https://example.org"}
    for address in ("/api/search?q=cat", "/api/search", "/api/suggest?q=c", "/search.rss?q=cat"):
        assert client.get(address, headers=asked).headers[shared] == "https://example.org"
    assert shared not in client.get("/search?q=cat", headers=asked).headers
    assert shared not in client.get("/api/search?q=cat", headers={"Origin": "https://evil.example"}).headers
    before = client.options("/api/search", headers=asked | {"Access-Control-Request-Method": "GET"})
    assert before.headers["access-control-allow-methods"] == "GET, HEAD"
    assert "access-control-allow-credentials" not in before.headers


def test_invalid_settings_are_refused():
    for origins in (["example.org"], ["https://example.org/path"], ["null"]):
        with pytest.raises(BadSetting, match="cors"):
            checked_origins(origins)
    assert checked_origins(["*"]) == ["*"]
    with pytest.raises(BadSetting, match="trusted_proxies"):
        checked_proxies(["proxy.example"])


def test_default_limits(client_of, monkeypatch):
    # At one moment: on a slow machine these requests take so long that they are no hurry.
    monkeypatch.setattr(limits, "RateLimiter", partial(RateLimiter, clock=lambda: 0.0))
    defaults = ServeSettings()
    client = client_of(FakeEngine(hits(1)), "192.0.2.1", rate=defaults.rate, burst=defaults.burst)
    codes = [client.get("/api/suggest?q=c").status_code for _ in range(200)]
    assert codes[:100] == [200] * 100
    assert 429 in codes
