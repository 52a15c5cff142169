"""What a crawl tells while it runs, and what a collection and a host look like afterwards."""

from __future__ import annotations

import json
import time
from heapq import nlargest
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer import Engine
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.crawl.hosts.circuit_breaker import CircuitBreaker
from gossamer.crawl.hosts.mirrors import Mirrors
from gossamer.crawl.hosts.soft_404 import Soft404
from gossamer.crawl.hosts.traps import FetchOutcome, Traps
from gossamer.crawl.hosts.url_pattern import EquivalenceEvidence
from gossamer.crawl.settings import FrontierSettings, TrapSettings
from gossamer.demo.scripted_web import (
    ScriptedHost,
    ScriptedTransport,
    ScriptedWeb,
    error,
    page,
    redirect,
    text,
)
from gossamer.duplicates.settings import QualitySettings
from gossamer.model import GossamerError, Url
from gossamer.model.progress import MOST_NAMED, ROOM, CrawlProgress, CrawlRate, SlowestHosts
from gossamer.text.shingles import ContentSketch

QUICK = {
    "frontier": {"delay": 0.0, "max_crawl_delay": 0.01},
    "extract": {"workers": 0},
    "crawl": {"sitemaps": False},
}
LINKS = ["/moved", "/gone", "/secret", "/copy", "//b.test/"]
SLOW_RULES = "User-agent: *\nCrawl-delay: 600\nDisallow: /secret\nSitemap: http://a.test/map.xml\n"


def web():
    return ScriptedWeb(
        {
            "a.test": ScriptedHost(
                {
                    "/robots.txt": text(SLOW_RULES),
                    "/": page("Home", "the front door", LINKS),
                    "/moved": redirect("/target"),
                    "/target": page("Target", "here it is now"),
                    "/copy": page("Home", "the front door", LINKS),
                    "/gone": error(410),
                }
            ),
            "b.test": ScriptedHost({"/": page("Other", "another host")}),
        }
    )  # fmt: skip


def crawled(folder, partitions=1):
    with Engine.open(folder, create=True, partitions=partitions, settings=QUICK) as engine:
        return engine.crawl("http://a.test/", transport=ScriptedTransport(web(), FetchSettings()))


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("status")
    return folder, crawled(folder)


def known(folder, host):
    with Engine.open(folder, settings=QUICK) as engine:
        return engine.host_status(host)


def noted(folder, kind, name, state, partitions=1):
    """A collection in which something was learned of a host."""
    with Engine.open(folder, create=True, partitions=partitions) as engine:
        partition = engine._partitions[engine._collection.partition_of(name)]
        partition.recover()
        partition.catalogue.host_failed(name, 0.0)
        partition.catalogue.set_notes(name, kind, state if isinstance(state, str) else json.dumps(state))
        partition.catalogue.commit()


# While it runs


def test_what_a_crawl_counts(collection):
    progress = collection[1]
    assert progress.statuses[2:6] == [4, 1, 1, 0]
    assert sum(progress.statuses) == 6
    assert progress.bytes > 0
    assert progress.long_delays == {"a.test"}
    assert {host for host, _ in progress.slowest.top(5)} == {"a.test", "b.test"}
    assert progress.finishing


def test_the_log_of_a_crawl(collection):
    (path,) = (collection[0] / "logs").iterdir()
    found = [json.loads(line) for line in path.read_text().splitlines()]
    events = [one["event"] for one in found]
    assert (events[0], events[-1]) == ("start", "stop")
    assert found[0]["seeds"] == ["http://a.test/"]
    assert {"fetch", "robots", "redirect", "refused", "commit"} <= set(events)
    fetched = {one["url"]: one for one in found if one["event"] in {"fetch", "redirect"}}
    assert len(fetched) == 6
    assert fetched["http://a.test/target"]["verdict"] == "keep"
    assert fetched["http://a.test/moved"]["to"] == "http://a.test/target"
    gone = fetched["http://a.test/gone"]
    assert (gone["status"], gone["reason"]) == (410, "http-410")
    refused = [one["url"] for one in found if one["event"] == "refused"]
    assert refused == ["http://a.test/secret"]
    assert found[-1]["reason"] == "done"


