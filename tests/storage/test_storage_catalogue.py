"""The catalogue: states, verdicts, history and commits, and errors for damaged files."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gossamer.model import (
    CollectionBusy,
    CrawlRequest,
    DamagedFile,
    Failure,
    GossamerError,
    Judgement,
    Url,
    UrlState,
    Verdict,
    WarcAddress,
    WrongFormat,
)
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.schema import FetchRow, HostRow, RobotsRow
from gossamer.storage.seen_urls import DONE, WAITING

KEEP = Verdict(Judgement.KEEP)


def url(path, host="example.com"):
    return Url.parsed(f"http://{host}{path}")


@pytest.fixture
def catalogue(tmp_path):
    opened = Catalogue(tmp_path / "catalogue.sqlite", create=True)
    yield opened
    opened.close()


def fetch(catalogue, target, *, when=5.0, state=UrlState.FETCHED, **fields):
    place = WarcAddress("00000.warc.gz", 100, 50) if state is UrlState.FETCHED else None
    given = {"status": 200, "address": place, "media_type": "text/html", **fields}
    catalogue.record_fetch(FetchRow(target.fingerprint, when, state, **given))


def queued(catalogue, host="example.com", limit=100):
    """Return the queued requests of a host, and when each may be fetched."""
    waiting = catalogue.requests(catalogue.waiting(host, limit))
    assert len(waiting.fingerprints) == len(waiting.not_before) == len(waiting.rows)
    return [(waiting.request(place), when) for place, when in enumerate(waiting.not_before.tolist())]


def known(catalogue):
    """Return state and priority of every URL by fingerprint."""
    return {
        number: values
        for numbers, *columns in catalogue.known()
        for number, *values in zip(numbers.tolist(), *(one.tolist() for one in columns), strict=True)
    }


def kept(catalogue, number):
    urls = [url(f"/{i}") for i in range(number)]
    catalogue.add_urls([CrawlRequest(one) for one in urls], 1.0)
    for i, address in enumerate(urls):
        fetch(catalogue, address, when=float(i))
        catalogue.set_verdict(address.fingerprint, KEEP, bytes([i % 256]))
    return urls


def test_urls_are_queued_once(catalogue):
    first = CrawlRequest(
        url("/a"), depth=2, priority=0.5, redirects=1, attempts=3, etag="e", last_modified="m"
    )
    catalogue.add_urls([CrawlRequest(url("/b"))], 1.0)
    catalogue.add_urls([first, CrawlRequest(url("/b"), depth=9)], 2.0)
    assert queued(catalogue) == [(first, 0.0), (CrawlRequest(url("/b")), 0.0)]
    expected = {url("/a").fingerprint: [WAITING, 0.5], url("/b").fingerprint: [WAITING, 0.0]}
    assert known(catalogue) == expected


def test_a_host_s_best_urls_come_first_then_the_oldest(catalogue):
    catalogue.add_urls([CrawlRequest(url("/late"), priority=0.5)], 3.0)
    catalogue.add_urls([CrawlRequest(url(p), priority=w) for p, w in (("/low", 0.1), ("/early", 0.5))], 1.0)
    catalogue.add_urls([CrawlRequest(url("/elsewhere", "other.example"), priority=9.0)], 1.0)
    catalogue.add_urls([CrawlRequest(url("/paid")), CrawlRequest(url("/poor"))], 4.0, [2.0, 0.05])
    found = [request.url.path for request, _ in queued(catalogue)]
    assert found == ["/paid", "/early", "/late", "/low", "/poor"]
    assert [request.priority for request, _ in queued(catalogue, limit=2)] == [2.0, 0.5]
    assert queued(catalogue, "nobody.example") == []
    assert dict(catalogue.waiting_hosts()) == {"example.com": 5, "other.example": 1}


def test_a_host_s_urls_are_found_by_an_index(catalogue):
    sql = "SELECT * FROM urls WHERE authority = ? AND state = 'queued' ORDER BY priority DESC, first_seen"
    (plan,) = catalogue._rows(f"EXPLAIN QUERY PLAN {sql} LIMIT 5", ("a",))
    assert "USING INDEX urls_by_authority (authority=? AND state=?)" in plan[3]


def test_all_fingerprints_come_in_pieces(catalogue, monkeypatch):
    monkeypatch.setattr("gossamer.storage.catalogue.urls.MANY", 3)
    urls = kept(catalogue, 7)
    catalogue.add_urls([CrawlRequest(url("/w"), priority=0.25)], 1.0)
    assert [len(piece.keys) for piece in catalogue.known()] == [3, 3, 2]
    assert known(catalogue) == {
        **{one.fingerprint: [DONE, 0.0] for one in urls},
        url("/w").fingerprint: [WAITING, 0.25],
    }


def test_an_empty_catalogue(catalogue):
    assert list(catalogue.known()) == []
    assert list(catalogue.waiting_hosts()) == []


def test_a_host_s_urls_are_hastened_and_given_up(catalogue):
    a, b, c, d = url("/a"), url("/b"), url("/c"), url("/d", "other.example")
    catalogue.add_urls([CrawlRequest(one) for one in (a, b, c, d)], 1.0)
    fetch(catalogue, c)
    for one in (a, d):
        catalogue.postpone(one.fingerprint, 70.0, 2, "timeout")
    catalogue.hasten("example.com")
    assert sorted(when for _, when in queued(catalogue)) == [0.0, 0.0]
    assert queued(catalogue, "other.example") == [(CrawlRequest(d, attempts=2), 70.0)]
    assert sorted(catalogue.give_up_host("example.com", "dns")) == sorted([a.fingerprint, b.fingerprint])
    assert catalogue.give_up_host("example.com", "dns") == []
    assert catalogue.counts().states == {"failed": 2, "fetched": 1, "queued": 1}
    assert catalogue.counts().reasons == {"dns": 2, "timeout": 1}
    assert dict(catalogue.waiting_hosts()) == {"other.example": 1}


def test_a_fetch_changes_the_state_and_adds_history(catalogue, tmp_path):
    catalogue.add_urls([CrawlRequest(url("/a"))], 1.0)
    fetch(catalogue, url("/a"), etag="x", size=10, elapsed=0.5)
    fetch(catalogue, url("/a"), when=9.0, status=304, address=None, media_type="", etag="y")
    row = catalogue.url(url("/a").fingerprint)
    assert (row.state, row.status, row.fetched_at, row.etag) == (UrlState.FETCHED, 304, 9.0, "y")
    assert (row.address, row.media_type) == (WarcAddress("00000.warc.gz", 100, 50), "text/html")
    assert queued(catalogue) == []
    assert list(catalogue.fetched()) == [row]
    catalogue.commit()
    with sqlite3.connect(tmp_path / "catalogue.sqlite") as other:
        history = list(other.execute("SELECT url, fetched, status, bytes FROM history ORDER BY fetched"))
    other.close()
    assert [line[2:] for line in history] == [(200, 10), (304, 0)]


def test_failures_and_second_tries(catalogue):
    catalogue.add_urls([CrawlRequest(url(p)) for p in ("/a", "/b", "/c", "/d")], 1.0)
    catalogue.postpone(url("/a").fingerprint, 70.0, 2, "timeout")
    fetch(catalogue, url("/b"), state=UrlState.FAILED, status=0, failure=Failure.DNS)
    fetch(catalogue, url("/c"), state=UrlState.FAILED, status=404, reason="http-404")
    catalogue.refuse(url("/d").fingerprint, "robots")
    assert queued(catalogue) == [(CrawlRequest(url("/a"), attempts=2), 70.0)]
    assert catalogue.counts().states == {"queued": 1, "failed": 2, "refused": 1}
    assert catalogue.counts().reasons == {"timeout": 1, "dns": 1, "http-404": 1, "robots": 1}
    assert list(catalogue.fetched()) == []
    assert catalogue.freshness() is None


def test_verdicts(catalogue):
    first, second, third = kept(catalogue, 3)
    catalogue.set_verdict(second.fingerprint, Verdict(Judgement.DUPLICATE, "same", first.fingerprint), b"\0")
    catalogue.set_verdict(third.fingerprint, Verdict(Judgement.NOINDEX, "meta"), b"\x07")
    assert catalogue.digest_owner(b"\0") == first.fingerprint
    assert catalogue.digest_owner(b"\x07") is None
    assert catalogue.counts().verdicts == {"keep": 1, "duplicate": 1, "noindex": 1}
    assert catalogue.url(second.fingerprint).verdict.duplicate_of == first.fingerprint
    assert catalogue.kept_versions()[0].tolist() == [first.fingerprint]
    assert catalogue.freshness() == (0.0, 2.0)
    assert catalogue.url(12345) is None


def test_unreadable_documents_have_no_content(catalogue, tmp_path):
    first, second, third = kept(catalogue, 3)
    catalogue.set_verdict(first.fingerprint, KEEP, b"\1" * 16)
    catalogue.set_verdict(second.fingerprint, Verdict(Judgement.UNREADABLE, "broken-docx"), b"")
    catalogue.commit()
    with sqlite3.connect(tmp_path / "catalogue.sqlite") as other:  # as it was written once
        other.execute("UPDATE urls SET digest = x'' WHERE url = ?", (third.text,))
        held = dict(other.execute("SELECT url, digest FROM urls"))
    other.close()
    assert held[second.text] is None
    assert catalogue.contents().tolist() == [int.from_bytes(b"\1" * 8, "little")]


def test_kept_pages_come_by_rising_unsigned_fingerprint(catalogue):
    wanted = sorted(kept(catalogue, 40), key=lambda address: address.fingerprint)
    fingerprints, fetched_at = catalogue.kept_versions()
    assert fingerprints.dtype == np.uint64
    assert fingerprints.tolist() == [address.fingerprint for address in wanted]
    assert fetched_at.tolist() == [float(address.path[1:]) for address in wanted]
    assert wanted[-1].fingerprint >= 1 << 63


def test_no_pages_are_empty_arrays(catalogue):
    assert [len(column) for column in catalogue.kept_versions()] == [0, 0]


def test_redirects_duplicates_and_canonical_addresses(catalogue):
    a, b, c, d = (url(p) for p in ("/a", "/b", "/c", "/d"))
    catalogue.add_urls([CrawlRequest(one) for one in (a, b, c, d)], 1.0)
    fetch(catalogue, a, state=UrlState.REDIRECT, status=301, redirect_to=b.fingerprint)
    fetch(catalogue, c)
    catalogue.set_verdict(c.fingerprint, Verdict(Judgement.DUPLICATE, "canonical", b.fingerprint), b"c")
    fetch(catalogue, d)
    catalogue.set_verdict(d.fingerprint, Verdict(Judgement.DUPLICATE, "same-content", b.fingerprint), b"d")
    expected = dict.fromkeys((a.fingerprint, c.fingerprint, d.fingerprint), b.fingerprint)
    sources, targets = catalogue.aliases()
    assert dict(zip(sources.tolist(), targets.tolist(), strict=True)) == expected


def test_hosts_and_robots(catalogue):
    robots = RobotsRow("http://example.com", 200, b"User-agent: *\n", 3.0, "", 2.5)
    assert catalogue.robots("example.com") is None
    catalogue.host_failed("example.com", 7.0)
    catalogue.host_failed("example.com", 9.0)
    assert catalogue.robots("example.com") is None
    assert catalogue.host_failures("example.com") == 2
    assert list(catalogue.hosts()) == [HostRow("example.com", None, 2, 9.0)]
    catalogue.set_robots("example.com", robots)
    catalogue.set_robots("other.example", RobotsRow("https://other.example", 0, b"", 4.0, "timeout"))
    assert catalogue.robots("example.com") == robots
    assert catalogue.host_failures("example.com") == 2
    catalogue.host_answered("example.com")
    assert catalogue.host_failures("example.com") == 0
    assert list(catalogue.hosts()) == [HostRow("example.com", 2.5, 0, 9.0), HostRow("other.example")]


def test_pages_that_name_a_canonical_address(catalogue):
    a, b, c = (url(p) for p in ("/a", "/b", "/c"))
    catalogue.add_urls([CrawlRequest(one) for one in (a, b, c)], 1.0)
    fetch(catalogue, a, redirect_to=c.fingerprint)
    catalogue.set_verdict(a.fingerprint, KEEP, b"a")
    fetch(catalogue, b, state=UrlState.REDIRECT, status=301, redirect_to=c.fingerprint)
    assert [row.url for row in catalogue.claimants(c.fingerprint)] == [a]


def test_a_lost_page_is_queued_again(catalogue):
    a = url("/a")
    catalogue.add_urls([CrawlRequest(a)], 1.0)
    fetch(catalogue, a, etag="x", last_modified="y")
    catalogue.lose(a.fingerprint, "damaged-record")
    assert queued(catalogue) == [(CrawlRequest(a), 0.0)]
    assert catalogue.url(a.fingerprint).address is None


def test_rows_and_sizes_are_committed_together(tmp_path):
    path = tmp_path / "catalogue.sqlite"
    writer = Catalogue(path, durable=True, create=True)
    writer.add_urls([CrawlRequest(url("/a"))], 1.0)
    writer.set_committed("00000.warc.gz", 10)
    writer.commit()
    reader = Catalogue(path, read_only=True)
    writer.add_urls([CrawlRequest(url("/b"))], 1.0)
    writer.set_committed("00000.warc.gz", 20)
    assert (reader.committed(), len(known(reader))) == ({"00000.warc.gz": 10}, 1)
    writer.close()
    writer = Catalogue(path, durable=True)
    assert (writer.committed(), len(known(writer))) == ({"00000.warc.gz": 10}, 1)
    writer.set_committed("00000.warc.gz", 30)
    writer.close()
    assert reader.committed() == {"00000.warc.gz": 10}
    with pytest.raises(GossamerError, match=r"catalogue\.sqlite"):
        reader.set_committed("x", 1)
    reader.close()


def test_a_missing_catalogue(tmp_path):
    for read_only in (True, False):
        with pytest.raises(DamagedFile, match=r"absent.*missing or empty"):
            Catalogue(tmp_path / "absent.sqlite", read_only=read_only)
    with pytest.raises(GossamerError, match="nowhere"):
        Catalogue(tmp_path / "nowhere" / "catalogue.sqlite", create=True)


def test_another_format_is_refused(tmp_path):
    path = tmp_path / "catalogue.sqlite"
    Catalogue(path, create=True).close()
    for change in ("PRAGMA user_version = 99", "PRAGMA user_version = 0"):
        connection = sqlite3.connect(path)
        connection.execute(change)
        connection.close()
        with pytest.raises(WrongFormat, match=f"has format {change[-2:].strip()}"):
            Catalogue(path)


def test_two_writers_do_not_mix(tmp_path, monkeypatch):
    monkeypatch.setattr("gossamer.storage.catalogue.schema.BUSY_SECONDS", 0.01)
    first = Catalogue(tmp_path / "c.sqlite", create=True)
    second = Catalogue(tmp_path / "c.sqlite")
    first.set_committed("a", 1)
    with pytest.raises(CollectionBusy, match=r"c\.sqlite"):
        second.set_committed("a", 2)
    first.close()
    second.close()


def test_damage_is_named(tmp_path):
    path = tmp_path / "catalogue.sqlite"
    path.write_bytes(b"this is no database" * 100)
    with pytest.raises(DamagedFile, match=r"catalogue\.sqlite"):
        Catalogue(path)


def test_damage_inside_is_found(tmp_path):
    path = tmp_path / "catalogue.sqlite"
    catalogue = Catalogue(path, create=True)
    kept(catalogue, 500)
    catalogue.commit()
    catalogue.close()
    content = bytearray(path.read_bytes())
    for place in range(4096 * 30, len(content), 4096):
        content[place : place + 200] = b"\xa5" * 200
    path.write_bytes(content)
    catalogue = Catalogue(path, create=True)
    assert any(str(path) in line for line in catalogue.integrity())
    with pytest.raises(DamagedFile, match=r"catalogue\.sqlite"):
        list(catalogue.fetched())
    catalogue.close()


def test_a_full_disk_is_reported(tmp_path):
    path = tmp_path / "catalogue.sqlite"
    catalogue = Catalogue(path, create=True)
    catalogue._connection.execute("PRAGMA max_page_count = 30")
    with pytest.raises(GossamerError, match=r"catalogue\.sqlite: database or disk is full"):
        kept(catalogue, 2000)
    catalogue.close()
    catalogue = Catalogue(path)
    assert catalogue.counts().states == {}
    catalogue.close()


def test_integrity_compares_the_tables(catalogue):
    kept(catalogue, 2)
    assert any("beyond the committed size" in line for line in catalogue.integrity())
    catalogue.set_committed("00000.warc.gz", 150)
    assert catalogue.integrity() == []
    catalogue._write("UPDATE urls SET state = 'lost', warc_file = NULL WHERE url LIKE ?", ("%/0",))
    catalogue._write("INSERT INTO fetches (fingerprint, fetched_at, status) VALUES (?, 1, 200)", (77,))
    catalogue.add_urls([CrawlRequest(url(f"/{i}")) for i in range(10, 20)], 1.0)
    catalogue._write("UPDATE urls SET state = 'fetched' WHERE state = ?", ("queued",))
    text = "\n".join(catalogue.integrity())
    assert "http://example.com/0: an unknown state" in text
    assert "number 77: history of an unknown URL" in text
    assert "5 more like this" in text


def test_people_find_views(catalogue, tmp_path):
    kept(catalogue, 2)
    catalogue.add_urls([CrawlRequest(url("/w", "other.example"))], 1.0)
    catalogue.postpone(url("/w", "other.example").fingerprint, 60.0, 1, "timeout")
    catalogue.commit()
    other = sqlite3.connect(tmp_path / "catalogue.sqlite")
    assert other.execute("SELECT url, verdict FROM pages ORDER BY url").fetchall() == [
        ("http://example.com/0", "keep"),
        ("http://example.com/1", "keep"),
    ]
    assert other.execute("SELECT reason FROM problems").fetchall() == [("timeout",)]
    assert other.execute("SELECT not_before FROM waiting").fetchall() == [("1970-01-01 00:01:00",)]
    assert other.execute("SELECT * FROM sites ORDER BY 1").fetchone() == ("example.com", 2, 2, 2, 0, 0)
    other.close()


def test_problems_are_failures_and_unreadable_documents(catalogue, tmp_path):
    kept(catalogue, 3)
    broken, other = url("/1").fingerprint, url("/2").fingerprint
    catalogue.set_verdict(broken, Verdict(Judgement.UNREADABLE, "broken-docx"), b"")
    catalogue.set_verdict(other, Verdict(Judgement.NOINDEX, "robots"), b"")
    catalogue.add_urls([CrawlRequest(url("/w"))], 1.0)
    catalogue.refuse(url("/w").fingerprint, "robots")
    catalogue.commit()
    reader = sqlite3.connect(tmp_path / "catalogue.sqlite")
    assert reader.execute("SELECT url, what, reason FROM problems ORDER BY url").fetchall() == [
        ("http://example.com/1", "unreadable", "broken-docx"),
        ("http://example.com/w", "refused", "robots"),
    ]
    reader.close()


def test_views_of_an_earlier_version_are_made_anew(tmp_path):
    path = tmp_path / "catalogue.sqlite"
    Catalogue(path, create=True).close()
    other = sqlite3.connect(path)
    current = other.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'view'").fetchall()
    other.executescript(
        "DROP VIEW sites; DROP VIEW problems; CREATE VIEW own AS SELECT 1;"
        "CREATE VIEW problems AS SELECT url FROM urls WHERE reason <> '';"
    )
    Catalogue(path, read_only=True).close()
    assert len(other.execute("SELECT * FROM problems").description) == 1
    Catalogue(path).close()
    views = other.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'view'").fetchall()
    other.close()
    assert {*views} == {*current, ("own", "CREATE VIEW own AS SELECT 1")}


def test_sizes_of_files_are_forgotten_by_their_names(catalogue):
    for name in ("seen 1", "seen 12", "seen%", "Seen 1", "links.log"):
        catalogue.set_committed(name, 5)
    catalogue.forget_committed("seen ")
    assert sorted(catalogue.committed()) == ["Seen 1", "links.log", "seen%"]


@pytest.mark.parametrize(
    "damage",
    [
        "url = 'no address'",
        "url = 'gopher://example.com/a'",
        "url = 'http://example.com/another'",
        "url = x'00ff'",
        "not_before = 'soon'",
    ],
)
def test_an_invalid_queued_url_is_named(catalogue, damage):
    catalogue.add_urls([CrawlRequest(url("/a"))], 1.0)
    catalogue._write(f"UPDATE urls SET {damage}", ())
    with pytest.raises(DamagedFile, match=r"catalogue\.sqlite"):
        queued(catalogue)


@pytest.mark.parametrize("damage", ["UPDATE urls SET priority = 'high'", "UPDATE commits SET value = -1"])
def test_invalid_numbers_are_named(catalogue, damage):
    catalogue.add_urls([CrawlRequest(url("/a"))], 1.0)
    catalogue.set_committed("links.log", 5)
    catalogue._write(damage, ())
    with pytest.raises(DamagedFile, match=r"catalogue\.sqlite"):
        known(catalogue), catalogue.committed()


def test_a_catalogue_may_be_closed_while_threads_read_it(tmp_path):
    script = Path(__file__).with_name("closed_while_read.py")
    command = [sys.executable, str(script), str(tmp_path / "catalogue.sqlite")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
