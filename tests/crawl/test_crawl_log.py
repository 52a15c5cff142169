"""The crawl log: one JSON object a line, limited size, no failure of the crawl."""

from __future__ import annotations

import errno
import json
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl import log as journals
from gossamer.crawl.fetch.robots_cache import RobotsEntry
from gossamer.crawl.log import CrawlLog, CrawlReport
from gossamer.crawl.settings import CrawlSettings
from gossamer.model import Failure, FetchResult, Judgement, Url, Verdict
from gossamer.model.progress import CrawlProgress
from gossamer.web.robots import ALLOW_ALL

URL = Url.parsed("http://a.test/x?q=%22")
MEGABYTE_OF_LINES = 12_000


def lines(folder):
    files = sorted(folder.glob("*.jsonl"), key=lambda path: path.stem)
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


def written(folder, *results, **settings):
    journal = CrawlLog(folder / "logs", CrawlSettings(**settings))
    for result in results:
        journal.answer(*result)
    journal.close()
    return lines(folder / "logs")


def test_answers(tmp_path):
    page = FetchResult(URL, 1_700_000_000.25, 0.0123, 200, body=b"hello")
    kept, copy = Verdict(Judgement.KEEP), Verdict(Judgement.DUPLICATE, "same-content", 7)
    late = FetchResult(URL, 1_700_000_001.0, failure=Failure.TIMEOUT)
    found = written(tmp_path, (page, "", kept), (page, "truncated", copy), (late, "timeout"))
    assert found[0] == {
        "time": "2023-11-14T22:13:20.250Z",
        "event": "fetch",
        "url": URL.text,
        "status": 200,
        "reason": "",
        "ms": 12.3,
        "bytes": 5,
        "verdict": "keep",
    }
    assert [(one["reason"], one["verdict"]) for one in found] == [
        ("", "keep"),
        ("truncated", "duplicate: same-content"),
        ("timeout", ""),
    ]
    assert found[2]["time"] == "2023-11-14T22:13:21.000Z"


def test_redirects_say_where_to(tmp_path):
    moved = FetchResult(URL, 1_700_000_000.0, status=301)
    (found,) = written(tmp_path, (moved, "", None, Url.parsed("http://b.test/")))
    assert (found["event"], found["to"], found["status"]) == ("redirect", "http://b.test/", 301)


@given(reason=st.text(), when=st.floats(0, 4e9), elapsed=st.floats(0, 1e6))
def test_any_answer_is_one_line_of_json(tmp_path_factory, reason, when, elapsed):
    folder = tmp_path_factory.mktemp("log")
    (found,) = written(folder, (FetchResult(URL, when, elapsed), reason))
    assert found["reason"] == reason
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", found["time"])


def test_robots(tmp_path):
    journal = CrawlLog(tmp_path, CrawlSettings())
    journal.robots(URL, None, RobotsEntry(ALLOW_ALL, 5.0, "", 0.0, 404), 0.25)
    journal.robots(URL, None, RobotsEntry(ALLOW_ALL, None, "answered 503", 0.0, 503), 0.25)
    journal.robots(URL, FetchResult(URL, 0.0, failure=Failure.DNS), None, 0.0)
    journal.close()
    found = lines(tmp_path)
    assert [(one["event"], one["status"], one["reason"], one["crawl_delay"]) for one in found] == [
        ("robots", 404, "", 5.0),
        ("robots", 503, "answered 503", None),
        ("robots", 0, "dns", None),
    ]
    assert found[0]["url"] == "http://a.test/robots.txt"
    assert found[0]["ms"] == 250.0


def test_lines_are_written_with_commits(tmp_path):
    journal = CrawlLog(tmp_path / "logs", CrawlSettings())
    progress = CrawlProgress(pages=3, kept=2, queue=1)
    journal.committed(progress)
    assert not (tmp_path / "logs").exists(), "nothing happened, nothing is written"
    journal.note("start", seeds=["http://a.test/"])
    assert not (tmp_path / "logs").exists()
    journal.committed(progress)
    start, commit = lines(tmp_path / "logs")
    assert start["seeds"] == ["http://a.test/"]
    assert (commit["event"], commit["pages"], commit["kept"], commit["queue"]) == ("commit", 3, 2, 1)
    journal.close()


