"""kill -9 at random instants: the same command again goes on, nothing committed is lost, check is clean."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter

import pytest
from replies import slow

from gossamer import Engine
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page

HOSTS = 6
PAGES = 40  # a host
CONNECTIONS = 4
GUARD = 300  # seconds: only against hanging


def web():
    """Six hosts whose pages link onwards and across; slow enough to be killed in the middle."""
    hosts = {}
    for n in range(HOSTS):
        routes = {}
        for i in range(PAGES):
            links = [f"/{j}" for j in (2 * i + 1, 2 * i + 2) if j < PAGES]
            links.append(f"http://host{(n + 1) % HOSTS}.test/{i}")
            routes[f"/{i}"] = slow(page(f"Page {n}.{i}", f"common word{n}x{i} " * 30, links), 0.004)
        hosts[f"host{n}.test"] = ScriptedHost(routes)
    return ScriptedWeb(hosts)


def gossamer(folder, *arguments):
    command = [sys.executable, "-m", "gossamer", "-C", str(folder), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def crawl_arguments(port, partitions):
    return ["crawl", "http://host0.test/0", "--delay", "0", "--allow-private", "--quiet", "--partitions",
            str(partitions), "--resolve", f"*.test=127.0.0.1:{port}"]  # fmt: skip


def run(folder, *arguments):
    process = gossamer(folder, *arguments)
    out, err = process.communicate(timeout=GUARD)
    assert process.returncode == 0, (out, err)


def kill_when(condition, folder, *arguments):
    """Kills the command, with its workers, as soon as the condition holds; False when it ended before."""
    process = gossamer(folder, *arguments)
    deadline = time.monotonic() + GUARD
    while process.poll() is None and not condition():
        assert time.monotonic() < deadline, "the command hangs"
        time.sleep(0.001)
    if process.poll() is not None:
        out, err = process.communicate()
        assert process.returncode == 0, (out, err)
        return False
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return True


def after(seconds):
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def catalogue(folder):
    found = {}
    for path in folder.glob("partition-*/catalogue.sqlite"):
        connection = sqlite3.connect(path)
        found.update(connection.execute("SELECT url, state FROM urls"))
        connection.close()
    return found


def limit_connections(folder):
    (folder / "gossamer.toml").write_text(
        f"[crawl]\nconnections = {CONNECTIONS}\ncommit_seconds = 0.1\n"
        "[index]\nevery_pages = 50\n[extract]\nworkers = 1\n"
    )


def killed_crawl(folder, kills, partitions, seed):
    """Kills the crawl whenever the server has been asked some more times, or a little later."""
    chance = random.Random(seed)
    scripted = web()
    folder.mkdir()
    limit_connections(folder)
    done = 0
    with LoopbackServer(scripted) as server:
        arguments = crawl_arguments(server.port, partitions)
        while done < kills:
            asked = len(scripted.asked) + chance.randrange(1, HOSTS * PAGES // max(kills, 4))
            if chance.random() < 0.3:
                condition = after(chance.uniform(0.2, 1.5))  # also while it starts, or indexes at the end
            else:
                condition = lambda: len(scripted.asked) >= asked  # noqa: E731, B023
            if not kill_when(condition, folder, *arguments):
                break
            done += 1
            if chance.random() < 0.2:
                assert_clean(folder)
        run(folder, *arguments)
    assert_clean(folder)
    return done, scripted


def assert_clean(folder):
    if (folder / "collection.json").exists():
        with Engine.open(folder) as engine:
            assert engine.check().problems == ()


def assert_complete(folder):
    everything = {f"http://host{n}.test/{i}": "fetched" for n in range(HOSTS) for i in range(PAGES)}
    assert catalogue(folder) == everything
    with Engine.open(folder) as engine:
        assert engine.search("common").total == HOSTS * PAGES
        assert engine.status().documents == HOSTS * PAGES


def test_a_killed_crawl_goes_on(tmp_path):
    kills, scripted = killed_crawl(tmp_path / "c", 4, 2, seed=1)
    assert kills >= 3
    assert_complete(tmp_path / "c")
    asked = Counter(f"{one.authority}{one.path}" for one in scripted.asked if one.path != "/robots.txt")
    again = sum(count - 1 for count in asked.values())
    # What was fetched since the last commit is asked again: 0.1 s of work, not more.
    assert again <= kills * 60


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_many_killed_crawls_go_on(tmp_path, seed):
    killed_crawl(tmp_path / "c", 10, 1 + seed % 3, seed=100 + seed)
    assert_complete(tmp_path / "c")


@pytest.fixture(scope="module", params=[1, 2], ids=["one partition", "two"])
def crawled(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("killed") / "c"
    settings = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
    with Engine.open(folder, create=True, partitions=request.param, settings=settings) as engine:
        engine.crawl(["http://host0.test/0"], transport=ScriptedTransport(web()))
        engine.index(rebuild=True)  # a crawl freezes the mean lengths of its first pages
    return folder


def answers(folder):
    with Engine.open(folder) as engine:
        return [(hit.url, hit.score) for hit in engine.search("common word1x7", k=20).hits]


def segment_files(folder):
    """The files of all segments; those that vanish while one looks do not count."""
    found = set()
    for segment in folder.glob("partition-*/index/segment-*"):
        try:
            found |= {str(path) for path in segment.iterdir()}
        except FileNotFoundError:
            continue
    return found


def new_files(folder, count):
    before = segment_files(folder)
    return lambda: len(segment_files(folder) - before) >= count


def killed_rebuild(folder, kills, seed):
    """Kills a rebuild when the first or a later file of a new segment appears; the old index serves on."""
    chance = random.Random(seed)
    right = answers(folder)
    killed = 0
    for _ in range(kills):
        if not kill_when(new_files(folder, chance.randrange(1, 8)), folder, "index", "--rebuild"):
            assert answers(folder) == right
            continue
        killed += 1
        with Engine.open(folder) as engine:
            assert engine.search("common").total == HOSTS * PAGES, "what was committed before is served"
    with Engine.open(folder) as engine:
        engine.index()
    assert answers(folder) == right
    assert_clean(folder)
    return killed


def test_a_killed_rebuild_leaves_a_whole_index(crawled):
    killed_rebuild(crawled, 3, seed=1)
    assert len(answers(crawled)) == 20


@pytest.mark.long
def test_many_killed_rebuilds(crawled):
    # Files are written within milliseconds: about every other kill comes too late and changes nothing.
    assert killed_rebuild(crawled, 60, seed=2) >= 10


def test_a_crawl_ends_well_when_asked_to(tmp_path):
    """SIGTERM, as from systemd: what is in flight arrives, and what was fetched is searchable."""
    scripted = web()
    folder = tmp_path / "c"
    folder.mkdir()
    limit_connections(folder)
    with LoopbackServer(scripted) as server:
        process = gossamer(folder, *crawl_arguments(server.port, 1))
        deadline = time.monotonic() + GUARD
        while len(scripted.asked) < 40 and time.monotonic() < deadline:
            time.sleep(0.005)
        process.terminate()
        out, _ = process.communicate(timeout=GUARD)
    assert b"fetched" in out
    with Engine.open(folder) as engine:
        found = engine.status()
        assert 0 < found.pages == found.documents < HOSTS * PAGES


def test_politeness_survives_a_kill(tmp_path):
    """The first question after a restart comes no earlier than the delay after the start."""
    scripted = web()
    folder = tmp_path / "c"
    folder.mkdir()
    limit_connections(folder)
    with LoopbackServer(scripted) as server:
        arguments = [*crawl_arguments(server.port, 1), "--delay", "1.0"]
        assert kill_when(lambda: len(scripted.asked) >= 9, folder, *arguments)
        before = {one.authority: one.time for one in scripted.asked}
        killed_at = len(scripted.asked)
        assert kill_when(lambda: len(scripted.asked) >= killed_at + 6, folder, *arguments)
    first_after = {}
    for one in scripted.asked[killed_at:]:
        first_after.setdefault(one.authority, one.time)
    gaps = [first_after[host] - before[host] for host in first_after if host in before]
    assert gaps
    assert min(gaps) >= 0.99


def test_no_worker_outlives_its_killed_crawler(tmp_path):
    folder = tmp_path / "c"
    with LoopbackServer(web()) as server:
        process = gossamer(folder, *crawl_arguments(server.port, 1))
        deadline = time.monotonic() + GUARD
        while (
            not (workers := children(process.pid)) and time.monotonic() < deadline and process.poll() is None
        ):
            time.sleep(0.02)
        process.kill()  # only the parent: the workers must notice by themselves
        process.communicate()
    assert workers
    deadline = time.monotonic() + GUARD
    while any(is_alive(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(is_alive(pid) for pid in workers)


def children(pid):
    found = []
    for path in os.listdir("/proc"):
        if path.isdigit():
            try:
                with open(f"/proc/{path}/stat") as file:
                    if int(file.read().rsplit(")", 1)[1].split()[1]) == pid:
                        found.append(int(path))
            except (FileNotFoundError, ProcessLookupError):
                continue
    return found


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
