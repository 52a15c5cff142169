"""Dates of visits in the catalogue: due, postponed, hastened and announced pages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import CrawlRequest, Judgement, Url, UrlState, Verdict, WarcAddress
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.schema import FetchRow
from gossamer.storage.catalogue.urls import CheckRow, VisitHistory

KEEP = Verdict(Judgement.KEEP)
HOUR = 3600.0


def url(path, host="a.test"):
    return Url.parsed(f"http://{host}{path}")


@pytest.fixture
def catalogue(tmp_path):
    opened = Catalogue(tmp_path / "catalogue.sqlite", create=True)
    yield opened
    opened.close()


def page(catalogue, address, date, *, state=UrlState.FETCHED, verdict=KEEP, **visits):
    """A page that was fetched at 5 and has its next visit at `date`."""
    catalogue.add_urls([CrawlRequest(address, depth=2)], 1.0)
    place = WarcAddress("00000.warc.gz", 100, 50)
    row = FetchRow(address.fingerprint, 5.0, state, 200, etag='"e"', last_modified="then", address=place)
    catalogue.record_fetch(row)
    if verdict:
        catalogue.set_verdict(address.fingerprint, verdict, b"d")
    catalogue.set_visits(address.fingerprint, VisitHistory(checked_at=5.0, next_visit=date, **visits))
    return address.fingerprint


def due(catalogue, now, host="a.test", limit=10):
    return [known.request.url.path for known in catalogue.due(host, now, limit)]


def test_visit_history_survives_the_round_trip(catalogue):
    told = VisitHistory(7.0, 0.5, 60.0, "suspect", 1, 6.0, 0.25, 8.0, 9.0)
    number = page(catalogue, url("/"), 1.0)
    catalogue.set_visits(number, told)
    (known,) = catalogue.due("a.test", 10.0, 5)
    assert known.visits == told
    assert known.request == CrawlRequest(url("/"), depth=2, etag='"e"', last_modified="then")
    assert (known.state, known.verdict, known.digest) == (UrlState.FETCHED, KEEP, b"d")
    assert known.is_kept
    assert known.first_seen == 1.0


def test_due_pages_of_a_host_come_by_date(catalogue):
    for path, date in [("/c", 30.0), ("/a", 10.0), ("/b", 20.0), ("/later", 99.0)]:
        page(catalogue, url(path), date)
    page(catalogue, url("/elsewhere", "b.test"), 1.0)
    assert due(catalogue, 50.0) == ["/a", "/b", "/c"]
    assert due(catalogue, 50.0, limit=2) == ["/a", "/b"]
    assert due(catalogue, 5.0) == []
    assert catalogue.first_visit("a.test", 50.0) == 99.0
    assert catalogue.first_visit("a.test", 99.0) is None


def test_a_url_that_is_queued_is_not_due_as_well(catalogue):
    number = page(catalogue, url("/"), 1.0)
    catalogue.postpone(number, 0.0, 0, "")
    assert due(catalogue, 10.0) == []


@pytest.mark.parametrize(
    ("state", "verdict"),
    [
        (UrlState.REDIRECT, None),
        (UrlState.FAILED, None),
        (UrlState.FETCHED, Verdict(Judgement.UNREADABLE, "empty")),
    ],
)
def test_only_stored_pages_are_requested_conditionally(catalogue, state, verdict):
    page(catalogue, url("/"), 1.0, state=state, verdict=verdict)
    (known,) = catalogue.due("a.test", 10.0, 5)
    assert (known.request.etag, known.request.last_modified) == ("", "")
    assert not known.is_kept


def test_all_hosts_with_dates_are_found(catalogue):
    assert list(catalogue.hosts_to_visit()) == []
    for host, dates in {"b.test": [7.0, 3.0], "a.test": [5.0], "c.test": [9.0, 8.0, 10.0]}.items():
        for i, date in enumerate(dates):
            page(catalogue, url(f"/{i}", host), date)
    catalogue.add_urls([CrawlRequest(url("/", "new.test"))], 1.0)
    assert list(catalogue.hosts_to_visit()) == [("a.test", 5.0), ("b.test", 3.0), ("c.test", 8.0)]


def test_finding_hosts_and_due_pages_uses_the_index(catalogue):
    plans = [
        ("SELECT min(authority) FROM urls WHERE next_visit IS NOT NULL AND authority > 'a'", "urls_by_visit"),
        ("SELECT url FROM urls WHERE authority = 'a' AND next_visit IS NOT NULL AND next_visit <= 5"
         " AND state <> 'queued' ORDER BY next_visit LIMIT 5", "urls_by_visit"),
        ("UPDATE urls SET next_visit = 5 WHERE authority = 'a' AND next_visit < 5", "urls_by_"),
        ("UPDATE urls SET etag = '' WHERE duplicate_of = 5 AND next_visit IS NOT NULL", "urls_by_original"),
    ]  # fmt: skip
    for sql, index in plans:
        plan = " ".join(str(row[3]) for row in catalogue._rows(f"EXPLAIN QUERY PLAN {sql}"))
        assert index in plan, plan
        assert "TEMP B-TREE" not in plan, plan


def test_an_unchanged_page_gets_only_a_row_of_history(catalogue):
    number = page(catalogue, url("/"), 1.0)
    before = catalogue.url(number)
    catalogue.explain(number, "timeout")
    catalogue.confirm(CheckRow(number, 100.0, 304, etag='"new"'))
    after = catalogue.url(number)
    assert (after.fetched_at, after.status, after.address) == (5.0, 200, before.address)
    assert (after.etag, after.last_modified, after.reason) == ('"new"', "then", "")
    assert after.verdict == KEEP
    lines = list(catalogue._rows("SELECT fetched_at, status FROM fetches ORDER BY id"))
    assert lines == [(5.0, 200), (100.0, 304)]


def test_a_page_stays_marked_as_truncated(catalogue):
    number = page(catalogue, url("/"), 1.0)
    catalogue.explain(number, "truncated")
    catalogue.confirm(CheckRow(number, 100.0, 304))
    assert catalogue.url(number).reason == "truncated"


def test_a_silent_host_is_postponed(catalogue):
    for path, date in [("/a", 10.0), ("/b", 500.0)]:
        page(catalogue, url(path), date)
    page(catalogue, url("/", "b.test"), 10.0)
    catalogue.put_off("a.test", 100.0)
    assert dict(catalogue.hosts_to_visit()) == {"a.test": 100.0, "b.test": 10.0}
    assert due(catalogue, 600.0) == ["/a", "/b"]


def test_duplicates_of_a_changed_page_are_requested_unconditionally(catalogue):
    original = page(catalogue, url("/original"), 900.0)
    copy = Verdict(Judgement.DUPLICATE, "same-content", original)
    page(catalogue, url("/copy"), 900.0, verdict=copy)
    page(catalogue, url("/other"), 900.0, verdict=Verdict(Judgement.DUPLICATE, "same-content", 12345))
    assert catalogue.free_copies(original, 50.0) == {"a.test"}
    assert due(catalogue, 50.0) == ["/copy"]
    assert catalogue.due("a.test", 50.0, 5)[0].request.etag == ""
    assert catalogue.free_copies(777, 50.0) == set()


def test_a_page_that_is_dropped_has_no_verdict(catalogue):
    number = page(catalogue, url("/"), 1.0)
    catalogue.drop(number)
    assert catalogue.url(number).verdict is None
    assert not len(catalogue.kept_versions()[0])


def test_a_newer_date_of_a_sitemap_makes_a_page_due(catalogue):
    old, new, liar = (page(catalogue, url(path), 9 * HOUR) for path in ("/old", "/new", "/liar"))
    catalogue.announce([(old, 4.0), (new, 6.0), (12345, 6.0)], HOUR)
    catalogue.announce([(liar, 6.0)], HOUR, trusted=False)
    assert due(catalogue, 5 + HOUR) == ["/new"]
    dates = {known.request.url.path: known.visits.lastmod for known in catalogue.due("a.test", 10 * HOUR, 9)}
    assert dates == {"/old": None, "/new": 6.0, "/liar": 6.0}


def test_an_announcement_never_makes_a_page_later(catalogue):
    number = page(catalogue, url("/"), 10.0)
    catalogue.announce([(number, 6.0)], 9 * HOUR)
    assert due(catalogue, 10.0) == ["/"]


def test_pages_in_good_order_may_come_early(catalogue):
    page(catalogue, url("/good"), 900.0)
    page(catalogue, url("/missing"), 800.0, misses=1)
    page(catalogue, url("/moved"), 700.0, state=UrlState.REDIRECT, verdict=None)
    catalogue.explain(page(catalogue, url("/silent"), 600.0), "timeout")
    assert [known.request.url.path for known in catalogue.early("a.test", 5.0, 10)] == ["/good"]
    assert catalogue.early("a.test", 4.0, 10) == []
    assert catalogue.early("a.test", 5.0, 3) == []


def test_rates_are_columns_with_numbered_hosts(catalogue):
    page(catalogue, url("/", "b.test"), 1.0, changes=0.5, seconds=10.0, importance=0.2)
    page(catalogue, url("/1"), 1.0, changes=1.5, seconds=20.0, importance=0.3)
    page(catalogue, url("/2"), 1.0, changes=2.5, seconds=30.0, importance=0.4)
    catalogue.set_visits(page(catalogue, url("/never"), 1.0), VisitHistory(next_visit=5.0))
    rates = catalogue.rates()
    names = [rates.authorities[host] for host in rates.hosts]
    found = set(zip(names, rates.changes.tolist(), rates.seconds, rates.importances, strict=True))
    assert found == {("b.test", 0.5, 10.0, 0.2), ("a.test", 1.5, 20.0, 0.3), ("a.test", 2.5, 30.0, 0.4)}


def test_a_share_of_the_rates_is_a_sample(catalogue):
    for i in range(400):
        page(catalogue, url(f"/{i}"), 1.0, changes=float(i), seconds=1.0)
    part = catalogue.rates(0.25)
    assert 50 < len(part.changes) < 150
    assert set(part.changes) < set(catalogue.rates().changes)
    assert len(catalogue.rates(0.0).changes) == 0


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 100)), max_size=20), st.floats(0, 100))
def test_due_pages_equal_those_of_a_plain_filter(tmp_path_factory, pages, now):
    catalogue = Catalogue(tmp_path_factory.mktemp("due") / "catalogue.sqlite", create=True)
    for i, (host, date) in enumerate(pages):
        page(catalogue, url(f"/{i}", f"h{host}.test"), date)
    for host in range(4):
        expected = sorted((date, f"/{i}") for i, (of, date) in enumerate(pages) if of == host and date <= now)
        found = due(catalogue, now, f"h{host}.test", 100)
        assert sorted(found) == sorted(path for _, path in expected)
        dates = [pages[int(path[1:])][1] for path in found]
        assert dates == sorted(dates)
    first = dict(catalogue.hosts_to_visit())
    assert first == {f"h{host}.test": min(d for h, d in pages if h == host) for host, _ in pages}
    assert np.all(catalogue.rates().seconds == 0)
    catalogue.close()
