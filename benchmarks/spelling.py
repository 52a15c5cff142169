"""How many misspelt words are put right, and how many right ones wrong? Gossamer beside symspellpy.

    .venv/bin/python benchmarks/spelling.py --data FILE [--cache DIR] [--passages N] [--peers-python PYTHON]
        [--words N]

FILE has a word a line and its misspellings, `word: wrod, werd*2`, in gzip. The words are those of an index of
real text, the passages that `search.py` made in its cache. A tenth of the right words are taken out of it, so
that it lacks them as any collection lacks some. The costs of mistakes were learned from the misspellings of
one half of the words, chosen by a checksum; both halves are printed, and the other half counts.

rank 1   misspellings, of words of the index and none themselves, whose best guess is the right word
said     the same, where the guess was sure enough to be shown; wrong: another word was shown
false    right words for which another was shown: those in the index, those taken out of it, and all

symspellpy has the words of the index with their frequencies, two mistakes, and says its best guess always.
The exit status is 1 when it puts more right than what we say, or when we change more than one right word in
a hundred.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

TAKEN_OUT = 10  # one in so many right words
MOST_FALSE = 0.01
LEARNED, HELD_OUT = "learned from", "held out"


@dataclass(slots=True)
class Outcome:
    """What happened to the words of one half."""

    asked: int = 0
    first: int = 0  # right at rank 1
    said: int = 0
    wrong: int = 0
    seconds: float = 0.0
    right_words: Counter = field(default_factory=Counter)  # in, out
    changed: Counter = field(default_factory=Counter)

    def false(self):
        return sum(self.changed.values()) / max(1, sum(self.right_words.values()))


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, metavar="FILE")
    parser.add_argument("--cache", type=Path, default=default_cache(), metavar="DIR", help="of search.py")
    parser.add_argument("--passages", type=int, default=0, metavar="N", help="how many of them; 0: all")
    parser.add_argument("--words", type=int, default=0, metavar="N", help="right words of each half; 0: all")
    parser.add_argument("--peers-python", default=sys.executable, metavar="PATH")
    return parser.parse_args()


def default_cache():
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gossamer-benchmarks"


def misspellings(path):
    """Of each right word its misspellings; only what is letters."""
    found = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            right, _, wrong = line.lower().partition(":")
            each = {re.sub(r"\*[0-9]+$", "", one.strip()) for one in wrong.split(",")}
            if right.strip().isalpha():
                found.setdefault(right.strip(), set()).update(filter(str.isalpha, each))
    return found


def half_of(word):
    return (LEARNED, HELD_OUT)[zlib.crc32(word.encode()) & 1]


def is_taken_out(word):
    return zlib.crc32(word.encode()) // 2 % TAKEN_OUT == 0


def index_of(cache, passages, without, folder):
    """An index of the passages, without these words."""
    from gossamer.index.bm25f import Weighting
    from gossamer.index.index import Index
    from gossamer.index.writer import SegmentWriter
    from gossamer.model import Page, Url

    index, writer = Index(folder), SegmentWriter("en")
    text = cache / "passages" / "passages.txt"
    if not text.exists():
        sys.exit(f"there is no {text}: run search.py first")
    with text.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if passages and number >= passages:
                break
            kept = " ".join(word for word in line.split() if word not in without)
            writer.add(Page(Url.parsed(f"http://h{number % 1000}.test/{number}"), text=kept, language="en"))
    import numpy as np

    index.commit(writer, np.empty(0, np.uint64), Weighting.frozen_for(writer.total_lengths(), len(writer)))
    return index


def spelling_of(index):
    """What the engine asks for better spellings, with words that were not asked for yet."""
    from gossamer.answer.index_reader import IndexReader
    from gossamer.answer.prepare import PlaceResolver, plan_query
    from gossamer.answer.spelling.correct import SpellingCorrector
    from gossamer.query.synonyms import NO_SYNONYMS
    from gossamer.search.settings import SearchSettings

    settings = SearchSettings()
    opened = IndexReader([index], None, settings, ()).opened(False)

    def count(query):
        made = plan_query(
            query, opened.vocabulary, (), settings, NO_SYNONYMS, (), PlaceResolver().places(query)
        )
        return made.search.count(opened.searchers)

    return SpellingCorrector(opened.vocabulary, ["en"], count)


def ours(spelling, words, wrong_of, known):
    """Our outcome over right words and the misspellings of each."""
    outcome = Outcome()
    for right in words:
        is_in = right in known
        outcome.right_words[is_in] += 1
        outcome.changed[is_in] += said(spelling, right) is not None
        for wrong in sorted(wrong_of[right]) if is_in else ():
            if wrong in known:
                continue
            begun = time.process_time()
            answer = said(spelling, wrong)
            outcome.seconds += time.process_time() - begun
            outcome.asked += 1
            outcome.first += best(spelling, wrong) == right
            outcome.said += answer == right
            outcome.wrong += answer not in (right, None)
    return outcome


def said(spelling, word):
    from gossamer.model import Query, Word

    better = spelling.suggestion(Query(word, (Word(word),)))
    return better.text if better else None


def best(spelling, word):
    from gossamer.answer.spelling.correct import TypedWord, guess

    found = guess(
        TypedWord(word, spelling.letter_model_cost(word)),
        spelling.near(word),
        spelling.same,
        lambda some: [0.0] * len(some),
    )
    return found.words if found else None


def theirs(python, known, words, wrong_of):
    """symspellpy's guess for each misspelling and each right word, made by a Python that has it."""
    asked = sorted({wrong for right in words for wrong in wrong_of[right]} | set(words))
    with tempfile.TemporaryDirectory() as folder:
        task = Path(folder) / "task.json"
        task.write_text(json.dumps({"known": known, "asked": asked}), encoding="utf-8")
        run = subprocess.run(
            [python, __file__, "--peer", str(task)], capture_output=True, text=True, check=False
        )
    if run.returncode:
        print("symspellpy is missing: " + (run.stderr.strip().splitlines() or ["?"])[-1])
        return None
    answer = json.loads(run.stdout)
    guesses = dict(zip(asked, answer["guesses"], strict=True))
    outcome = Outcome(seconds=answer["seconds"])
    for right in words:
        is_in = right in known
        outcome.right_words[is_in] += 1
        outcome.changed[is_in] += guesses[right] not in (right, None)
        for wrong in wrong_of[right] if is_in else ():
            if wrong not in known:
                outcome.asked += 1
                outcome.first += guesses[wrong] == right
                outcome.wrong += guesses[wrong] not in (right, None)
    outcome.said = outcome.first
    outcome.seconds *= outcome.asked / max(1, len(asked))
    return outcome


