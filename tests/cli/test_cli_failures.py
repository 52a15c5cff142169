"""Every error is one line on standard error and an exit code."""

from __future__ import annotations

import errno
import logging
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.cli.exit_codes import Terminated, ending_well
from gossamer.model import (
    BadQuery,
    BadSetting,
    CollectionBusy,
    CollectionError,
    DamagedFile,
    NotACollection,
    NotRanked,
    ResultPage,
    WrongFormat,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadSetting("there is no such thing"), 2),
        (NotACollection(Path("x")), 2),
        (CollectionError("the folder is not empty"), 2),
        (CollectionBusy("somebody writes"), 1),
        (NotRanked(), 1),
        (WrongFormat(Path("x"), 9, 1), 1),
        (DamagedFile(Path("x"), "torn"), 1),
    ],
)
def test_errors_of_our_own(command, engine, error, code):
    engine.failure = error
    ran = command("status")
    assert ran == (code, "", f"gossamer: {error}\n")


def test_a_suggested_command_works_as_typed(command, engine, tmp_path):
    engine.failure = NotRanked()
    assert command("status").err.endswith("; run: gossamer rank\n")
    folder = tmp_path / "my pages"
    assert command("-C", folder, "status").err.endswith(f"; run: gossamer -C '{folder}' rank\n")
    engine.failure = None
    out = command("-C", folder, "status").out
    assert f"gossamer -C '{folder}' rank" in out
    engine.results = ResultPage("x", 0, 1.0, notes=("nothing yet; run: gossamer index",))
    assert f"run: gossamer -C '{folder}' index\n" in command("-C", folder, "search", "x").out
    engine.failure = NotACollection(folder)
    assert f"make one with: gossamer -C '{folder}' crawl URL\n" in command("-C", folder, "status").err


