"""Limits, rate limit, CORS, security headers, metrics, proxies.

The size of each request, the requests of a visitor and the concurrent requests are limited. A request that
takes too long is answered with an error. Its search continues, because it cannot be interrupted, and counts
as a concurrent request until it ends.
"""

from __future__ import annotations

import asyncio
import math
import re
import resource
import sys
import time
from bisect import bisect_left
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gossamer.config import ServeSettings
from gossamer.model import BadSetting
from gossamer.serve.error_responses import Problem, is_for_programs
from gossamer.web.url import canonical

# Security headers
# ----------------

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; "
        "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the URL holds the query, which other sites need not know
    "Cache-Control": "private, no-cache",  # may be stored, but must be revalidated: the index changes
}
_RAW = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


def protect(headers: MutableHeaders) -> None:
    """Add the security headers that are missing."""
    raw = headers.raw
    known = {name for name, _ in raw}
    raw.extend([one for one in _RAW if one[0] not in known])


class SecurityHeaders:
    """Middleware that adds the security headers to every response, including static files."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                protect(MutableHeaders(scope=message))
            await send(message)

        await self._app(scope, receive, send_protected if scope["type"] == "http" else send)


# Rate limit per visitor (token bucket)
# -------------------------------------
#
# A bucket holds at most `burst` tokens and gains `rate` tokens per second. A request takes one
# token, or is refused if there is none:
#
#     tokens(t) = min(burst, tokens(s) + rate * (t - s))
#
# J. Turner, "New directions in communications", IEEE Communications Magazine 24(10), 1986.

MOST_VISITORS = 20_000  # most recent visitors that are remembered
REMEMBERED_ADDRESSES = 1_000  # results of `visitor_of`
NETWORK = 64  # bits of an IPv6 network; a visitor can choose the rest of the address


class RateLimiter:
    """The token buckets of all visitors. Use it from one thread."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # (tokens, time)

    def wait(self, visitor: str) -> float:
        """Return the seconds until the visitor may send a request; 0 if now, which takes a token."""
        if not self._rate or not visitor:
            return 0.0
        now = self._clock()
        tokens, since = self._buckets.pop(visitor, (self._burst, now))
        tokens = min(self._burst, tokens + self._rate * (now - since))
        allowed = tokens >= 1
        self._buckets[visitor] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > MOST_VISITORS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - tokens) / self._rate


@lru_cache(REMEMBERED_ADDRESSES)
def visitor_of(address: str) -> str:
    """Return the key of a visitor for rate limits: an IPv4 address, an IPv6 network, "" if unlimited.

    >>> visitor_of("192.0.2.7"), visitor_of("2001:db8::1:2"), visitor_of("127.0.0.1")
    ('192.0.2.7', '2001:db8::/64', '')
    """
    known = ip_address_of(address)
    if known is None:
        return address  # such as the name of a Unix socket
    if known.is_loopback:
        return ""
    return str(IPv6Network((known, NETWORK), strict=False) if isinstance(known, IPv6Address) else known)


def ip_address_of(text: str) -> IPv4Address | IPv6Address | None:
    """Return the IP address in a text, IPv4 if it is mapped to IPv6; None if the text is something else."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


# Mount path of the application
# -----------------------------

_KEY = "gossamer.root"


class RootPath:
    """Middleware that records the mount path of the application before any route changes it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[_KEY] = scope.get("root_path", "")
        await self._app(scope, receive, send)


def root_of(request: Request) -> str:
    """Return the mount path of the application, without a slash at the end."""
    root: str = request.scope.get(_KEY, request.scope.get("root_path", ""))
    return root.rstrip("/")


def base_of(request: Request) -> str:
    """Return the URL of the application, without a slash at the end."""
    return str(request.base_url.replace(path=root_of(request)))


def below_root(scope: Scope) -> str:
    """Return the path of a request without the mount path."""
    root: str = scope.get(_KEY, scope.get("root_path", ""))
    path: str = scope["path"]
    return path.removeprefix(root.rstrip("/"))


LONGEST_URL = 32_768  # bytes; the longest query takes 24,000
LARGEST_HEADERS = 16_384
LARGEST_BODY = 65_536
UNLIMITED = ("/healthz", "/metrics")  # monitoring is never refused
COME_BACK = 5  # seconds until a request that took too long may be repeated
Answer = Callable[[Request, Problem], Response]


