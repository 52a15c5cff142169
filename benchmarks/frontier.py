"""What does a frontier of ten million known URLs cost, in memory and in time to start?

    python benchmarks/frontier.py [--urls 10000000] [--hosts 100000]

Makes a collection whose catalogue holds that many URLs, all of them waiting, in a temporary folder (2.5 GB
for ten million). Then a new process opens it as a crawl does, says how long that took and how much memory it
needed, and hands out and settles URLs while it finds new ones, so that the table of known URLs has to grow.
The promise is 300 MB and 24 bytes for each known URL: of memory of its own, without the code of libraries
and other files that the system keeps in memory as long as it likes; that is printed beside it. Linux only.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from gossamer.collection.commit import commit
from gossamer.collection.partition import Partition
from gossamer.config import Config
from gossamer.crawl.frontier.politeness import AddressRateLimit
from gossamer.crawl.partition_crawl import open_partition_crawl
from gossamer.crawl.settings import FrontierSettings
from gossamer.engine import Engine
from gossamer.model import CrawlRequest, Url
from gossamer.storage.seen_urls import SeenTable

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
    """A collection in which everything waits.

    Rows come in the order of the table, and are sorted for each index at the end: to put ten million of them
    where they belong one by one takes most of an hour.
    """
    Engine.open(folder, create=True).close()
    partition = opened(folder)
    indexes = without_indexes(partition.catalogue_path)
    partition.recover()
    tell("numbering")
    fingerprints = np.fromiter((url(n, hosts).fingerprint for n in range(urls)), np.uint64, urls)
    order = np.argsort(fingerprints.view(np.int64))
    for start in range(0, urls, AT_A_TIME):
        numbers = order[start : start + AT_A_TIME].tolist()
        requests = [CrawlRequest(url(number, hosts), depth=3, priority=0.01) for number in numbers]
        partition.catalogue.add_urls(requests, time.time())
        partition.catalogue.commit()
        tell(f"filling {start + len(numbers):,} of {urls:,}")
    table = SeenTable(expected=urls)
    table.add_many(fingerprints, score=0.01)
    partition.renew_seen(table)
    partition.close()
    tell("sorting")
    connection = sqlite3.connect(partition.catalogue_path)
    connection.executescript(";".join(indexes))
    connection.close()
    print(file=sys.stderr)


def without_indexes(catalogue: Path) -> list[str]:
    """Takes the indexes out of a catalogue; the statements that make them again."""
    connection = sqlite3.connect(catalogue)
    found = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql <> ''")
    statements = []
    for name, statement in found.fetchall():
        connection.execute(f"DROP INDEX {name}")
        statements.append(statement)
    connection.close()
    return statements


def tell(what: str) -> None:
    print(f"\r{what:40}", end="", file=sys.stderr, flush=True)


def opened(folder: Path) -> Partition:
    return Partition(0, folder / "partition-000", Config().store)


def crawl(folder: Path, hosts: int) -> None:
    """What a crawl does to its frontier, without the web."""
    begun = time.perf_counter()
    partition = opened(folder)
    partition.recover()
    settings = FrontierSettings(delay=0.0)
    partition_crawl = open_partition_crawl(
        partition, settings, AddressRateLimit.by(settings, lambda host: None)
    )
    started = time.perf_counter() - begun
    known = len(partition_crawl.seen)
    after_start = most = own_memory()
    begun = time.process_time()
    for page in range(PAGES):
        request = partition_crawl.queues.next(time.time() + 10)
        assert request is not None
        for number in range(known + page * NEW_A_PAGE, known + (page + 1) * NEW_A_PAGE):
            found = CrawlRequest(url(number, hosts), depth=4)
            assert partition_crawl.queues.add_new(found)
            partition_crawl.transaction.add(found)
        partition_crawl.mark_done(request.url.fingerprint)
        partition_crawl.queues.done(request.url.authority, time.time(), 0.0)
        if page % 500 == 499:
            commit([partition_crawl.transaction])
            most = max(most, own_memory())
    cost = (time.process_time() - begun) / PAGES
    promised = PROMISED_BASE + PROMISED_A_URL * known
    print(f"known URLs          {known:,} on {hosts:,} hosts")
    print(f"start               {started:.1f} s")
    print(f"memory at start     {after_start / 1e6:,.0f} MB")
    print(f"memory, the most    {most / 1e6:,.0f} MB, promised {promised / 1e6:,.0f} MB")
    print(f"with mapped files   {memory('VmHWM') / 1e6:,.0f} MB")
    print(f"a page              {cost * 1e6:,.0f} us, with {NEW_A_PAGE} new URLs each, commits included")
    if most > promised:
        sys.exit("more memory than promised")


def own_memory() -> int:
    """Bytes that no file stands behind."""
    return memory("RssAnon")


def memory(kind: str) -> int:
    found = re.search(rf"^{kind}:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


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