def test_many_lines_do_not_wait_for_a_commit(tmp_path, monkeypatch):
    monkeypatch.setattr(journals, "MOST_WAITING", 1000)
    journal = CrawlLog(tmp_path, CrawlSettings())
    for _ in range(30):
        journal.note("refused", url=URL.text, reason="robots")
    assert len(lines(tmp_path)) >= 20
    journal.close()
    assert len(lines(tmp_path)) == 30


@pytest.mark.parametrize(
    ("progress", "reason"),
    [
        (CrawlProgress(finished=1.0), "done"),
        (CrawlProgress(finished=1.0, stopping=True), "stopped"),
        (CrawlProgress(), "failed"),
    ],
)
def test_the_end(tmp_path, progress, reason):
    progress.errors["dns"] = 2
    CrawlLog(tmp_path, CrawlSettings()).stopped(progress)
    (found,) = lines(tmp_path)
    assert (found["event"], found["reason"], found["errors"]) == ("stop", reason, {"dns": 2})


def test_the_file_is_named_after_the_start(tmp_path):
    CrawlLog(tmp_path, CrawlSettings()).stopped(CrawlProgress())
    (path,) = tmp_path.iterdir()
    assert re.fullmatch(r"crawl-\d{8}T\d{6}Z\.jsonl", path.name)


def test_long_logs_are_divided_and_the_oldest_files_go(tmp_path):
    for name in ("crawl-20200101T000000Z.jsonl", "crawl-20200101T000000Z-0002.jsonl", "notes.txt"):
        (tmp_path / name).write_text("")
    journal = CrawlLog(tmp_path, CrawlSettings(log_mb=1, log_files=3))
    for number in range(3 * MEGABYTE_OF_LINES):
        journal.note("refused", url=URL.text, number=number)
    journal.close()
    names = sorted((path.stem for path in tmp_path.iterdir()), key=str)
    kept = [name for name in names if name.startswith("crawl-2")]
    assert len(kept) == 3
    assert "notes" in names
    assert not any("2020" in name for name in kept)
    numbers = [one["number"] for one in lines(tmp_path)]
    assert numbers == list(range(numbers[0], 3 * MEGABYTE_OF_LINES)), "the newest, in order, none missing"
    assert all(path.stat().st_size < 2_100_000 for path in tmp_path.iterdir())


def test_zero_megabytes_write_nothing(tmp_path):
    assert written(tmp_path, (FetchResult(URL, 0.0), ""), log_mb=0) == []
    assert not (tmp_path / "logs").exists()
    journal = CrawlLog(None, CrawlSettings())
    journal.note("start")
    journal.stopped(CrawlProgress())


def test_a_log_that_cannot_be_written_is_said_once(tmp_path):
    (tmp_path / "logs").write_text("in the way")
    said = []
    journal = CrawlLog(tmp_path / "logs", CrawlSettings(), said.append)
    for _ in range(3):
        journal.note("start")
        journal.flush()
    journal.close()
    assert len(said) == 1
    assert "logs/crawl-" in said[0]
    assert said[0].endswith("; the crawl goes on without its log")


class FullDisk(journals.FileIO):
    """A file that accepts only ten bytes."""

    def write(self, data):
        if self.tell() >= 10:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(bytes(data)[:10])


def test_a_full_disk_is_said_once(tmp_path, monkeypatch):
    monkeypatch.setattr(journals, "FileIO", FullDisk)
    said = []
    journal = CrawlLog(tmp_path, CrawlSettings(), said.append)
    journal.note("start")
    journal.committed(CrawlProgress())
    journal.note("later")
    journal.stopped(CrawlProgress())
    assert len(said) == 1
    assert "No space left on device" in said[0]
    assert next(tmp_path.iterdir()).stat().st_size == 10


def test_patterns_that_fall_asleep_are_told_once(tmp_path):
    progress, journal = CrawlProgress(), CrawlLog(tmp_path, CrawlSettings())
    tell = CrawlReport(CrawlSettings(), progress, journal).trap_found
    calendar = Url.parsed("http://a.test/cal/2031")
    tell(URL, "asleep: /list/<n> empty-flood")
    tell(URL, "asleep: /list/<n> empty-flood")
    tell(calendar, "calendar")
    tell(URL, "repeated-segments")
    journal.close()
    assert progress.fell_asleep == ("a.test", "/cal/<n>", "calendar")
    assert [(one["host"], one["pattern"], one["reason"]) for one in lines(tmp_path)] == [
        ("a.test", "/list/<n>", "empty-flood"),
        ("a.test", "/cal/<n>", "calendar"),
    ]
