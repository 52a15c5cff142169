"""What does a frontier of ten million known URLs cost, in memory and in time to start?

    python benchmarks/frontier.py [--urls 10000000] [--hosts 100000]

Makes a collection whose catalogue holds that many URLs, all of them waiting but one in ten, in a temporary
folder (4 GB for ten million). Then a new process opens it as a crawl does, says how long that took and how
much memory it needed, and hands out and settles URLs while it finds new ones. The promise is 300 MB and 24
bytes for each known URL.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from gossamer.engine.batch import commit
from gossamer.engine.config import Config
from gossamer.engine.engine import Engine
from gossamer.engine.partition import Partition
from gossamer.engine.runs import shard_of
from gossamer.frontier.seen import SeenTable
from gossamer.model import CrawlRequest, Url

PROMISED_BASE = 300e6
PROMISED_A_URL = 24
AT_A_TIME = 100_000
PAGES = 20_000
NEW_A_PAGE = 5


def url(number: int, hosts: int) -> Url:
    host = f"host-{number % hosts}.example"
    path = f"/section-{number % 97}/page-{number}.html"
    return Url(f"http://{host}{path}", "http", host, 80, path)


def fill(folder: Path, urls: int, hosts: int) -> None:
    """A collection in which everything waits, but one in ten was fetched."""
    Engine.open(folder, create=True).close()
    partition = opened(folder)
    partition.recover()
    table = SeenTable(expected=urls)
    for start in range(0, urls, AT_A_TIME):
        numbers = range(start, min(start + AT_A_TIME, urls))
        requests = [CrawlRequest(url(number, hosts), depth=3, priority=0.01) for number in numbers]
        partition.catalogue.add_urls(requests, time.time())
        table.add_many(np.array([one.url.fingerprint for one in requests], np.uint64), score=0.01)
        partition.catalogue.commit()
        print(f"\rfilling {numbers.stop:,} of {urls:,}", end="", file=sys.stderr, flush=True)
    partition.renew_seen(table)
    partition.close()
    print(file=sys.stderr)


def opened(folder: Path) -> Partition:
    return Partition(0, folder / "partition-000", Config().store)


def crawl(folder: Path, hosts: int) -> None:
    """What a crawl does to its frontier, without the web."""
    begun = time.perf_counter()
    partition = opened(folder)
    partition.recover()
    shard = shard_of(partition, Config().changed({"frontier": {"delay": 0.0}}))
    started = time.perf_counter() - begun
    known = len(shard.seen)
    after_start = peak()
    begun = time.process_time()
    for page in range(PAGES):
        request = shard.frontier.next(time.time() + 10)
        assert request is not None
        for number in range(known + page * NEW_A_PAGE, known + (page + 1) * NEW_A_PAGE):
            found = CrawlRequest(url(number, hosts), depth=4)
            assert shard.frontier.add_new(found)
            shard.batch.add(found)
        shard.settle(request.url.fingerprint)
        shard.frontier.done(request.url.authority, time.time(), 0.0)
        if page % 500 == 499:
            commit([shard.batch])
    cost = (time.process_time() - begun) / PAGES
    promised = PROMISED_BASE + PROMISED_A_URL * known
    print(f"known URLs          {known:,} on {hosts:,} hosts")
    print(f"start               {started:.1f} s")
    print(f"memory at start     {after_start / 1e6:,.0f} MB at its peak")
    print(f"memory at the end   {peak() / 1e6:,.0f} MB at its peak, promised {promised / 1e6:,.0f} MB")
    print(f"a page              {cost * 1e6:,.0f} us, with {NEW_A_PAGE} new URLs each, commits included")
    if peak() > promised:
        sys.exit("more memory than promised")


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="a collection that an earlier run filled")
    options = parser.parse_args()
    if options.folder and (options.folder / "collection.json").exists():
        crawl(options.folder, options.hosts)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary) / "collection"
        fill(folder, options.urls, options.hosts)
        again = [sys.executable, __file__, "--urls", str(options.urls), "--hosts", str(options.hosts)]
        sys.exit(subprocess.run([*again, "--folder", str(folder)], check=False).returncode)


if __name__ == "__main__":
    main()
