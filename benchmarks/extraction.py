"""How well is main text told from boilerplate, and how fast? Gossamer beside trafilatura and resiliparse.

    .venv/bin/python benchmarks/extraction.py --data article-pages.tar.xz [--peers-python ~/peers/bin/python]
                                              [--runs 5] [--worst 20] [--json]

DATA is an archive or a folder with `ground-truth.json` (name: {"articleBody": text}) and `html/NAME.html.gz`.
Each page's main text is compared with what people took for the article, as a bag of words; precision, recall
and F1 are means over pages, with the standard error behind F1. `shingles` is the F1 over runs of four words,
for which the order of words matters too. Pages are divided by a hash of their name: on the tuning half rules
may be chosen, on the test half they are judged. Speed is that of CPU time in interleaved runs: of Gossamer
the whole extraction (text, surroundings, links, metadata, content print), of the others the main text alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path

WORD = re.compile(r"\w+")
PEERS = ("trafilatura", "trafilatura-fast", "resiliparse")


def gossamer():
    from gossamer.extract.document import Extractor
    from gossamer.model import FetchResult
    from gossamer.web.url import canonical

    extractor = Extractor()
    url = canonical("http://news.example/article.html")
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return lambda html: extractor.page(FetchResult(url, 0.0, status=200, headers=headers, body=html)).text


def trafilatura(fast=False):
    from trafilatura import extract

    return lambda html: extract(html.decode(), include_comments=False, fast=fast) or ""


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    def read(html):
        tree = HTMLTree.parse_from_bytes(html, "utf-8")
        return extract_plain_text(tree, main_content=True, alt_texts=False, links=False, comments=False)

    return read


SYSTEMS = {
    "gossamer": gossamer,
    "trafilatura": trafilatura,
    "trafilatura-fast": lambda: trafilatura(fast=True),
    "resiliparse": resiliparse,
}


def read_data(place):
    """The pages by name, and the judged text of each."""
    with tempfile.TemporaryDirectory() as folder:
        if place.is_file():
            with tarfile.open(place) as archive:
                archive.extractall(folder, filter="data")
            place = Path(folder)
        truth_file = next(place.rglob("ground-truth.json"), None)
        if truth_file is None:
            sys.exit(f"{place} holds no ground-truth.json")
        judged = {name: said["articleBody"] for name, said in json.loads(truth_file.read_text()).items()}
        html = truth_file.parent / "html"
        pages = {name: gzip.decompress((html / f"{name}.html.gz").read_bytes()) for name in sorted(judged)}
    return pages, judged


def is_for_tuning(name):
    return sha256(name.encode()).digest()[0] % 2 == 0


class Reader:
    """One system in a process of its own, which answers each line with one."""

    def __init__(self, system, python):
        command = [str(python), __file__, "--serve", system]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, question):
        """The answer, or None when the process is gone, as it is where the system is not installed."""
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def serve(system):
    """Reads pages from the folder that the first line names, then says for each line how long that took."""
    out, sys.stdout = sys.stdout, sys.stderr
    read = SYSTEMS[system]()
    pages = {}
    for line in sys.stdin:
        question = json.loads(line)
        if "folder" in question:
            pages = {path.name: path.read_bytes() for path in sorted(Path(question["folder"]).iterdir())}
        begun = time.process_time()
        texts = {name: read(html) for name, html in pages.items()}
        seconds = time.process_time() - begun
        answer = {"seconds": seconds, "texts": texts if "folder" in question else {}}
        print(json.dumps(answer), file=out, flush=True)


def overlap(found, judged):
    """Precision, recall and F1 of a bag; nothing found where nothing was to be found is perfect."""
    common = sum((found & judged).values())
    if not found or not judged:
        return (1.0,) * 3 if not found and not judged else (0.0,) * 3
    precision, recall = common / found.total(), common / judged.total()
    return precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0


def bags(text):
    words = WORD.findall(text.lower())
    return Counter(words), Counter(zip(*(words[k:] for k in range(4)), strict=False))


def judge(texts, judged):
    """Of each page precision, recall and F1 of words, and F1 of shingles."""
    rows = {}
    for name, text in texts.items():
        (words, shingles), (true_words, true_shingles) = bags(text), bags(judged[name])
        rows[name] = (*overlap(words, true_words), overlap(shingles, true_shingles)[2])
    return rows


def summary(rows):
    columns = list(zip(*rows, strict=True))
    means = [statistics.fmean(column) for column in columns]
    spread = statistics.stdev(columns[2]) / len(rows) ** 0.5
    zeros = sum(row[2] == 0 for row in rows)
    return dict(zip(("precision", "recall", "f1", "shingles"), means, strict=True)) | {
        "error": spread,
        "at 0": zeros,
        "pages": len(rows),
    }


def measure(pages, python, runs):
    """Texts of each system, and its seconds in each run."""
    texts, seconds = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, html in pages.items():
            (Path(folder) / name).write_bytes(html)
        readers = {"gossamer": Reader("gossamer", sys.executable)}
        readers |= {peer: Reader(peer, python) for peer in PEERS} if python else {}
        for system, reader in list(readers.items()):
            answer = reader.ask({"folder": folder})
            if answer is None:
                sys.exit(f"{system} cannot be run by {python or sys.executable}")
            texts[system], seconds[system] = answer["texts"], []
        for _ in range(runs):
            for system, reader in readers.items():
                seconds[system].append(reader.ask({})["seconds"])
        for reader in readers.values():
            reader.close()
    return texts, seconds


def report(found):
    for half, systems in found["halves"].items():
        print(f"\n{half}")
        print(
            f"{'':18}{'pages':>6}{'F1':>9}{'±':>7}{'precision':>11}{'recall':>8}{'at 0':>6}{'shingles':>10}"
        )
        for system, s in systems.items():
            print(
                f"{system:18}{s['pages']:6}{s['f1']:9.4f}{s['error']:7.4f}{s['precision']:11.4f}"
                f"{s['recall']:8.4f}{s['at 0']:6}{s['shingles']:10.4f}"
            )
    print(f"\n{'MB/s of CPU':18}{'best':>8}{'median':>8}{'lowest':>8}")
    for system, speeds in found["speeds"].items():
        print(f"{system:18}{max(speeds):8.1f}{statistics.median(speeds):8.1f}{min(speeds):8.1f}")


def print_worst(rows, most):
    """The pages of the tuning half on which Gossamer does worst; those of the test half stay unseen."""
    ours = {name: row for name, row in rows["gossamer"].items() if is_for_tuning(name)}
    print(f"\n{'worst of tuning: precision, recall, F1':44}" + "".join(f"{peer:>18}" for peer in rows))
    for name in sorted(ours, key=lambda name: ours[name][2])[:most]:
        precision, recall, _, _ = ours[name]
        others = "".join(f"{rows[system][name][2]:18.3f}" for system in rows)
        print(f"{name[:16]:22}{precision:11.3f}{recall:11.3f}{others}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="an archive or a folder of pages with their judged text")
    parser.add_argument("--peers-python", type=Path, help="a Python that has trafilatura and resiliparse")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--worst", type=int, default=0, help="so many of the worst pages are listed")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", choices=SYSTEMS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    if options.data is None or not options.data.exists():
        sys.exit("--data names no file or folder")
    pages, judged = read_data(options.data)
    texts, seconds = measure(pages, options.peers_python, options.runs)
    rows = {system: judge(found, judged) for system, found in texts.items()}
    halves = {
        half: {
            system: summary([row for name, row in found.items() if is_for_tuning(name) == tuning])
            for system, found in rows.items()
        }
        for half, tuning in (("tuning half", True), ("test half", False))
    }
    size = sum(map(len, pages.values())) / 1e6
    speeds = {system: [size / run for run in runs] for system, runs in seconds.items()}
    if options.json:
        print(json.dumps({"halves": halves, "speeds": speeds}, indent=2))
        return
    report({"halves": halves, "speeds": speeds})
    if options.worst:
        print_worst(rows, options.worst)


if __name__ == "__main__":
    main()
