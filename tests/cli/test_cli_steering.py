"""Commands that steer a running crawl, and those for single sites."""

from __future__ import annotations

import json

import pytest
from cli_fakes import STATUS

from gossamer import Engine
from gossamer.cli.status import crawl_line
from gossamer.crawl.control import LiveCrawl
from gossamer.model import UsageError

RUNNING = LiveCrawl(running=True, pid=1, started=100.0, updated=101.0, pages=1204, pages_per_second=12.5)
OVER = LiveCrawl(running=False, pid=1, started=100.0, updated=101.0, finished=102.0)
DIED = LiveCrawl(running=False, pid=1, started=100.0, updated=101.0)


def test_pause(command, engine):
    said = "no crawl is running; the next crawl will wait until: gossamer resume\n"
    assert command("pause") == (0, said, "")
    engine.steering.crawl = RUNNING
    assert command("pause").out == "the crawl is paused until: gossamer resume\n"
    assert engine.asked("pause") == ()


@pytest.mark.parametrize(
    ("rests", "crawl", "said"),
    [
        (True, RUNNING, "the crawl continues\n"),
        (True, None, "crawls are no longer paused; none is running\n"),
        (False, RUNNING, "nothing is paused\n"),
    ],
)
def test_resume(command, engine, rests, crawl, said):
    engine.steering.is_paused, engine.steering.crawl = rests, crawl
    assert command("resume") == (0, said, "")
    assert engine.asked("resume") == ()


def test_stop(command, engine):
    assert command("stop").out == "the crawl is stopping: open requests finish and are indexed\n"
    engine.failure = UsageError("no crawl is running; there is nothing to stop")
    assert command("stop") == (2, "", "gossamer: no crawl is running; there is nothing to stop\n")


def test_seeds(command, engine):
    assert command("seeds", "http://a.test/", "http://b.test/").out == (
        "http://a.test/\nhttp://b.test/\nadded to the next crawl\n"
    )
    engine.steering.crawl = RUNNING
    assert command("seeds", "http://c.test/").out.endswith("added to the running crawl\n")
    assert engine.asked("add_seeds") == (["http://a.test/", "http://b.test/"],)
    assert command("seeds").code == 2


def test_the_crawl_in_the_status(command, engine):
    assert command("status").out.splitlines()[1].split() == ["crawl", "none", "is", "running"]
    engine.steering.crawl = RUNNING
    assert "running, 1,204 pages, 12.5/s" in command("status").out
    told = json.loads(command("status", "--json").out)
    assert told["crawl"]["pages"] == 1204
    assert {name: value for name, value in told.items() if name != "crawl"} == STATUS.as_dict()


def test_what_a_crawl_does_in_a_few_words():
    assert crawl_line(None) == crawl_line(OVER) == "none is running"
    assert crawl_line(DIED) == "died; the next crawl continues from its last commit"
    words = {"paused": "paused", "stopping": "stopping"}
    for name, said in words.items():
        live = LiveCrawl(running=True, pid=1, started=0.0, updated=0.0, **{name: True})
        assert crawl_line(live).startswith(f"{said}, 0 pages")


# Sites


@pytest.fixture
def folder(tmp_path):
    Engine.open(tmp_path / "c", create=True).close()
    return tmp_path / "c"


def test_sites_are_blocked_boosted_and_cleared(command, folder):
    assert command("-C", folder, "sites").out == "no site is blocked or boosted\n"
    command("-C", folder, "sites", "block", "*.spam.example")
    out = command("-C", folder, "sites", "boost", "https://www.example.org/x", "2.5").out
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["block", "*.spam.example"],
        ["boost", "www.example.org", "2.5"],
    ]
    told = json.loads(command("-C", folder, "sites", "--json").out)
    assert told == {
        "rules": [
            {"action": "block", "host": "*.spam.example", "factor": 0.0},
            {"action": "boost", "host": "www.example.org", "factor": 2.5},
        ],
        "problems": [],
    }
    for host in ("*.spam.example", "www.example.org"):
        assert command("-C", folder, "sites", "clear", host).code == 0
    assert command("-C", folder, "sites").out == "no site is blocked or boosted\n"


def test_a_port_of_a_site_is_dropped_with_a_word(command, folder):
    ran = command("-C", folder, "sites", "block", "spam.test:8080")
    assert ran.code == 0
    assert ran.err == "gossamer: a rule applies to all ports of a host: block spam.test\n"
    assert ran.out.splitlines()[1].split() == ["block", "spam.test"]
    assert command("-C", folder, "sites", "clear", "spam.test").err == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frob", "a.test"], "there is no action 'frob'; choose from: block, boost, clear"),
        (["block"], "name a host: gossamer -C "),
        (["boost", "a.test"], "boost needs a factor"),
        (["block", "a.test", "2"], "boost needs a factor"),
        (["boost", "a.test", "20"], "a factor is a number from 0.1 to 10, not 20"),
        (["block", "two words"], "'two words' is not a host"),
        (["clear", "a.test"], "there is no rule for a.test"),
    ],
)
def test_what_cannot_be_done_is_said(command, folder, arguments, said):
    before = (folder / "sites.txt").read_bytes()
    ran = command("-C", folder, "sites", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"gossamer: {said}")
    assert (folder / "sites.txt").read_bytes() == before


def test_mistakes_in_the_file_are_told_beside_the_rules(command, folder, caplog):
    (folder / "sites.txt").write_text("block a.test\nfrob\n")
    ran = command("-C", folder, "sites")
    assert ran.code == 0
    assert "a.test" in ran.out
    (said,) = caplog.messages
    assert "sites.txt, line 2: 'frob' is neither" in said
    assert json.loads(command("-C", folder, "sites", "--json").out)["problems"] == [said]
