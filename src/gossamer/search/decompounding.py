"""Which compounds of the collection hold this word?

German and its neighbours write compounds as one: who looks for "Versicherung" means "Lebensversicherung" too.
A term is believed to be a compound of the word when it begins or ends with it and what is left, perhaps
without the sounds that join (Leben-s-versicherung), is a word that the collection knows. So no list of words
is needed, "Garten" is no kind of "Arten", and the index holds nothing for it.

All compounds are looked for where few pages hold the word (`compounds_holding`). Where many do, only those
that end with it: the last part says what the thing is, a "Lebensversicherung" is a Versicherung, and a
"Versicherungsvertrag" is none. Of these the most frequent are enough (`kinds_of`), and what is left may be no
function word: a "Vorteil" is no kind of Teil.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from gossamer.index.dictionary import Dictionary
from gossamer.index.segment import Segment
from gossamer.index.snapshot import Snapshot
from gossamer.search.condition import Reading
from gossamer.text.analysis import Analyser, fold, in_language, without_language
from gossamer.text.stopwords import is_stop_word

COMPOUNDING = frozenset(["da", "de", "fi", "hu", "nb", "nl", "nn", "no", "sv"])
SHORTEST = 4  # letters of the word, and of its stem
SHORTEST_REST = 3
# What stands between the parts, or goes from the end of the first one.
JOINTS = ("", "s", "es", "n", "en", "er", "e", "ens", "ns")
FIRST = "grund"  # any word that compounds may begin with, in all of the languages
ENDINGS = {"de": ("ung",), "nl": ("ing",)}  # that stemmers take from long words only

LOOKED_AT = 40  # compounds of a segment, the most frequent, that may be kinds of a word
MOST_KINDS = 20

Candidate = tuple[int, list[str]]  # the number of a term, and terms of which one must be known


def compounds_holding(
    snapshots: Sequence[Snapshot], word: str, readers: Iterable[Analyser]
) -> dict[str, int]:
    """The terms that are compounds with this word, and how many pages hold them.

    What is left of a term may be known to any partition, so their number changes nothing.
    """
    counts: Counter[str] = Counter()
    left: dict[str, list[str]] = {}
    for reader in readers:
        for segment in (view.segment for snapshot in snapshots for view in snapshot.views):
            for number, rests in _candidates(segment.dictionary, word, reader):
                term = segment.dictionary.term(number)
                counts[term] += segment.postings.frequency(number)
                left[term] = rests
    known = _known(snapshots, {rest for rests in left.values() for rest in rests})
    return {term: counts[term] for term, rests in left.items() if not known.isdisjoint(rests)}


def kinds_of(snapshots: Sequence[Snapshot], word: str, readers: Iterable[Analyser]) -> Reading:
    """The most frequent terms that are compounds which end with this word, most frequent first.

    They are looked for in the languages in which some page holds the word itself.
    """
    left: dict[str, list[str]] = {}
    writing = [reader for reader in readers if reader.language in COMPOUNDING and len(word) >= SHORTEST]
    known = _known(snapshots, {reader[word] for reader in writing})
    for reader in (reader for reader in writing if reader[word] in known):
        for segment in (view.segment for snapshot in snapshots for view in snapshot.views):
            left |= _most_frequent_kinds(segment, word, reader)
    asked = tuple(dict.fromkeys([*left, *(rest for rests in left.values() for rest in rests)]))
    held = Counter[str]()
    for snapshot in snapshots if left else ():
        held.update(snapshot.term_stats(asked).frequencies)
    kinds = [term for term, rests in left.items() if any(held[rest] for rest in rests)]
    return tuple(sorted(kinds, key=lambda term: (-held[term], term))[:MOST_KINDS])


def _most_frequent_kinds(segment: Segment, word: str, reader: Analyser) -> dict[str, list[str]]:
    """The terms of a segment that end with a word, and of each the terms of which one must be known."""
    found = {}
    own = without_language(reader[word])
    for stem in _stems(word, reader):
        numbers = segment.dictionary.ending(stem, reader.language)
        if len(numbers) > LOOKED_AT:
            frequencies = segment.postings.frequencies_at(numbers)
            numbers = numbers[np.argpartition(-frequencies, LOOKED_AT)[:LOOKED_AT]]
        for number in numbers.tolist():
            term = segment.dictionary.term(number)
            rests = _firsts(term, stem, reader)
            # "Tageszeitung" has the stem of "Tageszeit": only how people write it tells them apart.
            if rests and (stem == own or own in fold(segment.dictionary.form(number))):
                found[term] = rests
    return found


def _known(snapshots: Iterable[Snapshot], terms: set[str]) -> set[str]:
    held = [snapshot.term_stats(terms).frequencies for snapshot in snapshots] if terms else []
    return {term for frequencies in held for term, count in frequencies.items() if count}


def _candidates(dictionary: Dictionary, word: str, reader: Analyser) -> Iterator[Candidate]:
    """Ends are compared with the word's stem, beginnings with the word itself, which has no ending there."""
    if reader.language not in COMPOUNDING or len(word) < SHORTEST:
        return
    for stem in _stems(word, reader):
        for number in dictionary.ending(stem, reader.language).tolist():
            yield number, _firsts(dictionary.term(number), stem, reader)
    written = fold(word)
    for number in dictionary.prefixed(written):
        rest = without_language(term := dictionary.term(number)).removeprefix(written)
        if term == in_language(written + rest, reader.language):
            rests = (rest.removeprefix(joint) for joint in JOINTS if rest.startswith(joint))
            long = [one for one in rests if len(one) >= SHORTEST_REST]
            endings = ("", *ENDINGS.get(reader.language, ()))
            yield number, [reader[one + ending] for one in long for ending in endings]


def _stems(word: str, reader: Analyser) -> set[str]:
    """How terms may end that end with this word."""
    stems = {without_language(reader[word]), _stem_as_head(word, reader)}
    return {stem for stem in stems if len(stem) >= SHORTEST}


def _firsts(term: str, stem: str, reader: Analyser) -> list[str]:
    """What may stand before the stem in a term, as terms."""
    first = without_language(term).removesuffix(stem)
    firsts = (first.removesuffix(joint) for joint in JOINTS if first.endswith(joint))
    return [
        reader[one] for one in firsts if len(one) >= SHORTEST_REST and not is_stop_word(one, reader.language)
    ]


def _stem_as_head(word: str, reader: Analyser) -> str:
    """The stem of a word at the end of another: stemmers take more from long words than from short ones."""
    return without_language(reader[FIRST + word]).removeprefix(FIRST)
