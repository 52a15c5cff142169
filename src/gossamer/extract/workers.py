"""Who reads the documents, so that one that kills its reader costs one page?

Each worker is a process of its own behind a socket. It gets the places of stored responses, a few ahead,
reads and extracts one after the other, and sends the pages back. One that dies, takes too long or talks
nonsense is killed; the document it was at is tried once more in a fresh worker, because it may have been the
machine that was busy, and then comes back as a page with a problem. Those that waited behind it go to other
workers. (A ProcessPoolExecutor breaks as a whole.)
"""

from __future__ import annotations

import asyncio
import pickle
import sys
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from gossamer.extract import process, robots
from gossamer.extract.messages import Assignment, Garbled, Task, framed, page_of
from gossamer.extract.process import Nursery, Worker
from gossamer.extract.settings import ExtractSettings
from gossamer.extract.worker import read_page
from gossamer.model import FetchResult, GossamerError, Page, Url

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
        self, settings: ExtractSettings, read: Callable[[Job], FetchResult], agent: str = robots.AGENT
    ) -> None:
        self._settings = settings
        self._read = read
        self._agent = agent
        self._queue: deque[_Work] = deque()
        self._workers: dict[Worker, deque[_Work]] = {}  # each with what it was given, in order
        self._starting: set[asyncio.Task[None]] = set()
        self._nursery: Nursery | None = None
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
                self._lost_idle(worker, given)
                return

    def _lost_idle(self, worker: Worker, given: deque[_Work]) -> None:
        self._workers.pop(worker, None)
        self._queue.extendleft(reversed(given))
        self._hand_out()

    def _start_another(self) -> None:
        if len(self._workers) + len(self._starting) < self._settings.workers and not self._closed:
            task = asyncio.create_task(self._start())
            self._starting.add(task)
            task.add_done_callback(self._started)

    async def _start(self) -> None:
        """Adds a worker; the machine may be short of memory, processes or files for a moment."""
        nursery = self._nursery = self._nursery or Nursery(framed(self._assignment()))
        for pause in (*START_PAUSES, None):
            try:
                worker = await nursery.worker(self._answered, self._lost)
            except (OSError, EOFError) as error:
                if pause is None:
                    raise GossamerError(
                        f"no extraction worker can be started: {process.reason(error)}"
                    ) from error
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

    def _assignment(self) -> Assignment:
        settings = self._settings
        read = pickle.dumps(self._read)
        limits = settings.timeout, settings.memory_mb
        return Assignment(tuple(sys.path), read, *limits, self._agent, tuple(settings.rules))

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
        if self._nursery is not None:
            self._nursery.close()
        self._fail_all(DIED)


def _understood(payload: bytes, url: Url) -> Page | None:
    try:
        return page_of(payload, url)
    except Garbled:
        return None
