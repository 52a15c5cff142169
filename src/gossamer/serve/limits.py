"""Which requests are refused before anybody works on them, and which are given up?

Each may be only so large; a visitor may make only so many; only so many may be on their way at once; and one
that takes too long is answered with an error. The work on it goes on, as a search cannot be broken off, and
counts among those on their way until it ends.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gossamer.engine.serve_settings import ServeSettings
from gossamer.serve.problems import Problem
from gossamer.serve.rates import Rates, visitor_of
from gossamer.serve.root import below_root

LONGEST_URL = 32_768  # bytes: the longest query takes 24,000 of them
LARGEST_HEADERS = 16_384
LARGEST_BODY = 65_536
UNLIMITED = ("/healthz", "/metrics")  # those who watch over the server are never sent away
COME_BACK = 5  # seconds after which a request that took too long may be made again

Answer = Callable[[Request, Problem], Response]


class Limited:
    """The application behind these limits."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, answer: Answer) -> None:
        self._app = app
        self._settings = settings
        self._answer = answer
        self._rates = Rates(settings.rate, settings.burst)
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
        if len(self._under_way) >= self._settings.concurrent:
            return _later(503, "too_busy", "too many requests are on their way; please try again", 1)
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
        problem = _later(503, "too_slow", "this took too long and was given up", COME_BACK)
        await self._answer(Request(scope), problem)(scope, receive, send)


class _Gate:
    """Lets an answer through until it is closed."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False
        self.closed = False

    async def __call__(self, message: Message) -> None:
        if not self.closed:
            self.begun = True
            await self._send(message)


def _forget(task: asyncio.Task[None]) -> None:
    """Takes note of how a task ended to which nobody listens any more."""
    if not task.cancelled():
        task.exception()


def _later(status: int, code: str, message: str, seconds: int) -> Problem:
    return Problem(status, code, message, headers={"Retry-After": str(seconds)})


def _too_large(scope: Scope) -> Problem | None:
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_URL:
        return Problem(414, "url_too_long", f"an address may have {LONGEST_URL:,} bytes")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > LARGEST_HEADERS:
        return Problem(431, "headers_too_large", f"headers may have {LARGEST_HEADERS:,} bytes")
    length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if not length.isdigit() or int(length[:20]) > LARGEST_BODY:
        return _body_too_large()
    return None


def _body_too_large() -> Problem:
    return Problem(413, "body_too_large", f"the body of a request may have {LARGEST_BODY:,} bytes")


def _counted(receive: Receive) -> Receive:
    """What is received, as long as it is not too much: a body may come without saying how long it is."""
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > LARGEST_BODY:
            raise HTTPException(413)
        return message

    return counted