def test_answers_by_class_and_reason():
    progress = CrawlProgress()
    for status in (200, 204, 301, 404, 503, 999, 12345, 42, 0):
        progress.answered("a.test", status, "timeout", 0.5, 10)
    assert progress.statuses == [1, 0, 2, 1, 1, 1, 0, 0, 0, 2]
    assert progress.unanswered == {"timeout": 1}
    assert progress.bytes == 90


def test_only_pauses_beyond_the_cap_are_long():
    progress = CrawlProgress(max_crawl_delay=30.0)
    for seconds in (10.0, 30.0, 31.0):
        progress.wished(f"{seconds}.test", seconds)
    assert progress.long_delays == {"31.0.test"}


def test_what_is_named_has_its_bounds():
    progress = CrawlProgress()
    for number in range(MOST_NAMED + 10):
        progress.wished(f"{number}.test", 100.0)
        progress.asleep("a.test", f"/{number}", "calendar")
    assert len(progress.long_delays) == len(progress.sleeping) == MOST_NAMED
    assert progress.fell_asleep == ("a.test", f"/{MOST_NAMED - 1}", "calendar")


def test_a_pattern_falls_asleep_once():
    progress = CrawlProgress()
    assert progress.asleep("a.test", "/x", "calendar")
    assert not progress.asleep("a.test", "/x", "soft-404")
    assert progress.asleep("b.test", "/x", "soft-404")


def test_response_times_are_smoothed():
    """RFC 6298: 8 s, then 0 s four times: 8 (7/8)^4."""
    slowest = SlowestHosts()
    for seconds in (8.0, 0.0, 0.0, 0.0, 0.0):
        slowest.add("a.test", seconds)
    ((host, smoothed),) = slowest.top(3)
    assert host == "a.test"
    assert smoothed == pytest.approx(8 * (7 / 8) ** 4)


@given(st.lists(st.tuples(st.integers(0, 2 * ROOM), st.floats(0, 100)), max_size=300))
def test_the_table_of_slow_hosts_is_small_and_right_where_hosts_answer_evenly(answers):
    """A host that always takes the same time is among the slowest exactly when its time is."""
    times = dict(answers)
    slowest = SlowestHosts()
    for number, _ in answers:
        slowest.add(str(number), times[number])
    found = slowest.top(3 * ROOM)
    assert len(found) == min(len(times), ROOM)
    expected = nlargest(ROOM, times.values())
    assert [seconds for _, seconds in found] == pytest.approx(expected)


def test_the_pace_of_the_last_ten_seconds():
    progress = CrawlProgress(started=0.0)
    pace = CrawlRate()
    for second in range(1, 31):
        progress.finished = float(second)
        progress.pages += 100 if second <= 20 else 10
        progress.bytes += 1000
        speed = pace.look(progress)
    assert speed == pytest.approx((10.0, 1000.0))
    assert progress.pages_per_second == pytest.approx(70.0)


def test_a_crawl_that_has_just_begun_has_a_pace():
    assert CrawlRate().look(CrawlProgress(started=5.0, finished=5.0)) == (0.0, 0.0)


def test_looking_often_costs_no_memory():
    progress, pace = CrawlProgress(started=0.0), CrawlRate()
    for step in range(30_000):
        progress.finished = step / 1000
        pace.look(progress)
    assert len(pace._samples) <= 110


# A collection


def test_the_whole_counts_slow_hosts(collection):
    with Engine.open(collection[0], settings=QUICK) as engine:
        found = engine.status()
    assert (found.hosts, found.slow_hosts, found.patterns_asleep) == (2, 1, 0)
    with Engine.open(collection[0], settings={"frontier": {"max_crawl_delay": 600.0}}) as engine:
        assert engine.status().slow_hosts == 0


def asleep_after_flood():
    traps = Traps(TrapSettings())
    copied = Url.parsed("http://a.test/list/1")
    for number in range(40):
        url = Url.parsed(f"http://a.test/list/{number}")
        traps.observe(url, FetchOutcome(1_700_000_000.0, words=500, duplicate_of=copied))
    for number in range(50, 55):
        assert traps.refusal(Url.parsed(f"http://a.test/list/{number}")).startswith("asleep: /list/<n>")
    return traps.state()


