"""Worker threads are reused; results and exceptions return to the event loop."""

from __future__ import annotations

import asyncio
import gc
import threading

import pytest
from fake_engine import FakeEngine, hits

from gossamer.serve.search_page.results_page import SearchRoute
from gossamer.serve.search_queue import WorkerThreads


def test_one_call_after_the_other_needs_one_thread():
    async def several():
        threads = WorkerThreads()
        return [await threads.run(threading.get_ident) for _ in range(20)]

    used = asyncio.run(several())
    assert len(set(used)) == 1
    assert used[0] != threading.get_ident()


def test_calls_at_once_run_at_once():
    together = threading.Barrier(3)

    async def several():
        threads = WorkerThreads()
        return await asyncio.gather(*(threads.run(lambda: together.wait(60)) for _ in range(3)))

    assert sorted(asyncio.run(several())) == [0, 1, 2]


@pytest.mark.parametrize(("raised", "seen"), [(ValueError, ValueError), (StopIteration, RuntimeError)])
def test_what_a_call_raises_is_raised(raised, seen):
    def failing():
        raise raised

    async def twice():
        threads = WorkerThreads()
        with pytest.raises(seen):
            await threads.run(failing)
        return await threads.run(lambda: "still there")

    assert asyncio.run(twice()) == "still there"


def test_cancelled_calls_are_harmless():
    may_end = threading.Event()

    async def given_up(threads):
        waiting = asyncio.ensure_future(threads.run(lambda: may_end.wait(60)))
        await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return await threads.run(lambda: "another")

    threads = WorkerThreads()
    assert asyncio.run(given_up(threads)) == "another"
    may_end.set()  # and its loop is closed
    assert asyncio.run(threads.run(lambda: "in another loop")) == "in another loop"


def test_threads_end_with_their_pool():
    threads = WorkerThreads()
    worker = asyncio.run(threads.run(threading.current_thread))
    del threads
    gc.collect()
    worker.join(60)
    assert not worker.is_alive()


def test_the_results_need_nothing_of_the_framework_and_are_counted(client_of):
    client = client_of(FakeEngine(hits(1)))
    routes = {getattr(route, "path", ""): route for route in client.app.routes}
    assert isinstance(routes["/search"], SearchRoute)
    assert client.get("/search?q=cat").status_code == 200
    assert client.head("/search?q=cat").status_code == 200
    refused = client.post("/search?q=cat")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")
    assert 'gossamer_requests_total{route="/search",status="200"} 2' in client.get("/metrics").text
