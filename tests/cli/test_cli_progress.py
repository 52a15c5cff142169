"""A panel on a terminal, a plain line now and then elsewhere, nothing when quiet."""

from __future__ import annotations

import io
from collections import Counter
from itertools import count

import pytest
from cli_fakes import terminal_as
from rich.console import Console

from gossamer.cli import progress as watching
from gossamer.cli.progress import (
    Ticker,
    compile_kernels,
    crawl_line,
    crawl_watch,
    panel,
    rows,
    step_line,
    step_watch,
)
from gossamer.kernels import kernel
from gossamer.kernels import warm_up as kernels
from gossamer.kernels.warm_up import WarmUp
from gossamer.model.progress import CrawlProgress, StepProgress

LINE = "1,530 pages, 153.0 pages/s now and 153.0 on average, 3.2 MB, 44 waiting, 12 active, 0 errors"


def crawling(**more):
    return CrawlProgress(
        **{
            "started": 100.0,
            "finished": 110.0,
            "pages": 1530,
            "bytes": 3_200_000,
            "queue": 44,
            "active": 12,
            "current": "http://a.test/\x1b[2J",
        }
        | more
    )


def eventful():
    """A crawl of which everything can be said."""
    progress = crawling(
        pages=1_234_567, bytes=123_456_789_012, queue=12_345_678, hosts=4321, active=1000, kept=1_100_000,
        duplicates=100_000, near_duplicates=20_000, indexed=1_000_000, revisits=1000, unchanged=900, left=3,
    )  # fmt: skip
    progress.statuses[2], progress.statuses[3], progress.statuses[4] = 1_200_000, 30_000, 4_567
    progress.unanswered.update(timeout=20, dns=4)
    for host, seconds in [("a.test", 0.25), ("slow.example.org", 4.25), ("b.test", 1.5), ("c.test", 0.01)]:
        progress.answered(host, 200, "", seconds, 0)
    for number in range(3):
        progress.wished(f"{number}.test", 600.0)
    progress.asleep("a.test", "/list/<n>", "empty-flood")
    progress.asleep(f"{'long.' * 20}test", "/calendar/<n>/<n>", "calendar")
    progress.troubles.append("cannot write x: No space left on device; the crawl goes on without its log")
    return progress


def shown(progress, width=80):
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False)
    console.print(panel(rows(progress, 98.25, 2_100_000.0)))
    return console.file.getvalue().splitlines()


# The panel


def test_a_young_crawl_says_little():
    assert dict(rows(CrawlProgress(started=100.0, finished=100.0), 0.0, 0.0)) == {
        "crawling": "0:00, Ctrl-C stops it",
        "pages": "0, 0.0/s now, 0.0/s on average; 0.0 MB, 0.0 MB/s",
        "hosts": "0 being asked, 0 gave pages; 0 URLs wait",
        "answers": "none yet",
        "kept": "0, 0 duplicates, 0 indexed",
        "asking": "",
    }


def test_everything_that_can_be_said():
    said = dict(rows(eventful(), 98.25, 2_100_000.0))
    assert said["pages"] == "1,234,567, 98.2/s now, 123456.7/s on average; 123.46 GB, 2.1 MB/s"
    assert said["hosts"] == "1,000 being asked, 4,321 gave pages; 12,345,678 URLs wait"
    assert said["answers"] == "1,200,004 2xx, 30,000 3xx, 4,567 4xx, 24 none (20 timeout, 4 dns)"
    assert said["kept"] == "1,100,000, 100,000 duplicates (20,000 near), 1,000,000 indexed"
    assert said["again"] == "1,000 known pages asked for, 900 unchanged, 3 pages left the index"
    assert said["slowest"] == "slow.example.org 4.2 s, b.test 1.5 s, a.test 250 ms"
    assert said["delays"] == "3 hosts want more than 60 s between requests"
    assert said["asleep"].startswith("2 URL patterns; latest, for calendar: …")
    assert said["asleep"].endswith("long.test/calendar/<n>/<n>")
    assert said["trouble"].startswith("cannot write x")


@pytest.mark.parametrize("width", [80, 40, 12])
def test_the_panel_fits_the_terminal(width):
    lines = shown(eventful(), width)
    assert len(lines) == 11
    assert all(len(line) <= width for line in lines)


