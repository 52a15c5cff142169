"""How long should the pieces be in which scripts without spaces are indexed, beside words of a dictionary?

    .venv/bin/python benchmarks/pieces.py COLLECTION... [--joined] [--language CODE]

Each collection is a folder with documents, queries and judgements, as `gossamer eval` reads it. Plain BM25
(k1 1.2, b 0.75) ranks it by overlapping pieces of 1 to 5 characters, by two lengths at once, by the words of
a segmenter where one is installed (jieba for Chinese, PyThaiNLP for Thai, fugashi for Japanese), and by the
words that Gossamer finds; the table has the mean reciprocal rank of each. `--joined` takes the spaces out of
a collection that has them: real questions in letters without spaces, of which the right words are known.
"""

from __future__ import annotations

import argparse
import importlib
import math
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import numpy as np

from gossamer.evaluate.judged_collection import read_collection
from gossamer.text.terms import analyser
from gossamer.text.words import MARKS, UNSPACED, folded, is_unspaced

K1, B = 1.2, 0.75
LENGTHS = ((1,), (2,), (3,), (4,), (5,), (1, 2), (2, 3), (3, 4))
RUN = re.compile(rf"[{UNSPACED}]+|(?:[^\W{UNSPACED}_][{MARKS}]*)+")
BETWEEN = re.compile(r"[^\w\s'-]+")


def pieces_of(lengths, joined):
    """Cuts runs of unspaced scripts, or of everything between two signs, into pieces of these lengths."""

    def cut(text):
        plain = folded(text)
        parts = BETWEEN.split(plain) if joined else RUN.findall(plain)
        for run in filter(None, (re.sub(r"\W+", "", part) if joined else part for part in parts)):
            if not (joined or is_unspaced(run)):
                yield run
                continue
            for size in lengths:
                yield from [run[i : i + size] for i in range(len(run) - size + 1)] or [run]

    return cut


@cache
def segmenter(language):
    """The words of a text by a dictionary, or None where no library for the language is installed."""
    try:
        if language == "zh":
            return importlib.import_module("jieba").lcut
        if language == "th":
            tokenize = importlib.import_module("pythainlp.tokenize").word_tokenize
            return lambda text: tokenize(text, engine="newmm", keep_whitespace=False)
        if language == "ja":
            tagger = importlib.import_module("fugashi").Tagger()
            return lambda text: [word.surface for word in tagger(text)]
    except ImportError:
        pass
    return None


def reciprocal_rank(collection, cut):
    """The mean over all queries of 1 / the rank of the first document that was judged relevant."""
    documents = {one.id: Counter(cut(f"{one.title} {one.text}")) for one in collection.documents()}
    places = {name: place for place, name in enumerate(documents)}
    lengths = np.array([sum(counts.values()) for counts in documents.values()], float)
    norms = K1 * (1 - B + B * lengths / lengths.mean())
    postings = defaultdict(list)
    for place, counts in enumerate(documents.values()):
        for term, tf in counts.items():
            postings[term].append((place, tf))
    relevant = defaultdict(list)
    for one in collection.judgements:
        if one.score > 0 and one.document in places:
            relevant[one.query].append(places[one.document])
    ranks = []
    for query, text in collection.queries.items():
        scores = np.zeros(len(documents))
        for term, n in Counter(cut(text)).items():
            if term in postings:
                held, tf = np.array(postings[term]).T
                idf = math.log(1 + (len(documents) - len(held) + 0.5) / (len(held) + 0.5))
                scores[held] += n * idf * tf / (tf + norms[held])
        best = max((scores[place] for place in relevant[query]), default=0.0)
        ranks.append(1 / (1 + np.count_nonzero(scores > best)) if best > 0 else 0.0)
    return float(np.mean(ranks))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("collections", type=Path, nargs="+")
    parser.add_argument("--joined", action="store_true", help="take the spaces out")
    parser.add_argument("--language", default="", help="of the collections, if their names do not say it")
    options = parser.parse_args()
    for folder in options.collections:
        collection = read_collection(folder, options.language)
        ways = {"+".join(map(str, one)): pieces_of(one, options.joined) for one in LENGTHS}
        if dictionary := segmenter(collection.language):
            ways["dictionary"] = lambda text, own=dictionary: [w for w in own(folded(text)) if w.strip()]
        ways["gossamer"] = analyser(collection.language).terms
        print(collection.name, f"({collection.language})", flush=True)
        for name, cut in ways.items():
            print(f"    {name:12}{reciprocal_rank(collection, cut):8.4f}", flush=True)


if __name__ == "__main__":
    main()
