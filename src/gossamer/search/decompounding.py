"""Which compounds of the collection hold this word?

German and its neighbours write compounds as one: who looks for "Versicherung" means "Lebensversicherung" too.
A term is believed to be a compound of the word when it begins or ends with it and what is left, perhaps
without the sounds that join (Leben-s-versicherung), is a word that the collection knows. So no list of words
is needed, "Garten" is no kind of "Arten", and the index holds nothing for it. Every byte of the dictionaries
is looked at for this: `compounds_of` asks only for words that few pages hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from gossamer.index.dictionary import Dictionary
from gossamer.index.snapshot import Snapshot
from gossamer.text.analysis import Analyser, fold, in_language, without_language

COMPOUNDING = frozenset(["da", "de", "fi", "hu", "nb", "nl", "nn", "no", "sv"])
SHORTEST = 4  # letters of the word, and of its stem
SHORTEST_REST = 3
# What stands between the parts, or goes from the end of the first one.
JOINTS = ("", "s", "es", "n", "en", "er", "e", "ens", "ns")
FIRST = "grund"  # any word that compounds may begin with, in all of the languages
ENDINGS = {"de": ("ung",), "nl": ("ing",)}  # that stemmers take from long words only

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


def _known(snapshots: Iterable[Snapshot], terms: set[str]) -> set[str]:
    held = [snapshot.term_stats(terms).frequencies for snapshot in snapshots] if terms else []
    return {term for frequencies in held for term, count in frequencies.items() if count}


def _candidates(dictionary: Dictionary, word: str, reader: Analyser) -> Iterator[Candidate]:
    """Ends are compared with the word's stem, beginnings with the word itself, which has no ending there."""
    if reader.language not in COMPOUNDING or len(word) < SHORTEST:
        return
    for stem in {without_language(reader[word]), _stem_as_head(word, reader)}:
        for number in dictionary.ending(stem) if len(stem) >= SHORTEST else ():
            first = without_language(term := dictionary.term(number)).removesuffix(stem)
            if term == in_language(first + stem, reader.language):
                firsts = (first.removesuffix(joint) for joint in JOINTS if first.endswith(joint))
                yield number, [reader[one] for one in firsts if len(one) >= SHORTEST_REST]
    written = fold(word)
    for number in dictionary.prefixed(written):
        rest = without_language(term := dictionary.term(number)).removeprefix(written)
        if term == in_language(written + rest, reader.language):
            rests = (rest.removeprefix(joint) for joint in JOINTS if rest.startswith(joint))
            long = [one for one in rests if len(one) >= SHORTEST_REST]
            endings = ("", *ENDINGS.get(reader.language, ()))
            yield number, [reader[one + ending] for one in long for ending in endings]


def _stem_as_head(word: str, reader: Analyser) -> str:
    """The stem of a word at the end of another: stemmers take more from long words than from short ones."""
    return without_language(reader[FIRST + word]).removeprefix(FIRST)
