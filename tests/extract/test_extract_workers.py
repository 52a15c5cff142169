"""Extraction in supervised processes: a document that kills or blocks its worker harms no other."""

import asyncio
import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import light_worker
import pytest
import stored_answers
import uvloop
from stored_answers import URL

from gossamer.extract.settings import ExtractSettings
from gossamer.extract.workers import pool as process
from gossamer.extract.workers.pool import ExtractionPool
from gossamer.model import GossamerError, Url

ALONE = ExtractSettings(workers=1)
QUICK = ExtractSettings(workers=1, timeout=0.5)
PATIENT = ExtractSettings(workers=2, timeout=30.0)
DIED, LATE = "extraction-died", "extraction-timeout"
LOOPS = [asyncio.new_event_loop, uvloop.new_event_loop]
ROGUE = str(Path(__file__).with_name("rogue_worker.py"))


@pytest.fixture
def whole_workers():
    """Real workers, which take a second to start."""


@pytest.fixture(autouse=True)
def light_workers(request, monkeypatch):
    """Simple workers for most tests, which read only titles."""
    if "whole_workers" not in request.fixturenames:
        monkeypatch.setattr(process, "_popen", light_worker.popen)


def run(settings, work, read=stored_answers.read, loop=asyncio.new_event_loop, **more):
    """Run `work(pool)` with a time limit, and close the pool."""

    async def session():
        pool = ExtractionPool(settings, read, **more)
        try:
            async with asyncio.timeout(60):
                return await work(pool)
        finally:
            pool.close()

    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(session())


def titles(settings, *jobs, **more):
    async def work(pool):
        return await asyncio.gather(*(pool.page(job, URL, 5.0) for job in jobs))

    return [page.problem or page.title for page in run(settings, work, **more)]


def words(text):
    """Return the result of each job: `x` for a worker that died, `l` for one that was late."""
    return [{"x": DIED, "l": LATE}.get(word, word) for word in text.split()]


@pytest.mark.usefixtures("whole_workers")
@pytest.mark.parametrize("workers", [0, 1])
def test_reads_documents(workers):
    jobs = [f"page {number}" for number in range(20)]
    assert titles(ExtractSettings(workers=workers), *jobs) == jobs


@pytest.mark.parametrize(("workers", "loop"), list(zip([1, 3], LOOPS, strict=True)))
def test_many_documents_come_back_each_as_its_own(workers, loop):
    jobs = [f"page {number}" for number in range(200)]
    assert titles(ExtractSettings(workers=workers), *jobs, loop=loop) == jobs


def test_one_worker_answers_in_the_order_of_asking():
    finished = []

    async def work(pool):
        async def one(job):
            finished.append((await pool.page(job, URL, 0.0)).title)

        await asyncio.gather(*(one(job) for job in "abcdefghij"))

    run(ALONE, work)
    assert finished == list("abcdefghij")


@pytest.mark.parametrize(("settings", "loop"), list(zip([ALONE, PATIENT], LOOPS, strict=True)))
@pytest.mark.parametrize(
    ("jobs", "expected"),
    [
        ("a die b crash c devour d", "a x b x c x d"),
        ("die die a b c d e f die", "x x a b c d e f x"),
    ],
)
def test_a_dead_worker_affects_one_page(jobs, expected, settings, loop):
    """Documents that waited behind it are not lost and do not count as died."""
    assert titles(settings, *jobs.split(), loop=loop) == words(expected)


def test_a_late_worker_is_replaced():
    """The time limit applies to each document separately."""
    settings = ExtractSettings(workers=1, timeout=1.0)
    assert titles(settings, *"a spin b nap nap nap nap c".split()) == words("a l b nap nap nap nap c")


@pytest.mark.parametrize(
    ("how", "settings"), [("die", PATIENT), ("hang", ExtractSettings(workers=1, timeout=1.5))]
)
def test_a_page_is_tried_once_more(tmp_path, how, settings):
    assert titles(settings, "a", (how, str(tmp_path / "mark")), "b") == ["a", "at last", "b"]


@pytest.mark.parametrize("loop", LOOPS)
def test_a_late_parent_does_not_time_out_workers(loop):
    async def work(pool):
        first = await pool.page("pid", URL, 0.0)
        second = asyncio.create_task(pool.page("pid", URL, 0.0))
        await asyncio.sleep(0.1)
        time.sleep(1.5)
        return [first.title, (await second).title]

    first, second = run(QUICK, work, loop=loop)
    assert first == second


@pytest.mark.usefixtures("whole_workers")
@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize(("agent", "noindex"), [("MyBot", True), ("gossamer", False)])
def test_workers_know_the_agent(workers, agent, noindex):
    async def work(pool):
        return await pool.page("for mybot", URL, 0.0)

    assert run(ExtractSettings(workers=workers), work, agent=agent).noindex is noindex


