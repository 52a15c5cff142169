"""Traps and spam."""

import re
from functools import partial

import pytest

from gossamer.demo.bundled_web import GENERATORS, HALLS
from gossamer.web.url import canonical


def hrefs(reply):
    return [href.replace("&amp;", "&") for href in re.findall('href="([^"]+)"', reply.body.decode())]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("/calendar/2024/05", "/calendar/2024/04", "/calendar/2024/06"),
        ("/calendar/2024/12", "/calendar/2024/11", "/calendar/2025/01"),
        ("/calendar/2024/1", "/calendar/2023/12", "/calendar/2024/02"),
        ("/calendar/9999/12", "/calendar/9999/11", "/calendar/10000/01"),
    ],
)
def test_the_calendar_has_no_end(path, before, after):
    town = partial(GENERATORS["calendar"], "town.test")
    assert hrefs(town(path)) == [before, after]
    assert town(after).status == 200


@pytest.mark.parametrize("path", ["/", "/calendar/", "/calendar/2024/13", "/calendar/2024/00", "/robots.txt"])
def test_the_calendar_has_only_months(path):
    assert GENERATORS["calendar"]("town.test", path).status == 404


def test_months_differ_and_stay_the_same():
    town = partial(GENERATORS["calendar"], "town.test")
    assert town("/calendar/2024/05").body == town("/calendar/2024/05").body
    assert town("/calendar/2024/05").body != town("/calendar/2024/06").body


def main_text(reply):
    return re.search("<p>(.*?)</p>", reply.body.decode())[1]


def test_sessions_multiply_the_addresses_of_a_few_pages():
    maze = partial(GENERATORS["sessions"], "maze.test")
    base = canonical("http://maze.test/seats/hall?sid=start")
    seen, texts, waiting = set(), set(), [base]
    while waiting and len(seen) < 300:
        url = waiting.pop(0)
        if url.text not in seen:
            seen.add(url.text)
            reply = maze(url.path)
            texts.add(main_text(reply))
            waiting += [canonical(href, url) for href in hrefs(reply)]
    assert len(seen) == 300
    assert texts == set(HALLS.values())


def test_sessions_use_a_known_and_an_unknown_parameter():
    found = " ".join(hrefs(GENERATORS["sessions"]("maze.test", "/seats/small-hall?visit=1")))
    assert "sid=" in found
    assert "visit=" in found
    assert GENERATORS["sessions"]("maze.test", "/robots.txt").status == 404


def test_soft_404():
    reply = GENERATORS["soft404"]("lost.test", "/anything")
    assert reply.status == 200
    assert b"not found" in reply.body


def test_the_farm():
    farm = partial(GENERATORS["farm"], "lantern-farm-12.localhost")
    for number in range(1, 21):
        found = hrefs(farm(f"/page/{number}"))
        assert "http://best-cheap-lanterns.localhost:8808/" in found
        assert f"http://lantern-farm-01.localhost:8808/page/{number}" in found
    assert len({farm(f"/page/{number}").body for number in range(1, 21)}) == 20
    assert [farm(path).status for path in ("/page/0", "/page/21", "/x")] == [404, 404, 404]


def test_farms_differ():
    one, two = (GENERATORS["farm"](f"lantern-farm-0{number}.localhost", "/page/1").body for number in (1, 2))
    assert one != two
