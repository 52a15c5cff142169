"""Which compounds of the collection hold this word?

German and its neighbours write compounds as one: who looks for "Versicherung" means "Lebensversicherung" too.
A term is believed to be a compound of the word when it begins or ends with it and what is left, perhaps
without the sounds that join (Leben-s-versicherung), is a word that the collection knows. So no list of words
is needed, "Garten" is no kind of "Arten", and the index holds nothing for it. What stands before the word may
be no function word: a "Vorteil" is no kind of Teil. A small collection knows few words; but a long word
hardly ever ends another one by chance, so that before it anything may stand that is long enough.

All compounds are looked for where few pages hold the word (`compounds_holding`). Where many do, only those
that end with it: the last part says what the thing is, a "Lebensversicherung" is a Versicherung, and a
"Versicherungsvertrag" is none. Of these the most frequent are enough (`kinds_of`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary import Dictionary
from gossamer.index.segment import Segment
from gossamer.index.snapshot import Snapshot
from gossamer.search.condition import Reading
from gossamer.text.analysis import Analyser, fold, in_language, without_language
from gossamer.text.stopwords import is_stop_word

COMPOUNDING = frozenset(["da", "de", "fi", "hu", "nb", "nl", "nn", "no", "sv"])
SHORTEST = 4  # letters of the word, and of its stem
SHORTEST_REST = 3
LONG, LONG_REST = 7, 4  # letters of a word, and of what nobody knows that stands before it
# What stands between the parts, or goes from the end of the first one.
JOINTS = ("", "s", "es", "n", "en", "er", "e", "ens", "ns")
FIRST = "grund"  # any word that compounds may begin with, in all of the languages
ENDINGS = {"de": ("ung",), "nl": ("ing",)}  # that stemmers take from long words only

LOOKED_AT = 64  # terms of each segment that end with a word, the most frequent, before more are looked at
DEEPER = 4  # times as many
MOST_KINDS = 20

Numbers = NDArray[np.uint32]
Frequencies = NDArray[np.int64]
Candidate = tuple[int, list[str]]  # the number of a term, and terms of which one must be known


@dataclass(frozen=True, slots=True)
class _Ending:
    """The terms that end with a stem of a word."""

    stem: str
    reader: Analyser
    ranked: Sequence[tuple[Numbers, Frequencies]]  # of each segment, most frequent first

    def frequency_at(self, depth: int) -> int:
        """How many pages at most hold a term that is not among the first `depth` of any segment."""
        return sum(int(held[depth]) for _, held in self.ranked if depth < len(held))

    def is_of(self, word: str, term: str, segments: Iterable[Segment]) -> bool:
        """Whether people write the term with the word.

        "Tageszeitung" has the stem of "Tageszeit": only its written form tells them apart.
        """
        own = without_language(self.reader[word])
        if self.stem == own:
            return True
        places = ((segment.dictionary, segment.dictionary.number(term)) for segment in segments)
        return any(own in fold(dictionary.form(number)) for dictionary, number in places if number >= 0)


def compounds_holding(
    snapshots: Sequence[Snapshot], word: str, readers: Iterable[Analyser]
) -> dict[str, int]:
    """The terms that are compounds with this word, and how many pages hold them.

    What is left of a term may be known to any partition, so their number changes nothing.
    """
    counts: Counter[str] = Counter()
    left: dict[str, list[str]] = {}
    plain: set[str] = set()  # those that need no word beside this one
    for reader in readers:
        for segment in (view.segment for snapshot in snapshots for view in snapshot.views):
            for number, rests in _candidates(segment.dictionary, word, reader):
                term = segment.dictionary.term(number)
                counts[term] += segment.postings.frequency(number)
                left[term] = rests
        plain |= {term for term in left if _ends_plainly(term, word, reader)}
    known = _known(snapshots, {rest for rests in left.values() for rest in rests})
    return {
        term: counts[term] for term, rests in left.items() if term in plain or not known.isdisjoint(rests)
    }


def kinds_of(snapshots: Sequence[Snapshot], word: str, readers: Iterable[Analyser]) -> Reading:
    """The most frequent terms that are compounds which end with this word, most frequent first.

    They are looked for in the languages in which some page holds the word itself. Frequencies are those of
    all partitions, but few terms are read: as in the threshold algorithm of Fagin, Lotem and Naor ("Optimal
    Aggregation Algorithms for Middleware", 2003), the first of each segment are enough as soon as they have
    so many compounds that no term behind them can be as frequent.
    """
    writing = [reader for reader in readers if reader.language in COMPOUNDING and len(word) >= SHORTEST]
    known = _known(snapshots, {reader[word] for reader in writing})
    segments = [view.segment for snapshot in snapshots for view in snapshot.views]
    endings = [
        _Ending(stem, reader, [_ranked(segment, stem, reader.language) for segment in segments])
        for reader in writing
        if reader[word] in known
        for stem in _stems(word, reader)
    ]
    kinds: list[str] = []
    depth, missed = LOOKED_AT, 1
    while endings and missed and len(kinds) < MOST_KINDS:
        # More pages hold no term than this that is not among the first of any segment.
        missed = max(ending.frequency_at(depth) for ending in endings)
        kinds = _kinds_among_first(snapshots, word, endings, depth, missed)
        depth *= DEEPER
    return tuple(kinds[:MOST_KINDS])


def _ranked(segment: Segment, stem: str, language: str) -> tuple[Numbers, Frequencies]:
    numbers = segment.dictionary.ending(stem, language)
    frequencies = segment.postings.frequencies_at(numbers)
    order = np.argsort(-frequencies)
    return numbers[order], frequencies[order]


def _kinds_among_first(
    snapshots: Sequence[Snapshot], word: str, endings: Sequence[_Ending], depth: int, missed: int
) -> list[str]:
    """Those among the first of each segment that more than `missed` pages hold, most frequent first."""
    segments = [view.segment for snapshot in snapshots for view in snapshot.views]
    found: dict[str, _Ending] = {}
    for ending in endings:
        for segment, (numbers, _) in zip(segments, ending.ranked, strict=True):
            terms = map(segment.dictionary.term, numbers[:depth].tolist())
            found |= {term: ending for term in terms if term not in found}
    held = _held(snapshots, found)
    first = sorted(
        [term for term, pages in held.items() if pages > missed], key=lambda term: (-held[term], term)
    )
    left = {term: _firsts(term, found[term].stem, found[term].reader) for term in first}
    known = _known(snapshots, {rest for rests in left.values() for rest in rests})
    kinds = (term for term in first if not known.isdisjoint(left[term]))
    return list(islice((term for term in kinds if found[term].is_of(word, term, segments)), MOST_KINDS))


def _held(snapshots: Iterable[Snapshot], terms: Collection[str]) -> Counter[str]:
    """How many pages hold each term."""
    held = Counter[str]()
    for snapshot in snapshots if terms else ():
        held.update(snapshot.term_stats(terms).frequencies)
    return held


def _known(snapshots: Iterable[Snapshot], terms: set[str]) -> set[str]:
    return {term for term, pages in _held(snapshots, terms).items() if pages}


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


def _stems(word: str, reader: Analyser) -> list[str]:
    """How terms may end that end with this word."""
    stems = dict.fromkeys([without_language(reader[word]), _stem_as_head(word, reader)])
    return [stem for stem in stems if len(stem) >= SHORTEST]


def _firsts(term: str, stem: str, reader: Analyser) -> list[str]:
    """What may stand before the stem in a term, as terms."""
    first = without_language(term).removesuffix(stem)
    firsts = (first.removesuffix(joint) for joint in JOINTS if first.endswith(joint))
    return [
        reader[one] for one in firsts if len(one) >= SHORTEST_REST and not is_stop_word(one, reader.language)
    ]


def _ends_plainly(term: str, word: str, reader: Analyser) -> bool:
    """Whether a term of this language is a long word behind what may be another."""
    if len(word) < LONG or term != in_language(written := without_language(term), reader.language):
        return False
    stem = next((one for one in _stems(word, reader) if written.endswith(one)), written)
    first = written.removesuffix(stem)
    firsts = (first.removesuffix(joint) for joint in JOINTS if first.endswith(joint))
    return len(first) >= LONG_REST and not any(is_stop_word(one, reader.language) for one in firsts)


def _stem_as_head(word: str, reader: Analyser) -> str:
    """The stem of a word at the end of another: stemmers take more from long words than from short ones."""
    return without_language(reader[FIRST + word]).removeprefix(FIRST)
