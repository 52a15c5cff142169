"""How many requests were answered, how quickly, with what? In the text format that Prometheus reads.

https://prometheus.io/docs/instrumenting/exposition_formats/ (version 0.0.4). A histogram's buckets are
summed: each counts what took at most so long.
"""

from __future__ import annotations

import resource
import sys
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEDIA_TYPE = "text/plain; version=0.0.4"
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
OTHER = "other"  # addresses that do not exist: there are too many to count each
_STATM = Path("/proc/self/statm")


class Metrics:
    """What was counted since the server began; changed from one thread, and told on others."""

    def __init__(self) -> None:
        self._begun = time.time()
        self._answers: Counter[tuple[str, int]] = Counter()  # by route and status
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._seconds: dict[str, float] = defaultdict(float)
        self.under_way = 0

    def note(self, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._answers[route, status] += 1
        self._buckets[route][bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] += seconds

    def text(self, documents: int) -> str:
        """Everything that was counted."""
        # Each copied in one step: requests are answered meanwhile.
        answers, buckets, seconds = dict(self._answers), dict(self._buckets), dict(self._seconds)
        errors = sum(count for (_, status), count in answers.items() if status >= 500)
        families = (
            ("gossamer_requests_total", "counter", "Answers by route and status.", _answered(answers)),
            ("gossamer_request_seconds", "histogram", "Time to an answer.", _histograms(buckets, seconds)),
            ("gossamer_errors_total", "counter", "Answers with a status of 500 or more.", [("", errors)]),
            ("gossamer_requests_under_way", "gauge", "Requests being answered.", [("", self.under_way)]),
            ("gossamer_documents", "gauge", "Pages that can be found.", [("", documents)]),
            ("process_start_time_seconds", "gauge", "When it began.", [("", self._begun)]),
            ("process_cpu_seconds_total", "counter", "CPU time.", [("", time.process_time())]),
            ("process_resident_memory_bytes", "gauge", "Memory.", [("", resident_memory())]),
        )
        lines = [line for family in families for line in _family(*family)]
        return "\n".join(lines) + "\n"


class Measured:
    """The application, with every answer counted."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500  # where nothing else is said: a bug

        async def send_noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        begun = time.perf_counter()
        self._metrics.under_way += 1
        try:
            await self._app(scope, receive, send_noted)
        finally:
            self._metrics.under_way -= 1
            self._metrics.note(route_of(scope), status, time.perf_counter() - begun)


def route_of(scope: Scope) -> str:
    """Which of our addresses was asked for; known once it has been answered."""
    if isinstance(scope.get("endpoint"), StaticFiles):
        return "/static"
    path: str = getattr(scope.get("route"), "path", OTHER)
    return path


def resident_memory() -> int:
    """The bytes of memory of this process: now, where the system says so, else at most."""
    try:
        return int(_STATM.read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _answered(answers: Mapping[tuple[str, int], int]) -> Iterator[tuple[str, float]]:
    for (route, status), count in sorted(answers.items()):
        yield _labels(route=route, status=str(status)), count


def _histograms(
    buckets: Mapping[str, Sequence[int]], seconds: Mapping[str, float]
) -> Iterator[tuple[str, float]]:
    for route, counts in sorted(buckets.items()):
        total = 0
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
            total += count
            yield "_bucket" + _labels(route=route, le=bound), total
        yield "_sum" + _labels(route=route), seconds.get(route, 0.0)
        yield "_count" + _labels(route=route), total


def _family(name: str, kind: str, what: str, samples: Iterable[tuple[str, float]]) -> Iterator[str]:
    yield f"# HELP {name} {what}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        yield f"{name}{labels} {value:.10g}"


def _labels(**values: str) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in values.items()) + "}"
