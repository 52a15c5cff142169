"""Pages that somebody else fetched, into a collection: WARC files and corpora of JSON lines."""

from __future__ import annotations

import gzip
import html
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gossamer.engine.batch import Batch, commit
from gossamer.engine.intake import Intake
from gossamer.engine.progress import StepObserver
from gossamer.model import CrawlRequest, FetchResult, UrlState, UsageError
from gossamer.store.warc import iter_warc
from gossamer.web.url import canonical

COMMIT_EVERY = 500  # imported pages


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What importing did."""

    pages: int
    kept: int
    skipped: int  # records without a page: errors, redirects, requests
    seconds: float


def read_file(path: Path) -> Iterator[FetchResult]:
    """The pages of a WARC file or of a corpus of JSON lines."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    if path.name.endswith((".warc", ".warc.gz")):
        return iter_warc(path)
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        return _read_corpus(path)
    raise UsageError(f"{path}: only .warc, .warc.gz, .jsonl and .jsonl.gz files can be imported")


def _read_corpus(path: Path) -> Iterator[FetchResult]:
    """JSON lines with `text`, and `url` or `_id`; each becomes a small HTML page."""
    corpus = path.name.split(".")[0]
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                yield _corpus_page(json.loads(line), corpus)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise UsageError(f"{path}, line {number}: not a page as JSON ({error!r})") from error


def _corpus_page(row: dict[str, Any], corpus: str) -> FetchResult:
    address = str(row.get("url") or row["_id"])
    url = canonical(address) or canonical(f"https://{corpus}.invalid/{address}")
    if url is None:
        raise ValueError(f"{address!r} makes no address")
    paragraphs = (f"<p>{html.escape(part)}</p>" for part in str(row["text"]).splitlines() if part.strip())
    body = (
        f'<!doctype html><html lang="{html.escape(str(row.get("language") or ""), quote=True)}">'
        f'<meta charset="utf-8"><title>{html.escape(str(row.get("title") or ""))}</title>'
        f"<body>{''.join(paragraphs)}</body></html>"
    )
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return FetchResult(url, time.time(), status=200, headers=headers, body=body.encode())


async def import_pages(
    results: Iterator[FetchResult],
    batches: Sequence[Batch],
    route: Callable[[str], int],
    intake: Intake,
    observer: StepObserver | None = None,
) -> ImportSummary:
    """Takes the pages in; what they link to is noted in the link log, not queued."""
    begun = time.perf_counter()
    pages = kept = skipped = 0
    try:
        for number, result in enumerate(results, 1):
            if not result.is_success:
                skipped += 1
                continue
            batch = batches[route(result.url.host)]
            request = CrawlRequest(result.url)
            batch.add(request)
            taken = await intake.take(batch, request, result)
            pages += taken.state is UrlState.FETCHED
            kept += bool(taken.verdict and taken.verdict.keep)
            if number % COMMIT_EVERY == 0:
                commit(batches)
                if observer:
                    observer("importing", number, 0)
    finally:
        commit(batches)
    return ImportSummary(pages, kept, skipped, time.perf_counter() - begun)
