"""A crawl of a server that means harm: it ends, good pages are there, and each trick has its name."""

from __future__ import annotations

import sqlite3

import pytest
from fetch.hostile import EXPECTED, GOOD, HostileServer

from gossamer import Engine
from gossamer.model import Failure

SETTINGS = {
    "frontier": {"delay": 0.0},
    "extract": {"workers": 0},
    "crawl": {"retries": 0, "max_redirects": 5, "depth": 6},
    "fetch": {"connect_timeout": 2.0, "read_timeout": 0.3, "total_timeout": 2.0, "max_bytes": 200_000},
}
START = "http://evil.test/"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """The progress of the crawl, and state and reason of every URL in the catalogue."""
    folder = tmp_path_factory.mktemp("hostile")
    with HostileServer() as server:
        settings = {
            **SETTINGS,
            "fetch": {**SETTINGS["fetch"], "resolve": [f"evil.test=127.0.0.1:{server.port}"]},
            # The links of the page of 50 MB are not followed: they are thousands.
            "crawl": {**SETTINGS["crawl"], "exclude": ["/x/", "127.0.0.1:\\d+/robots.txt"]},
        }
        with Engine.open(folder, create=True, settings=settings) as engine:
            progress = engine.crawl([START])
            hits = {hit.url for hit in engine.search("good page", k=50).hits}
        asked = list(server.asked)
        inwards = f"http://127.0.0.1:{server.port}/amber"
    connection = sqlite3.connect(folder / "partition-000" / "catalogue.sqlite")
    rows = connection.execute("SELECT url, state, reason FROM urls").fetchall()
    connection.close()
    return progress, {url: (state, reason) for url, state, reason in rows}, hits, asked, inwards


def test_good_pages_are_all_there(crawled):
    _, states, hits, _, _ = crawled
    good = {f"{START}{name.decode()}" for name in GOOD}
    assert good <= hits
    assert {states[url] for url in good} == {("fetched", "")}


@pytest.mark.parametrize("path", [path for path, end in EXPECTED.items() if isinstance(end, Failure)])
def test_each_failure_has_its_name(crawled, path):
    assert crawled[1][f"http://evil.test{path}"] == ("failed", EXPECTED[path].value)


@pytest.mark.parametrize("path", [path for path, end in EXPECTED.items() if end is True])
def test_what_was_cut_says_so(crawled, path):
    assert crawled[1][f"http://evil.test{path}"] == ("fetched", "truncated")


@pytest.mark.parametrize("path", [path for path, end in EXPECTED.items() if end is False])
def test_lies_that_do_no_harm(crawled, path):
    assert crawled[1][f"http://evil.test{path}"] == ("fetched", "")


def test_redirects_come_to_an_end(crawled):
    progress, states, _, asked, _ = crawled
    assert progress.errors["too-many-redirects"] == 1
    assert states[f"{START}round"] == ("failed", "bad-redirect")
    followed = [path for path in asked if path.startswith("/redirect/")]
    assert len(followed) == SETTINGS["crawl"]["max_redirects"] + 1
    assert states[f"{START}redirect/{len(followed)}"][1] == "too-many-redirects"


def test_nobody_gets_in_through_a_redirect(crawled):
    _, states, _, asked, inwards = crawled
    assert states[inwards][1] == Failure.PRIVATE_ADDRESS.value
    assert asked.count("/amber") == 1
