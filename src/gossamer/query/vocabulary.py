"""Word statistics over all partitions, compounds, word splitting.

Which pages hold a term, which compounds hold a word, and where a word may be parted depend on the snapshots
alone: one vocabulary belongs to one state of all partitions, and is thrown away with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from itertools import chain, islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary import Dictionary
from gossamer.index.segment import Segment, SegmentView, Snapshot
from gossamer.index.stored_text import title_and_text
from gossamer.model import Query, TermStats, Word
from gossamer.query.conditions import TermVariants
from gossamer.query.expansion import analysers, choose, gather, patterns_at
from gossamer.text.stopwords import are_function_words, is_stop_word
from gossamer.text.strings import CODING
from gossamer.text.terms import Analyser, fold, in_language, without_language
from gossamer.text.words import folded, is_unspaced, words

# Compounds that contain a word
# -----------------------------
#
# German and its neighbours write compounds as one: who looks for "Versicherung" means
# "Lebensversicherung" too. A term is believed to be a compound of the word when it begins or ends
# with it and what is left, perhaps without the sounds that join (Leben-s-versicherung), is a word
# that the collection knows. So no list of words is needed, "Garten" is no kind of "Arten", and the
# index holds nothing for it. What stands before the word may be no function word: a "Vorteil" is no
# kind of Teil. A small collection knows few words; but a long word hardly ever ends another one by
# chance, so that before it anything may stand that is long enough.
#
# All compounds are looked for where few pages hold the word (`compounds_holding`). Where many do,
# only those that end with it: the last part says what the thing is, a "Lebensversicherung" is a
# Versicherung, and a "Versicherungsvertrag" is none. Of these the most frequent are enough
# (`compounds_ending_in`).

COMPOUNDING = frozenset(["da", "de", "fi", "hu", "nb", "nl", "nn", "no", "sv"])
SHORTEST = 4  # letters of the word, and of its stem
SHORTEST_REST = 3
LONG, LONG_REST = 7, 4  # letters of a word, and of what nobody knows that stands before it

# What stands between the parts, or goes from the end of the first one.
JOINTS = ("", "s", "es", "n", "en", "er", "e", "ens", "ns")
FIRST = "grund"  # any word that compounds may begin with, in all of the languages
ENDINGS = {"de": ("ung",), "nl": ("ing",)}  # that stemmers take from long words only
LOOKED_AT_TERMS = 64  # of each segment, the most frequent that end with a word; then more are looked at
DEEPER = 4  # times as many
MOST_KINDS = 20
Numbers = NDArray[np.uint32]
FrequencyArray = NDArray[np.int64]
Candidate = tuple[int, list[str]]  # the number of a term, and terms of which one must be known


@dataclass(frozen=True, slots=True)
class _Ending:
    """The terms that end with a stem of a word."""

    stem: str
    reader: Analyser
    ranked: Sequence[tuple[Numbers, FrequencyArray]]  # of each segment, most frequent first

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


def compounds_ending_in(
    snapshots: Sequence[Snapshot], word: str, readers: Iterable[Analyser]
) -> TermVariants:
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
    depth, missed = LOOKED_AT_TERMS, 1
    while endings and missed and len(kinds) < MOST_KINDS:
        # More pages hold no term than this that is not among the first of any segment.
        missed = max(ending.frequency_at(depth) for ending in endings)
        kinds = _kinds_among_first(snapshots, word, endings, depth, missed)
        depth *= DEEPER
    return tuple(kinds[:MOST_KINDS])


def _ranked(segment: Segment, stem: str, language: str) -> tuple[Numbers, FrequencyArray]:
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
    held = _held_terms(snapshots, found)
    first = sorted(
        [term for term, pages in held.items() if pages > missed], key=lambda term: (-held[term], term)
    )
    left = {term: _firsts(term, found[term].stem, found[term].reader) for term in first}
    known = _known(snapshots, {rest for rests in left.values() for rest in rests})
    kinds = (term for term in first if not known.isdisjoint(left[term]))
    return list(islice((term for term in kinds if found[term].is_of(word, term, segments)), MOST_KINDS))


def _held_terms(snapshots: Iterable[Snapshot], terms: Collection[str]) -> Counter[str]:
    """How many pages hold each term."""
    held = Counter[str]()
    for snapshot in snapshots if terms else ():
        held.update(snapshot.term_stats(terms).frequencies)
    return held


def _known(snapshots: Iterable[Snapshot], terms: set[str]) -> set[str]:
    return {term for term, pages in _held_terms(snapshots, terms).items() if pages}


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
    firsts = _without_joints(without_language(term).removesuffix(stem))
    return [
        reader[one] for one in firsts if len(one) >= SHORTEST_REST and not is_stop_word(one, reader.language)
    ]


def _without_joints(first: str) -> Iterator[str]:
    """What the first part of a compound may be as a word of its own."""
    return (first.removesuffix(joint) for joint in JOINTS if first.endswith(joint))


def _ends_plainly(term: str, word: str, reader: Analyser) -> bool:
    """Whether a term of this language is a long word behind what may be another."""
    if len(word) < LONG or term != in_language(written := without_language(term), reader.language):
        return False
    stem = next((one for one in _stems(word, reader) if written.endswith(one)), written)
    first = written.removesuffix(stem)
    parts = _without_joints(first)
    return len(first) >= LONG_REST and not any(is_stop_word(one, reader.language) for one in parts)


def _stem_as_head(word: str, reader: Analyser) -> str:
    """The stem of a word at the end of another: stemmers take more from long words than from short ones."""
    return without_language(reader[FIRST + word]).removeprefix(FIRST)


SHORTEST_SURE = 6  # of one whose parts need not be looked at in pages
SHORTEST_PART = 2  # in it
LONGEST = 40
TRIED = 3  # places in one word that are looked for in pages
LOOKED_AT_PAGES = 8  # pages with both parts in a row
LONGEST_TEXT = 20_000  # bytes of each that are read
JOINING = "-\u2010\u2012\u2013./_'\u2019\u00b7"  # signs
Frequencies = Callable[[Sequence[str]], Sequence[int]]  # how many pages hold each word, in any language
Parts = tuple[str, str]
Joined = Callable[[Parts], bool]  # whether pages mostly join these two where they stand in a row

# The documents of a segment that hold two words one behind the other.
SideBySide = Callable[[SegmentView, tuple[TermVariants, TermVariants]], NDArray[np.int64]]


def split_word(word: str, frequencies: Frequencies, joined: Joined) -> Parts | None:
    """The two parts of a word, where it has them."""
    places = list(_places(word)) if SHORTEST <= len(word) <= LONGEST else []
    held = _held_parts(places, frequencies)
    known = [parts for parts in places if held.get(parts[0]) and held.get(parts[1])]
    known.sort(key=lambda parts: -min(held[parts[0]], held[parts[1]]))
    return next((parts for parts in known[:TRIED] if _is_sure(parts) or joined(parts)), None)


def _held_parts(pairs: Iterable[Parts], frequencies: Frequencies) -> dict[str, int]:
    """How many pages hold each part; the shorter one is looked up only where some hold the longer one."""
    by_length = [sorted(pair, key=len) for pair in pairs]
    longer = list(dict.fromkeys(pair[1] for pair in by_length))
    held = dict(zip(longer, frequencies(longer), strict=True)) if longer else {}
    shorter = list(dict.fromkeys(pair[0] for pair in by_length if held[pair[1]] and pair[0] not in held))
    return held | (dict(zip(shorter, frequencies(shorter), strict=True)) if shorter else {})


def _places(word: str) -> Iterator[Parts]:
    """Where a word can be parted at all; among letters and digits only at their border."""
    for at in range(1, len(word)):
        if word.isalpha() or word[at - 1].isdigit() != word[at].isdigit():
            yield word[:at], word[at:]


def _is_sure(parts: Parts) -> bool:
    first, second = parts
    if first.isdigit() or second.isdigit():
        return True
    return len(first + second) >= SHORTEST_SURE and min(map(len, parts)) >= SHORTEST_PART


def _joined_in(pages: Iterable[str], parts: Parts) -> bool:
    """Whether most of some pages that hold two words in a row have a sign between them."""
    first, second = map(fold, parts)
    written = [first + sign + second for sign in JOINING]
    texts = [fold(folded(text)) for text in pages]
    signed = sum(any(_begins_with(text, one) for one in written) for text in texts)
    return bool(texts) and 2 * signed >= len(texts)


def _begins_with(text: str, written: str) -> bool:
    """Whether a word of a text begins so."""
    at = text.find(written)
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at = text.find(written, at + 1)
    return at >= 0


TERMS = 200_000  # whose frequencies are remembered; beyond it the memory starts anew
WORDS = 20_000  # whose compounds and parts are
COUNTED = 200_000  # words of which it is remembered how many documents hold them
FEW_WORDS = 8  # whose terms are remembered: they were typed, more are parts that hardly come again
Languages = tuple[str, ...]
Made = TypeVar("Made")
Method = Callable[["Vocabulary", str, Languages], Made]


def _remembered(method: Method[Made]) -> Method[Made]:
    """Remember what a method of a vocabulary answers of each word in some languages."""

    @wraps(method)
    def answer(vocabulary: Vocabulary, word: str, languages: Languages) -> Made:
        known = vocabulary.answers.setdefault(method.__name__, {})
        found = known.get((word, languages))
        if found is None:
            found = (method(vocabulary, word, languages),)
            if len(known) >= WORDS:
                known.clear()
            known[word, languages] = found
        made: Made = found[0]
        return made

    return answer


class Vocabulary:
    """The words of some snapshots, in which `side_by_side` finds neighbours. Threads may share it."""

    def __init__(self, snapshots: Iterable[Snapshot], side_by_side: SideBySide) -> None:
        self.snapshots = tuple(snapshots)
        self._side_by_side = side_by_side
        self._held: dict[str, int] = {}
        self._counts: dict[Languages, dict[str, int]] = {}
        # By method, word and languages. Nothing in it holds the vocabulary: it would keep its files open.
        self.answers: dict[str, dict[tuple[str, Languages], tuple[Any]]] = {}

    @cached_property
    def views(self) -> list[SegmentView]:
        return [view for one in self.snapshots for view in one.views]

    @cached_property
    def documents(self) -> int:
        """All documents; deleted ones count until they merge."""
        return sum(one.term_stats(()).documents for one in self.snapshots)

    @cached_property
    def languages(self) -> frozenset[str]:
        """Of pages and passages."""
        return frozenset(name for one in self.snapshots for name in one.languages())

    @cached_property
    def spoken(self) -> Mapping[str, int]:
        """How many documents there are in each language."""
        return sum((one.spoken() for one in self.snapshots), Counter[str]())

    def stats(self, terms: Iterable[str]) -> TermStats:
        """How many documents there are, and how many hold each term; deleted ones count until they merge."""
        wanted = dict.fromkeys(terms)
        known = {term: count for term in wanted if (count := self._held.get(term)) is not None}
        if len(known) < len(wanted):
            new = tuple([term for term in wanted if term not in known])
            held = _held_terms(self.snapshots, new)
            counts = {term: held[term] for term in new}
            self._hold(counts)
            known |= counts
        return TermStats(self.documents, {term: known[term] for term in wanted})

    def _hold(self, counts: Mapping[str, int]) -> None:
        if len(self._held) > TERMS:
            self._held.clear()
        self._held.update(counts)

    def frequencies(self, words: Sequence[str], languages: Languages) -> list[int]:
        """How many documents hold each word, in all of these languages."""
        known = self._counts.setdefault(languages, {})
        found = {word: count for word in words if (count := known.get(word)) is not None}
        new = list(dict.fromkeys([word for word in words if word not in found]))
        if new:
            counted = dict(zip(new, self._counted(new, languages), strict=True))
            if len(known) + len(new) > COUNTED:
                known.clear()
            known.update(counted)
            found |= counted
        return [found[word] for word in words]

    def _counted(self, words: Sequence[str], languages: Languages) -> list[int]:
        readers, are_few = analysers(languages), len(words) <= FEW_WORDS
        terms = [*chain(*readers.read_all(words, remembered=are_few))]
        lines = "\n".join([*terms, ""]).encode(*CODING)
        held = np.zeros(len(terms), np.int64)
        for one in self.snapshots:
            held += one.frequencies(lines, len(terms))
        if are_few:  # a query is about to ask for its terms
            self._hold(dict(zip(terms, held.tolist(), strict=True)))
        counts: list[int] = held.reshape(len(words), len(readers)).sum(axis=1).tolist()
        return counts

    @_remembered
    def compounds_ending_in(self, word: str, languages: Languages) -> TermVariants:
        """The most frequent compounds that end with this word, in languages in which some page holds it."""
        readers = analysers(languages)
        read = zip(readers, readers.read(word), strict=True)
        terms = {term: reader for reader, term in read if reader.language in COMPOUNDING}
        held = self.stats(terms).frequencies
        spoken = [reader for term, reader in terms.items() if held[term]]
        return compounds_ending_in(self.snapshots, word, spoken)

    @_remembered
    def longer(self, word: str, languages: Languages) -> Mapping[str, int]:
        """The compounds that hold this word, and how many documents hold them."""
        return compounds_holding(self.snapshots, word, analysers(languages))

    @_remembered
    def parts(self, word: str, languages: Languages) -> Parts | None:
        """The two parts in which others write this word, where it has them."""
        return split_word(
            word,
            lambda asked: self.frequencies(asked, languages),
            lambda parts: _joined_in(self._texts_with(parts, languages), parts),
        )

    def _texts_with(self, parts: Parts, languages: Languages) -> Iterator[str]:
        """The texts of some pages that hold two words in a row; which, does not depend on partitions."""
        first, second = analysers(languages).read_all(parts)
        places = []
        for view in self.views:
            docs = self._side_by_side(view, (first, second))
            pages = view.segment.columns.fingerprints[docs]
            few = np.argsort(pages)[:LOOKED_AT_PAGES]
            places += [(int(pages[place]), view.segment, int(docs[place])) for place in few]
        for _, segment, doc in sorted(places, key=lambda place: place[0])[:LOOKED_AT_PAGES]:
            stored = segment.stored
            title, text = title_and_text(stored.at(int(stored.slots[doc])))
            yield b"\n".join([title, text[:LONGEST_TEXT]]).decode("utf-8", "ignore")

    @_remembered
    def reading(self, word: str, languages: Languages) -> TermVariants:
        """The terms of a word in each language; those of all that a bare syllable of Vietnamese may mean."""
        plain = analysers(languages).read(word)
        patterns = [pattern for _, pattern in patterns_at(Word(word), languages)]
        if not patterns:
            return plain
        return choose([gather(one, patterns) for one in self.snapshots]).terms.get(patterns[0], plain)


# Query words written apart or joined
# -----------------------------------
#
# `hostname`, `host-name` and `host name` are one thing to those who look for it. The index holds only
# what a page says; what else may be meant is found here, in the dictionaries of all partitions, when
# a query comes: words side by side also rank by the word that they make, where some page holds it;
# and a word that few pages hold is also looked for in two parts, one behind the other (`parts`), and
# within longer words, in languages that write compounds as one (`longer`). Where many pages
# hold it, compounds that end with it are kinds of it, and count a share of it.

FEW = 10  # pages: a word that more of them hold needs no other writing to fill a page of results
SHORTEST_JOINED = 4  # letters of a word that others make together: "Wi-Fi" is "wifi"
SHORTEST_BESIDE = 5  # where they were typed apart; shorter ones meet by chance, as "be at" does
SHORT_QUERY = 4  # words; in longer ones "in" and "to" meet by chance, and the other words find what is meant
MOST_TERMS = 100  # compounds that hold one word, the most frequent of the collection


@dataclass(frozen=True, slots=True)
class Compounds:
    """Other ways to write the words of one query, as far as the collection knows them."""

    beside: tuple[str, ...] = ()  # words made of plain words side by side
    whole: Mapping[str, str] = field(default_factory=dict)  # of what was typed as one and read as several
    parts: Mapping[str, Parts] = field(default_factory=dict)  # of a word that few pages hold
    unknown: frozenset[str] = frozenset()  # of the words that few pages hold, those that none does
    longer: Mapping[str, TermVariants] = field(default_factory=dict)  # terms of compounds with such a word
    kinds: Mapping[str, TermVariants] = field(default_factory=dict)  # of compounds that end with another
    share: float = 0.0  # what compounds count beside a word that some page holds

    @property
    def has_other_writings(self) -> bool:
        """Whether a word of the query may stand in pages in another writing."""
        return bool(self.whole or self.parts or self.longer)


NO_COMPOUNDS = Compounds()


def known_compounds(
    query: Query, vocabulary: Vocabulary, languages: Iterable[str], share: float = 0.0
) -> Compounds:
    """The other writings of a query's words that the partitions know together, the same for all of them.

    A compound counts a `share` of a word that some page holds. With 0 those that end with a frequent word are
    not looked for.
    """
    spoken = tuple(sorted(languages))
    made = _written_otherwise(query, vocabulary, spoken)
    made = replace(made, share=share) if made.longer else made
    if not share or COMPOUNDING.isdisjoint(reader.language for reader in analysers(spoken)):
        return made
    kinds = {
        word: vocabulary.compounds_ending_in(word, spoken)
        for word in _plain_words(query)
        if word not in made.longer
    }
    kinds = {word: terms for word, terms in kinds.items() if terms}
    return replace(made, kinds=kinds, share=share) if kinds else made


def _written_otherwise(query: Query, vocabulary: Vocabulary, spoken: Languages) -> Compounds:
    """The other writings of a query's words, but for compounds that end with a frequent one."""
    # The plain words, wherever they stand and however often, as they were typed.
    typed = [text.text for text in query.texts() if isinstance(text, Word)]
    read = {text: words(text) for text in typed}
    if sum(len(read[text]) for text in typed) > SHORT_QUERY:
        return NO_COMPOUNDS
    rows = list(read.values())
    together = {text: "".join(row) for text, row in read.items() if _can_join(row)}
    # "not to" is no word, though Italian has one that begins like it.
    beside = {
        "".join(row): row
        for row in _neighbours(query)
        if _can_join(row) and not are_function_words(row, spoken)
    }
    single = _single(rows)
    asked = list(dict.fromkeys([*together.values(), *beside, *single]))
    if not asked:
        return NO_COMPOUNDS
    held = dict(zip(asked, vocabulary.frequencies(asked, spoken), strict=True))
    rare = [word for word in single if held[word] <= FEW]
    parts = {word: both for word in rare if (both := vocabulary.parts(word, spoken))}
    compounds = {word: vocabulary.longer(word, spoken) for word in rare if word.isalpha()}
    longer = {word: _most_frequent(found) for word, found in compounds.items() if found}
    made = Compounds(
        tuple(word for word, row in beside.items() if _is_meant(word, row, held)),
        {text: word for text, word in together.items() if held[word]},
        parts,
        frozenset(word for word in rare if not held[word] and (word in parts or word in longer)),
        longer,
    )
    return NO_COMPOUNDS if made == NO_COMPOUNDS else made


