"""A crawl that is killed at any moment: committed data is there, everything else is gone."""

import subprocess
import sys

import pytest

from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.link_log import LinkLog
from gossamer.storage.seen_urls import SeenStore
from gossamer.storage.warc import WarcStore

WRITER = """
import sys
from pathlib import Path
import numpy as np
from gossamer.model import CrawlRequest, FetchResult, Link, Links, Url, UrlState
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.link_log import LinkLog
from gossamer.storage.catalogue.schema import FetchRow
from gossamer.storage.seen_urls import SeenEntries, SeenStore
from gossamer.storage.warc import WarcStore

folder = Path(sys.argv[1])
catalogue = Catalogue(folder / "catalogue.sqlite", create=True)
pages = WarcStore(folder / "pages", 20_000)
log = LinkLog(folder / "links" / "links.log")
committed = catalogue.committed()
pages.recover(committed)
log.recover(committed.get("links.log", 0))
seen = SeenStore(folder / "seen")
numbers = []
for name, length in committed.items():
    if name.startswith("seen "):
        numbers = [int(n) for piece in seen.read(int(name[5:]), length) for n in piece.keys]

def columns(numbers):
    ones = np.ones(len(numbers))
    return SeenEntries(np.array(numbers, np.uint64), ones.astype(np.uint8), ones.astype(np.float32))

def renew():
    seen.renew([columns(numbers)])
    catalogue.forget_committed("seen ")
    catalogue.set_committed(f"seen {seen.number}", seen.sync(durable=False))
    catalogue.commit()
    seen.tidy()

renew()
number = len(numbers)
while True:
    url = Url.parsed(f"http://example.com/{number}")
    catalogue.add_urls([CrawlRequest(url)], 1.0)
    address = pages.append(FetchResult(url, 2.0, status=200, body=b"%d " % number * (number % 500)))
    log.append(url.fingerprint, 2.0, Links.of([Link(Url.parsed(f"http://example.com/{number + 1}"), "next")]))
    seen.append(columns([url.fingerprint]))
    numbers.append(url.fingerprint)
    catalogue.record_fetch(FetchRow(url.fingerprint, 2.0, UrlState.FETCHED, 200, address=address))
    number += 1
    if number % 7 == 0:
        for name, size in pages.sync().items():
            catalogue.set_committed(name, size)
        catalogue.set_committed("links.log", log.sync(durable=False))
        catalogue.set_committed(f"seen {seen.number}", seen.sync(durable=False))
        catalogue.commit()
        print(number, flush=True)
        if number % 35 == 0:
            renew()
"""


def kill_after(folder, commits):
    """Kill the writer some time after its first commits; return what it had committed."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True
    ) as writer:
        promised = [int(writer.stdout.readline()) for _ in range(commits)][-1]
        writer.kill()
        rest = writer.stdout.read().split()
    return int(rest[-1]) if rest else promised


@pytest.mark.parametrize("rounds", [3])
def test_a_killed_crawl_continues_where_it_was(tmp_path, rounds):
    for round_number in range(rounds):
        promised = kill_after(tmp_path, 3 + 5 * round_number)
        catalogue = Catalogue(tmp_path / "catalogue.sqlite", create=True)
        committed = catalogue.committed()
        pages, log = WarcStore(tmp_path / "pages", 20_000), LinkLog(tmp_path / "links" / "links.log")
        pages.recover(committed)
        log.recover(committed["links.log"])
        rows = list(catalogue.fetched())
        assert len(rows) >= promised
        assert catalogue.integrity() == []
        for row in rows:
            number = int(row.url.path[1:])
            assert pages.read(row.address, row.url).body == b"%d " % number * (number % 500)
        assert [record.source for record in log.records()] == [
            row.fingerprint for row in sorted(rows, key=lambda row: int(row.url.path[1:]))
        ]
        (name,) = (name for name in committed if name.startswith("seen "))
        pieces = SeenStore(tmp_path / "seen").read(int(name.removeprefix("seen ")), committed[name])
        known = [number for piece in pieces for number in piece.keys.tolist()]
        assert sorted(known) == sorted(row.fingerprint for row in rows)
        catalogue.close()
