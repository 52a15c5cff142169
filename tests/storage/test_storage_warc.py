"""The page store: responses can be read again, by Gossamer and other programs, also after a crash."""

import json
import os
import pickle
import subprocess
import sys
from base64 import b32encode
from hashlib import sha1
from pathlib import Path
from uuid import RFC_4122, UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import DamagedFile, FetchResult, GossamerError, Url
from gossamer.storage import files as appendfile
from gossamer.storage.warc import (
    ArchiveIterator,
    WarcRecordType,
    WarcStore,
    http_head,
    iter_warc,
    parse_http,
    read_record,
    response_record,
)

MOMENT = 1_700_000_000.25


def url(path="/"):
    return Url(f"http://example.com{path}", "http", "example.com", 80, path)


def answer(path="/", body=b"<p>hello", **fields):
    headers = (("Content-Type", "text/html"), ("X-Note", "caf\u00e9"))
    given = {"status": 200, "headers": headers, "address": "192.0.2.7", **fields}
    return FetchResult(url(path), MOMENT, body=body, **given)


def test_appended_responses_can_be_read(tmp_path):
    store = WarcStore(tmp_path, 1 << 20)
    wanted = answer(body=bytes(range(256)) * 20, truncated=True)
    other = answer("/gone", b"", status=404, headers=(), address="")
    addresses = [store.append(wanted), store.append(other)]
    assert [store.read(addresses[0], url()), store.read(addresses[1], url("/gone"))] == [wanted, other]
    store.close()


def test_headers_fit_the_decoded_body(tmp_path):
    store = WarcStore(tmp_path, 1 << 20)
    headers = (
        ("content-encoding", "gzip"),
        ("Transfer-Encoding", "chunked"),
        ("Content-Length", "3"),
        ("A", "b"),
    )
    address = store.append(answer(body=b"decoded", headers=headers))
    head = http_head(answer(body=b"decoded", headers=headers))
    assert head == b"HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 7\r\n\r\n"
    read = store.read(address, url())
    assert (read.body, read.headers) == (b"decoded", (("A", "b"),))
    store.close()


def test_a_failed_fetch_is_not_stored(tmp_path):
    with pytest.raises(ValueError, match=r"http://example\.com/"):
        WarcStore(tmp_path, 100).append(answer(status=0))


def test_the_files_are_standard_warc(tmp_path):
    store = WarcStore(tmp_path, 1 << 20)
    store.append(answer(truncated=True))
    store.close()
    with (tmp_path / "00000.warc.gz").open("rb") as file:
        info, record = ((r.record_type, r.headers.to_dict(), r.reader.read()) for r in ArchiveIterator(file))
    assert info[0] == WarcRecordType.warcinfo
    assert info[1]["WARC-Filename"] == "00000.warc.gz"
    assert record[0] == WarcRecordType.response
    assert record[2] == b"<p>hello"
    expected = {
        "WARC-Target-URI": "http://example.com/",
        "WARC-Date": "2023-11-14T22:13:20.250000Z",
        "WARC-IP-Address": "192.0.2.7",
        "WARC-Payload-Digest": "sha1:" + b32encode(sha1(b"<p>hello").digest()).decode(),
        "WARC-Truncated": "length",
    }
    assert {name: record[1][name] for name in expected} == expected
    assert record[1]["Content-Type"].replace(" ", "") == "application/http;msgtype=response"


def test_digests_are_valid_to_other_tools(tmp_path):
    with warc_file(tmp_path, [answer(), answer("/b", b"other")]).open("rb") as file:
        found = [r.verify_payload_digest() for r in ArchiveIterator(file, WarcRecordType.response)]
    assert found == [True, True]