def test_a_bad_query_is_pointed_at(command, engine):
    engine.failure = BadQuery('cats "dogs', 5, "this quotation mark is never closed")
    ran = command("search", 'cats "dogs')
    assert ran.code == 2
    first, second, third = ran.err.splitlines()
    assert first == "gossamer: cannot read the query at character 6: this quotation mark is never closed"
    assert second[third.index("^")] == '"'


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frob"], "No such command 'frob'; see: gossamer --help"),
        (["search"], "see: gossamer search --help"),
        (["search", "x", "--bogus"], "No such option '--bogus'"),
        (["search", "x", "-k", "many"], "'-k'"),
        (["search", "x", "-k", "0"], "'-k'"),
        (["crawl", "--delay", "-1"], "--delay"),
        (["serve", "--port", "70000"], "--port"),
        (["rank", "--only", "trust", "--stored"], "choose one of them"),
        (["crawl", "ftp://x.test/"], "only http and https can be crawled"),
        (["crawl", "x.test", "--include", "("], "not a regular expression"),
        (["crawl", "x.test", "--resolve", "x"], "cannot read the host override 'x'"),
        (["crawl", "--seeds", "nowhere.txt"], "cannot read nowhere.txt"),
        (["import", "nowhere.warc"], "there is no file nowhere.warc"),
        (["eval", "nowhere"], "nowhere is not a folder"),
    ],
)
def test_usage_errors_are_one_line_and_2(command, engine, monkeypatch, tmp_path, arguments, said):
    monkeypatch.chdir(tmp_path)
    ran = command(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert said in ran.err
    assert [line for line in ran.err.splitlines() if line.startswith("gossamer: ")] == ran.err.splitlines()[
        -1:
    ]
    assert list(tmp_path.iterdir()) == [], "a mistake leaves nothing behind"


@pytest.mark.parametrize(
    "arguments", [["status"], ["crawl"], ["crawl", "https://a.test/"], ["search", "x"], ["export", "-"]]
)
def test_a_file_is_no_collection_and_will_not_become_one(command, engine, tmp_path, arguments):
    file = tmp_path / "letter.txt"
    file.touch()
    ran = command("-C", file, *arguments)
    assert ran == (2, "", f"gossamer: {file} is a file; name the folder of a collection with -C\n")


@pytest.mark.parametrize("arguments", [["-walrus"], ["sea", "-walrus"]])
def test_an_exclusion_taken_for_an_option_is_explained(command, engine, arguments):
    ran = command("search", *arguments)
    assert ran.code == 2
    assert "No such option '-w'; put -- before a query that begins with a minus; see" in ran.err
    command("search", "--", *arguments)
    assert engine.asked("search")[0] == " ".join(arguments)


def test_other_options_are_not_taken_for_exclusions(command, engine):
    for arguments in (["search", "x", "--bogus"], ["status", "-w"]):
        assert "minus" not in command(*arguments).err


def test_a_bug_is_one_line_that_says_how_to_see_more(command, engine, monkeypatch):
    monkeypatch.delenv("GOSSAMER_DEBUG", raising=False)
    engine.failure = ZeroDivisionError("three\nlines\x1b[2J")
    ran = command("status")
    assert ran.code == 1
    assert ran.err == (
        "gossamer: unexpected ZeroDivisionError: three lines [2J "
        "(run it again with GOSSAMER_DEBUG=1 to see where)\n"
    )
    monkeypatch.setenv("GOSSAMER_DEBUG", "1")
    assert "Traceback" in command("status").err


def test_the_system_refuses(command, engine):
    engine.failure = PermissionError(errno.EACCES, "Permission denied", "catalogue.sqlite")
    ran = command("status")
    assert ran.code == 1
    assert ran.err.startswith("gossamer: catalogue.sqlite: Permission denied")
    engine.failure = OSError("odd")
    assert "unexpected OSError: odd" in command("status").err


def test_ctrl_c(command, engine):
    engine.failure = KeyboardInterrupt()
    assert command("status") == (130, "", "gossamer: stopped\n")


SCRIPT = """
import sys
from gossamer.cli import main
def status(context) -> None:
    for _ in range({lines}):
        print("x" * 100)
main.load = lambda entry: (status, ())
main.main()
"""


ENDLESS = """
import asyncio, signal
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which nohup may have taken away
signal.signal(signal.SIGINT, signal.{interrupt})  # whatever a shell's background left
from gossamer.cli import main
async def work() -> None:
    tasks = [asyncio.create_task(asyncio.sleep(60)), asyncio.create_task(busy())]
    await asyncio.wait(tasks)
async def busy() -> None:
    print("ready", flush=True)
    while True:
        await asyncio.sleep(0)
def status(context) -> None:
    try:
        asyncio.run(work())
    finally:
        print("tidied up", flush=True)
main.load = lambda entry: (status, ())
main.main()
"""


@pytest.mark.parametrize("interrupt", ["default_int_handler", "SIG_IGN"])
@pytest.mark.parametrize(("asked", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_command_that_is_asked_to_end_tidies_up(asked, code, interrupt):
    program = [sys.executable, "-c", ENDLESS.format(interrupt=interrupt), "status"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(asked)
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()  # or the end of the block would wait for it
    assert (process.returncode, out, err) == (code, "tidied up\n", "gossamer: stopped\n")


def swallow_sigterm():
    with ending_well():
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        with pytest.raises(Terminated):
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_what_is_ignored_stays_ignored_and_what_is_swallowed_is_said_in_the_end():
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)}
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever else ran in this process
    try:
        with pytest.raises(Terminated) as ended:
            swallow_sigterm()
        assert ended.value.exit_code == 143
    finally:
        logging.getLogger("asyncio").disabled = False
        signal.signal(signal.SIGHUP, before[signal.SIGHUP])
        signal.signal(signal.SIGINT, before[signal.SIGINT])
    assert signal.getsignal(signal.SIGTERM) == before[signal.SIGTERM]


@pytest.mark.parametrize("lines", [1, 100_000])
def test_a_reader_that_hangs_up_is_met_with_silence(lines):
    writer = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(lines=lines), "status"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    writer.stdout.close()
    said = writer.stderr.read()
    writer.stderr.close()
    writer.wait(120)
    assert said == b""
