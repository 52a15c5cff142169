"""What visitors leave for the owner: reports of results and sites that they propose."""

from __future__ import annotations

from threading import Thread

import pytest

from gossamer import Engine
from gossamer.model import BadUrl, UsageError
from gossamer.owner.visitor_messages import LONGEST_NOTE, LONGEST_QUERY, Inbox, Reports, Submissions
from gossamer.owner.visitor_messages import REPORTS_FILE as NAME
from gossamer.owner.visitor_messages import SUBMISSIONS_FILE as SUBMISSIONS


def test_reports_of_one_page_for_one_reason_are_one(tmp_path):
    reports = Reports(tmp_path / "owner")
    assert reports.open_ones() == []
    assert reports.add("http://A.test/x", "spam", "jaguar", "a  long\nnote")
    assert reports.add("http://a.test/x", "spam", "cats")
    assert reports.add("http://a.test/x", "broken")
    found = {report.reason: report for report in reports.open_ones()}
    assert (found["spam"].count, found["spam"].query, found["spam"].note) == (2, "cats", "a long note")
    assert found["spam"].url == "http://a.test/x"
    assert found["broken"].count == 1


def test_the_owner_deals_with_each(tmp_path):
    reports = Reports(tmp_path / "owner")
    reports.add("http://a.test/", "spam")
    reports.add("http://b.test/", "other")
    first, second = reports.open_ones()
    assert reports.settle(first.key)
    assert not reports.settle(first.key)
    assert reports.open_ones() == [second]
    reports.add(first.url, first.reason)
    assert len(reports.open_ones()) == 2, "what is reported again is open again"


@pytest.mark.parametrize(
    ("url", "reason", "note"),
    [("two words", "spam", ""), ("http://a.test/", "boring", ""), ("http://a.test/", "spam", "x" * 501)],
)
def test_nonsense_is_refused(tmp_path, url, reason, note):
    reports = Reports(tmp_path / "owner")
    with pytest.raises(UsageError):
        reports.add(url, reason, note=note)
    assert reports.open_ones() == []


def test_what_is_kept_has_an_end(tmp_path):
    reports = Reports(tmp_path / "owner")
    reports.add("http://a.test/", "other", "q" * 5_000, "n" * LONGEST_NOTE)
    (report,) = reports.open_ones()
    assert len(report.query) == LONGEST_QUERY
    ledger = Inbox(tmp_path / "full.jsonl", most=100)
    taken = [ledger.add({"key": str(n)}) for n in range(20)]
    assert taken == sorted(taken, reverse=True)
    assert taken[0]
    assert not taken[-1]
    assert (tmp_path / "full.jsonl").stat().st_size <= 100
    ledger.take_out(lambda entry: entry["key"] == "0")
    assert ledger.add({"key": "new"})


def test_lines_that_cannot_be_read_are_passed_over(tmp_path):
    reports = Reports(tmp_path / "owner")
    reports.add("http://a.test/", "spam")
    path = tmp_path / "owner" / NAME
    path.write_bytes(path.read_bytes() + b'[1]\n{"key": "x"}\n{"key": 3, "url": []}\nhalf a li')
    assert len(reports.open_ones()) == 1
    reports.add("http://b.test/", "spam")
    assert len(reports.open_ones()) == 2


def test_sites_are_proposed_once_however_often(tmp_path):
    submissions = Submissions(tmp_path / "owner")
    for url in ("b.test", "https://a.test/", "https://B.test/"):
        assert submissions.add(url)
    with pytest.raises(BadUrl):
        submissions.add("no url")
    first, second = submissions.open_ones()
    assert (first.url, first.count, second.url) == ("https://b.test/", 2, "https://a.test/")
    assert submissions.settle(first.key)
    assert [one.url for one in submissions.open_ones()] == ["https://a.test/"]
    (tmp_path / "owner" / SUBMISSIONS).write_text('{"key": 1}\n{"url": "x"}\nnull\n')
    assert submissions.open_ones() == []


def test_many_visitors_at_once_lose_nothing(tmp_path):
    def visit(number):
        for place in range(10):
            Reports(tmp_path / "owner").add(f"http://h{number}.test/{place}", "spam")

    threads = [Thread(target=visit, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Reports(tmp_path / "owner").open_ones()) == 40


def test_an_engine_has_them(tmp_path):
    with Engine.open(tmp_path, create=True) as engine:
        engine.reports.add("http://a.test/", "spam")
        engine.submissions.add("http://b.test/")
    with Engine.open(tmp_path) as engine:
        assert [one.url for one in engine.reports.open_ones()] == ["http://a.test/"]
        assert [one.url for one in engine.submissions.open_ones()] == ["http://b.test/"]