def failing(monkeypatch, failures, error):
    """Make the first starts of a worker fail, with short pauses; count the attempts."""
    tries = []
    launch = process._popen

    def launch_or_fail(theirs):
        tries.append(error)
        if len(tries) <= failures:
            raise error
        return launch(theirs)

    monkeypatch.setattr(process, "_popen", launch_or_fail)
    monkeypatch.setattr(process, "START_PAUSES", (0.0, 0.0))
    return tries


@pytest.mark.parametrize("failures", [1, 2])
def test_starting_a_worker_is_retried(monkeypatch, failures):
    tries = failing(monkeypatch, failures, OSError(errno.ENOMEM, "Cannot allocate memory"))
    assert titles(PATIENT, "a") == ["a"]
    assert len(tries) == failures + 1


@pytest.mark.parametrize(
    ("error", "why"),
    [(OSError(errno.EMFILE, "Too many open files"), "Too many open files"), (TimeoutError(), "not ready")],
)
def test_a_worker_that_never_starts_is_reported(monkeypatch, error, why):
    tries = failing(monkeypatch, 99, error)
    with pytest.raises(GossamerError, match=why):
        titles(PATIENT, "a")
    assert len(tries) == 3


def test_a_worker_that_ends_at_once_is_reported(monkeypatch):
    monkeypatch.setattr(process, "START_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(light_worker.sys, "executable", "/bin/false")
    with pytest.raises(GossamerError, match="ends at once"):
        titles(ALONE, "a")


def test_a_failed_page_has_its_url():
    async def work(pool):
        return await pool.page("die", URL, 7.0)

    page = run(PATIENT, work)
    assert (page.url, page.fetched_at) == (URL, 7.0)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_damaged_store_is_the_pages_problem(workers):
    (problem,) = titles(ExtractSettings(workers=workers), "damaged")
    assert problem.startswith("unreadable-record damaged file pages/00001.warc.gz")


def test_prints_and_interrupts_are_harmless():
    assert titles(ALONE, "print", "interrupt", "a") == ["print", "interrupt", "a"]


def test_a_worker_is_reused():
    first, second = titles(ALONE, "pid", "pid")
    assert first == second


def test_nothing_is_started_before_it_is_needed():
    pool = ExtractionPool(PATIENT, stored_answers.read)
    assert not pool._workers
    pool.close()


def cancelled(jobs, place):
    """Return the results of documents of one worker when one of them is cancelled."""

    async def work(pool):
        before = (await pool.page("pid", URL, 0.0)).title
        pages = [asyncio.create_task(pool.page(job, URL, 0.0)) for job in jobs]
        await asyncio.sleep(0.1)
        pages[place].cancel()
        found = await asyncio.gather(*pages, return_exceptions=True)
        after = (await pool.page("pid", URL, 0.0)).title
        return before == after, [getattr(page, "title", "cancelled") for page in found]

    return run(ALONE, work)


def test_cancelling_the_current_document_replaces_the_worker():
    same, found = cancelled(["hang", "a", "b", "c", "d", "e"], 0)
    assert (same, found) == (False, ["cancelled", "a", "b", "c", "d", "e"])


@pytest.mark.parametrize("place", [2, 6])
def test_cancelling_a_waiting_document_keeps_the_worker(place):
    """Also if the worker already has the document."""
    jobs = ["nap", "a", "b", "c", "d", "e", "f"]
    same, found = cancelled(jobs, place)
    assert same
    assert found == [*jobs[:place], "cancelled", *jobs[place + 1 :]]


def test_a_cancelled_document_is_not_retried():
    async def work(pool):
        await pool.page("warm", URL, 0.0)
        dying, waiting = (asyncio.create_task(pool.page(job, URL, 0.0)) for job in ("nap", "a"))
        await asyncio.sleep(0.1)
        (worker,) = pool._workers
        worker._child.kill()
        dying.cancel()
        return (await waiting).title

    assert run(ALONE, work) == "a"


def test_cancelling_all_documents():
    async def work(pool):
        await pool.page("warm", URL, 0.0)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.1):
                await asyncio.gather(*(pool.page("hang", URL, 0.0) for _ in range(10)))
        return (await pool.page("next", URL, 0.0)).title

    assert run(ALONE, work) == "next"


def rogues(monkeypatch, how, count=1000):
    """Make the first workers misbehave; return how many workers were requested."""
    wanted = []
    ask_for_child = process.ForkServer._ask_for_child

    def counted(server, theirs):
        wanted.append(how)
        return ask_for_child(server, theirs)

    monkeypatch.setattr(process, "_popen", lambda theirs: light_worker.start(theirs, ROGUE, how, str(count)))
    monkeypatch.setattr(process.ForkServer, "_ask_for_child", counted)
    monkeypatch.setattr(process, "START_PAUSES", (0.0, 0.0))
    return wanted


def asked(settings, count=6):
    """Return the results of documents, each with its own URL."""

    async def work(pool):
        jobs = [pool.page(f"{n}", Url.parsed(f"http://cats.example/{n}"), 5.0) for n in range(count)]
        return [page.problem or page.title for page in await asyncio.gather(*jobs)]

    return run(settings, work)


