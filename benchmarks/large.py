"""Do a million documents of a thousand words become an index, and in how much memory?

    python benchmarks/large.py [--documents 1000000] [--words 1000] [--memory 2000] [--folder FOLDER]

Documents are made up as they are needed: words as frequent as Zipf's law has it, and one word in each that
no other has. They are indexed as `gossamer index` does it: a segment is filled while the one before it is
written, and segments of similar size are merged. Checked are the number of documents, how many of them hold
some words, and that the words of single documents lead to these. Linux only.
"""

from __future__ import annotations

import argparse
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import numpy as np

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import Page, Url
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.search.searcher import Searcher
from gossamer.text.terms import in_language

VOCABULARY = 1_000_000
COUNTED = (3, 300, 30_000, 300_000)  # words, by rank, whose documents are counted
MERGE_FACTOR = 8
NOTHING = np.empty(0, np.uint64)


class Documents:
    """Makes documents, and counts in how many of them some words stand."""

    def __init__(self, words: int) -> None:
        self._words = words
        self._source = np.random.default_rng(1)
        self._vocabulary = [f"w{number:x}" for number in range(VOCABULARY)]
        shares = 1 / (np.arange(VOCABULARY) + 10.0)
        self._cumulated = np.cumsum(shares / shares.sum())
        self.held = dict.fromkeys(COUNTED, 0)

    def pages(self, first: int, last: int) -> Iterator[Page]:
        for number in range(first, last):
            ranks = np.searchsorted(self._cumulated, self._source.random(self._words - 1))
            for rank in COUNTED:
                self.held[rank] += bool((ranks == rank).any())
            text = " ".join([f"only{number}", *map(self._vocabulary.__getitem__, ranks.tolist())])
            yield Page(url(number), text=text, language="xx")


def url(number: int) -> Url:
    host, path = f"host-{number % 1000}.example", f"/{number}"
    return Url(f"http://{host}{path}", "http", host, 80, path)


def build(index: Index, documents: Documents, count: int, memory: int) -> None:
    """A segment is filled while the one before it is written; each may take half of the memory."""
    writer, weighting = SegmentWriter("xx"), None
    writing: Future[None] | None = None
    with ThreadPoolExecutor(1) as thread:
        for number, page in enumerate(documents.pages(0, count)):
            writer.add(page)
            if writer.memory >= memory // 2 or number == count - 1:
                weighting = weighting or Weighting.frozen_for(writer.total_lengths(), len(writer))
                if writing:
                    writing.result()
                print(f"{number + 1:,} documents", flush=True)
                writing = thread.submit(commit, index, writer, weighting)
                writer = SegmentWriter("xx")
        if writing:
            writing.result()


def commit(index: Index, writer: SegmentWriter, weighting: Weighting) -> None:
    index.commit(writer, NOTHING, weighting)
    index.merge(MERGE_FACTOR)


def check(index: Index, documents: Documents, count: int) -> None:
    snapshot = index.snapshot()
    assert snapshot.documents == count, (snapshot.documents, count)
    searcher, languages = Searcher(0, snapshot, None, 0.0), snapshot.languages()
    for rank, held in documents.held.items():
        term = in_language(f"w{rank:x}", "xx")
        assert snapshot.term_stats([term]).frequencies[term] == held, (rank, held)
    for number in range(0, count, max(1, count // 100)):
        wanted = plan(parse(f"only{number} AND only{number}"), languages)
        found = searcher.search(wanted, None, 10, "bm25f", "blockmax").candidates
        assert [one.fingerprint for one in found] == [url(number).fingerprint], number


class Memory(Thread):
    """Watches how much memory of its own the process has: mapped files are the system's to take back."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0.0  # megabytes

    def run(self) -> None:
        while True:
            self.peak = max(self.peak, memory("RssAnon"))
            time.sleep(0.1)


def memory(kind: str) -> float:
    """Megabytes, as the system tells them."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.findall(rf"{kind}:\s+(\d+)", status)[0]) / 1000


def measure(folder: Path, options: argparse.Namespace) -> None:
    documents, index, own = Documents(options.words), Index(folder), Memory()
    own.start()
    wall, cpu = time.perf_counter(), time.process_time()
    build(index, documents, options.documents, options.memory * 1_000_000)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e9
    segments = len(index.snapshot().views)
    print(f"{options.documents:,} documents of {options.words:,} words, {options.memory:,} MB for segments")
    print(f"{wall:,.0f} s, {cpu:,.0f} s of processor time, the making of documents included")
    print(f"{own.peak:,.0f} MB of own memory at most, with mapped files {memory('VmHWM'):,.0f} MB")
    print(f"{size:.2f} GB on disk in {segments} segments")
    check(index, documents, options.documents)
    print("all checks hold")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, default=1_000, help="of each document")
    parser.add_argument("--memory", type=int, default=2_000, help="for segments, in megabytes")
    parser.add_argument("--folder", type=Path, help="where the index is made (default: a temporary folder)")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp())
    try:
        measure(folder / "index", options)
    finally:
        shutil.rmtree(folder / "index", ignore_errors=True)


if __name__ == "__main__":
    main()
