"""What does a page cost Gossamer, stage by stage?

Each stage works alone on the pages that the last crawl has stored, in this process, and its processor time is
taken. That leaves out what stands between the stages (the event loop, politeness, commits), so the sum is
less than what a page costs in a crawl; it says where the rest goes.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import uvloop

from gossamer.crawl.fetch.fetcher import Fetcher
from gossamer.crawl.fetch.http import HttpTransport
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.extract.document import extract
from gossamer.extract.html import link_targets as resolving
from gossamer.extract.html import parser as html
from gossamer.extract.workers.messages import HEADER, framed_page, page_of
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import CrawlRequest, FetchResult, Page, Url, UrlState
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.schema import FetchRow
from gossamer.storage.link_log import LinkLog
from gossamer.storage.seen_urls import SeenTable
from gossamer.storage.warc import WarcStore, iter_warc
from sites.serving import ADDRESS

MOST_PAGES = 1_000
WARM_UP = 50  # pages that load the compiled code
AT_ONCE = 16


@dataclass(slots=True)
class Clock:
    """Processor time in seconds by stage."""

    spent: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        begun = time.process_time()
        yield
        self.spent[name] = self.spent.get(name, 0.0) + time.process_time() - begun

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, whose time counts as a stage of its own."""

        def clocked(*arguments: Any, **named: Any) -> Any:
            with self.stage(name):
                return function(*arguments, **named)

        return clocked


def stages(collection: Path, port: int, hosts: str) -> dict[str, float]:
    """Microseconds a page by stage, over the pages of a collection whose hosts are being served."""
    results = _stored(collection)
    _measured(results[:WARM_UP], port, hosts)
    spent = _measured(results, port, hosts)
    return {name: 1e6 * seconds / len(results) for name, seconds in spent.items()}


def _stored(collection: Path) -> list[FetchResult]:
    files = sorted(collection.glob("partition-*/pages/*.warc.gz"))
    pages = [result for file in files for result in iter_warc(file) if result.status == 200]
    return pages[:MOST_PAGES]


def _measured(results: Sequence[FetchResult], port: int, hosts: str) -> dict[str, float]:
    clock = Clock()
    settings = FetchSettings(host_overrides=[f"{hosts}={ADDRESS}:{port}"], allow_private=True)
    with clock.stage("fetch"):
        uvloop.run(_fetch(results, settings))
    pages = _extracted(results, clock)
    with clock.stage("pass to the main process"):
        pages = [page_of(framed_page(page)[HEADER.size :], page.url) for page in pages]
    with clock.stage("seen"):
        new = _seen(pages)
    with tempfile.TemporaryDirectory() as scratch:
        _store(results, pages, new, Path(scratch), clock)
        with clock.stage("index"):
            _index(pages, Path(scratch) / "index")
    return clock.spent


async def _fetch(results: Sequence[FetchResult], settings: FetchSettings) -> None:
    transport = HttpTransport(settings)
    fetcher = Fetcher(transport, settings, 0.0)
    waiting = iter(results)

    async def ask() -> None:
        for result in waiting:
            again = await fetcher.fetch(CrawlRequest(result.url))
            assert again.status == result.status, f"{result.url} answers {again.status} now"

    await asyncio.gather(*(ask() for _ in range(AT_ONCE)))
    await transport.close()


def _extracted(results: Sequence[FetchResult], clock: Clock) -> list[Page]:
    """The pages; resolving and gathering links is a stage of its own."""
    with ExitStack() as patches:
        for owner, name in ((html, "read_links"), (resolving.Resolver, "targets")):
            patches.enter_context(patch.object(owner, name, clock.timed("links", getattr(owner, name))))
        with clock.stage("parse"):
            pages = [extract(result) for result in results]
    troubles = {page.problem for page in pages if page.problem}
    assert not troubles, f"pages cannot be read: {troubles}"
    links = clock.spent.pop("links")
    clock.spent |= {"parse": clock.spent["parse"] - links, "links": links}
    return pages


def _seen(pages: Sequence[Page]) -> list[list[str]]:
    """Of each page the addresses that nobody has seen before."""
    table = SeenTable()
    found = []
    for page in pages:
        is_new = table.add_many(page.links.numbers)
        texts = page.links.texts()
        found.append([texts[place] for place in np.flatnonzero(is_new)])
    return found


def _store(
    results: Sequence[FetchResult],
    pages: Sequence[Page],
    new: Sequence[list[str]],
    folder: Path,
    clock: Clock,
) -> None:
    warc = WarcStore(folder, 1 << 30)
    log = LinkLog(folder / "links.log")
    with clock.stage("store: page and links"):
        addresses = [warc.append(result) for result in results]
        for page in pages:
            log.append(page.url.fingerprint, page.fetched_at, page.links)
    warc.close()
    log.close()
    catalogue = Catalogue(folder / "catalogue.sqlite", create=True)
    with clock.stage("store: catalogue"):
        catalogue.add_urls([CrawlRequest(Url.parsed(text)) for texts in new for text in texts], 0.0)
        for result, address in zip(results, addresses, strict=True):
            number, at = result.url.fingerprint, result.fetched_at
            catalogue.record_fetch(FetchRow(number, at, UrlState.FETCHED, result.status, address=address))
        catalogue.commit()
    catalogue.close()


def _index(pages: Sequence[Page], folder: Path) -> None:
    folder.mkdir()
    writer = SegmentWriter("en")
    for page in pages:
        writer.add(page)
    weighting = Weighting.frozen_for(writer.total_lengths(), len(writer))
    Index(folder).commit(writer, np.empty(0, np.uint64), weighting)