def _single(rows: Sequence[Sequence[str]]) -> list[str]:
    return [word for word in dict.fromkeys(word for row in rows for word in row) if _is_plain(word)]


def _plain_words(query: Query) -> list[str]:
    """The words of a short query that compounds may end with; operators mean what is written."""
    rows = [words(clause.text) for clause in query.clauses if isinstance(clause, Word)]
    return _single(rows) if sum(map(len, rows)) <= SHORT_QUERY else []


def _most_frequent(terms: Mapping[str, int]) -> TermVariants:
    return tuple(sorted(terms, key=lambda term: (-terms[term], term))[:MOST_TERMS])


def _neighbours(query: Query) -> Iterator[list[str]]:
    """Two and three words that stand side by side, as wishes."""
    row: list[str] = []
    for clause in query.clauses:
        row = [*row, *words(clause.text)] if isinstance(clause, Word) else []
        for size in (2, 3):
            if len(row) >= size:
                yield row[-size:]


def _can_join(row: Sequence[str]) -> bool:
    together = "".join(row)
    fits = SHORTEST_JOINED <= len(together) <= LONGEST and not together.isdigit()
    return len(row) > 1 and fits and all(map(_is_plain, row))


def _is_meant(word: str, row: Sequence[str], held: Mapping[str, int]) -> bool:
    """Whether a word that others make together is believed to be meant: a short one as often as they are."""
    if len(word) >= SHORTEST_BESIDE or not held[word]:
        return bool(held[word])
    return held[word] >= min(held[part] for part in row)


def _is_plain(word: str) -> bool:
    return word.isalnum() and not is_unspaced(word)
