"""A stand-in for the engine that remembers what was asked of it, so that commands can be tested alone."""

from __future__ import annotations

import io
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Self

from gossamer.config import Config
from gossamer.crawl.control import LiveCrawl
from gossamer.crawl.hosts.equivalence import EquivalenceRule
from gossamer.graph.ranks.top_pages import RankedPage
from gossamer.jobs.check import CheckReport
from gossamer.jobs.import_pages import ImportSummary
from gossamer.jobs.rank import RankSummary
from gossamer.jobs.sync_index import IndexSummary
from gossamer.model import Contribution, Explanation, Hit, ResultPage, SearchOptions, Snippet
from gossamer.model.progress import CrawlProgress, StepProgress
from gossamer.owner.status import HostPause, HostStatus, LatestFetch, RobotsStatus, SleepingPattern, Status

STATUS = Status(
    directory="here", partitions=1, pages=1200, documents=1100, queued=3, failed=2, refused=1, redirects=4,
    duplicates=5, hosts=16, slow_hosts=1, patterns_asleep=7, bytes_on_disk=12_345_678, oldest_fetch=None,
    newest_fetch="2024-05-01T10:00:00+00:00", segments=2, ranked=False, anchors=0, reasons={"dns": 2},
    not_indexed={"duplicate: same-content": 5},
)  # fmt: skip

HOST = HostStatus(
    host="slow.test",
    urls={"queued": 1200, "fetched": 30, "odd": 1},
    pages=20,
    duplicates=8,
    reasons={"timeout": 3},
    not_indexed={"duplicate: same-content": 8},
    robots=RobotsStatus(
        "http://slow.test", 200, "", "2024-05-01T09:00:00+00:00", 600.0, 60.0, ("http://slow.test/map.xml",)
    ),
    silent_crawls=2,
    silent_since="2024-05-01T10:00:00+00:00",
    pause=HostPause("open", "http-503", 7, 2, "2024-05-01T10:00:00+00:00", "2024-05-01T10:02:00+00:00"),
    asleep=(
        SleepingPattern("/cal/<n>", "calendar", "2024-05-01T10:00:00+00:00", 1234, "http://slow.test/cal/9"),
    ),
    left_out={"asleep": 1234, "session-id": 3},
    equivalences=(EquivalenceRule("?ref", 9, 0, "http://slow.test/?ref=1"),),
    soft_404=("/old/",),
    mirror="a mirror of a.test: 20 of 20 pages are copies of those under the same path of a.test",
    mirrors=("copy.test",),
    fetches=(LatestFetch("http://slow.test/\x1b[2J", "2024-05-01T10:00:00+00:00", 0, "timeout"),),
    next_due="2024-05-01T12:00:00+00:00",
    next_visit=None,
)


def hit(rank: int = 1, title: str = "Jaguar", text: str = "The jaguar is a cat.", **more: Any) -> Hit:
    places = ((4, 10),) if text.startswith("The jaguar") else ()
    return Hit(rank, f"http://cats.test/{rank}", title, Snippet(text, places), 1.5, rank, "en", **more)


EXPLANATION = Explanation((Contribution("jaguar", 1.5, 0.5, 0.75),), 2.0)


class FakeSteering:
    """A crawl that runs, or does not."""

    def __init__(self, note: Any) -> None:
        self._note = note
        self.crawl: LiveCrawl | None = None
        self.is_paused = False

    @property
    def is_running(self) -> bool:
        return self.crawl is not None and self.crawl.running

    def live(self) -> LiveCrawl | None:
        return self.crawl

    def pause(self) -> None:
        self._note("pause")

    def resume(self) -> None:
        self._note("resume")

    def stop(self) -> None:
        self._note("stop")

    def add_seeds(self, urls: Any) -> list[str]:
        self._note("add_seeds", list(urls))
        return list(urls)


class FakeEngine:
    """Gives what a test put into it; `calls` holds (method, arguments) in order."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.directory = Path("here")
        self.config = Config()
        self.progress = CrawlProgress(started=100.0, finished=102.0, pages=4, kept=3, indexed=3, duplicates=1)
        self.results = ResultPage("jaguar", 12, 3.25, (hit(), hit(2, "Car", "A car.")))
        self.report = CheckReport(7, ())
        self.failure: BaseException | None = None
        self.steering = FakeSteering(self._note)

    def open(self, directory: Path, **options: Any) -> Self:
        self.calls.append(("open", directory, options))
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.calls.append(("close",))

    def asked(self, name: str) -> tuple[Any, ...]:
        return next(call[1:] for call in self.calls if call[0] == name)

    def _note(self, *call: Any) -> None:
        self.calls.append(call)
        if self.failure is not None:
            raise self.failure

    def crawl(
        self,
        seeds: Any,
        *,
        index: bool,
        continuous: bool = False,
        refresh: bool = False,
        observer: Any,
        **limits: Any,
    ) -> CrawlProgress:
        given = {name: value for name, value in limits.items() if value is not None}
        self._note("crawl", [str(seed) for seed in seeds], index, observer, given)
        return self.progress

    def warm_up(self) -> None:
        self._note("warm_up")

    def index(self, *, rebuild: bool, merge: bool, observer: Any) -> IndexSummary:
        self._note("index", rebuild, merge)
        if observer:
            observer(StepProgress("indexing", 1, 2))
        return IndexSummary(1100, 20, 1, 2, 1.25)

    def rank(self, *, only: Any = (), observer: Any = None) -> RankSummary:
        self._note("rank", *only)
        return RankSummary(500, 1, 80, 1e-10, True, 0.5)

    def top(self, count: int, by: str = "pagerank") -> list[RankedPage]:
        self._note("top", count, by)
        return [RankedPage(1, "http://cats.test/", "All \x1b[31mcats", 0.25)][:count]

    def search(self, text: str, *, options: SearchOptions) -> ResultPage:
        self._note("search", text, options)
        return self.results

    def suggest(self, text: str, k: int = 8) -> list[str]:
        self._note("suggest", text, k)
        return ["jaguar", "jaguar \x1b[2Jhabitat"][:k]

    def similar(self, url: str, k: int) -> ResultPage:
        self._note("similar", url, k)
        return self.results

    def status(self) -> Status:
        self._note("status")
        return STATUS

    def host_status(self, host: str) -> HostStatus:
        self._note("host_status", host)
        return HOST

    def check(self, *, repair: bool, observer: Any) -> CheckReport:
        self._note("check", repair)
        return self.report

    def export(self, out: Path, form: str, *, observer: Any) -> int:
        self._note("export", out, form)
        return 1

    def import_files(self, paths: Any, *, index: bool, observer: Any) -> ImportSummary:
        self._note("import", list(paths), index)
        return ImportSummary(9, 8, 1, 0.5)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal_as(monkeypatch: Any, stream: str) -> Terminal:
    """Puts a terminal in the place of a stream; pytest puts its own back between two phases."""
    made = Terminal()
    monkeypatch.setattr(sys, stream, made)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    return made


def failed_seed(**more: Any) -> CrawlProgress:
    """A crawl whose only seed could not be fetched."""
    return CrawlProgress(
        started=100.0,
        finished=101.0,
        errors=Counter(dns=1),
        seed_errors={"https://nosuch.test/": "the name nosuch.test is unknown"},
        **more,
    )