@pytest.mark.parametrize("how", ["garbles", "lies", "boasts", "floods", "leaves"])
def test_invalid_messages_affect_the_current_document(monkeypatch, how):
    wanted = rogues(monkeypatch, how)
    assert titles(ALONE, "a", "b", loop=uvloop.new_event_loop) == [DIED] * 2
    assert len(wanted) <= 2 * 2 + 1


@pytest.mark.parametrize("how", ["garbles", "lies", "boasts", "floods", "leaves", "chatters"])
def test_one_invalid_message_is_retried(monkeypatch, how):
    """Its document may not be the cause, so another worker reads it."""
    wanted = rogues(monkeypatch, how, count=1)
    assert titles(ALONE, *"abcdefg") == list("abcdefg")
    assert len(wanted) == 2


def test_an_incomplete_message_times_out(monkeypatch):
    rogues(monkeypatch, "starves")
    assert asked(QUICK, 1) == [LATE]


def test_unrequested_answers_are_not_used(monkeypatch):
    rogues(monkeypatch, "doubles")
    assert asked(ALONE) == [f"{n}" for n in range(6)]


@pytest.mark.parametrize(
    ("how", "why"),
    [("refuses", "cannot be started"), ("sleeps", "not ready"), ("quits", "ends at once")],
)
def test_failure_to_start_any_worker_is_reported(monkeypatch, how, why):
    rogues(monkeypatch, how)
    monkeypatch.setattr(process, "START_LIMIT", 0.3 if how == "sleeps" else 20.0)
    monkeypatch.setattr(process, "END_LIMIT", 0.1)
    with pytest.raises(GossamerError, match=why):
        titles(ALONE, "a")


def test_workers_that_send_before_a_task_end_the_pool(monkeypatch):
    """The pool gives up, whether or not such workers get a document."""
    rogues(monkeypatch, "chatters")
    with contextlib.suppress(GossamerError):
        assert titles(ALONE, "a") == [DIED]


def test_a_fork_server_that_dies_is_replaced():
    async def work(pool):
        first = await pool.page("pid", URL, 0.0)
        pool._fork_server._process.kill()
        same = await pool.page("pid", URL, 0.0)
        deaths = await asyncio.gather(*(pool.page(job, URL, 0.0) for job in ("die", "a")))
        return first.title == same.title, [page.problem or page.title for page in deaths]

    assert run(ALONE, work) == (True, [DIED, "a"])


def test_a_pool_that_is_closed_while_a_worker_starts_leaves_none(monkeypatch):
    started = []

    def popen(theirs):
        started.append(light_worker.start(theirs, ROGUE, "sleeps", "0"))
        return started[-1]

    monkeypatch.setattr(process, "_popen", popen)
    monkeypatch.setattr(process, "END_LIMIT", 0.1)

    async def work(pool):
        page = asyncio.create_task(pool.page("a", URL, 0.0))
        while not started:
            await asyncio.sleep(0.01)
        pool.close()
        return (await page).problem

    assert run(ALONE, work) == DIED
    assert started[0].poll() is not None


def test_closing_ends_current_documents():
    async def work(pool):
        await pool.page("warm", URL, 0.0)
        under_way = asyncio.create_task(pool.page("hang", URL, 0.0))
        await asyncio.sleep(0.1)
        pool.close()
        return [(await under_way).problem, (await pool.page("late", URL, 0.0)).problem]

    assert run(ALONE, work) == ["extraction-died", "extraction-closed"]


def test_a_reader_that_cannot_be_loaded_is_an_error():
    async def work(pool):
        return await pool.page("a", URL, 0.0)

    with pytest.raises((RuntimeError, AttributeError, TypeError)):
        run(PATIENT, work, read=lambda job: None)


PARENT = """
import asyncio, sys
import light_worker, stored_answers
from gossamer.extract.workers import pool as process
from gossamer.extract.settings import ExtractSettings
from gossamer.extract.workers.pool import ExtractionPool

process._popen = light_worker.popen

async def main():
    pool = ExtractionPool(ExtractSettings(workers=2, timeout={timeout}), stored_answers.read)
    pages = [await pool.page("pid", stored_answers.URL, 0.0)]
    busy = asyncio.create_task(pool.page({job!r}, stored_answers.URL, 0.0))
    await asyncio.sleep(0.1)
    pages.append(await pool.page("pid", stored_answers.URL, 0.0))
    print(*(page.title for page in pages), flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


def gone(pid):
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (ProcessLookupError, FileNotFoundError):  # also between the two
        return True
    return state == "Z"  # a zombie is dead too


@pytest.mark.parametrize(("job", "timeout"), [("idle", 30.0), ("spin", 0.8)])
def test_no_worker_survives_its_parent(job, timeout):
    script = PARENT.format(job=job, timeout=timeout)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        workers = {int(pid) for pid in parent.stdout.readline().split()}
        os.kill(parent.pid, signal.SIGKILL)
    assert workers
    deadline = time.monotonic() + 10
    while not all(map(gone, workers)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert all(map(gone, workers))
