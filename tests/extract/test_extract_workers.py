import asyncio
import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import stored_answers
from stored_answers import URL

from gossamer.extract import workers
from gossamer.extract.settings import ExtractSettings
from gossamer.extract.workers import ExtractionPool
from gossamer.model import GossamerError

QUICK = ExtractSettings(workers=1, timeout=0.5)
PATIENT = ExtractSettings(workers=2, timeout=30.0)


def run(settings, work, read=stored_answers.read, **more):
    """Runs `work(pool)` and closes the pool."""

    async def session():
        pool = ExtractionPool(settings, read, **more)
        try:
            return await work(pool)
        finally:
            pool.close()

    return asyncio.run(session())


def titles(settings, *jobs):
    async def work(pool):
        return await asyncio.gather(*(pool.page(job, URL, 5.0) for job in jobs))

    return [page.problem or page.title for page in run(settings, work)]


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_reads_documents(workers):
    jobs = [f"page {number}" for number in range(20)]
    assert titles(ExtractSettings(workers=workers), *jobs) == jobs


def test_a_dead_worker_costs_one_page():
    jobs = ("a", "die", "b", "crash", "c", "devour", "d")
    died = "extraction-died"
    assert titles(PATIENT, *jobs) == ["a", died, "b", died, "c", died, "d"]


def test_a_late_worker_is_replaced():
    assert titles(QUICK, "a", "spin", "b") == ["a", "extraction-timeout", "b"]


@pytest.mark.parametrize(
    ("how", "settings"), [("die", PATIENT), ("hang", ExtractSettings(workers=1, timeout=1.5))]
)
def test_a_page_is_tried_once_more(tmp_path, how, settings):
    assert titles(settings, "a", (how, str(tmp_path / "mark")), "b") == ["a", "at last", "b"]


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize(("agent", "noindex"), [("MyBot", True), ("gossamer", False)])
def test_workers_know_how_the_crawler_is_called(workers, agent, noindex):
    async def work(pool):
        return await pool.page("for mybot", URL, 0.0)

    assert run(ExtractSettings(workers=workers), work, agent=agent).noindex is noindex


def failing(monkeypatch, failures, error):
    """Makes the first starts of a worker fail, and the pauses between them short; counts the tries."""
    tries = []
    launch = workers._launch

    def launch_or_fail():
        tries.append(error)
        if len(tries) <= failures:
            raise error
        return launch()

    monkeypatch.setattr(workers, "_launch", launch_or_fail)
    monkeypatch.setattr(workers, "START_PAUSES", (0.0, 0.0))
    return tries


@pytest.mark.parametrize("failures", [1, 2])
def test_a_worker_that_cannot_be_started_at_once_is_started_later(monkeypatch, failures):
    tries = failing(monkeypatch, failures, OSError(errno.ENOMEM, "Cannot allocate memory"))
    assert titles(PATIENT, "a") == ["a"]
    assert len(tries) == failures + 1


@pytest.mark.parametrize(
    ("error", "why"),
    [(OSError(errno.EMFILE, "Too many open files"), "Too many open files"), (TimeoutError(), "not ready")],
)
def test_a_worker_that_never_starts_is_said(monkeypatch, error, why):
    tries = failing(monkeypatch, 99, error)
    with pytest.raises(GossamerError, match=why):
        titles(PATIENT, "a")
    assert len(tries) == 3


def test_a_worker_that_ends_at_once_is_said(monkeypatch):
    monkeypatch.setattr(workers, "START_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(workers.sys, "executable", "/bin/false")
    with pytest.raises(GossamerError, match="ends at once"):
        titles(ExtractSettings(workers=1), "a")


def test_a_failed_page_says_where_it_belongs():
    async def work(pool):
        return await pool.page("die", URL, 7.0)

    page = run(PATIENT, work)
    assert (page.url, page.fetched_at) == (URL, 7.0)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_damaged_store_is_the_pages_problem(workers):
    (problem,) = titles(ExtractSettings(workers=workers), "damaged")
    assert problem.startswith("unreadable-record damaged file pages/00001.warc.gz")


def test_prints_and_interrupts_do_no_harm():
    assert titles(ExtractSettings(workers=1), "print", "interrupt", "a") == ["print", "interrupt", "a"]


def test_a_worker_is_kept():
    first, second = titles(ExtractSettings(workers=1), "pid", "pid")
    assert first == second


def test_nothing_is_started_before_it_is_needed():
    pool = ExtractionPool(PATIENT, stored_answers.read)
    assert not pool._idle
    pool.close()


def test_giving_up_does_not_mix_up_answers():
    async def work(pool):
        await pool.page("warm", URL, 0.0)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.1):
                await pool.page("hang", URL, 0.0)
        return await pool.page("next", URL, 0.0)

    assert run(ExtractSettings(workers=1), work).title == "next"


def test_closing_ends_what_is_under_way():
    async def work(pool):
        await pool.page("warm", URL, 0.0)
        under_way = asyncio.create_task(pool.page("hang", URL, 0.0))
        await asyncio.sleep(0.1)
        pool.close()
        return [(await under_way).problem, (await pool.page("late", URL, 0.0)).problem]

    assert run(ExtractSettings(workers=1), work) == ["extraction-died", "extraction-closed"]


def test_a_reader_that_cannot_be_loaded_is_an_error():
    async def work(pool):
        return await pool.page("a", URL, 0.0)

    with pytest.raises((RuntimeError, AttributeError, TypeError)):
        run(PATIENT, work, read=lambda job: None)


PARENT = """
import asyncio, sys
import stored_answers
from gossamer.extract.settings import ExtractSettings
from gossamer.extract.workers import ExtractionPool

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
    except ProcessLookupError:
        return True
    # an orphan that nobody has reaped yet is dead all the same
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"


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
