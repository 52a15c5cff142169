"""Worker processes as the pool sees them: each behind its socket, all from one nursery."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from gossamer.extract.messages import HEADER, exactly
from gossamer.model import GossamerError

START_LIMIT = 300.0  # seconds until there are workers: the first time, kernels are compiled
END_LIMIT = 5.0
LAST_MOMENT = 0.1  # seconds in which an answer that has arrived is still read
LARGEST_MESSAGE = 1 << 30

Answered = Callable[["Worker", bytes], None]
Lost = Callable[["Worker", bool], None]  # and whether it took too long


@dataclass(frozen=True, slots=True)
class Child:
    """A process that the nursery made; the descriptor, where there is one, can mean no other."""

    number: int
    descriptor: int | None

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            if self.descriptor is None:
                os.kill(self.number, signal.SIGKILL)
            else:
                signal.pidfd_send_signal(self.descriptor, signal.SIGKILL)

    def forget(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)


class Worker(asyncio.Protocol):
    """Cuts what the process sends into messages, and watches the time it takes for each."""

    def __init__(self, child: Child, answered: Answered, lost: Lost) -> None:
        self._answered = answered
        self._lost = lost
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._child = child
        self.ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one only by its methods

    def data_received(self, data: bytes) -> None:
        self._received += data
        while len(self._received) >= HEADER.size and not self.ended:
            (length,) = HEADER.unpack_from(self._received)
            if length > LARGEST_MESSAGE:
                self._give_up(late=False)
                return
            end = HEADER.size + length
            if len(self._received) < end:
                return
            payload = bytes(memoryview(self._received)[HEADER.size : end])
            del self._received[:end]
            self._answered(self, payload)

    def connection_lost(self, exc: Exception | None) -> None:
        self._give_up(late=False)

    def send(self, message: bytes) -> None:
        if self._transport is not None and not self.ended:
            self._transport.write(message)

    def watch(self, seconds: float | None) -> None:
        """The next message must come within that time; None waits for nothing."""
        if self._alarm is not None:
            self._alarm.cancel()
        loop = asyncio.get_running_loop()
        self._alarm = None if seconds is None else loop.call_later(seconds, self._late)

    def _late(self) -> None:
        # it may be we who were late: an answer that is there already is read first
        self._alarm = asyncio.get_running_loop().call_later(LAST_MOMENT, self._give_up, True)

    def _give_up(self, late: bool) -> None:
        if not self.ended:
            self.end()
            self._lost(self, late)

    def end(self) -> None:
        """Kills the process."""
        if self.ended:
            return
        self.ended = True
        if self._alarm is not None:
            self._alarm.cancel()
        if self._transport is not None:
            self._transport.abort()
        self._child.kill()
        self._child.forget()


class Nursery:
    """The process that makes workers, started when the first is wanted."""

    def __init__(self, assignment: bytes) -> None:
        self._assignment = assignment
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._lock = asyncio.Lock()

    async def worker(self, answered: Answered, lost: Lost) -> Worker:
        """A worker that is ready; OSError or EOFError when the machine does not let one run."""
        async with self._lock:
            if self._connection is None:
                await self._start()
            ours, theirs = socket.socketpair()
            ours.setblocking(False)
            try:
                with theirs:
                    child = await asyncio.to_thread(self._ask_for_child, theirs)
            except BaseException as error:
                ours.close()
                if isinstance(error, OSError | EOFError):
                    self.close()
                raise
        worker = Worker(child, answered, lost)
        await asyncio.get_running_loop().create_connection(lambda: worker, sock=ours)
        if worker.ended:  # or talked before it was asked
            raise EOFError
        return worker

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        ours.settimeout(START_LIMIT)
        with theirs:
            try:
                self._process = _popen(theirs)
            except OSError:
                ours.close()
                raise
        self._connection = ours
        try:
            refusal = await asyncio.to_thread(self._introduce, ours)
        except BaseException:
            self.close()
            raise
        if refusal:
            self.close()
            raise GossamerError(f"an extraction worker cannot be used: {refusal}")

    def _introduce(self, connection: socket.socket) -> str:
        """Gives the nursery its task; what it has against it."""
        connection.sendall(self._assignment)
        (length,) = HEADER.unpack(exactly(connection, HEADER.size))
        return exactly(connection, length).decode("utf-8", "replace")

    def _ask_for_child(self, theirs: socket.socket) -> Child:
        connection = self._connection
        if connection is None:
            raise EOFError
        socket.send_fds(connection, [b"w"], [theirs.fileno()])
        number, descriptors, _, _ = socket.recv_fds(connection, 8, 1)
        if len(number) < 8:
            raise EOFError
        return Child(int.from_bytes(number, "little"), descriptors[0] if descriptors else None)

    def close(self) -> None:
        """Lets the nursery end; it waits for the workers, whose sockets are to be closed before."""
        connection, self._connection = self._connection, None
        child, self._process = self._process, None
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)  # a thread may be waiting at it
            connection.close()
        if child is not None:
            try:
                child.wait(END_LIMIT)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def _popen(theirs: socket.socket) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "gossamer.extract.nursery"],
        stdin=theirs.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # it is forked, and has no use for threads
    )


def reason(error: OSError | EOFError) -> str:
    """Why no worker could be started, and what helps."""
    match error:
        case EOFError() | BrokenPipeError() | ConnectionResetError():
            return "it ends at once; is there enough memory?"
        case TimeoutError():
            return f"it was not ready after {START_LIMIT:.0f} seconds"
        case _:
            return f"{error.strerror or error}; close other programs or raise the limits of this one"
