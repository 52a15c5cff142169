"""kill -9 at random instants of commit and merge: what was committed is served, whole, and work goes on."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from history import COMMITS, WORK, after, assert_serves, commit, leftovers, made_index, merge

from gossamer.index.index import Index

HERE = Path(__file__).parent
LONGEST = 0.015  # seconds: about what a commit takes, or a merge


class DoomedWriter:
    """The process of `doomed_writer`, and what its children said."""

    def __init__(self):
        paths = [str(HERE), str(HERE.parent), *sys.path]
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "doomed_writer.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            text=True,
        )
        self._expect("ready")

    def _hear(self):
        line = self._process.stdout.readline()
        assert line, "the writer is gone"
        return line.split()

    def _expect(self, word):
        said, *numbers = self._hear()
        assert said == word
        return [int(number) for number in numbers]

    def order(self, folder, *words):
        """A child begins to work; its process id."""
        self._process.stdin.write(" ".join(map(str, (folder, *words))) + "\n")
        self._process.stdin.flush()
        (child,) = self._expect("began")
        return child

    def until(self, wanted, times=1):
        """What is said until a child has said this word so many times."""
        heard = []
        while times:
            heard.append(self._hear())
            times -= heard[-1][0] == wanted
        return heard

    def end(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


@pytest.fixture(scope="module")
def writer():
    writer = DoomedWriter()
    yield writer
    writer.end()


def killed_in_loop(writer, folder, number, chance):
    """Lets a child go on after commit `number` and kills it; what it did last, and with which commit."""
    child = writer.order(folder, "loop", number + 1)
    heard = writer.until(chance.choice(["committing", "merging", "merging"]), chance.randrange(1, 6))
    time.sleep(chance.uniform(0, LONGEST))
    os.kill(child, signal.SIGKILL)
    heard += writer.until("ended")
    assert heard[-1] == ["ended", str(int(signal.SIGKILL))]
    did, last = heard[-2]
    return did, int(last)


def goes_on(index, number):
    """The next commit and merge work, and nothing is left of those that were killed."""
    commit(index, number + 1)
    assert leftovers(index) == set()
    merge(index, number + 1)
    assert leftovers(index) == set()
    return assert_serves(Index(index.directory), number + 1)


def killed_often(writer, folder, kills, seed):
    """How many kills fell into commits, and how many into merges."""
    chance = random.Random(seed)
    number, fell = 0, Counter()
    for _ in range(kills):
        did, last = killed_in_loop(writer, folder, number, chance)
        fell[did] += 1
        # While it was merging, the commit was done; otherwise it is there whole, or not at all.
        possible = (last,) if did == "merging" else (last, last - 1)
        number = assert_serves(Index(folder), *possible)
        if chance.random() < 0.3:  # otherwise leftovers pile up until the next child has committed
            number = goes_on(Index(folder), number)
    goes_on(Index(folder), number)
    return fell


def test_a_killed_index_serves_what_was_committed(writer, tmp_path):
    assert killed_often(writer, tmp_path / "index", 6, seed=1).total() == 6


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_kills(writer, tmp_path, seed):
    fell = killed_often(writer, tmp_path / "index", 60, seed)
    assert min(fell["committing"], fell["merging"]) >= 6


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return made_index(tmp_path_factory.mktemp("base") / "index").directory


def dies_before(writer, base, folder, work, step):
    """A copy of the index is worked on until that step on the disk; how many there were, if all were done."""
    shutil.copytree(base, folder)
    writer.order(folder, work, COMMITS, step)
    said, *numbers = writer.until("ended")[0]
    possible = (after(work),) if said == "done" else (COMMITS, after(work))
    number = assert_serves(Index(folder), *possible)
    goes_on(Index(folder), number)
    shutil.rmtree(folder)
    return int(numbers[0])


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("apart", [12, pytest.param(1, marks=pytest.mark.long)])
def test_any_step_on_the_disk_may_be_the_last(writer, base, tmp_path, work, apart):
    steps = dies_before(writer, base, tmp_path / "index", work, 1 << 30)
    assert steps > 30
    for step in range(apart // 2, steps, apart):
        dies_before(writer, base, tmp_path / "index", work, step)
