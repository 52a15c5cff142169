"""What others fetched comes in whole and in order; what is wrong with a file is said with its place."""

import asyncio
import gzip
import json
import random
import time
from contextlib import contextmanager

import pytest

from gossamer import Engine
from gossamer.crawl.ingest import Ingested
from gossamer.extract.document import extract
from gossamer.jobs import import_pages as importing
from gossamer.jobs.import_pages import AT_ONCE, import_pages, read_file
from gossamer.model import FetchResult, Judgement, UrlState, UsageError, Verdict
from gossamer.storage.warc import WarcStore
from gossamer.web.url import canonical

SETTINGS = {"extract": {"workers": 0}}


@contextmanager
def collection(folder, **more):
    with Engine.open(folder / "c", create=True, settings={**SETTINGS, **more}) as engine:
        yield engine


def answer(address, body=b"", status=200):
    body = body or f"<title>{address}</title><p>words of {address}".encode()
    return FetchResult(
        canonical(address), 1e9, status=status, headers=(("Content-Type", "text/html"),), body=body
    )


def warc(folder, results):
    folder.mkdir(exist_ok=True)
    store = WarcStore(folder, 1 << 30)
    for result in results:
        store.append(result)
    store.close()
    return folder / "00000.warc.gz"


def lines(path, *rows):
    data = b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


GOOD = {"_id": "1", "text": "the first page of it"}


def test_a_corpus_becomes_pages(tmp_path):
    file = lines(
        tmp_path / "corpus.jsonl.gz",
        b"\xef\xbb\xbf" + json.dumps(GOOD).encode(),
        b"",
        {"url": "http://a.example/x", "title": "T & t", "text": "one\n\ntwo <b>", "language": "de"},
        {"_id": 0, "text": "half a character: \ud800"},
    )
    first, second, third = read_file(file)
    assert first.url.text == "https://corpus.invalid/1"
    assert second.url.text == "http://a.example/x"
    assert b"<p>one</p><p>two &lt;b&gt;</p>" in second.body
    assert b"T &amp; t" in second.body
    assert b"character: ?" in third.body


@pytest.mark.parametrize("stated", ["", "soon", "9999-01-01", "1960-01-01", "0001-01-01", 5, ["2019"], None])
def test_what_cannot_be_is_left_out(tmp_path, stated):
    odd = {"author": 5, "published": stated, "fetched": stated, "media_type": "text/html\r\nX: 1"}
    begun = time.time()
    (result,) = read_file(lines(tmp_path / "corpus.jsonl", {**GOOD, **odd}))
    assert begun <= result.fetched_at <= time.time()
    assert result.headers == (("Content-Type", "text/html; charset=utf-8"),)
    page = extract(result)
    assert (page.author, page.media_type) == ("", "text/html")
    assert page.published == (-315619200.0 if stated == "1960-01-01" else None)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (b'{"_id": "2", "text": "caf\xe9"}', r"not UTF-8 \(byte 26 of the line\)"),
        (b'{"_id": "2", "te', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "not a JSON object"),
        ({"_id": "2"}, "needs a text"),
        ({"_id": "2", "text": 5}, "text must be a string, not 5"),
        ({"_id": "2", "text": None}, "text must be a string, not null"),
        ({"_id": "2", "text": ["a"]}, r"text must be a string, not \[\"a\"\]"),
        ({"text": "x"}, "needs a url or an _id"),
        ({"url": "", "_id": None, "text": "x"}, "needs a url or an _id"),
    ],
)
def test_a_wrong_line_is_named_and_what_stood_before_it_stays(tmp_path, row, why):
    file = lines(tmp_path / "corpus.jsonl", GOOD, row, {"_id": "3", "text": "never reached"})
    with collection(tmp_path) as engine:
        end = r".*; the 1 page before it was imported, run: gossamer index$"
        with pytest.raises(UsageError, match=rf"corpus\.jsonl, line 2: {why}{end}"):
            engine.import_files(file)
        engine.index()
        assert [hit.url for hit in engine.search("page").hits] == ["https://corpus.invalid/1"]


def test_imported_hosts_are_counted(tmp_path):
    file = lines(tmp_path / "corpus.jsonl", {"url": "http://a.example/x", "text": "one page of a site"})
    with collection(tmp_path) as engine:
        engine.import_files(file)
        assert engine.status().hosts == 1


def test_a_wrong_first_line_says_nothing_of_pages(tmp_path):
    with collection(tmp_path) as engine, pytest.raises(UsageError, match=r"line 1: needs a url or an _id$"):
        engine.import_files(lines(tmp_path / "corpus.jsonl", {"text": "x"}))


def test_corpora_that_cannot_be_read(tmp_path):
    file = lines(tmp_path / "a.jsonl.gz", *({"_id": str(i), "text": f"page {i}"} for i in range(9)))
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(UsageError, match=r"a\.jsonl\.gz cannot be read after line \d"):
        list(read_file(file))
    file.write_bytes(b"no gzip at all")
    with pytest.raises(UsageError, match=r"a\.jsonl\.gz cannot be read after line 0"):
        list(read_file(file))
    with pytest.raises(UsageError, match=r"b\.jsonl is empty"):
        list(read_file(lines(tmp_path / "b.jsonl")))
    with pytest.raises(UsageError, match="there is no file"):
        read_file(tmp_path / "absent.warc")
    with pytest.raises(UsageError, match=r"only \.warc"):
        read_file(lines(tmp_path / "c.txt"))


