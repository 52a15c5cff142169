"""How many texts a second get a sketch, and how wrong are the estimates? Beside datasketch, on equal texts.

    .venv/bin/python benchmarks/sketches.py [--texts DIR] [--count 300] [--runs 5]

Both make 84 minima over the 8-word shingles of each text. Gossamer also makes the digest. datasketch is timed
from the text (words found by a regular expression) and, kinder to it, from shingles that are ready. Then
every text is changed a little, and the estimates of both are held against the true resemblance of the shingle
sets: the run fails if one is biased, or more than 1.3 times as far off as 84 draws must be. Without --texts
texts are generated. datasketch is no dependency: `pip install datasketch` into a throw-away environment.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import time
from pathlib import Path

from gossamer.text.shingles import content_sketch, resemblance

HASHES = 84
WORD = re.compile(rb"[a-z0-9]+")
TAG = re.compile(r"(?is)<(script|style)\b.*?</\1>|<[^>]*>")


def load_datasketch():
    try:
        from datasketch import MinHash
    except ImportError:
        sys.exit(
            "datasketch is missing: pip install datasketch (into an environment that may be thrown away)"
        )
    return MinHash


def texts_of(folder, count):
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    random.Random(0).shuffle(paths)
    found = []
    for path in paths:
        text = TAG.sub(" ", path.read_text(encoding="utf-8", errors="ignore"))
        # Both sides must see the same words.
        words = re.findall(r"[a-z0-9]+", text.lower())
        if len(words) >= 100:
            found.append(" ".join(words))
        if len(found) == count:
            return found
    return found or sys.exit(f"no text of 100 words or more in {folder}")


def generated(count):
    draw = random.Random(0)
    vocabulary = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(1, 9))) for _ in range(20_000)]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    return [" ".join(draw.choices(vocabulary, weights, k=draw.randint(200, 1500))) for _ in range(count)]


def shingles(text):
    words = WORD.findall(text.lower().encode())
    return [b" ".join(words[i : i + 8]) for i in range(max(1, len(words) - 7))]


def changed(text, draw):
    """A copy with some words replaced: from nearly none to most shingles."""
    words = text.split()
    for _ in range(int(len(words) * draw.choice([0.002, 0.01, 0.02, 0.05, 0.1]))):
        words[draw.randrange(len(words))] = f"new{draw.randrange(10**6)}"
    return " ".join(words)


def timed(work, texts):
    begun = time.process_time()
    for text in texts:
        work(text)
    return len(texts) / (time.process_time() - begun)


def measure(texts, ways, runs):
    """Texts per CPU second of each way, run after run; the first warms up."""
    rates = {name: [] for name in ways}
    for run in range(runs + 1):
        for name, (work, inputs) in ways.items():
            rate = timed(work, inputs)
            if run:
                rates[name].append(rate)
    show(rates, sum(map(len, texts)) / len(texts), runs)


def show(rates, size, runs):
    print(f"texts of {size / 1000:.1f} kB; texts per CPU second: median of {runs} runs (lowest, highest)")
    first = rates["gossamer, from text"]
    for name, found in rates.items():
        middle = statistics.median(found)
        line = (
            f"{name:26}{middle:9,.0f} ({min(found):,.0f}, {max(found):,.0f}), {middle * size / 1e6:.1f} MB/s"
        )
        if found is not first:
            ratios = sorted(ours / theirs for ours, theirs in zip(first, found, strict=True))
            line += f"; 1/{statistics.median(ratios):.0f} of ours (1/{ratios[0]:.0f}, 1/{ratios[-1]:.0f})"
        print(line)


def check(texts, min_hash):
    """The errors of both estimates against the truth."""
    draw = random.Random(1)
    errors = {"gossamer": [], "datasketch": []}
    expected = []
    for text in texts:
        other = changed(text, draw)
        sets = [set(shingles(text)), set(shingles(other))]
        true = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
        expected.append(true * (1 - true) / HASHES)
        prints = [content_sketch("", one).sketch for one in (text, other)]
        errors["gossamer"].append(resemblance(*prints) - true)
        errors["datasketch"].append(min_hash(sets[0]).jaccard(min_hash(sets[1])) - true)
    least = statistics.mean(expected) ** 0.5
    print(f"error of the estimate, {len(texts)} pairs; 84 draws must be off by {least:.4f}")
    for name, found in errors.items():
        off = statistics.mean(error**2 for error in found) ** 0.5
        bias = statistics.mean(found)
        print(f"{name:26}{off:10.4f}   bias {bias:+.4f}")
        assert abs(bias) < 4 * least / len(texts) ** 0.5 + 0.002, f"{name} is biased"
        assert off < 1.3 * least + 0.005, f"{name} is too far off"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    kind = load_datasketch()
    texts = texts_of(options.texts, options.count) if options.texts else generated(options.count)

    def min_hash(found):
        made = kind(num_perm=HASHES)
        made.update_batch(found)
        return made

    ready = [shingles(text) for text in texts]
    ways = {
        "gossamer, from text": (lambda text: content_sketch("", text), texts),
        "datasketch, from text": (lambda text: min_hash(shingles(text)), texts),
        "datasketch, from shingles": (min_hash, ready),
    }
    measure(texts, ways, options.runs)
    check(texts, min_hash)


if __name__ == "__main__":
    main()