def test_a_full_file_is_left_for_the_next(tmp_path):
    store = WarcStore(tmp_path, 1500)
    pages = [answer(f"/{number}", os.urandom(400)) for number in range(4)]
    addresses = [store.append(page) for page in pages]
    assert [address.file[:5] for address in addresses] == ["00000", "00000", "00001", "00001"]
    sizes = store.sync()
    assert sizes == {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert store.sync() == {}
    assert [store.read(a, page.url) for a, page in zip(addresses, pages, strict=True)] == pages
    store.close()


def test_a_new_process_continues_the_last_file(tmp_path):
    for number in range(3):
        store = WarcStore(tmp_path, 1 << 20, durable=True)
        store.append(answer(f"/{number}"))
        assert list(store.sync()) == ["00000.warc.gz"]
        store.close()
    assert [result.url.path for result in iter_warc(tmp_path / "00000.warc.gz")] == ["/0", "/1", "/2"]


def test_recovery_cuts_what_was_not_committed(tmp_path):
    store = WarcStore(tmp_path, 1 << 20)
    kept = store.append(answer("/kept"))
    committed = store.sync()
    store.append(answer("/lost"))
    store.close()
    (tmp_path / "00001.warc.gz").write_bytes(b"torn")

    store = WarcStore(tmp_path, 1 << 20)
    store.recover({**committed, "links.log": 12})
    after = store.append(answer("/after"))
    assert after.offset == committed["00000.warc.gz"]
    assert store.read(kept, url("/kept")).url == url("/kept")
    assert store.read(after, url("/after")).url == url("/after")
    assert (tmp_path / "00001.warc.gz.uncommitted").exists()
    store.close()


def test_recovery_names_a_file_that_lost_bytes(tmp_path):
    store = WarcStore(tmp_path, 1 << 20)
    store.append(answer())
    committed = store.sync()
    store.close()
    os.truncate(tmp_path / "00000.warc.gz", 10)
    with pytest.raises(DamagedFile, match=r"00000\.warc\.gz: it has 10 bytes"):
        store.recover(committed)
    with pytest.raises(DamagedFile, match=r"00009\.warc\.gz"):
        store.recover({"00009.warc.gz": 5})


@pytest.mark.parametrize("damage", ["flip", "short", "elsewhere", "missing"])
def test_damage_is_named_with_its_place(tmp_path, damage):
    store = WarcStore(tmp_path, 1 << 20)
    store.append(answer("/first"))
    address = store.append(answer("/", os.urandom(500)))
    store.close()
    path = tmp_path / address.file
    content = bytearray(path.read_bytes())
    wanted = url("/first") if damage == "elsewhere" else url()
    if damage == "flip":
        content[address.offset + address.length // 2] ^= 0x55
    path.write_bytes(content[:-40] if damage == "short" else content)
    if damage == "missing":
        path.unlink()
    with pytest.raises(DamagedFile, match=r"00000\.warc\.gz"):
        store.read(address, wanted)


def test_the_reader_for_workers_survives_pickling(tmp_path):
    store = WarcStore(tmp_path, 1 << 20)
    address = store.append(answer())
    read = pickle.loads(pickle.dumps(read_record))
    assert read(str(tmp_path / address.file), address.offset, address.length, url()) == answer()
    store.close()


def test_another_process_reads_while_the_writer_is_open(tmp_path):
    store = WarcStore(tmp_path, 1 << 20)
    address = store.append(answer())
    code = (
        "import sys, json; from gossamer.storage.warc import read_record; from gossamer.model import Url;"
        "path, offset, length = json.loads(sys.argv[1]);"
        "url = Url('http://example.com/', 'http', 'example.com', 80, '/');"
        "print(read_record(path, offset, length, url).body.decode())"
    )
    place = json.dumps([str(tmp_path / address.file), address.offset, address.length])
    shown = subprocess.run([sys.executable, "-c", code, place], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "<p>hello"
    store.close()


def test_a_full_disk_is_reported_and_leaves_no_partial_record(tmp_path, monkeypatch):
    store = WarcStore(tmp_path, 1 << 20)
    first = store.append(answer())
    size = store.sync()[first.file]
    real_write = os.write

    def half_then_full(descriptor, data):
        monkeypatch.setattr(appendfile.os, "write", full)
        return real_write(descriptor, data[: len(data) // 2])

    def full(_descriptor, _data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(appendfile.os, "write", half_then_full)
    with pytest.raises(GossamerError, match=r"00000\.warc\.gz: No space left"):
        store.append(answer("/lost"))
    monkeypatch.undo()
    assert (tmp_path / first.file).stat().st_size == size
    assert store.append(answer("/next")).offset == size
    store.close()


header_text = st.text(st.characters(codec="utf-8"), max_size=30)


@given(
    st.integers(100, 999),
    st.lists(st.tuples(st.from_regex(r"[A-Za-z-]{1,12}", fullmatch=True), header_text), max_size=6),
    st.binary(max_size=300),
)
def test_any_answer_survives_the_record(status, headers, body):
    result = answer(status=status, headers=tuple(headers), body=body)
    found_status, found_headers, found_body = parse_http(http_head(result) + body)
    assert (found_status, found_body) == (status, body)
    assert found_headers[-1] == ("Content-Length", str(len(body)))
    assert b"\r\n\r\n" in response_record(result)


def test_headers_keep_bytes_that_are_not_utf8():
    assert b"X: \xe9\r\n" in http_head(answer(headers=(("X", "\udce9"),)))
    assert b"X: ?\r\n" in http_head(answer(headers=(("X", "\ud800"),)))


def test_headers_stay_one_line_each():
    headers = (("A", " b\r\nContent-Length: 9"), ("C\0", "d\n\ne"), ("F", ""))
    head = http_head(answer(headers=headers, body=b"12"))
    assert head == (
        b"HTTP/1.1 200 OK\r\nA:  b  Content-Length: 9\r\nC: d  e\r\nF:\r\nContent-Length: 2\r\n\r\n"
    )
    assert http_head(answer(headers=(), status=799)) == b"HTTP/1.1 799 Unknown\r\nContent-Length: 8\r\n\r\n"


def test_every_record_has_an_id_of_its_own(tmp_path):
    with warc_file(tmp_path, [answer(), answer()]).open("rb") as file:
        found = [UUID(record.record_id.strip("<>")) for record in ArchiveIterator(file)]
    assert len(set(found)) == 3
    assert {(one.version, one.variant) for one in found} == {(4, RFC_4122)}


def test_a_partial_write_is_continued(tmp_path, monkeypatch):
    store = WarcStore(tmp_path, 1 << 20)
    real_write = os.write
    monkeypatch.setattr(appendfile.os, "write", lambda descriptor, data: real_write(descriptor, data[:100]))
    address = store.append(answer(body=os.urandom(900)))
    monkeypatch.undo()
    assert len(store.read(address, url()).body) == 900
    store.close()


def warc_file(folder: Path, results):
    store = WarcStore(folder, 1 << 30)
    for result in results:
        store.append(result)
    store.close()
    return folder / "00000.warc.gz"
