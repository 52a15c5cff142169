"""An index with a known history: what each commit brings and takes away, and what must be found after it."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise

import numpy as np
from pages import page, url

from gossamer.answer.pipeline import AnswerPipeline
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.manifest import NAME
from gossamer.index.writer import SegmentWriter
from gossamer.search.settings import SearchSettings

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
ADDRESSES = [f"http://h{number % 7}.test/{number}" for number in range(60)]
WORDS = "alpha beta gamma delta epsilon zeta eta".split()
PAIRS = [("alpha", "beta"), ("zeta", "zeta")]
SETTINGS = SearchSettings(threads=1)
FACTOR = 2  # of the tiers


@cache
def step(number):
    """What commit number `number` writes, address by address, and which addresses it takes away."""
    chance = random.Random(number)
    written = chance.sample(ADDRESSES, chance.choice([0, 1, 4, 9]) if number > 1 else 12)
    texts = {
        address: " ".join(["common", f"made{number}", *chance.choices(WORDS, k=7)]) for address in written
    }
    return texts, frozenset(chance.sample(ADDRESSES, chance.choice([0, 2, 6]))) - frozenset(written)


_STATES = [{}]


def state(number):
    """The text of every address after that many commits."""
    while len(_STATES) <= number:
        texts, taken = step(len(_STATES))
        kept = {address: text for address, text in _STATES[-1].items() if address not in taken}
        _STATES.append(kept | texts)
    return _STATES[number]


def writer_of(texts, number):
    writer = SegmentWriter("xx")
    for address, text in texts.items():
        writer.add(page(address, text, fetched_at=float(number)))
    return writer


def commit(index, number):
    texts, taken = step(number)
    going = [
        url(address).fingerprint for address in state(number - 1) if address in taken or address in texts
    ]
    index.commit(writer_of(texts, number), np.array(going, np.uint64), PIVOTS)


def merge(index, number):
    """What the tiers ask for, and now and then everything."""
    index.merge(FACTOR)
    if number % 5 == 0:
        index.merge_all()


def rebuild(index, number):
    """Segments are written beside the old ones and take their place."""
    texts = sorted(state(number).items())
    first, entries = index.manifest().next_segment, []
    for part in (texts[::2], texts[1::2]):
        entries.append(index.write(writer_of(dict(part), number), PIVOTS, first + len(entries)))
    index.replace(entries, PIVOTS, first + len(entries))


# What can be done to an index after a commit: the next commit, or what leaves every answer as it is.
WORK = {
    "commit": lambda index, number: commit(index, number + 1),
    "merge": lambda index, _: index.merge_all(),
    "rebuild": rebuild,
}
COMMITS = 10  # of an index that is then worked on


def after(work):
    return COMMITS + (work == "commit")


def made_index(folder):
    """Two segments, documents of the first deleted; the next commit deletes from both."""
    index = Index(folder)
    for number in range(1, COMMITS + 1):
        commit(index, number)
        if number == COMMITS - 2:
            index.merge_all()
    return index


def served(index):
    """Every document that an index holds, read back."""
    found = {}
    for view in index.snapshot().views:
        for doc in np.flatnonzero(view.alive()).tolist():
            stored = view.segment.stored.document(doc)
            assert stored.url not in found, f"{stored.url} is there twice"
            found[stored.url] = stored.text
    return found


def assert_answers(index, number):
    """Words, phrases, exclusions and filters find exactly what the history says."""
    texts = {address: text.split() for address, text in state(number).items()}
    searching = AnswerPipeline([index], None, SETTINGS)

    def assert_found(typed, matches):
        found = searching.search(typed, k=1000, correct=False)
        expected = {address for address, words in texts.items() if matches(words, address)}
        assert ({hit.url for hit in found.hits}, found.total) == (expected, len(expected)), typed

    for word in ["common", *WORDS, *(f"made{made}" for made in range(max(1, number - 2), number + 2))]:
        assert_found(word, lambda words, _, word=word: word in words)
    for one, two in PAIRS:
        pair = (one, two)
        assert_found(f'"{one} {two}"', lambda words, _, pair=pair: pair in pairwise(words))
        assert_found(f"{one} -{two}", lambda words, _, pair=pair: pair[0] in words and pair[1] not in words)
    assert_found("common site:h3.test", lambda _, address: address.startswith("http://h3.test/"))


def assert_serves(index, *numbers):
    """The index is in one of these states, whole; tells in which."""
    found = served(index)
    number = next((number for number in numbers if state(number) == found), None)
    assert number is not None, f"the index is in none of the states {numbers}"
    assert_answers(index, number)
    return number


def leftovers(index):
    """What lies in the folder and no manifest knows."""
    there = {str(path.relative_to(index.directory)) for path in index.directory.rglob("*") if path.is_file()}
    folders = {path.name for path in index.directory.iterdir() if path.is_dir()}
    wanted = {NAME}
    for entry in index.manifest().segments:
        folder = index.directory / entry.name
        wanted |= {
            f"{entry.name}/{path.name}" for path in folder.iterdir() if not path.name.startswith("deleted-")
        }
        wanted |= {f"{entry.name}/{entry.deleted}"} if entry.deleted else set()
    return there ^ wanted | folders - {entry.name for entry in index.manifest().segments}