class RequestLimits:
    """Middleware that enforces the limits of requests."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, answer: Answer) -> None:
        self._app = app
        self._settings = settings
        self._answer = answer
        self._rates = RateLimiter(settings.rate, settings.burst)
        self._under_way: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        problem = _too_large(scope) or (None if below_root(scope) in UNLIMITED else self._refused(scope))
        if problem is not None:
            await self._answer(Request(scope), problem)(scope, receive, send)
            return
        await self._in_time(scope, _counted(receive), send)

    def _refused(self, scope: Scope) -> Problem | None:
        wait = self._rates.wait(visitor_of(scope["client"][0] if scope.get("client") else ""))
        if wait:
            return _later(429, "too_many_requests", "too many requests from this address", math.ceil(wait))
        if len(self._under_way) >= self._settings.max_concurrent_requests:
            return _later(503, "too_busy", "the server is busy with too many requests; please try again", 1)
        return None

    async def _in_time(self, scope: Scope, receive: Receive, send: Send) -> None:
        gate = _Gate(send)
        task = asyncio.ensure_future(self._app(scope, receive, gate))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        try:
            done, _ = await asyncio.wait({task}, timeout=self._settings.timeout)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if done or gate.begun:
            await task
            return
        gate.closed = True
        task.add_done_callback(_forget)
        problem = _later(503, "too_slow", "the request took too long and was stopped", COME_BACK)
        await self._answer(Request(scope), problem)(scope, receive, send)


class _Gate:
    """Forward a response until the gate is closed."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False
        self.closed = False

    async def __call__(self, message: Message) -> None:
        if not self.closed:
            self.begun = True
            await self._send(message)


def _forget(task: asyncio.Task[None]) -> None:
    """Retrieve the exception of an abandoned task, so that asyncio does not log it."""
    if not task.cancelled():
        task.exception()


def _later(status: int, code: str, message: str, seconds: int) -> Problem:
    return Problem(status, code, message, headers={"Retry-After": str(seconds)})


def _too_large(scope: Scope) -> Problem | None:
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_URL:
        return Problem(414, "url_too_long", f"a URL may have at most {LONGEST_URL:,} bytes")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > LARGEST_HEADERS:
        return Problem(431, "headers_too_large", f"headers may have at most {LARGEST_HEADERS:,} bytes")
    length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if not length.isdigit() or int(length[:20]) > LARGEST_BODY:
        message = f"the body of a request may have at most {LARGEST_BODY:,} bytes"
        return Problem(413, "body_too_large", message)
    return None


def _counted(receive: Receive) -> Receive:
    """Limit the size of a body without the header Content-Length."""
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > LARGEST_BODY:
            raise HTTPException(413)
        return message

    return counted


# Host check against DNS rebinding
# --------------------------------
#
# A page on the web can point its own host name to the address of this machine (DNS rebinding). The
# browser then treats this server as the page's own and lets the page read every response. Only the
# header Host reveals this, because it still names the page's host. So the server accepts loopback
# names and the hosts that the owner lists. It also accepts the IP address of the connection itself:
# no name service is involved, so it cannot be rebound.
#
# X-Forwarded-Host is ignored, because every visitor can set it.
#
# What X-Forwarded-Host says is never believed, because every visitor can write it.

ANY_HOST = "*"
LOOPBACK = "localhost"
AUTHORITY = "gossamer.authority"  # key in a scope: the host of an absolute request target
LONGEST = 300  # bytes of the header; a host name has at most 253 characters
REMEMBERED_HOSTS = 1_024  # requested hosts for which the decision is cached
_SENT = re.compile(rb"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")
_LISTED = re.compile(r"[^\s/?#@:%\\*\[\]]+|\[?[0-9A-Fa-f:.]+\]?")


