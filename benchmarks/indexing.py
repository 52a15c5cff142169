"""How fast do texts become a committed segment? Gossamer beside tantivy and bm25s.

    .venv/bin/python benchmarks/indexing.py [--texts FILE.jsonl.gz] [--pages 3000] [--runs 3]
                                            [--peer-python PYTHON]

`--texts` holds one JSON object a line with "title" and "text"; without it texts are generated.
`--peer-python` names a Python that has the PyPI packages tantivy and bm25s; a missing peer is said to be so.
Every run is a process of its own, interleaved. It indexes a tenth of the pages first, which warms caches and
compiled code, and then all of them into a new index. Nobody stems. Gossamer and tantivy (one thread) write
positions and the text to show, bm25s writes neither. CPU seconds are those of all threads; the texts are in
memory beforehand. Checked are the number of documents and in how many of them some words stand.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path

CONTENDERS = ("gossamer", "tantivy", "bm25s")


def index_gossamer(rows, folder):
    import numpy as np

    from gossamer.index.bm25f import Weighting
    from gossamer.index.index import Index
    from gossamer.index.writer import SegmentWriter
    from gossamer.model import Page, Url
    from gossamer.text.terms import in_language

    pages = [
        Page(Url.parsed(f"http://h{n % 50}.test/{n}"), title=row["title"], text=row["text"], language="xx")
        for n, row in enumerate(rows)
    ]
    index = Index(folder)

    def build():
        writer = SegmentWriter("xx")
        for page in pages:
            writer.add(page)
        weighting = Weighting.frozen_for(writer.total_lengths(), len(writer))
        index.commit(writer, np.empty(0, np.uint64), weighting)

    def check(words):
        snapshot = index.snapshot()
        found = snapshot.term_stats(in_language(word, "xx") for word in words).frequencies
        return snapshot.documents, {word: found[in_language(word, "xx")] for word in words}

    return build, check


def index_tantivy(rows, folder):
    import tantivy

    fields = tantivy.SchemaBuilder()
    fields.add_text_field("body", stored=True)
    folder.mkdir()
    index = tantivy.Index(fields.build(), path=str(folder))

    def build():
        writer = index.writer(heap_size=500_000_000, num_threads=1)
        for row in rows:
            writer.add_document(tantivy.Document(body=f"{row['title']}\n{row['text']}"))
        writer.commit()
        writer.wait_merging_threads()

    def check(words):
        index.reload()
        searcher = index.searcher()
        return searcher.num_docs, {word: searcher.doc_freq("body", word) for word in words}

    return build, check


def index_bm25s(rows, folder):
    import bm25s

    texts = [f"{row['title']}\n{row['text']}" for row in rows]
    index = bm25s.BM25()

    def build():
        index.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
        index.save(folder)

    def check(words):
        starts = index.scores["indptr"]
        numbers = {word: index.vocab_dict[word] for word in words}
        return len(texts), {word: int(starts[n + 1] - starts[n]) for word, n in numbers.items()}

    return build, check


def contend(name, texts, words):
    """One run in this process; prints seconds and answers as JSON."""
    rows = read(texts)
    prepare = globals()[f"index_{name}"]
    with tempfile.TemporaryDirectory() as scratch:
        prepare(rows[: len(rows) // 10 + 1], Path(scratch) / "warm")[0]()
        build, check = prepare(rows, Path(scratch) / "index")
        wall, cpu = time.perf_counter(), time.process_time()
        build()
        spent = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
        documents, frequencies = check(words)
        print(json.dumps({**spent, "documents": documents, "frequencies": frequencies}))


def generated(pages):
    """Texts whose words are as frequent as Zipf's law has it."""
    source = random.Random(1)
    vocabulary = [f"{source.choice('bdfgklmnprst')}{n:x}".translate(str.maketrans("0123456789", "ghijklmnop"))
                  for n in range(60_000)]  # fmt: skip
    shares = [1 / (n + 2) for n in range(len(vocabulary))]
    for _ in range(pages):
        words = source.choices(vocabulary, shares, k=source.randrange(200, 2_400))
        yield {"title": " ".join(words[:6]), "text": ". ".join(words)}


def read(path, pages=None):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in islice(lines, pages)]
    return [{"title": row.get("title", ""), "text": row["text"]} for row in rows]


def expected(rows, wanted=8):
    """Words, frequent and rare, that any tokeniser sees alike, and the number of texts that hold each."""
    loose, strict = Counter(), Counter()
    for row in rows:
        text = f"{row['title']} {row['text']}".lower()
        loose.update(set(re.findall(r"[a-z]{4,}", text)))
        strict.update(set(re.findall(r"(?<![\w'\u2019])[a-z]{4,}(?![\w'\u2019])", text)))
    alike = sorted((-count, word) for word, count in strict.items() if loose[word] == count)
    alike = alike[: len(alike) // 10]
    return {word: -count for count, word in alike[:: max(1, len(alike) // wanted)]}


def run(python, name, texts, frequencies, documents):
    command = [python, __file__, "--contender", name, "--texts", texts, "--words", ",".join(frequencies)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["documents"] == documents, (name, result["documents"], documents)
    for word, count in frequencies.items():
        assert result["frequencies"][word] == count, (name, word, count, result)
    return result


def measure(options, rows):
    size = sum(len(f"{row['title']}\n{row['text']}".encode()) for row in rows) / 1e6
    frequencies = expected(rows)
    with tempfile.TemporaryDirectory() as scratch:
        texts = Path(scratch) / "texts.jsonl.gz"
        with gzip.open(texts, "wt", encoding="utf-8", compresslevel=1) as out:
            out.writelines(json.dumps(row) + "\n" for row in rows)
        results = {name: [] for name in CONTENDERS}
        missing = {}
        for _ in range(options.runs):
            for name in CONTENDERS:
                python = sys.executable if name == "gossamer" else options.peer_python
                result = run(python, name, texts, frequencies, len(rows)) if python else "no --peer-python"
                if isinstance(result, str):
                    missing[name] = result
                else:
                    results[name].append(result)
    print(f"{len(rows)} pages, {size:.1f} MB of text, {options.runs} runs; in how many pages stand")
    print(f"{', '.join(frequencies)}: all agree")
    show(results, missing, len(rows), size)


def show(results, missing, pages, size):
    print(f"{'':10}{'ms CPU a page':>15}{'lowest':>9}{'highest':>9}{'pages/s CPU':>13}{'MB/s CPU':>10}"
          f"{'pages/s':>9}{'x gossamer':>12}")  # fmt: skip
    middles = {name: statistics.median(r["cpu"] for r in found) for name, found in results.items() if found}
    for name, cpu in middles.items():
        spent = [result["cpu"] * 1000 / pages for result in results[name]]
        wall = statistics.median(result["wall"] for result in results[name])
        print(f"{name:10}{cpu * 1000 / pages:15.3f}{min(spent):9.3f}{max(spent):9.3f}{pages / cpu:13.0f}"
              f"{size / cpu:10.1f}{pages / wall:9.0f}{cpu / middles['gossamer']:12.2f}")  # fmt: skip
    for name, reason in missing.items():
        print(f"{name:10} is missing: {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peer-python")
    parser.add_argument("--contender", choices=CONTENDERS, help=argparse.SUPPRESS)
    parser.add_argument("--words", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contender:
        contend(options.contender, options.texts, options.words.split(","))
        return
    rows = read(options.texts, options.pages) if options.texts else list(generated(options.pages))
    measure(options, rows)


if __name__ == "__main__":
    main()