def peer(task):
    """Runs in the peer's Python."""
    from symspellpy import SymSpell, Verbosity

    given = json.loads(Path(task).read_text(encoding="utf-8"))
    speller = SymSpell(max_dictionary_edit_distance=2, prefix_length=7)
    for word, count in given["known"].items():
        speller.create_dictionary_entry(word, count)
    begun = time.process_time()
    found = [speller.lookup(word, Verbosity.TOP, 2) for word in given["asked"]]
    seconds = time.process_time() - begun
    print(json.dumps({"guesses": [one[0].term if one else None for one in found], "seconds": seconds}))


def line(name, half, outcome):
    asked = max(1, outcome.asked)
    false = [outcome.changed[one] / max(1, outcome.right_words[one]) for one in (True, False)]
    shares = [outcome.first / asked, outcome.said / asked, outcome.wrong / asked, *false, outcome.false()]
    cells = "".join(f"{share:9.2%}" for share in shares)
    return f"{name:12}{half:14}{outcome.asked:8,}{cells}{1000 * outcome.seconds / asked:9.2f}"


def main():
    if sys.argv[1:2] == ["--peer"]:
        peer(sys.argv[2])
        return
    chosen = options()
    wrong_of = misspellings(chosen.data)
    with tempfile.TemporaryDirectory() as folder:
        index = index_of(chosen.cache, chosen.passages, set(filter(is_taken_out, wrong_of)), Path(folder))
        spelling = spelling_of(index)
        begun = time.process_time()
        from gossamer.answer.spelling.known_words import words_in

        words = words_in(index.snapshot().views[0].segment.lexicon)
        built = time.process_time() - begun
        known = {words.word(number): int(words.counts[number]) for number in range(len(words))}
        print(f"{index.snapshot().documents:,} passages, {len(words):,} words that may be meant,")
        print(f"in memory {words.memory / 1e6:.1f} MB, made in {built:.2f} s when first asked for\n")
        print(f"{'':12}{'':14}{'':8}{'':27}{'   --- false: right words changed'}")
        head = ("rank 1", "said", "wrong", "in", "out", "all", "ms")
        print(f"{'':12}{'words':14}{'asked':>8}" + "".join(f"{one:>9}" for one in head))
        failed = compared(chosen, spelling, wrong_of, known)
    sys.exit(failed)


def compared(chosen, spelling, wrong_of, known):
    # words that the text never held are no test of what was taken out
    held = [word for word in sorted(wrong_of) if word in known or is_taken_out(word)]
    failed = False
    for half in (LEARNED, HELD_OUT):
        words = [word for word in held if half_of(word) == half]
        words = words[:: max(1, len(words) // chosen.words)] if chosen.words else words
        said(spelling, "warmingup")
        own = ours(spelling, words, wrong_of, known)
        print(line("gossamer", half, own), flush=True)
        other = theirs(chosen.peers_python, known, words, wrong_of)
        if other:
            print(line("symspellpy", half, other), flush=True)
        if half == HELD_OUT:
            failed = own.false() > MOST_FALSE or (other is not None and own.said <= other.said)
    return failed


if __name__ == "__main__":
    main()
