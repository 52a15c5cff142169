"""Live lines on a terminal, a plain line now and then elsewhere, nothing when quiet."""

from __future__ import annotations

from cli_fakes import terminal_as

from gossamer.cli import progress as watching
from gossamer.cli.progress import Now, crawl_line, crawl_watch, step_line, step_watch
from gossamer.engine.progress import CrawlProgress

PROGRESS = CrawlProgress(
    started=100.0,
    finished=110.0,
    pages=1530,
    bytes=3_200_000,
    queue=44,
    active=12,
    current="http://a.test/\x1b[2J",
)
LINE = "1,530 pages, 153.0 pages/s, 3.2 MB, 44 waiting, 12 active, 0 errors"


def test_the_line_of_a_crawl():
    assert crawl_line(PROGRESS) == LINE
    stopping = CrawlProgress(started=100.0, finished=110.0, pages=1, stopping=True)
    assert crawl_line(stopping).startswith("1 page, ")
    assert "Ctrl-C again" in crawl_line(stopping)


def test_the_line_of_a_step():
    assert step_line("indexing", 1000, 2000) == "indexing: 1,000 of 2,000"
    assert step_line("importing", 500, 0) == "importing: 500"
    assert step_line("checking", 0, 0) == "checking"


def test_now_and_then():
    clock = iter([0.0, 1.0, 4.9, 5.0, 6.0, 9.9, 17.0, 18.0])
    now = Now(5.0, lambda: next(clock))
    assert [now() for _ in range(7)] == [False, False, True, False, False, True, False]


def test_quiet(capsys):
    with crawl_watch(True) as crawl, step_watch(True) as step:
        assert crawl is None
        assert step is None
    assert capsys.readouterr() == ("", "")


def test_plain_lines(capsys, monkeypatch):
    monkeypatch.setattr(watching, "Now", lambda: lambda: True)
    with crawl_watch(False) as crawl, step_watch() as step:
        crawl(PROGRESS)
        step("indexing", 1, 2)
    assert capsys.readouterr() == ("", f"{LINE}\nindexing: 1 of 2\n")


def test_short_work_says_nothing_in_a_pipe(capsys):
    with crawl_watch(False) as crawl, step_watch() as step:
        crawl(PROGRESS)
        step("indexing", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_live_lines_of_a_crawl(monkeypatch):
    terminal = terminal_as(monkeypatch, "stderr")
    with crawl_watch(False) as crawl:
        crawl(PROGRESS)
    shown = terminal.getvalue()
    assert LINE in shown
    assert "http://a.test/ [2J" in shown
    assert "\x1b[2J" not in shown


def test_live_lines_of_steps(monkeypatch):
    terminal = terminal_as(monkeypatch, "stderr")
    with step_watch() as step:
        step("reading links", 0, 3)
        step("importing", 500, 0)
    shown = terminal.getvalue()
    assert "reading links: 0 of 3" in shown
    assert "━" in shown
    assert "importing: 500" in shown
