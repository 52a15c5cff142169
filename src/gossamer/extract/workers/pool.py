"""Pool of worker processes: assign, time out, kill.

Each worker is a process behind a socket. The pool sends it references to stored responses, a few ahead. The
worker reads and extracts one after the other, and sends the pages back. A worker that dies, takes too long or
sends an invalid message is killed. Its current document is tried once more in a new worker, because the
machine may have been busy; after a second failure, its page has a problem. The documents that waited behind
it go to other workers. (In a ProcessPoolExecutor, one dead worker breaks the whole pool.)

The pool is generic: it takes jobs and a function that reads the response of a job. Crawl, import and indexing
use `storage.warc.Job` (`WarcJob`, `AnswerJob`) with `storage.warc.read_job`.
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

START_LIMIT = 300.0  # seconds to start workers: the first time, kernels are compiled
END_LIMIT = 5.0  # seconds until a fork server that does not exit is killed
LAST_MOMENT = 0.1  # seconds after a timeout in which an answer that has already arrived is still read
LARGEST_MESSAGE = 1 << 30
Answered = Callable[["Worker", bytes], None]
Lost = Callable[["Worker", bool], None]  # the flag says whether it took too long


@dataclass(frozen=True, slots=True)
class Child:
    """A worker process. Its descriptor, if the system has them, never refers to another process."""

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
    """A worker process and its connection: splits its output into messages and enforces the time limit."""

    def __init__(self, child: Child, answered: Answered, lost: Lost) -> None:
        self._answered = answered
        self._lost = lost
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._child = child
        self.ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop only has its methods

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
        """Set the time limit for the next message; None means no limit."""
        if self._alarm is not None:
            self._alarm.cancel()
        loop = asyncio.get_running_loop()
        self._alarm = None if seconds is None else loop.call_later(seconds, self._late)

    def _late(self) -> None:
        # This process may be the late one, so an answer that has already arrived is read first.
        self._alarm = asyncio.get_running_loop().call_later(LAST_MOMENT, self._give_up, True)

    def _give_up(self, late: bool) -> None:
        if not self.ended:
            self.end()
            self._lost(self, late)

    def end(self) -> None:
        """Kill the process and close the connection."""
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
    """Client of the fork server process, which is started with the first worker."""

    def __init__(self, setup: bytes) -> None:
        self._setup = setup
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._lock = asyncio.Lock()

    async def worker(self, answered: Answered, lost: Lost) -> Worker:
        """Start a worker. Raises OSError or EOFError if the system does not allow it."""
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
        if worker.ended:  # it died, or sent something before it got a task
            raise EOFError
        return worker

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        ours.settimeout(START_LIMIT)
        self._connection = ours
        try:
            with theirs:
                self._process = _popen(theirs)
            await asyncio.to_thread(self._introduce, ours)
        except BaseException:
            self.close()
            raise

    def _introduce(self, connection: socket.socket) -> None:
        """Send the setup to the fork server. Raises GossamerError if it reports an error."""
        connection.sendall(self._setup)
        with connection.makefile("rb") as stream:
            refusal = received(stream).decode("utf-8", "replace")
        if refusal:
            raise GossamerError(f"the extraction workers cannot be started: {refusal}")

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
        """End the fork server. It waits for its workers, so close their sockets before."""
        connection, self._connection = self._connection, None
        child, self._process = self._process, None
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits for it
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
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # threads are useless in a process that forks
    )


def reason(error: OSError | EOFError) -> str:
    """Say why no worker could be started, and what to do."""
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
START_PAUSES = (0.2, 1.0)  # seconds between attempts to start a worker
AHEAD = 4  # documents that a worker has at a time, so that it does not wait for the pool
TRIES = 2  # attempts to extract a document


class _Work:
    """A document that waits for extraction."""

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
    """Pool of processes that extract stored documents, with limits on time and memory.

    `read(job)` is called in the worker and must be picklable: a function of an importable module, or a
    `functools.partial` of one. With `workers = 0`, documents are extracted in this process.
    """

    def __init__(
        self, settings: ExtractSettings, read: Callable[[Job], FetchResult], agent: str = http_headers.AGENT
    ) -> None:
        self._settings = settings
        self._read = read
        self._agent = agent
        self._queue: deque[_Work] = deque()
        self._workers: dict[Worker, deque[_Work]] = {}  # each with its documents in order
        self._starting: set[asyncio.Task[None]] = set()
        self._fork_server: ForkServer | None = None
        self._closed = False

    async def page(self, job: Job, url: Url, fetched_at: float) -> Page:
        """Extract the page of the stored response that `job` refers to."""
        if self._settings.workers == 0:
            task = Task(job, url.text, fetched_at)
            return read_page(self._read, task, self._agent, self._settings.rules)
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
        """Give documents to the workers with the fewest; start more workers if all are busy."""
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
        given = self._workers.get(worker, deque())
        try:
            page = page_of(payload, given[0].url)
        except (BadMessage, IndexError):  # invalid or not requested: later answers could not be matched
            worker.end()
            self._lost(worker, late=False)
            return
        given.popleft().succeed(page)
        worker.watch(self._settings.timeout if given else None)
        self._hand_out()

    def _lost(self, worker: Worker, late: bool) -> None:
        """Remove a dead worker. Retry its current document; give the others to other workers."""
        given = self._workers.pop(worker, deque())
        if given:
            given[0].tries += 1
            if given[0].tries >= TRIES or self._closed:
                given.popleft().fail(LATE if late else DIED)
        self._queue.extendleft(reversed(given))
        if self._closed:
            self._fail_all(DIED)
        else:
            self._hand_out()

    def _abandon(self, work: _Work) -> None:
        """Handle the cancellation of a document. A worker that is reading it may be stuck, so replace it."""
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
        """Add a worker. Retry twice: memory, processes or files may be short for a moment."""
        if self._fork_server is None:
            setup = WorkerSetup(tuple(sys.path), pickle.dumps(self._read), self._settings, self._agent)
            self._fork_server = ForkServer(framed(setup))
        for pause in (*START_PAUSES, None):
            try:
                worker = await self._fork_server.worker(self._answered, self._lost)
            except (OSError, EOFError) as error:
                if pause is None:
                    raise GossamerError(f"no extraction worker can be started: {reason(error)}") from error
                await asyncio.sleep(pause)
            else:
                self._workers[worker] = deque()
                # At once, so that every worker that dies has a document, whose attempts are counted.
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

    def _fail_all(self, problem: str) -> None:
        for work in self._queue:
            work.fail(problem)
        self._queue.clear()

    def close(self) -> None:
        """End all workers. Pages of unfinished documents get the problem "extraction-died"."""
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