def test_in_80_columns_only_long_names_are_cut():
    progress = eventful()
    progress.troubles.clear()
    cut = [line for line in shown(progress) if line.endswith("…")]
    assert [line.split()[0] for line in cut] == ["asleep"]


def test_what_comes_from_strangers_cannot_steer_the_terminal():
    assert dict(rows(crawling(), 0.0, 0.0))["asking"] == "http://a.test/ [2J"


def test_one_host_that_wants_a_long_pause():
    progress = crawling(max_crawl_delay=2.5)
    progress.wished("a.test", 3.0)
    said = dict(rows(progress, 0.0, 0.0))
    assert said["delays"] == "1 host wants more than 2.5 s between requests"


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({}, ("crawling", "0:10, Ctrl-C stops it")),
        ({"finished": 100.0 + 3600 + 62}, ("crawling", "1:01:02, Ctrl-C stops it")),
        ({"finishing": True}, ("indexing", "the new pages (0:10)")),
        ({"stopping": True}, ("stopping:", "12 requests in flight; Ctrl-C again cancels them")),
        ({"stopping": True, "active": 1}, ("stopping:", "1 request in flight; Ctrl-C again cancels it")),
        (
            {"stopping": True, "finishing": True, "active": 0},
            ("stopping:", "indexing the new pages; Ctrl-C again leaves this to the next command"),
        ),
    ],
)
def test_the_first_line_says_what_is_happening(state, said):
    lines = rows(crawling(**state), 0.0, 0.0)
    assert lines[0] == said
    assert ("asking" in dict(lines)) == ("finishing" not in state)


# Plain lines


def test_the_line_of_a_crawl():
    assert crawl_line(crawling(), 153.0) == LINE
    progress = crawling(stopping=True, errors=Counter(dns=2))
    progress.asleep("a.test", "/x", "calendar")
    assert crawl_line(progress, 153.0) == LINE.replace("0 errors", "2 errors") + (
        ", 1 URL pattern asleep, stopping: 12 requests in flight; Ctrl-C again cancels them"
    )


def test_the_line_of_a_step():
    assert step_line("indexing", 1000, 2000) == "indexing: 1,000 of 2,000"
    assert step_line("importing", 500, 0) == "importing: 500"
    assert step_line("checking", 0, 0) == "checking"


def test_now_and_then():
    clock = iter([0.0, 1.0, 4.9, 5.0, 6.0, 9.9, 17.0, 18.0])
    now = Ticker(5.0, lambda: next(clock))
    assert [now() for _ in range(7)] == [False, False, True, False, False, True, False]


# Watching


def test_quiet(capsys):
    with crawl_watch(True) as crawl, step_watch(True) as step:
        assert crawl is None
        assert step is None
    assert capsys.readouterr() == ("", "")


def test_plain_lines(capsys, monkeypatch):
    monkeypatch.setattr(watching, "Ticker", lambda every=5.0: lambda: True)
    with crawl_watch(False) as crawl, step_watch() as step:
        crawl(crawling())
        step(StepProgress("indexing", 1, 2))
    assert capsys.readouterr() == ("", f"{LINE}\nindexing: 1 of 2\n")


def test_short_work_says_nothing_in_a_pipe(capsys):
    with crawl_watch(False) as crawl, step_watch() as step:
        crawl(crawling())
        step(StepProgress("indexing", 1, 2))
    assert capsys.readouterr() == ("", "")


def test_that_it_stops_is_said_at_once_and_once(capsys):
    with crawl_watch(False) as crawl:
        for stopping in (False, True, True):
            crawl(crawling(stopping=stopping))
    assert capsys.readouterr().err.count("stopping: 12 requests in flight") == 1


def test_the_live_panel_of_a_crawl(monkeypatch):
    terminal = terminal_as(monkeypatch, "stderr")
    seconds = count()
    monkeypatch.setattr(Ticker, "__call__", lambda _: next(seconds) % 2 == 1)
    with crawl_watch(False) as crawl:
        crawl(crawling(pages=17))
        crawl(crawling())
    drawn = terminal.getvalue()
    assert "1,530, 153.0/s now" in drawn
    assert "17, " not in drawn, "drawn only when it is time"
    assert "http://a.test/ [2J" in drawn
    assert "\x1b[2J" not in drawn


