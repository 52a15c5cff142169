"""Longer crawls: thousands of pages with failures, constant memory, mutated pages."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.demo.bundled_web import FOLDER
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.demo.scripted_web import Reply, ScriptedHost, ScriptedWeb, error, page
from gossamer.extract.document import extract
from gossamer.model import Failure, FetchResult, Page
from gossamer.web.url import canonical

HOSTS, PAGES = 40, 200
MOST_MEMORY = 600_000  # kilobytes, of the crawler and its workers each


def links_of(number, i):
    """Return the links of a page; every tenth has none, because it fails or closes the connection."""
    if i % 10 == 7:
        return []
    below = [(number, j) for j in (2 * i + 1, 2 * i + 2) if j < PAGES]
    return [*below, ((number + i) % HOSTS, i), (number, PAGES + i)]  # the last one is not there


def answer(number, i):
    if i % 10 == 7:
        return error(500) if i % 2 else Reply(failure=Failure.DISCONNECTED)
    links = [f"http://host{n}.test/{j}" for n, j in links_of(number, i)]
    return page(f"Page {number}.{i}", f"soak word{i} host{number} " * 50, links)


def reachable():
    """Return the pages that can be reached from the seed, by an independent search."""
    found, waiting = set(), [(0, 0)]
    while waiting:
        one = waiting.pop()
        if one not in found and one[1] < PAGES and one[1] % 10 != 7:
            found.add(one)
            waiting += links_of(*one)
    return found


def troubled_web():
    return ScriptedWeb({
        f"host{n}.test": ScriptedHost({f"/{i}": answer(n, i) for i in range(PAGES)}) for n in range(HOSTS)
    })  # fmt: skip


@pytest.mark.long
def test_a_long_crawl_stays_within_its_memory(tmp_path):
    out, err = tmp_path / "out", tmp_path / "err"
    with LoopbackServer(troubled_web()) as server, out.open("w") as said, err.open("w") as complained:
        process = subprocess.Popen(
            [sys.executable, "-m", "gossamer", "-C", tmp_path / "c", "crawl", "http://host0.test/0",
             "--delay", "0", "--allow-private", "--quiet", "--resolve", f"*.test=127.0.0.1:{server.port}"],
            stdout=said, stderr=complained,
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)  # of this process alone, whatever other tests started
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, err.read_text()
    expected = len(reachable())
    assert expected > 3000
    assert f"fetched {expected:,} pages" in out.read_text()
    assert used.ru_maxrss < MOST_MEMORY


@pytest.mark.long
def test_mutated_pages_are_read_or_refused_but_never_raise():
    chance = random.Random(11)
    files = [
        path for path in sorted(Path(FOLDER).rglob("*")) if path.suffix in {".html", ".pdf", ".txt", ".xml"}
    ]
    url = canonical("http://fuzz.test/")
    kinds = [
        "text/html",
        "application/pdf",
        "text/plain",
        "application/xml",
        "",
        "text/html; charset=shift_jis",
    ]
    for _ in range(4000):
        data = bytearray(chance.choice(files).read_bytes())
        for _ in range(chance.randrange(1, 30)):
            place = chance.randrange(len(data))
            action = chance.randrange(3)
            if action == 0:
                data[place] = chance.randrange(256)
            elif action == 1:
                del data[place : place + chance.randrange(1, 40)]
            else:
                data[place:place] = data[: chance.randrange(1, 60)]
            if not data:
                data = bytearray(b"<")
        headers = (("Content-Type", chance.choice(kinds)),)
        found = extract(FetchResult(url, 0.0, status=200, headers=headers, body=bytes(data)))
        assert isinstance(found, Page)
