"""Hosts that share an IP address, and endless hosts: when they are asked, and how deep."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page, text

SHARED = "192.0.2.7"


class Crowded(ScriptedTransport):
    """All hosts have one address, which is known after a lookup."""

    def __init__(self, web):
        super().__init__(web)
        self.found = set()

    async def look_up(self, host):
        self.found.add(host)

    def address_of(self, host):
        return SHARED if host in self.found else None


def crawl(folder, transport, *seeds, frontier=None, **settings):
    merged = {"frontier": {"delay": 0.0, **(frontier or {})}, "extract": {"workers": 0}, "crawl": settings}
    with Engine.open(folder, create=True, settings=merged) as engine:
        return engine.crawl(seeds, transport=transport)


def hosts(count, rules="User-agent: *\nAllow: /"):
    names = [f"h{number}.test" for number in range(count)]
    return {name: ScriptedHost({"/robots.txt": text(rules), "/": page(name, f"on {name}")}) for name in names}


@pytest.mark.parametrize("known", [False, True])
def test_the_first_request_to_a_shared_address_waits_for_its_turn_too(tmp_path, known):
    """The address is found with the first request: for robots.txt or, if that is known, for a page."""
    seeds = [f"http://{name}/" for name in hosts(5)]
    if known:
        crawl(tmp_path, ScriptedTransport(ScriptedWeb(hosts(5))), *(f"{seed}none" for seed in seeds))
    web = ScriptedWeb(hosts(5))
    progress = crawl(tmp_path, Crowded(web), *seeds, frontier={"delay": 0.2, "address_delay": 0.2})
    assert progress.pages == 5
    times = [one.time for one in web.asked]
    assert len(times) == (5 if known else 10)
    assert all(later - earlier > 0.1 for earlier, later in pairwise(times))


def test_where_no_turns_are_taken_nobody_is_put_back(tmp_path):
    listed = {"delay": 0.01, "address_delay": 60.0, "unlimited_addresses": [SHARED]}
    web = ScriptedWeb(hosts(5))
    assert (
        crawl(tmp_path, Crowded(web), *(f"http://{name}/" for name in web.hosts), frontier=listed).pages == 5
    )
    assert len(web.asked) == 10


def endless():
    """Two endless hosts; the first links to the second, which links back to a deep page."""

    def first(path):
        number = int(path[1:] or 0)
        links = [f"/{number + 1}", *(["http://b.test/0"] if number == 2 else [])]
        return page(f"A {number}", f"page {number} of a", links)

    def second(path):
        number = int(path[1:] or 0)
        return page(f"B {number}", f"page {number} of b", [f"/{number + 1}", "http://a.test/500"])

    return ScriptedWeb({name: ScriptedHost({"/robots.txt": text("")}, fallback=route)
                        for name, route in (("a.test", first), ("b.test", second))})  # fmt: skip


def asked(web):
    return {f"{one.authority}{one.path}" for one in web.asked} - {"a.test/robots.txt", "b.test/robots.txt"}


def test_a_host_is_followed_so_far_and_the_next_one_as_far_again(tmp_path):
    web = endless()
    crawl(tmp_path, ScriptedTransport(web), "http://a.test/0", host_depth=4)
    steps = {f"{host}.test/{number}" for host in "ab" for number in range(5)}
    assert asked(web) == steps | {"a.test/500"}
    with Engine.open(tmp_path) as engine:
        assert engine.host_status("a.test").left_out == {"too-deep": 2}
        assert engine.host_status("b.test").left_out == {"too-deep": 1}


def test_it_is_the_same_in_two_crawls(tmp_path):
    first = endless()
    crawl(tmp_path, ScriptedTransport(first), "http://a.test/0", host_depth=4, max_pages=4)
    second = endless()
    crawl(tmp_path, ScriptedTransport(second), host_depth=4)
    assert len(asked(first) | asked(second)) == 11


def test_no_bound(tmp_path):
    web = endless()
    assert crawl(tmp_path, ScriptedTransport(web), "http://a.test/0", host_depth=0, max_pages=90).pages == 90
    deepest = max(int(name.rpartition("/")[2]) for name in asked(web) if name.startswith("b.test"))
    assert deepest > 5
