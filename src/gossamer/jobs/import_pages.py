"""Import WARC files and JSON-lines corpora."""

from __future__ import annotations

import asyncio
import gzip
import html
import json
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from gossamer.collection.commit import Lost, Transaction, commit
from gossamer.collection.partition import Partition
from gossamer.config import Config
from gossamer.crawl.ingest import Ingest, Ingested
from gossamer.duplicates.verdict import Duplicates
from gossamer.extract.document import READ_FROM
from gossamer.jobs.sync_index import IndexRun, extraction_pool
from gossamer.model import CrawlRequest, DamagedFile, FetchResult, Url, UrlState, UsageError
from gossamer.model.errors import BEYOND_ONE_PAGE, internal_error
from gossamer.model.notebook import NotebookTable
from gossamer.model.progress import Observer, StepProgress, unobserved
from gossamer.storage.warc import iter_warc
from gossamer.web.dates import timestamp
from gossamer.web.url import canonical


async def import_files(
    partitions: Sequence[Partition],
    route: Callable[[str], int],
    config: Config,
    paths: Sequence[Path],
    index: bool,
    observer: Observer[StepProgress] | None,
) -> ImportSummary:
    """Import pages from WARC files and JSON-lines corpora."""
    transactions = [Transaction(partition) for partition in partitions]
    results = chain.from_iterable(read_file(path) for path in paths)
    with closing(extraction_pool(config)) as pool:
        # The link depth of imported pages is unknown, so that the first of two copies is kept.
        intake = Ingest(Duplicates(transactions, route, lambda _url: 0, config.quality), pool)
        summary = await import_pages(results, transactions, route, intake, observer)
        if index:
            await IndexRun(partitions, config, pool, observer).run()
    return summary


# Read a JSON-lines corpus
# ------------------------


def read_corpus(path: Path) -> Iterator[FetchResult]:
    """Read JSON lines with `text`, and `url` or `_id`; yield each as a small HTML page."""
    corpus = path.name.split(".")[0]
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for line in file:
                number += 1
                if line.strip():
                    yield _corpus_page(_row(line), corpus)
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{path} cannot be read after line {number}: {error}") from error
    except _BadLine as error:
        raise UsageError(f"{path}, line {number}: {error}") from error
    if not number:
        raise UsageError(f"{path} is empty")


class _BadLine(Exception):
    """A line that is not a valid page; the message says why."""


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise _BadLine(f"not UTF-8 (byte {error.start + 1} of the line)") from error
    except (ValueError, RecursionError) as error:
        raise _BadLine(f"not JSON ({error})") from error
    if not isinstance(row, dict):
        raise _BadLine("not a JSON object")
    return row


def _corpus_page(row: dict[str, Any], corpus: str) -> FetchResult:
    url = canonical(address := _address(row)) or canonical(f"https://{corpus}.invalid/{address}")
    if url is None:
        raise _BadLine(f"{address!r} cannot be made a URL")
    text = row.get("text")
    if not isinstance(text, str):
        raise _BadLine(
            f"text must be a string, not {json.dumps(text)[:40]}" if "text" in row else "needs a text"
        )
    # JSON may have lone surrogates (\ud800), which UTF-8 cannot encode.
    body = _html(row, text).encode("utf-8", "replace")
    return FetchResult(url, _fetched_at(row), status=200, headers=_headers(row), body=body)


def _address(row: dict[str, Any]) -> str:
    for value in (row.get("url"), row.get("_id")):
        if isinstance(value, str | int) and str(value).strip():
            return str(value)
    raise _BadLine("needs a url or an _id")


def _html(row: dict[str, Any], text: str) -> str:
    paragraphs = (f"<p>{html.escape(part)}</p>" for part in text.splitlines() if part.strip())
    return (
        f'<!doctype html><html lang="{html.escape(str(row.get("language") or ""))}">'
        f'<meta charset="utf-8"><title>{html.escape(str(row.get("title") or ""))}</title>'
        f"{_meta('author', row.get('author'))}{_meta('article:published_time', row.get('published'))}"
        f"<body>{''.join(paragraphs)}</body></html>"
    )


def _meta(name: str, value: object) -> str:
    content = value.strip() if isinstance(value, str) else ""
    return f'<meta name="{name}" content="{html.escape(content)}">' if content else ""


