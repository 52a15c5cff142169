"""Pool of worker processes: assign, time out, kill.

Each worker is a process of its own behind a socket. It gets the places of stored responses, a few ahead,
reads and extracts one after the other, and sends the pages back. One that dies, takes too long or talks
nonsense is killed; the document it was at is tried once more in a fresh worker, because it may have been the
machine that was busy, and then comes back as a page with a problem. Those that waited behind it go to other
workers. (A ProcessPoolExecutor breaks as a whole.)

The pool is generic in what it hands to a worker: a job and the function that reads it. Crawl, import and
indexing use `storage.warc.Job` (`WarcJob`, `AnswerJob`) with `storage.warc.read_job`.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from gossamer.extract import http_headers
from gossamer.extract.settings import ExtractSettings
from gossamer.extract.workers.messages import HEADER, BadMessage, Task, WorkerSetup, framed, page_of, received
from gossamer.extract.workers.worker import read_page
from gossamer.model import FetchResult, GossamerError, Page, Url

# Worker processes behind sockets, forked by a server
# ---------------------------------------------------

START_LIMIT = 300.0  # seconds until there are workers: the first time, kernels are compiled
END_LIMIT = 5.0
LAST_MOMENT = 0.1  # seconds in which an answer that has arrived is still read
LARGEST_MESSAGE = 1 << 30
Answered = Callable[["Worker", bytes], None]
Lost = Callable[["Worker", bool], None]  # and whether it took too long


@dataclass(frozen=True, slots=True)
class Child:
    """A process that the fork server made; the descriptor, where there is one, can mean no other."""

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


class ForkServer:
    """The process that makes workers, started when the first is wanted."""

    def __init__(self, setup: bytes) -> None:
        self._setup = setup
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
        """Gives the fork server its task; what it has against it."""
        connection.sendall(self._setup)
        return received(connection).decode("utf-8", "replace")

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
        """Lets the fork server end; it waits for the workers, whose sockets are to be closed before."""
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
        [sys.executable, "-m", "gossamer.extract.workers.fork_server"],
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


Job = TypeVar("Job")
DIED = "extraction-died"
LATE = "extraction-timeout"
START_PAUSES = (0.2, 1.0)  # seconds between the tries to start a worker
AHEAD = 4  # documents that a worker is given at a time, so that it need not wait for its parent
TRIES = 2


class _Work:
    """A document on its way to a worker and back."""

    __slots__ = ("answer", "fetched_at", "message", "tries", "url")

    def __init__(self, job: object, url: Url, fetched_at: float) -> None:
        self.url = url
        self.fetched_at = fetched_at
        self.message = framed(Task(job, url.text, fetched_at))
        self.tries = 0
        self.answer: asyncio.Future[Page] = asyncio.get_running_loop().create_future()

    def succeed(self, page: Page) -> None:
        if not self.answer.done():
            self.answer.set_result(page)

    def fail(self, problem: str) -> None:
        if not self.answer.done():
            self.answer.set_result(Page(self.url, self.fetched_at, problem=problem))


class ExtractionPool(Generic[Job]):
    """Extracts stored documents in supervised processes.

    `read(job)` is called in the worker and must be picklable: a function of an importable module, or a
    `functools.partial` of one. With `workers = 0` everything happens in this process.
    """

    def __init__(
        self, settings: ExtractSettings, read: Callable[[Job], FetchResult], agent: str = http_headers.AGENT
    ) -> None:
        self._settings = settings
        self._read = read
        self._agent = agent
        self._queue: deque[_Work] = deque()
        self._workers: dict[Worker, deque[_Work]] = {}  # each with what it was given, in order
        self._starting: set[asyncio.Task[None]] = set()
        self._fork_server: ForkServer | None = None
        self._closed = False

    async def page(self, job: Job, url: Url, fetched_at: float) -> Page:
        """The page behind the stored response that `job` names."""
        if self._settings.workers == 0:
            return read_page(
                self._read, Task(job, url.text, fetched_at), self._agent, tuple(self._settings.rules)
            )
        if self._closed:
            return Page(url, fetched_at, problem="extraction-closed")
        work = _Work(job, url, fetched_at)
        self._queue.append(work)
        self._hand_out()
        try:
            return await work.answer
        except asyncio.CancelledError:
            self._abandon(work)
            raise

    def _hand_out(self) -> None:
        """Gives documents to the workers that have least to do; starts workers while there is more."""
        while self._queue:
            if self._queue[0].answer.done():
                self._queue.popleft()
                continue
            worker = min(self._workers, key=lambda one: len(self._workers[one]), default=None)
            if worker is None or self._workers[worker]:
                self._start_another()
            if worker is None or len(self._workers[worker]) >= AHEAD:
                return
            self._give(worker, self._queue.popleft())

    def _give(self, worker: Worker, work: _Work) -> None:
        given = self._workers[worker]
        given.append(work)
        worker.send(work.message)
        if len(given) == 1:
            worker.watch(self._settings.timeout)

    def _answered(self, worker: Worker, payload: bytes) -> None:
        given = self._workers.get(worker)
        page = _understood(payload, given[0].url) if given else None
        if given and page is not None:
            given.popleft().succeed(page)
            worker.watch(self._settings.timeout if given else None)
            self._hand_out()
        else:  # nobody knows any more which answer belongs to what
            worker.end()
            self._lost(worker, late=False)

    def _lost(self, worker: Worker, late: bool) -> None:
        """A worker is gone: what it was at is tried once more, the rest goes to others."""
        given = self._workers.pop(worker, deque())
        if given:
            culprit = given.popleft()
            culprit.tries += 1
            if culprit.tries < TRIES and not self._closed:
                given.appendleft(culprit)
            else:
                culprit.fail(LATE if late else DIED)
        self._queue.extendleft(reversed(given))
        if self._closed:
            self._fail_all(DIED)
        else:
            self._hand_out()

    def _abandon(self, work: _Work) -> None:
        """Nobody waits for it any more; a worker that is at it may be stuck, and is replaced."""
        for worker, given in self._workers.items():
            if given and given[0] is work:
                given.popleft()
                worker.end()
                del self._workers[worker]
                self._queue.extendleft(reversed(given))
                self._hand_out()
                return

    def _start_another(self) -> None:
        if len(self._workers) + len(self._starting) < self._settings.workers and not self._closed:
            task = asyncio.create_task(self._start())
            self._starting.add(task)
            task.add_done_callback(self._started)

    async def _start(self) -> None:
        """Adds a worker; the machine may be short of memory, processes or files for a moment."""
        fork_server = self._fork_server = self._fork_server or ForkServer(framed(self._worker_setup()))
        for pause in (*START_PAUSES, None):
            try:
                worker = await fork_server.worker(self._answered, self._lost)
            except (OSError, EOFError) as error:
                if pause is None:
                    raise GossamerError(f"no extraction worker can be started: {reason(error)}") from error
                await asyncio.sleep(pause)
            else:
                self._workers[worker] = deque()
                # at once, so that a worker that dies has always been at a document, whose tries are counted
                self._hand_out()
                return

    def _started(self, task: asyncio.Task[None]) -> None:
        self._starting.discard(task)
        failure = None if task.cancelled() else task.exception()
        if self._closed:
            self.close()
        elif failure is None:
            self._hand_out()
        elif not self._workers and not self._starting:
            for work in self._queue:
                if not work.answer.done():
                    work.answer.set_exception(failure)
            self._queue.clear()

    def _worker_setup(self) -> WorkerSetup:
        settings = self._settings
        read = pickle.dumps(self._read)
        limits = settings.timeout, settings.memory_mb
        return WorkerSetup(tuple(sys.path), read, *limits, self._agent, tuple(settings.rules))

    def _fail_all(self, problem: str) -> None:
        for work in self._queue:
            work.fail(problem)
        self._queue.clear()

    def close(self) -> None:
        """Ends all workers; documents that are being read come back as died."""
        self._closed = True
        for task in self._starting:
            task.cancel()
        for worker, given in self._workers.items():
            worker.end()
            self._queue.extend(given)
        self._workers.clear()
        if self._fork_server is not None:
            self._fork_server.close()
        self._fail_all(DIED)


def _understood(payload: bytes, url: Url) -> Page | None:
    try:
        return page_of(payload, url)
    except BadMessage:
        return None
