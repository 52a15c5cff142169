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

from gossamer import Engine
from gossamer.demo.loopback import LoopbackServer
from gossamer.fetch.scripted import ScriptedHost, ScriptedWeb, page, slow

HOSTS = 6
PAGES = 40  # a host
CONNECTIONS = 4
GUARD = 120  # seconds: only against hanging


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


def run_and_kill(folder, seconds, *arguments):
    """Returns whether the command was still running when it was killed."""
    process = gossamer(folder, *arguments)
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True
    assert process.returncode == 0
    return False


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
    chance = random.Random(seed)
    scripted = web()
    folder.mkdir()
    limit_connections(folder)
    done = 0
    with LoopbackServer(scripted) as server:
        arguments = crawl_arguments(server.port, partitions)
        while done < kills and run_and_kill(folder, chance.uniform(0.3, 2.0), *arguments):
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


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_killed_crawl_goes_on(tmp_path, partitions):
    kills, scripted = killed_crawl(tmp_path / "c", 3, partitions, seed=partitions)
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


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("killed") / "c"
    killed_crawl(folder, 0, 1, seed=0)
    return folder


def killed_index(folder, kills, seed):
    chance = random.Random(seed)
    for _ in range(kills):
        run_and_kill(folder, chance.uniform(0.3, 1.6), "index", "--rebuild")
        with Engine.open(folder) as engine:
            assert engine.search("common").total == HOSTS * PAGES, "what was committed before is served"
    run(folder, "index")
    assert_clean(folder)


def test_a_killed_rebuild_leaves_the_old_index(crawled):
    killed_index(crawled, 3, seed=1)


@pytest.mark.long
def test_many_killed_rebuilds(crawled):
    killed_index(crawled, 60, seed=2)


def test_politeness_survives_a_kill(tmp_path):
    """The first question after a restart comes no earlier than the delay after the start."""
    scripted = web()
    folder = tmp_path / "c"
    folder.mkdir()
    limit_connections(folder)
    with LoopbackServer(scripted) as server:
        arguments = [*crawl_arguments(server.port, 1), "--delay", "1.0"]
        assert run_and_kill(folder, 4.0, *arguments)
        before = {one.authority: one.time for one in scripted.asked}
        killed_at = len(scripted.asked)
        assert run_and_kill(folder, 4.0, *arguments)
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
