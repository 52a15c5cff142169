"""A crawl of a hostile server: it ends, good pages are kept, and each attack gets its failure.

The crawl is the real command in a process of its own, so that the memory of all its processes can be watched.
"""

from __future__ import annotations

import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from hostile import EXPECTED, GOOD, HostileServer

from gossamer import Engine
from gossamer.model import Failure

MAX_REDIRECTS = 5
MOST_MEMORY = 500_000_000
GUARD = 300  # seconds: only against hanging
START = "http://evil.test/"
TWO_FACED = "http://two-faced.example/"
PUBLIC, OURSELVES = "192.88.99.1", "127.0.0.1"  # the first leads nowhere since RFC 7526, yet is public
SETTINGS = """
[frontier]
delay = 0.0
[crawl]
retries = 0
max_redirects = {redirects}
exclude = ["/x/"]                  # the links of the page of 50 MB are not followed: they are thousands
[fetch]
connect_timeout = 2.0
read_timeout = 1.5
total_timeout = 6.0
host_overrides = ["evil.test=127.0.0.1:{server}"]
name_servers = ["127.0.0.1:{names}"]
dns_least_ttl = 0.0
"""


class TwoFacedNames(threading.Thread):
    """A name server that gives a public address for the first query of a name, then a loopback address."""

    def __init__(self):
        super().__init__(daemon=True)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.asked = []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self.join()

    def run(self):
        with suppress(OSError):
            while True:
                question, sender = self._socket.recvfrom(512)
                if not question:
                    return
                self._socket.sendto(self._answer(question), sender)

    def _answer(self, question):
        end = question.index(b"\0", 12)
        name, is_ipv4 = question[12:end], question[end + 1 : end + 3] == b"\0\1"
        records = b""
        if is_ipv4:
            address = OURSELVES if name in self.asked else PUBLIC
            self.asked.append(name)
            records = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 0, 4) + socket.inet_aton(address)
        return question[:2] + struct.pack("!5H", 0x8180, 1, is_ipv4, 0, 0) + question[12 : end + 5] + records


def shared_out(pid):
    """Return the bytes of memory of a process, with its part of shared memory (PSS); 0 if it is gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def tree(ancestor):
    """Return the process and all its descendants."""
    children = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            children.setdefault(int(parent), []).append(int(folder.name))
    found, waiting = [], [ancestor]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def gossamer(folder, *arguments):
    """Run a command to its end; return the largest total memory of all its processes."""
    command = [sys.executable, "-m", "gossamer", "-C", str(folder), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    guard = threading.Timer(GUARD, process.kill)
    guard.start()
    most = 0
    while process.poll() is None:
        most = max(most, sum(map(shared_out, tree(process.pid))))
        time.sleep(0.03)
    guard.cancel()
    said = process.communicate()[0]
    assert process.returncode == 0, said
    return most


@dataclass(frozen=True)
class Crawled:
    states: dict  # state and reason of every URL in the catalogue
    hits: set
    asked: list
    names: list
    inwards: str
    memory: int


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    with HostileServer() as server, TwoFacedNames() as names:
        settings = SETTINGS.format(server=server.port, names=names.port, redirects=MAX_REDIRECTS)
        for part in ("first", "all"):
            (folder / part).mkdir()
            (folder / part / "gossamer.toml").write_text(settings)
        # What is compiled is compiled before: that takes more memory than any page may.
        gossamer(folder / "first", "crawl", f"{START}amber", "--depth", "0", "--quiet")
        server.asked.clear()
        memory = gossamer(folder / "all", "crawl", START, TWO_FACED, "--quiet")
        asked = list(server.asked)
        inwards = f"http://127.0.0.1:{server.port}/amber"
    with Engine.open(folder / "all") as engine:
        hits = {hit.url for hit in engine.search("good page", k=50).hits}
    connection = sqlite3.connect(folder / "all" / "partition-000" / "catalogue.sqlite")
    rows = connection.execute("SELECT url, state, reason FROM urls").fetchall()
    connection.close()
    states = {url: (state, reason) for url, state, reason in rows}
    return Crawled(states, hits, asked, names.asked, inwards, memory)


def test_good_pages_are_all_there(crawled):
    good = {f"{START}{name.decode()}" for name in GOOD}
    assert good <= crawled.hits
    assert {crawled.states[url] for url in good} == {("fetched", "")}


@pytest.mark.parametrize("path", [path for path, end in EXPECTED.items() if isinstance(end, Failure)])
def test_each_failure_has_its_name(crawled, path):
    assert crawled.states[f"http://evil.test{path}"] == ("failed", EXPECTED[path].value)


@pytest.mark.parametrize("path", [path for path, end in EXPECTED.items() if end is True])
def test_what_was_cut_says_so(crawled, path):
    assert crawled.states[f"http://evil.test{path}"] == ("fetched", "truncated")


@pytest.mark.parametrize("path", [path for path, end in EXPECTED.items() if end is False])
def test_lies_that_do_no_harm(crawled, path):
    assert crawled.states[f"http://evil.test{path}"] == ("fetched", "")


def test_redirects_come_to_an_end(crawled):
    assert crawled.states[f"{START}round"] == ("failed", "bad-redirect")
    followed = [path for path in crawled.asked if path.startswith("/redirect/")]
    assert len(followed) == MAX_REDIRECTS + 1
    assert crawled.states[f"{START}redirect/{len(followed)}"][1] == "too-many-redirects"


def test_nobody_gets_in_through_a_redirect(crawled):
    assert crawled.states[crawled.inwards][1] == Failure.PRIVATE_ADDRESS.value
    assert crawled.asked.count("/amber") == 1


def test_nobody_gets_in_by_a_name_that_leads_elsewhere_when_it_is_asked_for_again(crawled):
    assert len(crawled.names) >= 2
    assert crawled.states[TWO_FACED][1] == Failure.PRIVATE_ADDRESS.value


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs /proc")
def test_memory_stays_within_bounds(crawled):
    """The limit holds for the crawler and all its workers, with bodies of up to 10 MB each."""
    assert crawled.memory < MOST_MEMORY, f"{crawled.memory / 1e6:,.0f} MB"
