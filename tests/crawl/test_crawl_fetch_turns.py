"""Rate limit of a robots.txt to which many hosts redirect."""

import asyncio
from itertools import pairwise

import pytest
from fetchers import fetcher_of
from replies import slow

from gossamer.crawl.fetch import robots_cache as turns
from gossamer.crawl.fetch.robots_cache import RobotsRateLimit
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, redirect, text
from gossamer.model import Failure
from gossamer.web.url import canonical

RULES = text("User-agent: *\nDisallow: /private\n")
DELAY = 0.03


def asked_for(hosts, delay, *origins):
    """Fetch the robots.txt of the origins at the same time; return the answers and the web."""
    web = ScriptedWeb({name: ScriptedHost(routes) for name, routes in hosts.items()})
    robots = fetcher_of(ScriptedTransport(web), delay=delay).robots

    async def main():
        return await asyncio.gather(*(robots.fetch(canonical(f"http://{name}/")) for name in origins))

    return asyncio.run(main()), web


def gaps(web, authority):
    times = [asked.time for asked in web.asked if asked.authority == authority]
    return [later - earlier for earlier, later in pairwise(times)]


def test_many_hosts_send_us_to_one():
    hosts = {
        f"h{number}.test": {"/robots.txt": redirect("http://hub.test/robots.txt")} for number in range(5)
    }
    answers, web = asked_for(
        {**hosts, "hub.test": {"/robots.txt": slow(RULES, 0.01)}}, DELAY, *hosts, "hub.test"
    )
    assert [answer.last.body for answer in answers] == [RULES.body] * 6
    assert len(gaps(web, "hub.test")) == 5
    assert min(gaps(web, "hub.test")) > DELAY + 0.009, "counted from the end of the answer"


def test_redirects_within_a_host_have_pauses_too():
    routes = {"/robots.txt": redirect("/1"), "/1": redirect("/2"), "/2": RULES}
    (answer,), web = asked_for({"a.test": routes}, DELAY, "a.test")
    assert answer.last.status == 200
    assert answer.first.elapsed < sum(gaps(web, "a.test")), "pauses are not the host's slowness"
    assert min(gaps(web, "a.test")) > DELAY * 0.99


def test_nobody_waits_without_end(monkeypatch):
    monkeypatch.setattr(turns, "LONGEST_WAIT", 0.01)
    answers, web = asked_for({"a.test": {"/robots.txt": redirect("/1"), "/1": RULES}}, 60.0, "a.test")
    assert (answers[0].last.failure, answers[0].last.detail) == (
        Failure.TIMEOUT,
        "too many hosts wait for a robots.txt of a.test",
    )
    assert [asked.path for asked in web.asked] == ["/robots.txt"]


def test_who_gives_up_lets_the_next_one_through(monkeypatch):
    async def main():
        shared = RobotsRateLimit(0.02)

        async def once(seconds):
            async with shared.at("a.test"):
                await asyncio.sleep(seconds)

        holding = asyncio.create_task(once(0.01))
        waiting = [asyncio.create_task(once(0)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()  # it waits for the one before
        await holding
        await asyncio.sleep(0.005)
        waiting[1].cancel()  # it waits for the pause to end
        await asyncio.wait_for(waiting[2], 5)
        return [task.cancelled() for task in waiting]

    assert asyncio.run(main()) == [True, True, False]


def test_hosts_whose_pause_is_over_are_forgotten(monkeypatch):
    monkeypatch.setattr(turns, "MOST_KNOWN", 3)

    async def main():
        shared = RobotsRateLimit(1e-9)
        async with shared.at("busy.test"):
            for number in range(20):
                async with shared.at(f"h{number}.test"):
                    assert len(shared._turns) <= 4
                await asyncio.sleep(0.001)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(shared.at("busy.test").__aenter__(), 0.01)

    asyncio.run(main())
