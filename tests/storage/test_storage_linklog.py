"""The link log: round trip, the latest record of each page, damage reported with its offset."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.model import DamagedFile, LinkFlag, Links, Url, WrongFormat
from gossamer.storage import link_log as linklog
from gossamer.storage.link_log import HEADER, LinkLog, LinkRecord, LoggedLink

fingerprints = st.integers(0, 2**64 - 1)
flags = st.integers(0, 7).map(LinkFlag)
anchors = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=20)
links = st.builds(LoggedLink, fingerprints, flags, anchors, st.just("") | anchors)
records = st.lists(
    st.builds(
        LinkRecord,
        st.integers(0, 5) | fingerprints,
        st.floats(0, 1e10),
        st.lists(links, max_size=6).map(tuple),
    ),
    max_size=8,
)


def packed(logged):
    """Pack the links of a page as extraction does; the log does not store addresses."""
    return Links(
        np.array([link.target for link in logged], "<u8").tobytes(),
        bytes(link.flags for link in logged),
        "\n".join("http://example.com/" for _ in logged),
        "\n".join(link.anchor for link in logged),
        "\n".join(link.near for link in logged) if any(link.near for link in logged) else "",
    )


def write(path, content):
    log = LinkLog(path)
    for record in content:
        log.append(record.source, record.fetched_at, packed(record.links))
    length = log.sync(durable=False)
    log.close()
    return length


@settings(max_examples=50)
@given(records)
def test_what_was_appended_comes_back(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("log") / "links" / "links.log"
    assert write(path, content) == path.stat().st_size
    log = LinkLog(path)
    assert list(log.records()) == content


def rows_of(columns):
    """Convert columns to pages with their links."""
    anchors, near = (lines.decode().split("\n")[:-1] for lines in (columns.anchors, columns.near))
    rows = zip(columns.targets.tolist(), columns.flags.tolist(), anchors, near, strict=True)
    pages = zip(columns.sources.tolist(), columns.counts.tolist(), strict=True)
    return [(source, [next(rows) for _ in range(count)]) for source, count in pages]


@settings(max_examples=50)
@given(records, st.integers(1, 300))
def test_the_latest_links_come_in_columns(tmp_path_factory, content, at_once):
    path = tmp_path_factory.mktemp("log") / "links.log"
    write(path, content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linklog, "READ_AT_ONCE", at_once)
        log = LinkLog(path)
        pieces = list(log.columns())
        plain = list(log.columns(log.latest(), anchors=False))
    found = [page for columns in pieces for page in rows_of(columns)]
    for one, other in zip(pieces, plain, strict=True):
        assert (one.sources.dtype, one.targets.dtype, one.flags.dtype) == (np.uint64, np.uint64, np.uint8)
        assert (one.targets.tolist(), one.flags.tolist()) == (other.targets.tolist(), other.flags.tolist())
        assert other.anchors == b""
    latest = {record.source: record.links for record in content}
    assert found == [
        (source, [(link.target, int(link.flags), link.anchor, link.near) for link in links])
        for source, links in latest.items()
    ]


@settings(max_examples=50)
@given(records)
def test_a_record_is_found_at_its_place(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("log") / "links.log"
    write(path, content)
    log = LinkLog(path)
    records = log.latest()
    latest = {record.source: record for record in content}
    assert [log.at(start) for start in records.starts.tolist()] == list(latest.values())
    for start in records.starts.tolist():
        assert log.at(start + 1) is None
    assert log.at(path.stat().st_size + 100) is None


def test_only_committed_records_are_read(tmp_path):
    path = tmp_path / "links.log"
    first, second = (LinkRecord(n, 1.0, (LoggedLink(n, anchor="a"),)) for n in (1, 2))
    length = write(path, [first])
    write(path, [second])
    with path.open("ab") as file:
        file.write(b"torn")
    log = LinkLog(path)
    assert log.latest(length).sources.tolist() == [1]
    assert log.latest(0).sources.tolist() == []
    assert [piece.sources.tolist() for piece in log.columns(log.latest(length))] == [[1]]
    with pytest.raises(DamagedFile, match="were committed"):
        log.latest(path.stat().st_size + 1)


def test_a_log_that_was_never_written_is_empty(tmp_path):
    log = LinkLog(tmp_path / "links.log")
    log.recover(0)
    assert list(log.records()) == []
    assert list(log.columns()) == []


def test_recovery_cuts_and_the_log_goes_on(tmp_path):
    path = tmp_path / "links.log"
    first, second = (LinkRecord(n, 1.0, (LoggedLink(n, LinkFlag.NOFOLLOW, "anchor"),)) for n in (1, 2))
    length = write(path, [first])
    with path.open("ab") as file:
        file.write(b"torn")
    log = LinkLog(path)
    log.recover(length)
    log.append(second.source, second.fetched_at, packed(second.links))
    assert log.sync(durable=True) == path.stat().st_size
    assert list(log.records()) == [first, second]
    log.close()


def test_a_log_of_which_nothing_was_committed_starts_anew(tmp_path):
    path = tmp_path / "links.log"
    path.write_bytes(HEADER[:5])
    LinkLog(path).recover(0)
    write(path, [LinkRecord(1, 2.0, ())])
    assert list(LinkLog(path).records()) == [LinkRecord(1, 2.0, ())]


def test_damage_has_an_offset(tmp_path):
    path = tmp_path / "links.log"
    start = write(path, [LinkRecord(1, 2.0, ())])
    length = write(path, [LinkRecord(3, 2.0, (LoggedLink(7, anchor="word"),))])
    with pytest.raises(DamagedFile, match="were committed"):
        LinkLog(path).recover(length + 1)
    whole = path.read_bytes()
    for place in (start + 4, start + 12, length - 1):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(changed)
        read = LinkLog(path).records()
        assert next(read).source == 1
        with pytest.raises(DamagedFile, match=f"offset {start}"):
            next(read)
        with pytest.raises(DamagedFile, match=f"offset {start}"):
            list(LinkLog(path).columns())
    for cut in (1, 4, length - start - 3):
        path.write_bytes(whole[:-cut])
        with pytest.raises(DamagedFile, match=f"offset {start} is not complete"):
            list(LinkLog(path).columns())


def test_other_files_are_not_read_as_a_log(tmp_path):
    path = tmp_path / "links.log"
    others = (b"something else entirely", HEADER[:3], HEADER[:-1] + b"\2")
    for content, error in ((content, DamagedFile) for content in others):
        path.write_bytes(content)
        for use in (LinkLog(path).latest, lambda: LinkLog(path).append(1, 1.0, Links())):
            with pytest.raises(error, match=r"links\.log"):
                use()
    for version in (1, 9):  # 1: each anchor had its length before it
        path.write_bytes(HEADER[:8] + bytes([version, 0, 0, 0]) + HEADER[12:])
        with pytest.raises(WrongFormat, match=f"has format {version}"):
            list(LinkLog(path).records())


def test_long_and_broken_anchors(tmp_path):
    path = tmp_path / "links.log"
    written = (LoggedLink(2, anchor="é" * 60_000), LoggedLink(3, anchor="a\ud800b"), LoggedLink(4))
    write(path, [LinkRecord(1, 0.0, written)])
    (record,) = LinkLog(path).records()
    assert [link.anchor for link in record.links] == ["é" * 60_000, "a?b", ""]


def test_redirects_are_logged_as_links_without_words(tmp_path):
    log = LinkLog(tmp_path / "links.log")
    target = Url.parsed("http://example.com/b")
    log.append(1, 2.0, Links().plus(target, LinkFlag.REDIRECT))
    log.append(1, 3.0, packed([LoggedLink(5, anchor="five")]).plus(target, LinkFlag.CANONICAL))
    first, second = log.records()
    assert first.links == (LoggedLink(target.fingerprint, LinkFlag.REDIRECT),)
    expected = (LoggedLink(5, anchor="five"), LoggedLink(target.fingerprint, LinkFlag.CANONICAL))
    assert second.links == expected
    log.close()


@settings(max_examples=10)
@given(records.filter(bool))
def test_every_prefix_is_read_up_to_its_last_complete_record(tmp_path_factory, content):
    """Wherever a file is cut: the complete records are found, and the place where they end."""
    path = tmp_path_factory.mktemp("log") / "links.log"
    ends = [len(HEADER), *(write(path, [record]) for record in content)]
    whole = path.read_bytes()
    for end in {*range(0, len(whole), 13), *ends}:
        path.write_bytes(whole[:end])
        log = LinkLog(path)
        readable = max((one for one in ends if one <= end), default=0) or (len(HEADER) if not end else 0)
        assert log.readable_length() == readable


def test_records_are_buffered(tmp_path, monkeypatch):
    path = tmp_path / "links.log"
    log = LinkLog(path)
    log.append(1, 2.0, Links())
    assert list(LinkLog(path).records()) == []
    assert [record.source for record in log.records()] == [1]
    log.append(2, 2.0, Links())
    assert log.sync(durable=False) == path.stat().st_size
    assert [record.source for record in LinkLog(path).records()] == [1, 2]
    log.append(3, 2.0, Links())
    log.close()
    assert [record.source for record in LinkLog(path).records()] == [1, 2]
    monkeypatch.setattr("gossamer.storage.link_log.MOST_WAITING", 30)
    for source in (4, 5, 6):
        log.append(source, 2.0, Links())
    assert [record.source for record in LinkLog(path).records()] == [1, 2, 4, 5]
    log.close()