def _headers(row: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    kind = row.get("media_type")
    read_from = (
        ((READ_FROM, kind),) if isinstance(kind, str) and kind.isascii() and kind.isprintable() else ()
    )
    return (("Content-Type", "text/html; charset=utf-8"), *read_from)


def _fetched_at(row: dict[str, Any]) -> float:
    """Return when the page was fetched; now, if the line has no valid time."""
    now = time.time()
    stated = row.get("fetched")
    moment = timestamp(stated) if isinstance(stated, str) else None
    return moment if moment is not None and 0 < moment <= now else now


COMMIT_EVERY = 500  # imported pages
AT_ONCE = 16  # pages processed concurrently: keeps the extraction workers busy and memory use low


@dataclass(frozen=True, slots=True)
class ImportSummary(NotebookTable):
    """Report what importing did.

    Attributes:
        pages: How many responses and documents were read.
        kept: How many of them are pages to index.
        skipped: How many records are not pages: errors, redirects, requests.
        seconds: How long it took.
        failed: Pages that an internal error left out, as URL and reason.
    """

    pages: int
    kept: int
    skipped: int
    seconds: float
    failed: dict[str, str] = field(default_factory=dict)


def read_file(path: Path) -> Iterator[FetchResult]:
    """Read the pages of a WARC file or a JSON-lines corpus; errors name the file and the position."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    if path.name.endswith((".warc", ".warc.gz")):
        return _read_warc(path)
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        return read_corpus(path)
    raise UsageError(f"{path}: only .warc, .warc.gz, .jsonl and .jsonl.gz files can be imported")


def _read_warc(path: Path) -> Iterator[FetchResult]:
    try:
        yield from iter_warc(path)
    except DamagedFile as error:
        # The file does not belong to the collection, so `gossamer check` cannot repair it.
        raise UsageError(f"{path} is damaged {error.why}") from error


@dataclass(slots=True)
class _Import:
    """State of an import: pages being processed, in order, and the results of earlier pages."""

    transactions: Sequence[Transaction]
    route: Callable[[str], int]
    intake: Ingest
    under_way: deque[tuple[FetchResult, asyncio.Task[Ingested]]] = field(default_factory=deque)
    taken: list[tuple[Url, Ingested]] = field(default_factory=list)  # processed but not committed yet
    pages: int = 0
    kept: int = 0
    skipped: int = 0
    failed: dict[str, str] = field(default_factory=dict)

    async def add(self, result: FetchResult) -> None:
        """Start to process a page; wait first if too many are in progress, or one that must precede it."""
        if not result.is_success:
            self.skipped += 1
            return
        # Of two captures of a URL the later one counts; of two copies the first one.
        if any(other.url == result.url or other.body == result.body for other, _ in self.under_way):
            await self.finish()
        self.under_way.append((result, asyncio.create_task(self._take(result))))
        await self.finish(AT_ONCE - 1)

    async def finish(self, leave: int = 0) -> None:
        """Wait until only `leave` pages are in progress."""
        while len(self.under_way) > leave:
            taken = await self.under_way[0][1]
            result, _ = self.under_way.popleft()
            self.taken.append((result.url, taken))

    async def give_up(self) -> None:
        """Cancel the pages in progress; they will not be committed."""
        tasks = [task for _, task in self.under_way]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _take(self, result: FetchResult) -> Ingested:
        transaction = self.transactions[self.route(result.url.host)]
        request = CrawlRequest(result.url)
        try:
            taken = await self.intake.take(transaction, request, result)
        except BEYOND_ONE_PAGE:
            raise
        except Exception as error:
            self.intake.retract_duplicates(transaction, result.url)
            self.failed[result.url.text] = internal_error(error)
            return Ingested(UrlState.FAILED)
        # Only now: otherwise a commit would leave a failed page in the queue of the crawl.
        transaction.add(request)
        return taken

    def commit(self) -> None:
        """Commit the processed pages."""
        lost = commit(self.transactions)
        for url, reason in lost.items():
            self.failed[url.text] = reason
            self.intake.drop_lost_page(url)
        self._count(lost)
        self.taken.clear()

    def _count(self, lost: Lost) -> None:
        """Count the committed pages. Copies of a lost page, and pages that it replaced, are kept again."""
        numbers = {url.fingerprint for url in lost}
        for url, taken in self.taken:
            if url in lost:
                continue
            self.pages += taken.state is UrlState.FETCHED
            if (verdict := taken.verdict) is not None:
                self.kept += verdict.keep or verdict.duplicate_of in numbers
                self.kept -= sum(demoted not in lost for demoted in taken.demoted)


async def import_pages(
    results: Iterator[FetchResult],
    transactions: Sequence[Transaction],
    route: Callable[[str], int],
    intake: Ingest,
    observer: Observer[StepProgress] | None = None,
) -> ImportSummary:
    """Import pages; their links go into the link log, and are not queued.

    If a file turns out to be invalid, earlier pages stay imported; the error has their number.
    """
    begun = time.perf_counter()
    work = _Import(transactions, route, intake)
    try:
        await _take_all(results, work, observer or unobserved)
    except UsageError as error:
        await work.finish()
        work.commit()
        raise UsageError(f"{error}{_imported_before(work.pages)}") from error
    finally:
        await work.give_up()
        work.commit()
    return ImportSummary(work.pages, work.kept, work.skipped, time.perf_counter() - begun, work.failed)


async def _take_all(results: Iterator[FetchResult], work: _Import, tell: Observer[StepProgress]) -> None:
    number = 0
    for number, result in enumerate(results, 1):
        await work.add(result)
        if number % COMMIT_EVERY == 0:
            await work.finish()
            work.commit()
            tell(StepProgress("importing", number))
    await work.finish()
    tell(StepProgress("importing", number, number))


def _imported_before(pages: int) -> str:
    if not pages:
        return ""
    were = "page before it was" if pages == 1 else "pages before it were"
    return f"; the {pages:,} {were} imported, run: gossamer index"