class Hosts:
    """Middleware that refuses requests for hosts that are not in `hosts`, a result of `checked_hosts`."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str], answer: Answer) -> None:
        self._app = app
        self._answer = answer
        self._answers_any = ANY_HOST in hosts
        self._names = frozenset([LOOPBACK, *hosts])
        self._below = tuple(name[1:] for name in (f"*.{LOOPBACK}", *hosts) if name.startswith("*."))
        self._judged = lru_cache(REMEMBERED_HOSTS)(self._judge)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = self._problem(scope) if scope["type"] == "http" else None
        if problem is None:
            await self._app(scope, receive, send)
        else:
            await self._answer(Request(scope), problem)(scope, receive, send)

    def _problem(self, scope: Scope) -> Problem | None:
        """Return why the request is refused, or None.

        A request must have exactly one header Host (RFC 9112, 3.2). In HTTP/1.0 it may have none.
        """
        sent = [value for name, value in scope["headers"] if name == b"host"]
        authority = scope.get(AUTHORITY)
        if authority is not None and [authority.lower()] != [value.lower() for value in sent]:
            return _malformed("the request line and the header Host name different hosts")
        if not sent and scope.get("http_version") == "1.0":
            return None
        if len(sent) != 1:
            return _malformed(f"a request must have one header Host, and this one has {len(sent)}")
        if len(sent[0]) > LONGEST:
            return _malformed("the header Host does not name a host")
        server = scope.get("server")
        return self._judged(sent[0], str(server[0]) if server else "")

    def _judge(self, sent: bytes, local: str) -> Problem | None:
        """Return what is wrong with a header Host of a connection to this local address, or None."""
        written = _SENT.fullmatch(sent.strip(b" \t"))
        name = _name(written[1].decode()) if written else ""
        if not name:
            return _malformed("the header Host does not name a host")
        return None if self._is_answered(name, local) else _unknown(name)

    def _is_answered(self, name: str, local: str) -> bool:
        if self._answers_any or name in self._names or name.endswith(self._below):
            return True
        address = ip_address_of(name.strip("[]"))
        return address is not None and (address.is_loopback or address == ip_address_of(local.strip("[]")))


def checked_hosts(hosts: Sequence[str]) -> list[str]:
    """Normalise the hosts of the setting; raise BadSetting for an invalid one.

    >>> checked_hosts(["Search.Example.org", "*.bücher.example", "::1"])
    ['search.example.org', '*.xn--bcher-kva.example', '[::1]']
    """
    return [host if host == ANY_HOST else _checked(host) for host in hosts]


def _checked(host: str) -> str:
    below = "*." if host.startswith("*.") else ""
    bare = host.removeprefix("*.")
    name = _name(bare) if _LISTED.fullmatch(bare) else ""
    if not name:
        raise BadSetting(
            f"[serve] hosts: {host!r} is not a host; write search.example.org, without a port, *.example.org "
            "for all names below it, or * for any"
        )
    return below + name


def _name(host: str) -> str:
    """Return a host as browsers write it; "" if it is invalid."""
    url = canonical(f"http://[{host}]/" if ":" in host and not host.startswith("[") else f"http://{host}/")
    return url.host if url else ""


def _malformed(message: str) -> Problem:
    return Problem(400, "bad_request", message)


def _unknown(name: str) -> Problem:
    """Return the error for an unknown host: 421 Misdirected Request (RFC 9110)."""
    line = f'hosts = ["{name}"]'
    return Problem(
        421,
        "unknown_host",
        f"this server does not accept the host {name}; if it should, add the host to the setting "
        f"serve.hosts, in [serve] of gossamer.toml, or to the argument hosts of asgi_app: {line}",
        remedy=line,
    )


# Prometheus metrics
# ------------------
#
# https://prometheus.io/docs/instrumenting/exposition_formats/ (version 0.0.4). The buckets of a
# histogram are cumulative.

MEDIA_TYPE = "text/plain; version=0.0.4"
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
OTHER = "other"  # requests for paths that do not exist, which are not counted separately
_STATM = Path("/proc/self/statm")


class Metrics:
    """Counters since the server started. One thread changes them, other threads read them."""

    def __init__(self) -> None:
        self._begun = time.time()
        self._answers: Counter[tuple[str, int]] = Counter()  # by route and status
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._seconds: dict[str, float] = defaultdict(float)
        self.under_way = 0

    def note(self, route: str, status: int, seconds: float) -> None:
        """Count a response."""
        self._answers[route, status] += 1
        self._buckets[route][bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] += seconds

    def text(self, documents: int) -> str:
        """Return all metrics in the text format of Prometheus."""
        # Each copy is atomic, as requests are answered meanwhile.
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


class MetricsMiddleware:
    """Middleware that counts every response."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500  # if no response is started: an unexpected exception

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
    """Return the path of the route that answered a request."""
    if isinstance(scope.get("endpoint"), StaticFiles):
        return "/static"
    path: str = getattr(scope.get("route"), "path", OTHER)
    return path


def resident_memory() -> int:
    """Return the resident memory of this process in bytes, or its peak if only that is known."""
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


# CORS
# ----
#
# Only for the origins that the owner lists, only for the API, and without cookies.

ANY = "*"
_ORIGIN = re.compile(r"https?://[^\s/?#@]+")


class CrossOrigin:
    """Middleware that lets pages of these origins read the API, except the owner's part."""

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        self._app = app
        self._shared = CORSMiddleware(app, allow_origins=origins, allow_methods=["GET", "HEAD"])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = below_root(scope) if scope["type"] == "http" else ""
        shares = is_for_programs(path) and not path.startswith("/owner")
        await (self._shared if shares else self._app)(scope, receive, send)


def checked_origins(origins: Sequence[str]) -> list[str]:
    """Normalise the origins of the setting; raise BadSetting for an invalid one.

    >>> checked_origins(["https://Example.org/"])
    ['https://example.org']
    """
    plain = [origin.rstrip("/").lower() for origin in origins]
    for origin in plain:
        if origin != ANY and not _ORIGIN.fullmatch(origin):
            raise BadSetting(
                f"[serve] cors: {origin!r} is not an origin; write https://example.org, or * for all"
            )
    return plain


# Trusted proxies
# ---------------


def checked_proxies(proxies: Sequence[str]) -> list[str]:
    """Check the addresses and networks of trusted proxies; raise BadSetting for an invalid one.

    >>> checked_proxies(["127.0.0.1", "10.0.0.0/8"])
    ['127.0.0.1', '10.0.0.0/8']
    """
    for proxy in proxies:
        try:
            ip_network(proxy)
        except ValueError as error:
            raise BadSetting(f"[serve] trusted_proxies: {error}; write 127.0.0.1 or 10.0.0.0/8") from None
    return list(proxies)
