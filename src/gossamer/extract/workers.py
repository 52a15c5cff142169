"""Who reads the documents, so that one that kills its reader costs one page?

Each worker is a process of its own behind a socket. It gets the place of a stored response, reads and
extracts it, and sends the page back. One that dies or takes too long is killed; its document is tried once
more in a fresh worker, because it may have been the machine that was busy, and then comes back as a page with
a problem. (A ProcessPoolExecutor breaks as a whole.)
"""

from __future__ import annotations

import asyncio
import pickle
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from gossamer.extract import robots
from gossamer.extract.messages import HEADER, Assignment, Task, framed
from gossamer.extract.settings import ExtractSettings
from gossamer.extract.worker import read_page
from gossamer.model import FetchResult, GossamerError, Page, Url

Job = TypeVar("Job")

DIED = "extraction-died"
LATE = "extraction-timeout"
START_LIMIT = 60.0  # seconds for a new process to say that it is ready, on a busy machine
START_PAUSES = (0.2, 1.0)  # seconds between the tries to start a worker
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class _Worker:
    """One process and our end of its socket."""

    process: subprocess.Popen[bytes]
    connection: socket.socket

    async def ask(self, message: bytes) -> Any:
        """Sends a message and waits for the answer; EOFError when the process is gone."""
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_sendall(self.connection, message)
            (length,) = HEADER.unpack(await self._receive(HEADER.size))
            return pickle.loads(await self._receive(length))
        except ConnectionError as error:
            raise EOFError from error

    async def _receive(self, length: int) -> bytes:
        loop = asyncio.get_running_loop()
        received = bytearray()
        while len(received) < length:
            chunk = await loop.sock_recv(self.connection, min(CHUNK, length - len(received)))
            if not chunk:
                raise EOFError
            received += chunk
        return bytes(received)

    def end(self) -> None:
        """Kills the process; waiting is short, because nothing survives SIGKILL."""
        self.process.kill()
        self.connection.close()
        self.process.wait()


class ExtractionPool(Generic[Job]):
    """Extracts stored documents in supervised processes.

    `read(job)` is called in the worker and must be picklable: a function of an importable module, or a
    `functools.partial` of one. With `workers = 0` everything happens in this process.
    """

    def __init__(
        self, settings: ExtractSettings, read: Callable[[Job], FetchResult], agent: str = robots.AGENT
    ) -> None:
        self._settings = settings
        self._read = read
        self._agent = agent
        self._free = asyncio.Semaphore(max(settings.workers, 1))
        self._idle: list[_Worker] = []
        self._busy: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    async def page(self, job: Job, url: Url, fetched_at: float) -> Page:
        """The page behind the stored response that `job` names."""
        task = Task(job, url, fetched_at)
        if self._settings.workers == 0:
            return read_page(self._read, task, self._agent)
        async with self._free:
            if self._closed:
                return Page(url, fetched_at, problem="extraction-closed")
            worker = self._idle.pop() if self._idle else await self._start()
            page = await self._supervised(worker, task)
            if page.problem in (DIED, LATE) and not self._closed:
                page = await self._supervised(await self._start(), task)
            return page

    async def _supervised(self, worker: _Worker, task: Task) -> Page:
        self._busy.add(worker.process)
        healthy = False
        try:
            async with asyncio.timeout(self._settings.timeout):
                page: Page = await worker.ask(framed(task))
            healthy = not self._closed
        except TimeoutError:
            return Page(task.url, task.fetched_at, problem=LATE)
        except EOFError:
            return Page(task.url, task.fetched_at, problem=DIED)
        else:
            return page
        finally:  # also when the caller gave up: a late answer must not be taken for the next one
            self._busy.discard(worker.process)
            if healthy:
                self._idle.append(worker)
            else:
                worker.end()

    async def _start(self) -> _Worker:
        """A worker that is ready; the machine may be short of memory, processes or files for a moment."""
        for pause in (*START_PAUSES, None):
            try:
                return await self._started()
            except (OSError, EOFError) as error:
                if pause is None:
                    raise GossamerError(f"no extraction worker can be started: {_reason(error)}") from error
                await asyncio.sleep(pause)
        raise AssertionError("unreachable")

    async def _started(self) -> _Worker:
        worker = _launch()
        try:
            async with asyncio.timeout(START_LIMIT):
                refusal = await worker.ask(framed(self._assignment()))
        except BaseException:
            worker.end()
            raise
        if refusal:
            worker.end()
            raise RuntimeError(f"an extraction worker cannot be used: {refusal}")
        return worker

    def _assignment(self) -> Assignment:
        settings = self._settings
        read = pickle.dumps(self._read)
        return Assignment(tuple(sys.path), read, settings.timeout, settings.memory_mb, self._agent)

    def close(self) -> None:
        """Ends all workers; documents that are being read come back as died."""
        self._closed = True
        for process in self._busy:
            process.kill()
        while self._idle:
            self._idle.pop().end()


def _launch() -> _Worker:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with theirs:
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "gossamer.extract.worker"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError:
            ours.close()
            raise
    return _Worker(process, ours)


def _reason(error: OSError | EOFError) -> str:
    match error:
        case EOFError():
            return "it ends at once; a larger memory_mb in [extract] may help"
        case TimeoutError():
            return f"it was not ready after {START_LIMIT:.0f} seconds"
        case _:
            return f"{error.strerror or error}; close other programs or raise the limits of this one"
