"""Prometheus metrics: their format and their values."""

from __future__ import annotations

import re
import time

from fake_engine import FakeEngine, hits

from gossamer.serve.middleware import BOUNDS, Metrics, resident_memory

_SAMPLE = re.compile(r'([a-z_]+)(\{[a-z]+="[^"\n]*"(?:,[a-z]+="[^"\n]*")*\})? (-?[0-9.e+]+)')


def samples(text):
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = _SAMPLE.fullmatch(line).groups()
            found[name + (labels or "")] = float(value)
    return found


def test_requests_are_counted_by_route_and_status(client_of):
    client = client_of(FakeEngine(hits(1), documents=77))
    for address in (
        "/api/search?q=cat",
        "/api/search?q=dog",
        "/api/search",
        "/static/style.css",
        "/nowhere/1",
        "/x",
    ):
        client.get(address)
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    told = samples(answer.text)
    assert told['gossamer_requests_total{route="/api/search",status="200"}'] == 2
    assert told['gossamer_requests_total{route="/api/search",status="422"}'] == 1
    assert told['gossamer_requests_total{route="/static",status="200"}'] == 1
    assert told['gossamer_requests_total{route="other",status="404"}'] == 2
    assert told['gossamer_request_seconds_count{route="/api/search"}'] == 3
    assert told['gossamer_request_seconds_bucket{route="/api/search",le="+Inf"}'] == 3
    assert told["gossamer_documents"] == 77
    assert told["gossamer_requests_under_way"] == 1  # this one
    assert told["gossamer_errors_total"] == 0
    assert told["process_resident_memory_bytes"] > 1e6


def test_metrics_can_be_read_during_requests():
    metrics = Metrics()

    class Status(int):
        """Another request is answered, on another thread, whenever this is looked at."""

        def __ge__(self, other):
            metrics.note(f"/{time.perf_counter_ns()}", 200, 0.1)
            return False

    metrics.note("/", Status(200), 0.1)
    assert samples(metrics.text(1))['gossamer_requests_total{route="/",status="200"}'] == 1


def test_refusals_and_bugs_are_counted_too(client_of):
    engine = FakeEngine(failure=RuntimeError("secret"))
    client = client_of(engine, "192.0.2.1", rate=0.001, burst=1)
    assert client.get("/api/search?q=cat").status_code == 500
    engine.failure = None
    assert client.get("/api/search?q=cat").status_code == 429
    text = client.get("/metrics").text
    told = samples(text)
    assert told['gossamer_requests_total{route="/api/search",status="500"}'] == 1
    assert told['gossamer_requests_total{route="other",status="429"}'] == 1
    assert told["gossamer_errors_total"] == 1
    assert "secret" not in text
    assert "cat" not in text


def test_the_buckets_of_a_histogram_rise(client_of):
    metrics = Metrics()
    for seconds in (0.0005, 0.001, 0.03, 99.0):
        metrics.note("/", 200, seconds)
    told = samples(metrics.text(0))
    counts = [told[f'gossamer_request_seconds_bucket{{route="/",le="{bound}"}}'] for bound in BOUNDS]
    assert counts == sorted(counts)
    assert (counts[0], counts[BOUNDS.index(0.05)], counts[-1]) == (2, 3, 3)
    assert told['gossamer_request_seconds_bucket{route="/",le="+Inf"}'] == 4
    assert 1e6 < resident_memory() < 1e12