def test_the_whole_counts_sleeping_patterns(tmp_path):
    noted(tmp_path, "traps", "a.test", asleep_after_flood(), partitions=2)
    with Engine.open(tmp_path) as engine:
        assert engine.status().patterns_asleep == len(engine.host_status("a.test").asleep) == 1


def test_reasons_that_name_a_pattern_or_a_host_are_one_reason(tmp_path):
    crawled(tmp_path)
    with Engine.open(tmp_path) as engine:
        (partition,) = engine._partitions
        partition.recover()
        reasons = {"": "asleep: /x calendar", "target": "asleep: /y empty-flood", "copy": "mirror of b.test"}
        for path, reason in reasons.items():
            partition.catalogue.explain(Url.parsed(f"http://a.test/{path}").fingerprint, reason)
        partition.catalogue.commit()
    with Engine.open(tmp_path) as engine:
        reasons = engine.status().reasons
        assert (reasons["asleep"], reasons["mirror"]) == (2, 1)
        assert engine.host_status("a.test").reasons["asleep: /x calendar"] == 1


# A host


def test_what_is_known_of_a_host(collection):
    found = known(collection[0], "a.test")
    assert found.host == "a.test"
    assert found.urls == {"fetched": 3, "redirect": 1, "failed": 1, "refused": 1}
    assert (found.pages, found.duplicates) == (2, 1)
    assert found.reasons == {"http-410": 1, "robots": 1}
    assert found.not_indexed == {"duplicate: same-content": 1}
    assert found.robots is not None
    assert (found.robots.status, found.robots.crawl_delay, found.robots.followed_delay) == (200, 600.0, 0.01)
    assert found.robots.sitemaps == ("http://a.test/map.xml",)
    assert (found.silent_crawls, found.silent_since, found.next_due) == (0, None, None)
    assert len(found.fetches) == 5
    times = [one.asked_at for one in found.fetches]
    assert times == sorted(times, reverse=True)
    assert {one.url: one.status for one in found.fetches}["http://a.test/gone"] == 410


@pytest.mark.parametrize("name", ["http://a.test/some/page?x", "A.TEST", "https://a.test", "a.test/"])
def test_a_host_has_many_names(collection, name):
    assert known(collection[0], name).host == "a.test"


def test_a_host_without_rules_and_its_json(collection):
    found = json.loads(json.dumps(known(collection[0], "b.test").as_dict()))
    assert found["robots"]["status"] == 404
    assert found["robots"]["crawl_delay"] is None
    assert found["robots"]["sitemaps"] == []
    assert found["asleep"] == found["equivalences"] == []


@pytest.mark.parametrize("partitions", [1, 3])
def test_hosts_are_found_in_their_partition(tmp_path, partitions):
    crawled(tmp_path, partitions)
    assert [known(tmp_path, host).pages for host in ("a.test", "b.test")] == [2, 1]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.tset", "a.tset is not known in this collection; the nearest names are a.test"),
        ("test", "test is not known in this collection; the nearest names are a.test, b.test"),
        (
            "quite-another.example",
            "quite-another.example is not known in this collection; no host has a similar name",
        ),
    ],
)
def test_an_unknown_host(collection, name, said):
    with pytest.raises(GossamerError) as failure:
        known(collection[0], name)
    assert str(failure.value).startswith(said)


def test_a_host_that_does_not_answer(tmp_path):
    crawled(tmp_path)
    asked_at = time.time()
    with Engine.open(tmp_path) as engine:
        (partition,) = engine._partitions
        partition.recover()
        partition.catalogue.postpone(Url.parsed("http://a.test/").fingerprint, 5.0, 1, "timeout")
        for _ in range(2):
            partition.catalogue.host_failed("a.test", asked_at)
        partition.catalogue.commit()
    found = known(tmp_path, "a.test")
    assert found.silent_crawls == 2
    assert found.silent_since == time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(asked_at))
    assert found.next_due == time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(asked_at + 7200))


