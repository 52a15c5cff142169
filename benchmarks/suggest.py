"""What do suggestions cost while one types: to gather, to hold, and at every letter?

    .venv/bin/python benchmarks/suggest.py [--cache DIR] [--passages 555301] [--queries 300] [--rounds 2]

The passages are those that `search.py` keeps in its cache; four to nine words of each are its title, so that
nearly all titles differ, which is the worst case. Asked are all beginnings of queries of the corpus, as if
somebody typed them; the same queries with a letter too many; and related searches. Processor time of this
process, of each question the least of all rounds. The exit status is 1 when 95 in 100 letters take 10 ms or
more.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import numba  # noqa: F401 (as in a server, where it is loaded)
import numpy as np
from passages.corpus import opened
from search import default_cache

from gossamer.answer.completion.suggestions import gathered, related
from gossamer.answer.pipeline import AnswerPipeline
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import Page, Url
from gossamer.search.settings import SearchSettings
from gossamer.text.stopwords import stop_words

WEIGHTING = Weighting(pivots=(6.0, 3.0, 3.0, 85.0, 3.0, 3.0))
A_SEGMENT = 150_000  # pages
MOST = 0.010  # seconds a letter
SUGGESTIONS = 8


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, metavar="DIR", default=default_cache())
    parser.add_argument("--passages", type=int, default=555_301, metavar="N")
    parser.add_argument("--queries", type=int, default=300, metavar="N")
    parser.add_argument("--rounds", type=int, default=2, metavar="N")
    return parser.parse_args()


def indexed(folder, texts):
    index, writer = Index(folder), SegmentWriter("en")
    for number, text in enumerate(texts, 1):
        words = text.split(maxsplit=12)
        title = " ".join(words[3 : 7 + number % 6]).capitalize()
        url = Url.parsed(f"http://host{number % 2000:04}.test/{number:08}")
        writer.add(Page(url, text=text, title=title, language="en"))
        if not number % A_SEGMENT:
            index.commit(writer, np.empty(0, np.uint64), WEIGHTING)
            writer = SegmentWriter("en")
    index.commit(writer, np.empty(0, np.uint64), WEIGHTING)
    return index


def size_of(known):
    arrays = (known.text_bounds, known.key_bounds, known.key_phrases, known.word_bounds, known.word_phrases)
    arrays += (known.phrase_bounds, known.phrase_words)
    words = sum(map(sys.getsizeof, known.words)) + 8 * len(known.words)
    return len(known.texts) + len(known.keys) + words + sum(array.nbytes for array in arrays)


def times(ask, questions, rounds):
    """Of each question the least processor time in seconds, rising."""
    least = []
    for question in questions:
        taken = []
        for _ in range(rounds):
            begun = time.process_time()
            ask(question)
            taken.append(time.process_time() - begun)
        least.append(min(taken))
    return sorted(least)


def told(name, least):
    ninety_fifth = least[int(len(least) * 0.95)]
    milliseconds = [1000 * value for value in (sum(least) / len(least), ninety_fifth, least[-1])]
    print(f"{name:<28}{len(least):>8,}" + "".join(f"{value:>10.2f}" for value in milliseconds))
    return ninety_fifth


def mistyped(query, chance):
    place = chance.randrange(1, len(query) + 1)
    return query[:place] + chance.choice("qzxj") + query[place:]


def main():
    chosen = options()
    corpus = opened(chosen.cache / "passages")
    if corpus is None:
        sys.exit(f"there is no corpus in {chosen.cache / 'passages'}: search.py makes it")
    queries = corpus.queries("or")[: chosen.queries]
    with tempfile.TemporaryDirectory() as folder, corpus.file.open(encoding="ascii") as lines:
        index = indexed(Path(folder), islice(lines, chosen.passages))
        searching = AnswerPipeline([index], None, SearchSettings())
        begun = time.process_time()
        known = gathered(searching.opened(), {}, lambda: None)
        spent = time.process_time() - begun
        print(f"{len(known):,} phrases gathered in {spent:.1f} s, {size_of(known) / 1e6:.0f} MB\n")
    print(f"{'milliseconds':<28}{'asked':>8}{'mean':>10}{'95 %':>10}{'most':>10}")
    begun_so = [query[:end] for query in queries for end in range(1, len(query) + 1)]
    chance = random.Random(1)
    wrong = [mistyped(query, chance) for query in queries]
    worst = told(
        "a letter more", times(lambda text: known.complete(text, SUGGESTIONS), begun_so, chosen.rounds)
    )
    told("with a mistake", times(lambda text: known.complete(text, SUGGESTIONS), wrong, chosen.rounds))
    ignored = stop_words("en")
    told("related searches", times(lambda text: related(text, [], ignored, known), queries, chosen.rounds))
    sys.exit(worst >= MOST)


if __name__ == "__main__":
    main()
