"""Hosts in the catalogue: counts, latest responses, notes."""

import numpy as np
import pytest

from gossamer.model import CrawlRequest, Judgement, Url, UrlState, Verdict
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.schema import Counts, FetchRow, HostRow, RobotsRow
from gossamer.storage.warc import WarcAddress


def url(path, host="example.com"):
    return Url.parsed(f"http://{host}{path}")


@pytest.fixture
def catalogue(tmp_path):
    opened = Catalogue(tmp_path / "catalogue.sqlite", create=True)
    pages = [url(path) for path in ("/kept", "/copy", "/gone", "/waits", "/later")]
    opened.add_urls([CrawlRequest(one) for one in [*pages, url("/", "b.example:8080")]], 1.0)
    kept, copy, gone, waits, later = (one.fingerprint for one in pages)
    place = WarcAddress("00000.warc.gz", 0, 10)
    opened.record_fetch(FetchRow(kept, 5.0, UrlState.FETCHED, 200, address=place))
    opened.record_fetch(FetchRow(copy, 7.0, UrlState.FETCHED, 200, address=place))
    opened.record_fetch(FetchRow(gone, 6.0, UrlState.FAILED, 404, reason="http-404"))
    opened.set_verdict(kept, Verdict(Judgement.KEEP), b"k")
    opened.set_verdict(copy, Verdict(Judgement.DUPLICATE, "same-content", kept), b"k")
    opened.postpone(waits, 30.0, 1, "timeout")
    opened.postpone(later, 90.0, 1, "timeout")
    yield opened
    opened.close()


def test_counts_of_one_host(catalogue):
    assert catalogue.host_counts("example.com") == Counts(
        states={"fetched": 2, "queued": 2, "failed": 1},
        verdicts={"keep": 1, "duplicate": 1},
        reasons={"timeout": 2, "http-404": 1},
        not_indexed={"duplicate: same-content": 1},
    )
    assert catalogue.host_counts("b.example:8080").states == {"queued": 1}
    assert catalogue.host_counts("nobody.example") == Counts({}, {}, {}, {})
    assert (catalogue.urls_of("example.com"), catalogue.urls_of("nobody.example")) == (5, 0)


def test_the_counts_of_all_hosts_add_up(catalogue):
    hosts = [catalogue.host_counts(name) for name in catalogue.authorities()]
    for kind in ("states", "verdicts", "reasons", "not_indexed"):
        total = {}
        for one in hosts:
            for name, count in getattr(one, kind).items():
                total[name] = total.get(name, 0) + count
        assert total == getattr(catalogue.counts(), kind)


def test_all_names(catalogue):
    catalogue.set_robots("asked.example", RobotsRow("http://asked.example", 404, b"", 3.0))
    assert list(catalogue.authorities()) == ["asked.example", "b.example:8080", "example.com"]
    assert catalogue.host("asked.example") == HostRow("asked.example")
    assert catalogue.host("b.example:8080") is None


def test_no_names(tmp_path):
    empty = Catalogue(tmp_path / "empty.sqlite", create=True)
    assert list(empty.authorities()) == []
    empty.close()


def test_urls_requested_last(catalogue):
    found = catalogue.asked_last("example.com", 2)
    assert [(one.url, one.status, one.reason) for one in found] == [
        ("http://example.com/copy", 200, ""),
        ("http://example.com/gone", 404, "http-404"),
    ]
    assert catalogue.asked_last("b.example:8080", 2) == []


def test_when_the_first_queued_url_is_due(catalogue):
    assert catalogue.host_due_at("example.com") == 30.0
    assert catalogue.host_due_at("b.example:8080") == 0.0
    assert catalogue.host_due_at("nobody.example") is None


def test_notes_are_kept_by_kind(catalogue):
    assert catalogue.notes("example.com", "traps") == ""
    catalogue.set_notes("example.com", "traps", '{"a": 1}')
    catalogue.set_notes("example.com", "cookies", "[]")
    catalogue.set_notes("example.com", "traps", '{"a": 2}')
    assert catalogue.notes("example.com", "traps") == '{"a": 2}'
    assert dict(catalogue.all_notes("traps")) == {"example.com": '{"a": 2}'}
    assert list(catalogue.all_notes("none")) == []


def test_sketches(catalogue):
    numbers, sketches = catalogue.sketches()
    assert (len(numbers), sketches.shape) == (0, (0, 84))
    high = 2**64 - 5
    catalogue.set_sketch(high, bytes(range(84)))
    catalogue.set_sketch(3, bytes(84))
    catalogue.set_sketch(3, b"\x01" * 84)
    catalogue.set_sketch(4, b"\x01" * 82 + b"\0\0")
    catalogue.set_sketch(9, b"short")
    numbers, sketches = catalogue.sketches()
    found = dict(zip(numbers.tolist(), sketches.tolist(), strict=True))
    assert found == {high: list(range(84)), 3: [1] * 84, 4: [1] * 82 + [0, 0]}
    assert (numbers.dtype, sketches.dtype) == (np.uint64, np.uint8)
    catalogue.drop_sketch(high)
    assert catalogue.sketches()[0].tolist() == [3, 4]


def test_a_url_is_explained(catalogue):
    catalogue.explain(url("/kept").fingerprint, "truncated")
    row = catalogue.url(url("/kept").fingerprint)
    assert (row.state, row.reason) == (UrlState.FETCHED, "truncated")


def test_hosts_that_must_not_be_requested(catalogue):
    catalogue.leave_host("example.com", 50.0)
    catalogue.leave_host("example.com", 40.0)
    catalogue.leave_host("b.example:8080", 10.0)
    assert dict(catalogue.hosts_to_leave(10.0)) == {"example.com": 50.0}
    names = ("example.com", "b.example:8080", "nobody.example")
    assert [catalogue.host_not_before(name) for name in names] == [50.0, 10.0, 0.0]
    catalogue.set_robots("example.com", RobotsRow("http://example.com", 200, b"", 3.0))
    assert catalogue.host_not_before("example.com") == 50.0
