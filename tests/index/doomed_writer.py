"""A process that is told on its input what to write into an index, and is killed while it does so.

Each order is carried out by a child, forked when everything is compiled: `loop N` commits and merges from
commit N on until it is killed; `commit N S` and `merge N S` kill themselves before step S on the disk.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path

from disk_steps import Disk, watched
from history import WORK, commit, merge

from gossamer.index import merge as merging
from gossamer.index.index import Index


def say(*words):
    """One line, at once and in one piece: another process waits for it, and this one may be killed."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def loop(index, number):
    while True:
        say("committing", number)
        commit(index, number)
        say("merging", number)  # and so it is committed
        merge(index, number)
        number += 1


def last_step(index, work, number, at):
    """Works until a step on the disk that it does not live to see; says how many there were if it does."""

    def die(reached, _):
        if reached == at:
            os.kill(os.getpid(), signal.SIGKILL)

    disk = Disk(die)
    with watched(disk):
        work(index, number)
    say("done", len(disk.steps))


def obey(index, order, *numbers):
    if order == "loop":
        loop(index, *numbers)
    else:
        last_step(index, WORK[order], *numbers)


def compile_all():
    with tempfile.TemporaryDirectory() as folder:
        index = Index(Path(folder) / "index")
        for number in range(1, 6):
            commit(index, number)
            merge(index, number)


def main():
    compile_all()
    merging.SMALLEST_TIER = 4  # documents: so that there are several tiers
    say("ready")
    for line in sys.stdin:
        folder, order, *numbers = line.split()
        child = os.fork()
        if not child:
            say("began", os.getpid())
            obey(Index(Path(folder)), order, *map(int, numbers))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        say("ended", status)


if __name__ == "__main__":
    main()
