"""A crawl that is killed at any instant: what was committed is there, the rest is gone without a trace."""

import subprocess
import sys

import pytest

from gossamer.store.catalogue import Catalogue
from gossamer.store.linklog import LinkLog
from gossamer.store.warc import WarcStore

WRITER = """
import sys
from pathlib import Path
from gossamer.model import CrawlRequest, FetchResult, UrlState
from gossamer.store.catalogue import Catalogue
from gossamer.store.linklog import LinkLog, LoggedLink
from gossamer.store.rows import FetchRow, stored_url
from gossamer.store.warc import WarcStore

folder = Path(sys.argv[1])
catalogue = Catalogue(folder / "catalogue.sqlite", create=True)
pages = WarcStore(folder / "pages", 20_000)
log = LinkLog(folder / "links" / "links.log")
committed = catalogue.committed()
pages.recover(committed)
log.recover(committed.get("links.log", 0))
number = len(catalogue.fingerprints())
while True:
    url = stored_url(f"http://example.com/{number}", "example.com")
    catalogue.add_urls([CrawlRequest(url)], 1.0)
    address = pages.append(FetchResult(url, 2.0, status=200, body=b"%d " % number * (number % 500)))
    log.append(url.fingerprint, 2.0, [LoggedLink(number, anchor="next")])
    catalogue.record_fetch(FetchRow(url.fingerprint, 2.0, UrlState.FETCHED, 200, address=address))
    number += 1
    if number % 7 == 0:
        for name, size in pages.sync().items():
            catalogue.set_committed(name, size)
        catalogue.set_committed("links.log", log.sync(durable=False))
        catalogue.commit()
        print(number, flush=True)
"""


def kill_after(folder, commits):
    """Lets the writer reach some commits and kills it wherever it is then; returns what it had promised."""
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
        catalogue.close()