def test_live_lines_of_steps(monkeypatch):
    terminal = terminal_as(monkeypatch, "stderr")
    with step_watch() as step:
        step(StepProgress("reading links", 0, 3))
        step(StepProgress("importing", 500))
    drawn = terminal.getvalue()
    assert "reading links: 0 of 3" in drawn
    assert "━" in drawn
    assert "importing: 500" in drawn


# The first time


@pytest.fixture
def cold(monkeypatch, tmp_path):
    """A cache without machine code, and a warm-up that takes seven seconds by its own clock."""
    asked = []

    def warm_up(stages, observe=None):
        asked.append(list(stages))
        for second in range(8):
            if observe is not None:
                observe(second, 7, float(second))
        return WarmUp(7, 0, ())

    monkeypatch.setattr(kernel, "ready_mark", lambda stage: tmp_path / stage)
    monkeypatch.setattr(kernels, "warm_up", warm_up)
    return asked


def test_a_crawl_compiles_its_kernels_first_and_shows_a_bar(monkeypatch, cold):
    terminal = terminal_as(monkeypatch, "stderr")
    with crawl_watch(quiet=False):
        assert cold == [["crawl"]]
    drawn = terminal.getvalue()
    for second in range(8):
        assert f"compiling kernels (once per version, {second} s so far): {second} of 7" in drawn
    assert "━" in drawn


def test_without_a_terminal_compiling_is_told_in_lines(monkeypatch, capsys, cold):
    ticks = iter([False, True, False, False, True, False, False, True])
    monkeypatch.setattr(watching, "Ticker", lambda every: lambda: next(ticks))
    compile_kernels(["search"])
    assert capsys.readouterr().err.splitlines() == [
        f"compiling kernels (once per version, {second} s so far): {second} of 7" for second in (1, 4, 7)
    ]


def test_nothing_is_told_where_nothing_is_compiled(monkeypatch, capsys, cold, tmp_path):
    compile_kernels(["crawl"], quiet=True)
    (tmp_path / "search").touch()
    compile_kernels(["search"])
    assert capsys.readouterr().err == ""
    assert cold == [["crawl"]]


def test_where_kernels_cannot_be_kept_it_is_said_and_the_work_goes_on(monkeypatch, capsys, cold):
    def refused(stages, observe=None):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(kernels, "warm_up", refused)
    compile_kernels(["crawl"])
    assert "/gossamer/kernels: Permission denied; it is compiled again by each" in capsys.readouterr().err
    compile_kernels(["crawl"], quiet=True)
    assert capsys.readouterr().err == ""


def test_where_the_cache_may_not_even_be_looked_at_the_work_goes_on(monkeypatch, capsys, cold, tmp_path):
    monkeypatch.setattr(kernel, "ready_mark", lambda stage: tmp_path / ("too long" * 100))
    compile_kernels(["crawl"])
    assert "/gossamer/kernels: File name too long; it is compiled again by each" in capsys.readouterr().err
    compile_kernels(["crawl"], quiet=True)
    assert capsys.readouterr().err == ""
    assert not cold


def test_a_command_that_calls_no_kernel_compiles_none(command, engine, cold, tmp_path):
    run, qrels = tmp_path / "a.run", tmp_path / "qrels.tsv"
    run.write_text("q1 Q0 d1 1 2.0 theirs\n")
    qrels.write_text("q1 0 d1 1\n")
    assert command("rank", "--stored").code == 0
    assert command("eval", "--run", run, "--qrels", qrels).code == 0
    assert cold == []
    assert command("rank", "--quiet").code == 0
    assert cold == [["crawl"]]


def test_the_command_tells_what_it_did(monkeypatch, command, cold):
    assert command("warm-up", "--quiet").out.startswith(
        "7 kernels compiled in 0.0 s, 0 compiled before, in /"
    )
    assert cold == [["crawl", "search", "rest"]]
    monkeypatch.setattr(kernels, "warm_up", lambda stages: WarmUp(1, 6, ("a.b: ended",)))
    failed = command("warm-up", "--quiet")
    assert failed.code == 1
    assert failed.err == "gossamer: a.b: ended\n"
    assert failed.out.startswith("1 kernel compiled")


def test_a_cache_that_cannot_be_written_is_named(monkeypatch, command, cold):
    def refused(stages):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(kernels, "warm_up", refused)
    failed = command("warm-up", "--quiet")
    assert failed.code == 2
    assert "/gossamer/kernels: Permission denied; name another folder: XDG_CACHE_HOME=DIR" in failed.err