@pytest.mark.parametrize("data", [b"", random.Random(5).randbytes(5_000), gzip.compress(b"letters", mtime=0)])
def test_files_that_are_no_warc(tmp_path, data):
    (tmp_path / "some.warc.gz").write_bytes(data)
    with (
        collection(tmp_path) as engine,
        pytest.raises(UsageError, match=r"some\.warc\.gz holds no WARC record"),
    ):
        engine.import_files(tmp_path / "some.warc.gz")


def test_a_cut_warc_gives_what_is_whole_and_advises_no_repair(tmp_path):
    file = warc(tmp_path / "w", [answer(f"http://a.example/{i}") for i in range(4)])
    file.write_bytes(file.read_bytes()[:-20])
    with collection(tmp_path) as engine:
        with pytest.raises(UsageError) as raised:
            engine.import_files(file)
        engine.index()
        assert engine.search("words").total == 3
    said = str(raised.value)
    assert said.startswith(f"{file} is damaged at or after offset ")
    assert said.endswith("; the 3 pages before it were imported, run: gossamer index")
    assert "repair" not in said


def test_earlier_files_count_as_imported(tmp_path):
    good = lines(tmp_path / "good.jsonl", GOOD, {"_id": "2", "text": "second"})
    with (
        collection(tmp_path) as engine,
        pytest.raises(UsageError, match=r"bad\.jsonl, line 1.*the 2 pages before"),
    ):
        engine.import_files([good, lines(tmp_path / "bad.jsonl", {"text": "x"})])


def test_imports_over_several_commits_and_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "COMMIT_EVERY", 20)
    results = [answer(f"http://h{i % 5}.example/{i}", status=404 if i % 10 == 9 else 200) for i in range(70)]
    seen = []
    with collection(tmp_path, extract={"workers": 2}) as engine:
        done = engine.import_files(warc(tmp_path / "w", results), index=False, observer=seen.append)
        assert (done.pages, done.kept, done.skipped) == (63, 63, 7)
        assert [step[:2] for step in seen] == [("importing", number) for number in (20, 40, 60, 70)]


class SlowIntake:
    """Takes the longer over a page the earlier it came."""

    def __init__(self, fail_at=None):
        self.now = self.most = 0
        self.ended = []
        self.fail_at = fail_at

    async def take(self, batch, request, result):
        self.now += 1
        self.most = max(self.most, self.now)
        number = int(result.url.path[1:].partition("?")[0])
        try:
            for _ in range(50 - number):
                await asyncio.sleep(0)
        finally:
            self.now -= 1
        if number == self.fail_at:
            raise OSError("disk full")
        self.ended.append(number)
        return Ingested(UrlState.FETCHED, verdict=Verdict(Judgement.KEEP))


class FakeBatch:
    """Counts what would be committed."""

    def __init__(self):
        self.requests = []

    def add(self, request):
        self.requests.append(request)


def run_import(results, intake, monkeypatch):
    batch, commits = FakeBatch(), []
    monkeypatch.setattr(importing, "commit", lambda batches: commits.append(len(batches[0].requests)) or {})
    summary = asyncio.run(import_pages(iter(results), [batch], lambda _host: 0, intake))
    return summary, batch, commits


def test_several_pages_are_under_way_at_once(monkeypatch):
    intake = SlowIntake()
    summary, batch, commits = run_import(
        [answer(f"http://a.example/{i}") for i in range(40)], intake, monkeypatch
    )
    assert (summary.pages, summary.kept, len(batch.requests), commits) == (40, 40, 40, [40])
    assert intake.most == AT_ONCE
    assert intake.ended != sorted(intake.ended)


@pytest.mark.parametrize("same", ["address", "content"])
def test_captures_and_copies_are_decided_in_their_order(monkeypatch, same):
    def pair(number):
        if same == "address":
            return answer("http://a.example/1", body=b"<p>%d" % number)
        return answer(f"http://a.example/{number}", body=b"<p>the same")

    intake = SlowIntake()
    run_import([pair(number) for number in range(8)], intake, monkeypatch)
    assert intake.most == 1
    assert intake.ended == sorted(intake.ended)


def test_a_failure_of_ours_ends_what_is_under_way_and_commits_the_rest(monkeypatch):
    intake = SlowIntake(fail_at=45)
    batch, commits = FakeBatch(), []
    monkeypatch.setattr(importing, "commit", lambda batches: commits.append(len(batches[0].requests)) or {})
    results = iter([answer(f"http://a.example/{i}") for i in (49, 48, 45, 1, 2)])
    with pytest.raises(OSError, match="disk full"):
        asyncio.run(import_pages(results, [batch], lambda _host: 0, intake))
    assert intake.now == 0
    assert commits == [2]
    assert [request.url.path for request in batch.requests] == ["/49", "/48"]
