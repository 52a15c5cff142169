"""How does one connection ask and listen?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from gossamer.fetch.framing import Framing, framing_of
from gossamer.fetch.head import HEAD_END, MAX_HEAD, Head, read_head
from gossamer.fetch.media import worth_keeping
from gossamer.fetch.receiving import Receiving
from gossamer.fetch.settings import FetchSettings
from gossamer.fetch.trouble import Stale, Trouble, not_http
from gossamer.model import Failure
from gossamer.web.coding import Body

MAX_INTERIM = 20  # answers such as 103 before the answer proper


@dataclass(slots=True)
class Answer:
    """What a server said, whole or cut at the size limit."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    truncated: bool
    peer: str  # the address that answered


class Connection(asyncio.Protocol):
    """A connection that carries one exchange after the other.

    An exchange sets no timer of its own: whoever holds the connections looks at all of them now and then and
    calls `check`.
    """

    def __init__(self, on_lost: Callable[[Connection], None], receiving: Receiving) -> None:
        self._on_lost = on_lost
        self._receiving = receiving
        self._loop = asyncio.get_running_loop()
        self._answer: asyncio.Future[Answer] | None = None
        self._is_reused = False
        self.peer = ""
        self.is_open = False
        self.idle_since = 0.0
        self.key: tuple[str, str, int] = ("", "", 0)  # what it is connected to: scheme, host and port

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peername = transport.get_extra_info("peername")
        self.peer = peername[0] if peername else ""
        self.is_open = True

    def ask(self, request: bytes, max_bytes: int, begun: float) -> asyncio.Future[Answer]:
        """Sends a request; its answer comes with the future, or the `Trouble` that there was."""
        answer: asyncio.Future[Answer] = self._loop.create_future()
        self._answer = answer
        self._max_bytes = max_bytes
        self._begun = begun
        self._heard_at = self._loop.time()
        self._first_heard_at = 0.0
        self._received = 0
        self._interim = 0
        self._head: Head | None = None
        self._pending = bytearray()  # a head that has not ended
        if self.is_open:
            self._transport.write(request)
        else:
            self._fail(Stale())
        return answer

    def data_received(self, data: bytes) -> None:
        if self._answer is None:
            self.drop()  # nobody asked
            return
        self._heard_at = self._loop.time()
        if not self._received:
            self._first_heard_at = self._heard_at
        self._received += len(data)
        try:
            self._take(data)
        except Exception as error:  # whatever it is, somebody waits for it
            self._fail(error)

    def _take(self, data: bytes) -> None:
        if self._head is None:
            data = self._read_head(data)
            if self._head is None:
                return
        framing, body = self._framing, self._body
        if data and not framing.done:
            body.add(framing.feed(data))
        elif data:
            framing.excess = True
        if framing.done or body.is_full:
            self._finish(framing.done and not framing.excess and self._head.lasts and not body.is_full)
        else:
            self._receiving.hold(self, body.held)

    def _read_head(self, data: bytes) -> bytes:
        """Reads the head as soon as it is all there; the bytes that follow it."""
        searched = max(len(self._pending) - 3, 0)
        if self._pending:
            self._pending += data
            data = bytes(self._pending) if b"\n" in data else data
        while (end := HEAD_END.search(data, searched)) is not None and end.start() <= MAX_HEAD:
            head, data, searched = read_head(data[: end.start()]), data[end.end() :], 0
            self._pending.clear()
            if not head.is_interim:
                self._begin_body(head)
                return data
            self._interim += 1
            if self._interim > MAX_INTERIM:
                raise not_http("no end of provisional answers")
        if not self._pending:
            self._pending += data
        if len(self._pending) > MAX_HEAD:
            raise not_http(f"headers of more than {MAX_HEAD:,} bytes")
        return b""

    def _begin_body(self, head: Head) -> None:
        if head.status == 101:
            raise not_http("an upgrade that nobody asked for")
        self._head = head
        self._framing: Framing = framing_of(head)
        limit = worth_keeping(head.fields.get("content-type", ""), self._max_bytes)
        self._body = Body(head.fields.get("content-encoding", ""), limit)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False
        self._on_lost(self)
        if self._answer is None:
            return
        if not self._received and self._is_reused:
            self._fail(Stale())
        elif self._head is not None and self._framing.until_close and error is None:
            try:
                self._finish(keep=False)
            except Exception as broken:  # as above
                self._fail(broken)
        else:
            why = str(error) if error else "the answer is not whole" if self._received else "no answer came"
            self._fail(Trouble(Failure.DISCONNECTED, why))

    def check(self, now: float, limits: FetchSettings) -> None:
        """Gives the exchange up when it takes too long."""
        if self._answer is None:
            return
        if now - self._begun > limits.total_timeout:
            self.give_up(f"took too long (not done in {limits.total_timeout:g} s)")
        elif now - self._heard_at > limits.read_timeout:
            self.give_up(f"took too long (silent for {limits.read_timeout:g} s)")
        elif self._first_heard_at:
            listened = now - self._first_heard_at
            if listened > limits.read_timeout and self._received < limits.least_rate * listened:
                self.give_up(f"took too long ({self._received / listened:.0f} bytes a second)")

    def give_up(self, why: str) -> None:
        """Ends the exchange for want of time or memory; it may be tried again."""
        self._fail(Trouble(Failure.TIMEOUT, why))

    def drop(self) -> None:
        """Closes at once, whatever is under way."""
        if self.is_open:
            self.is_open = False
            self._transport.abort()

    def _finish(self, keep: bool) -> None:
        assert self._head is not None
        body = self._body
        answer = Answer(self._head.status, self._head.headers, body.content(), body.is_full, self.peer)
        del self._body  # a connection that is kept for the next request shall not keep this answer
        waiting = self._ended()
        self._is_reused = True
        if not keep:
            self.drop()
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def _fail(self, error: Exception) -> None:
        waiting = self._ended()
        self.drop()
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)

    def _ended(self) -> asyncio.Future[Answer] | None:
        """Whoever waits for the end of the exchange, which is there."""
        self._receiving.let_go(self)
        waiting, self._answer = self._answer, None
        return waiting
