"""Rank in a separate process: `python -m gossamer.jobs.rank_process`.

Standard input receives a pickled `RankJob`. Standard output is JSON: the `RankSummary`, or an error. The
process runs with low priority, and ends when its standard input is closed.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import threading
from dataclasses import asdict

from gossamer.collection.collection import Collection
from gossamer.collection.partition import Partition
from gossamer.config import Config
from gossamer.crawl.background_ranking import RankJob
from gossamer.jobs.rank import RankSummary, rank
from gossamer.model import GossamerError

NICENESS = 10


def main() -> None:
    """Run the `RankJob` from standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the crawl decides when to stop
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(1))
    os.nice(NICENESS)
    assignment: RankJob = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_watch, daemon=True).start()
    try:
        told: dict[str, object] = asdict(_ranked(assignment))
    except GossamerError as error:
        told = {"error": str(error)}
    print(json.dumps(told), flush=True)


def _watch() -> None:
    """End this process cleanly when standard input is closed."""
    # `sys.stdin` would not do: the interpreter aborts if it exits while a thread holds its lock.
    while os.read(0, 1 << 16):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _ranked(assignment: RankJob) -> RankSummary:
    collection, config = Collection.open(assignment.directory), assignment.config
    assert isinstance(config, Config)
    return rank(Partition.all_of(collection, config.store), collection.graph_folder, config)


if __name__ == "__main__":
    main()
