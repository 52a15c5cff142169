"""Crawl log in JSON lines, and the report object that all parts of a crawl share.

Lines are buffered and written with each commit. A file that is too long is followed by a new one, and the
oldest files are deleted. If the log cannot be written, a warning is shown once and the crawl continues
without it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from io import FileIO
from pathlib import Path
from typing import Any

from gossamer.crawl.fetch.robots_cache import RobotsEntry
from gossamer.crawl.hosts.url_pattern import pattern
from gossamer.crawl.settings import CrawlSettings
from gossamer.model import FetchResult, Url, Verdict
from gossamer.model.progress import CrawlProgress

MOST_WAITING = 1 << 20  # bytes of lines that are buffered for a commit
MEGABYTE = 1_000_000  # bytes
PATTERNS = {"calendar", "session-id"}  # reasons that hold for the whole pattern of a URL
_encode = json.JSONEncoder(separators=(",", ":")).encode
_quoted = json.encoder.encode_basestring_ascii


@lru_cache(maxsize=1)  # most lines have the same second as the line before
def _second(second: int) -> str:
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}"


def _time(when: float) -> str:
    return f"{_second(int(when))}.{int((when - int(when)) * 1000):03d}Z"


class CrawlLog:
    """The log of one crawl. Without a folder, or with `log_mb = 0`, nothing is written."""

    def __init__(
        self, folder: Path | None, settings: CrawlSettings, tell: Callable[[str], None] | None = None
    ) -> None:
        self._folder = folder if settings.log_mb else None
        self._most = settings.log_mb * MEGABYTE
        self._keep = settings.log_files
        self._tell = tell
        self._name = f"crawl-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
        self._number = 1
        self._lines: list[str] = []
        self._held = 0
        self._file: FileIO | None = None

    def note(self, event: str, when: float | None = None, **what: object) -> None:
        """Log an event with its details."""
        if self._folder is not None:
            self._add(_encode({"time": _time(when or time.time()), "event": event, **what}))

    def answer(
        self, result: FetchResult, reason: str, verdict: Verdict | None = None, target: Url | None = None
    ) -> None:
        """Log a request for a page: the status or the failure, and the verdict or the target of a redirect.

        The line is built by hand, because the encoder takes three times as long and each page has a line.
        """
        if self._folder is None:
            return
        kind = '"fetch"' if target is None else f'"redirect","to":{_quoted(target.text)}'
        self._add(
            f'{{"time":"{_time(result.fetched_at)}","event":{kind},"url":{_quoted(result.url.text)}'
            f',"status":{result.status},"reason":{_quoted(reason)},"ms":{result.elapsed * 1000:.1f}'
            f',"bytes":{len(result.body)},"verdict":{_quoted(_verdict_text(verdict))}}}'
        )

    def robots(self, url: Url, failed: FetchResult | None, entry: RobotsEntry | None, elapsed: float) -> None:
        """Log a request for a robots.txt."""
        self.note(
            "robots",
            url=f"{url.origin}/robots.txt",
            status=entry.status if entry else 0,
            reason=failed.failure if failed else entry.unreachable if entry else "",
            ms=round(elapsed * 1000, 1),
            crawl_delay=entry.crawl_delay if entry else None,
        )

    def _add(self, line: str) -> None:
        self._lines.append(line)
        self._held += len(line) + 1
        if self._held > MOST_WAITING:
            self.flush()

    def committed(self, progress: CrawlProgress) -> None:
        """Log a commit, and write the lines that it covers."""
        if self._lines:
            self.note("commit", pages=progress.pages, kept=progress.kept, queue=progress.queue)
            self.flush()

    def stopped(self, progress: CrawlProgress) -> None:
        """Log the end of the crawl with its reason: done, stopped or failed."""
        done = "stopped" if progress.stopping else "done"
        self.note(
            "stop",
            reason="failed" if progress.finished is None else done,
            pages=progress.pages,
            kept=progress.kept,
            indexed=progress.indexed,
            queue=progress.queue,
            errors=dict(progress.errors),
        )
        self.close()

    def flush(self) -> None:
        """Write the buffered lines."""
        if self._folder is None or not self._lines:
            return
        lines = "\n".join(self._lines).encode() + b"\n"
        self._lines.clear()
        self._held = 0
        try:
            self._write(self._folder, lines)
        except OSError as error:
            self._give_up(error)

    def close(self) -> None:
        """Write the buffered lines and close the file."""
        self.flush()
        self._close_file()

    def _write(self, folder: Path, lines: bytes) -> None:
        file = self._file or self._open(folder)
        rest = memoryview(lines)
        while rest:
            rest = rest[file.write(rest) or 0 :]
        if file.tell() >= self._most:
            self._close_file()
            self._number += 1

    def _open(self, folder: Path) -> FileIO:
        folder.mkdir(exist_ok=True)
        self._file = FileIO(self._path(folder), "a")
        for old in sorted(folder.glob("crawl-*.jsonl"), key=lambda path: path.stem)[: -self._keep]:
            old.unlink(missing_ok=True)
        return self._file

    def _path(self, folder: Path) -> Path:
        part = f"-{self._number:04d}" if self._number > 1 else ""
        return folder / f"{self._name}{part}.jsonl"

    def _give_up(self, error: OSError) -> None:
        assert self._folder is not None
        path = self._path(self._folder)
        self._folder = None
        if self._tell is not None:
            self._tell(f"cannot write {path}: {error.strerror or error}; the crawl goes on without its log")

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _verdict_text(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    return f"{verdict.judgement}: {verdict.reason}" if verdict.reason else verdict.judgement.value


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """The progress and log that all parts of a crawl report to, and the settings and seeds that they share.

    `Frontier` adds to `seeds` the seeds that come during the crawl, and the targets of redirects from seeds.
    """

    settings: CrawlSettings
    progress: CrawlProgress
    log: CrawlLog
    seeds: set[int] = field(default_factory=set)  # fingerprints

    def seed_failed(self, url: Url, why: str) -> None:
        """Record why a seed was not crawled; other URLs are ignored."""
        if url.fingerprint in self.seeds:
            self.progress.seed_errors[url.text] = why

    def page_lost(self, url: str, reason: str) -> None:
        """Record that an internal error lost a page that was already ingested."""
        self.log.note("lost", url=url, reason=reason)
        self.progress.broke(url, reason)

    def trap_found(self, url: Url, reason: str) -> None:
        """Log a URL pattern as a trap when its first URL is refused."""
        kind, asleep, rest = reason.partition(": ")
        shape, _, why = rest.rpartition(" ") if asleep else (pattern(url), "", reason)
        if (asleep or kind in PATTERNS) and self.progress.asleep(url.authority, shape, why):
            self.log.note("asleep", host=url.authority, pattern=shape, reason=why, url=url.text)

    def ranked(self, told: dict[str, Any]) -> None:
        """Record that link ranks were computed during the crawl, or why they were not."""
        if error := told.get("error"):
            self.progress.troubles.append(f"ranks were not computed: {error}")
        else:
            self.progress.ranked += 1
        self.log.note("ranked", **told)
