"""`gossamer status`: what is there, and with --host, what is known of one host."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from cli_fakes import HOST, STATUS

from gossamer.cli import status as shown
from gossamer.model import GossamerError


def lines(rows):
    return [f"{label}: {text}" for label, text in rows]


def test_the_whole_collection_counts_slow_hosts_and_sleeping_patterns(command, engine):
    out = " ".join(command("status").out.split())
    assert "hosts whose Crawl-delay exceeds the limit 1 " in out
    assert "URL patterns asleep 7 " in out
    found = json.loads(command("status", "--json").out)
    assert found == {**STATUS.as_dict(), "crawl": None}
    assert (found["slow_hosts"], found["patterns_asleep"]) == (1, 7)


def test_a_host_as_json(command, engine):
    ran = command("status", "--host", "http://slow.test/x", "--json")
    assert engine.asked("host_status") == ("http://slow.test/x",)
    found = json.loads(ran.out)
    assert found == json.loads(json.dumps(HOST.as_dict()))
    assert found["asleep"][0]["reason"] == "calendar"
    assert found["robots"]["followed_delay"] == 60.0
    assert not any(call[0] == "status" for call in engine.calls)


def test_a_host_for_people(command, engine):
    out = command("status", "--host", "slow.test").out
    flat = " ".join(out.split())
    for said in (
        "host slow.test",
        "queued 1,200",
        "odd 1",
        "pages kept 20",
        "reason: timeout 3",
        "not indexed, duplicate: same-content 8",
        "robots.txt answered 200 at 2024-05-01T09:00:00+00:00",
        "600 s in robots.txt; max_crawl_delay limits it to 60 s",
        "sitemap http://slow.test/map.xml",
        "no answer in 2 crawls in a row, last at 2024-05-01T10:00:00+00:00",
        "paused until 2024-05-01T10:02:00+00:00: 7 pages in a row failed since 2024-05-01T10:00:00+00:00,"
        " the last with http-503 (2 pauses; breaker open)",
        "next due 2024-05-01T12:00:00+00:00",
        "next visit of a known page not planned",
        "asleep /cal/<n>: calendar, 1,234 refused since 2024-05-01T10:00:00+00:00, such as http://slow.test/cal/9",
        "left out 1,234 asleep, 3 session-id",
        "equivalent URLs ?ref: 9 pairs of pages agreed, 0 did not, such as http://slow.test/?ref=1",
        "soft 404 /old/: a missing page is answered with a success status",
        "mirror a mirror of a.test: 20 of 20 pages",
        "mirrored by copy.test",
        "last requested status reason URL",
        "2024-05-01T10:00:00+00:00 none timeout http://slow.test/ [2J",
    ):
        assert said in flat
    assert "\x1b" not in out
    assert all(line == line.rstrip() for line in out.splitlines())


def test_a_host_of_which_little_is_known():
    bare = replace(
        HOST, urls={}, reasons={}, not_indexed={}, robots=None, silent_crawls=0, silent_since=None,
        pause=None, asleep=(), left_out={}, equivalences=(), soft_404=(), mirror="", mirrors=(), fetches=(),
        next_due=None,
    )  # fmt: skip
    assert lines(shown.host_rows(bare)) == [
        "host: slow.test",
        "pages kept: 20",
        "duplicates: 8",
        "robots.txt: not requested yet",
        "next due: nothing is queued",
        "next visit of a known page: not planned",
    ]


def test_a_host_whose_next_answer_decides():
    pause = replace(HOST.pause, state="half-open", pauses=1)
    told = dict(shown.host_rows(replace(HOST, pause=pause)))["paused"]
    assert told.startswith("until its next answer: 7 pages in a row failed")
    assert told.endswith("http-503 (1 pause; breaker half-open)")


@pytest.mark.parametrize(
    ("wanted", "followed", "said"),
    [(None, None, "none"), (2.5, 2.5, "2.5 s"), (61.0, 60.0, "max_crawl_delay limits it to 60 s")],
)
def test_crawl_delays(wanted, followed, said):
    robots = replace(HOST.robots, crawl_delay=wanted, followed_delay=followed)
    told = dict(shown.host_rows(replace(HOST, robots=robots)))["crawl delay"]
    assert said in told


def test_why_the_rules_of_a_host_do_not_hold():
    robots = replace(HOST.robots, status=503, reason="robots.txt answered 503, so nothing may be asked")
    said = lines(shown.host_rows(replace(HOST, robots=robots)))
    assert ": robots.txt answered 503, so nothing may be asked" in said


def test_nothing_is_said_of_fetches_that_never_were(command, engine, monkeypatch):
    monkeypatch.setattr(engine, "host_status", lambda _: replace(HOST, fetches=()))
    assert "last requested" not in command("status", "--host", "slow.test").out


def test_an_unknown_host_is_one_line_and_a_failure(command, engine):
    engine.failure = GossamerError("x.test is not known in this collection; nothing like it is")
    for more in ([], ["--json"]):
        ran = command("status", "--host", "x.test", *more)
        assert ran == (1, "", "gossamer: x.test is not known in this collection; nothing like it is\n")


def test_a_log_that_could_not_be_written_is_told_after_the_crawl(command, engine, collection):
    engine.progress.troubles.append("cannot write x.jsonl: disk full; the crawl goes on without its log")
    ran = command("-C", collection, "crawl")
    assert ran.code == 0
    assert ran.err == "gossamer: cannot write x.jsonl: disk full; the crawl goes on without its log\n"
