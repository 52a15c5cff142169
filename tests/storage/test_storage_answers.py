"""Buffered writes: the tables have the same content as if each row was written at once."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.model import CrawlRequest, Failure, Judgement, Url, UrlState, Verdict, WarcAddress
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.schema import FetchRow
from gossamer.storage.catalogue.urls import CheckRow, VisitHistory

KEEP = Verdict(Judgement.KEEP)
URLS = [Url.parsed(f"http://example.com/{name}") for name in "abc"]
NUMBERS = [url.fingerprint for url in URLS]

numbers = st.sampled_from(NUMBERS)
digests = st.sampled_from([b"one", b"two"])
verdicts = st.sampled_from([KEEP, Verdict(Judgement.DUPLICATE, "same-content", NUMBERS[0])])
fetches = st.builds(
    FetchRow,
    fingerprint=numbers,
    fetched_at=st.sampled_from([5.0, 6.0]),
    state=st.sampled_from([UrlState.FETCHED, UrlState.FAILED, UrlState.REDIRECT]),
    status=st.sampled_from([0, 200, 404]),
    failure=st.sampled_from([None, Failure.TIMEOUT]),
    media_type=st.sampled_from(["", "text/html"]),
    etag=st.sampled_from(["", "e"]),
    redirect_to=st.none() | numbers,
    digest=st.none() | digests,
    address=st.none() | st.just(WarcAddress("00000.warc.gz", 100, 50)),
)
visits = st.builds(
    VisitHistory, st.sampled_from([None, 5.0]), importance=st.floats(0, 1), next_visit=st.just(9.0)
)
operations = st.lists(
    st.one_of(
        st.tuples(st.just("record_fetch"), fetches),
        st.tuples(st.just("set_verdict"), numbers, verdicts, digests),
        st.tuples(st.just("set_visits"), numbers, visits),
        st.tuples(st.just("set_sketch"), numbers, st.binary(min_size=84, max_size=84)),
        st.tuples(st.just("drop_sketch"), numbers),
        st.tuples(st.just("demote"), numbers, verdicts),
        st.tuples(st.just("postpone"), numbers, st.just(7.0), st.just(2), st.just("timeout")),
        st.tuples(st.just("confirm"), st.builds(CheckRow, numbers, st.just(8.0), st.just(304))),
        st.tuples(st.just("url"), numbers),
    ),
    max_size=25,
)


def opened(path):
    catalogue = Catalogue(path, create=True)
    catalogue.add_urls([CrawlRequest(url) for url in URLS], 1.0)
    return catalogue


def tables(path):
    connection = sqlite3.connect(path)
    names = ("urls", "fetches", "sketches")
    found = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}
    connection.close()
    return found


@settings(max_examples=30, deadline=None)
@given(operations)
def test_buffered_writes_give_the_same_tables(tmp_path_factory, wanted):
    folder = tmp_path_factory.mktemp("catalogues")
    together, one_by_one = (opened(folder / name) for name in ("together", "one-by-one"))
    for name, *values in wanted:
        found = getattr(together, name)(*values)
        assert getattr(one_by_one, name)(*values) == found
        one_by_one._write_waiting()
    for catalogue in (together, one_by_one):
        catalogue.commit()
        catalogue.close()
    assert tables(folder / "together") == tables(folder / "one-by-one")


def whole_answer(catalogue, number):
    place = WarcAddress("00000.warc.gz", 100, 50)
    catalogue.set_sketch(number, b"\x01" * 84)
    catalogue.record_fetch(FetchRow(number, 5.0, UrlState.FETCHED, 200, digest=b"old", address=place))
    catalogue.set_verdict(number, KEEP, b"digest")
    catalogue.set_visits(number, VisitHistory(5.0, next_visit=9.0))


@pytest.fixture
def catalogue(tmp_path):
    found = opened(tmp_path / "catalogue.sqlite")
    found.commit()
    yield found
    found.close()


def test_a_page_s_row_is_written_once(catalogue):
    statements = []
    catalogue._connection.set_trace_callback(statements.append)
    for number in NUMBERS:
        whole_answer(catalogue, number)
    assert not statements
    catalogue.commit()
    assert len([sql for sql in statements if sql.startswith("UPDATE urls")]) == len(URLS)


def test_reads_see_buffered_rows(catalogue):
    whole_answer(catalogue, NUMBERS[0])
    row = catalogue.url(NUMBERS[0])
    assert (row.state, row.verdict, row.digest) == (UrlState.FETCHED, KEEP, b"digest")
    assert catalogue.hosts_to_visit().__next__() == ("example.com", 9.0)
    assert catalogue.sketches()[0].tolist() == [NUMBERS[0]]


def test_closing_drops_buffered_rows(catalogue, tmp_path):
    whole_answer(catalogue, NUMBERS[0])
    catalogue.close()
    found = tables(tmp_path / "catalogue.sqlite")
    assert (found["fetches"], found["sketches"]) == ([], [])
    assert {row[5] for row in found["urls"]} == {"queued"}


@pytest.mark.parametrize("spoiled", [{0}, {1}, {2}, {0, 1}, {0, 1, 2}])
def test_a_rejected_row_does_not_affect_others(catalogue, spoiled):
    for place, number in enumerate(NUMBERS):
        whole_answer(catalogue, number)
        if place in spoiled:
            catalogue.set_visits(number, VisitHistory(5.0, misses=2**70))
    refused = catalogue.refused()
    assert set(refused) == {NUMBERS[place] for place in spoiled}
    assert all("OverflowError" in reason for reason in refused.values())
    assert catalogue.refused() == {}
    catalogue.commit()
    states = [catalogue.url(number).state for number in NUMBERS]
    assert states == [UrlState.QUEUED if place in spoiled else UrlState.FETCHED for place in range(3)]
    assert len(catalogue.sketches()[0]) == len(NUMBERS)


def test_commit_requires_a_call_of_refused(catalogue, tmp_path):
    whole_answer(catalogue, NUMBERS[0])
    catalogue.set_visits(NUMBERS[0], VisitHistory(5.0, misses=2**70))
    with pytest.raises(RuntimeError, match="OverflowError"):
        catalogue.commit()
    catalogue.close()
    assert tables(tmp_path / "catalogue.sqlite")["fetches"] == []


def test_a_wrong_statement_is_raised(catalogue):
    with pytest.raises(sqlite3.OperationalError):
        catalogue._write_rows("UPDATE nothing SET x = ?", [(1,), (2,)], key=0)
    assert catalogue.refused() == {}


@pytest.mark.parametrize(("name", "values"), [("explain", ()), ("refuse", ()), ("postpone", (7.0, 2))])
def test_reasons_with_lone_surrogates_can_be_written(catalogue, name, values):
    getattr(catalogue, name)(NUMBERS[0], *values, "half \ud800")
    assert catalogue.url(NUMBERS[0]).reason == "half ?"


def test_the_latest_sketch_of_a_page_counts(catalogue):
    for number, sketch in ((1, 5), (2, 6), (1, 7), (3, 8), (2, 9)):
        catalogue.set_sketch(number, bytes([sketch]) * 84)
    catalogue.drop_sketch(3)
    catalogue.drop_sketch(1)
    catalogue.set_sketch(1, b"\x0a" * 84)
    numbers, sketches = catalogue.sketches()
    assert numbers.tolist() == [1, 2]
    assert sketches[:, 0].tolist() == [10, 9]