def test_what_waits_may_be_asked_for_now(tmp_path):
    crawled(tmp_path)
    with Engine.open(tmp_path) as engine:
        (partition,) = engine._partitions
        partition.recover()
        partition.catalogue.postpone(Url.parsed("http://a.test/").fingerprint, 0.0, 0, "")
        partition.catalogue.commit()
    before = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    assert before <= known(tmp_path, "a.test").next_due


# What was learned


def test_patterns_asleep(tmp_path):
    noted(tmp_path, "traps", "a.test", asleep_after_flood())
    found = known(tmp_path, "a.test")
    (pattern,) = found.asleep
    assert (pattern.pattern, pattern.reason, pattern.refused) == ("/list/<n>", "duplicate-flood", 5)
    assert pattern.since == "2023-11-14T22:13:20+00:00"
    assert pattern.example.startswith("http://a.test/list/")
    assert found.left_out == {"asleep": 5}


def test_equivalences_hold_with_www_and_without(tmp_path):
    noted(
        tmp_path,
        "equivalences",
        "a.test",
        {"?ref": EquivalenceEvidence(9, 0, [1, 2, 3], 0, "http://a.test/?ref=1").state()},
    )
    noted(tmp_path, "traps", "www.a.test", {})
    for host in ("a.test", "www.a.test"):
        (rule,) = known(tmp_path, host).equivalences
        assert (rule.difference, rule.same) == ("?ref", 9)


def test_what_a_host_says_instead_of_404(tmp_path):
    notes = Soft404()
    for folder, status, content in (("old", 200, ContentSketch(b"d", b"", 3)), ("new", 404, None)):
        probe = notes.probe(Url.parsed(f"http://a.test/{folder}/x"), "token")
        notes.learn(probe, status, content)
    noted(tmp_path, "soft-404", "a.test", notes.state())
    assert known(tmp_path, "a.test").soft_404 == ("/old/",)


@pytest.mark.parametrize(("until", "state"), [(inf, "open"), (60.0, "half-open")])
def test_a_host_that_is_left_alone(tmp_path, until, state):
    breaker = CircuitBreaker(FrontierSettings(breaker_failures=2))
    breaker.fail(1.0, "timeout", is_new=True)
    breaker.fail(30.0, "http-503", is_new=True)
    breaker.until = min(until, time.time() + 500)
    crawled(tmp_path)
    noted(tmp_path, "breaker", "a.test", breaker.state())
    found = known(tmp_path, "a.test")
    assert found.pause is not None
    assert (found.pause.state, found.pause.reason, found.pause.failures, found.pause.pauses) == (
        state, "http-503", 2, 1,
    )  # fmt: skip
    assert found.pause.since == "1970-01-01T00:00:30+00:00"
    with Engine.open(tmp_path) as engine:
        (partition,) = engine._partitions
        partition.recover()
        partition.catalogue.postpone(Url.parsed("http://a.test/").fingerprint, 0.0, 0, "")
        partition.catalogue.commit()
    assert known(tmp_path, "a.test").next_due >= found.pause.until


def test_a_mirror_of_a_mirror(tmp_path):
    mirrors = Mirrors(QualitySettings())
    for copy, original in (("c.test", "b.test"), ("b.test", "a.test")):
        for number in range(30):
            mirrors.observe(Url.parsed(f"http://{copy}/{number}"), Url.parsed(f"http://{original}/{number}"))
    for host, state in mirrors.state().items():
        noted(tmp_path, "mirrors", host, state, partitions=3)
    noted(tmp_path, "mirrors", "damaged.test", "{", partitions=3)
    assert known(tmp_path, "c.test").mirror.startswith("a mirror of a.test: 30 of 30 pages")
    assert known(tmp_path, "damaged.test").mirror == ""
    noted(tmp_path, "traps", "a.test", {}, partitions=3)
    assert known(tmp_path, "a.test").mirrors == ("b.test", "c.test")
    assert known(tmp_path, "c.test").mirrors == ()


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"floods": 3}', "null", '"text"'])
@pytest.mark.parametrize("kind", ["traps", "equivalences", "mirrors"])
def test_notes_without_sense_count_as_nothing_learned(tmp_path, kind, content):
    noted(tmp_path, kind, "a.test", content)
    found = known(tmp_path, "a.test")
    assert (found.asleep, found.left_out, found.equivalences, found.mirror) == ((), {}, (), "")
