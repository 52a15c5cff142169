"""Word statistics over all partitions, compounds, word splitting.

Document frequencies, the compounds that contain a word, and the splits of a word depend only on the
snapshots. A vocabulary therefore belongs to one state of all partitions and is discarded with it.
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
# German and related languages write compounds as one word: a user who searches for "Versicherung" also
# means "Lebensversicherung". A term counts as a compound of a word if it begins or ends with the word and
# the rest is a word of the collection, perhaps after removing a linking sound (Leben-s-versicherung). So
# no list of words is needed, nothing is stored in the index, and "Garten" is no compound of "Arten". The
# part before the word must not be a function word: "Vorteil" is no compound of "Teil". A small collection
# has few words, but a long word hardly ever ends another one by chance; so before a long word, any rest
# counts that is long enough.
#
# If few pages hold the word, all of its compounds are used (`compounds_holding`). If many pages do, only
# those that end with it are used, because the last part says what the thing is: a "Lebensversicherung" is
# a Versicherung, but a "Versicherungsvertrag" is not. The most frequent of these are enough
# (`compounds_ending_in`).

COMPOUNDING = frozenset(["da", "de", "fi", "hu", "nb", "nl", "nn", "no", "sv"])
SHORTEST = 4  # letters of the word, and of its stem
SHORTEST_REST = 3  # letters of the other part
LONG, LONG_REST = 7, 4  # letters of a long word, and of an unknown part before it

# Linking sounds between the parts.
JOINTS = ("", "s", "es", "n", "en", "er", "e", "ens", "ns")
FIRST = "grund"  # a sample first part of compounds, in all of the languages
ENDINGS = {"de": ("ung",), "nl": ("ing",)}  # endings that stemmers remove from long words only
LOOKED_AT_TERMS = 64  # candidates of each segment, the most frequent, in the first round
DEEPER = 4  # factor of candidates from round to round
MOST_KINDS = 20  # compounds that end with a word
Numbers = NDArray[np.uint32]
FrequencyArray = NDArray[np.int64]
Candidate = tuple[int, list[str]]  # the number of a term, and terms; at least one of these must exist


@dataclass(frozen=True, slots=True)
class _Ending:
    """The terms that end with one stem of a word."""

    stem: str
    reader: Analyser
    ranked: Sequence[tuple[Numbers, FrequencyArray]]  # of each segment, most frequent first

    def frequency_at(self, depth: int) -> int:
        """Return an upper bound of the frequency of terms beyond the first `depth` of each segment."""
        return sum(int(held[depth]) for _, held in self.ranked if depth < len(held))

    def is_of(self, word: str, term: str, segments: Iterable[Segment]) -> bool:
        """Return whether the written form of a term contains the word.

        "Tageszeitung" and "Tageszeit" have the same stem: only their written forms differ.
        """
        own = without_language(self.reader[word])
        if self.stem == own:
            return True
        places = ((segment.dictionary, segment.dictionary.number(term)) for segment in segments)
        return any(own in fold(dictionary.form(number)) for dictionary, number in places if number >= 0)


def compounds_holding(
    snapshots: Sequence[Snapshot], word: str, readers: Iterable[Analyser]
) -> dict[str, int]:
    """Return the compounds that contain a word, with their document frequencies.

    The other part of a compound may occur in any partition, so the number of partitions changes nothing.
    """
    counts: Counter[str] = Counter()
    left: dict[str, list[str]] = {}
    plain: set[str] = set()  # compounds whose other part need not be a known word
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
    """Return the most frequent compounds that end with a word, the most frequent first.

    Only languages in which some page holds the word itself are searched. Frequencies are those of all
    partitions, but few terms are read. As in the threshold algorithm of Fagin, Lotem and Naor ("Optimal
    Aggregation Algorithms for Middleware", 2003), the search ends as soon as enough compounds are found that
    no unread term can be as frequent.
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
        # No term outside the first `depth` of all segments has a higher frequency than this.
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
    """Return compounds among the first `depth` terms of each segment with a frequency above `missed`."""
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
    """Return the document frequency of each term over all partitions."""
    held = Counter[str]()
    for snapshot in snapshots if terms else ():
        held.update(snapshot.term_stats(terms).frequencies)
    return held


def _known(snapshots: Iterable[Snapshot], terms: set[str]) -> set[str]:
    """Return the terms that some page holds."""
    return {term for term, pages in _held_terms(snapshots, terms).items() if pages}


def _candidates(dictionary: Dictionary, word: str, reader: Analyser) -> Iterator[Candidate]:
    """Yield terms that end with the stem of the word, or begin with the word itself, unstemmed."""
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
    """Return the stems that the word may have at the end of a compound."""
    stems = dict.fromkeys([without_language(reader[word]), _stem_as_head(word, reader)])
    return [stem for stem in stems if len(stem) >= SHORTEST]


def _firsts(term: str, stem: str, reader: Analyser) -> list[str]:
    """Return the possible first parts of a compound, as terms."""
    firsts = _without_joints(without_language(term).removesuffix(stem))
    return [
        reader[one] for one in firsts if len(one) >= SHORTEST_REST and not is_stop_word(one, reader.language)
    ]


def _without_joints(first: str) -> Iterator[str]:
    """Yield the first part of a compound without each possible linking sound."""
    return (first.removesuffix(joint) for joint in JOINTS if first.endswith(joint))


def _ends_plainly(term: str, word: str, reader: Analyser) -> bool:
    """Return whether a term of this language is a long word after a part that may be another word."""
    if len(word) < LONG or term != in_language(written := without_language(term), reader.language):
        return False
    stem = next((one for one in _stems(word, reader) if written.endswith(one)), written)
    first = written.removesuffix(stem)
    parts = _without_joints(first)
    return len(first) >= LONG_REST and not any(is_stop_word(one, reader.language) for one in parts)


def _stem_as_head(word: str, reader: Analyser) -> str:
    """Return the stem of a word at the end of a compound: stemmers remove more from long words."""
    return without_language(reader[FIRST + word]).removeprefix(FIRST)


SHORTEST_SURE = 6  # letters of a word whose parts need not be checked in pages
SHORTEST_PART = 2  # letters of a part of such a word
LONGEST = 40  # letters of a word that is split
TRIED = 3  # splits of one word that are checked in pages
LOOKED_AT_PAGES = 8  # pages with adjacent parts that are read
LONGEST_TEXT = 20_000  # bytes of each that are read
JOINING = "-\u2010\u2012\u2013./_'\u2019\u00b7"  # characters that join two parts
Frequencies = Callable[[Sequence[str]], Sequence[int]]  # document frequencies of words, in any language
Parts = tuple[str, str]
Joined = Callable[[Parts], bool]  # whether pages mostly join these parts if they are adjacent

# Returns the documents of a segment that hold two adjacent words.
SideBySide = Callable[[SegmentView, tuple[TermVariants, TermVariants]], NDArray[np.int64]]


def split_word(word: str, frequencies: Frequencies, joined: Joined) -> Parts | None:
    """Return the two parts into which a word can be split; None if there are none."""
    places = list(_places(word)) if SHORTEST <= len(word) <= LONGEST else []
    held = _held_parts(places, frequencies)
    known = [parts for parts in places if held.get(parts[0]) and held.get(parts[1])]
    known.sort(key=lambda parts: -min(held[parts[0]], held[parts[1]]))
    return next((parts for parts in known[:TRIED] if _is_sure(parts) or joined(parts)), None)


def _held_parts(pairs: Iterable[Parts], frequencies: Frequencies) -> dict[str, int]:
    """Return the frequency of each part.

    The shorter one is looked up only if some page holds the longer one.
    """
    by_length = [sorted(pair, key=len) for pair in pairs]
    longer = list(dict.fromkeys(pair[1] for pair in by_length))
    held = dict(zip(longer, frequencies(longer), strict=True)) if longer else {}
    shorter = list(dict.fromkeys(pair[0] for pair in by_length if held[pair[1]] and pair[0] not in held))
    return held | (dict(zip(shorter, frequencies(shorter), strict=True)) if shorter else {})


def _places(word: str) -> Iterator[Parts]:
    """Yield the possible splits of a word; between letters and digits only at their border."""
    for at in range(1, len(word)):
        if word.isalpha() or word[at - 1].isdigit() != word[at].isdigit():
            yield word[:at], word[at:]


def _is_sure(parts: Parts) -> bool:
    first, second = parts
    if first.isdigit() or second.isdigit():
        return True
    return len(first + second) >= SHORTEST_SURE and min(map(len, parts)) >= SHORTEST_PART


def _joined_in(pages: Iterable[str], parts: Parts) -> bool:
    """Return whether most of some pages with two adjacent words have a joining character between them."""
    first, second = map(fold, parts)
    written = [first + sign + second for sign in JOINING]
    texts = [fold(folded(text)) for text in pages]
    signed = sum(any(_begins_with(text, one) for one in written) for text in texts)
    return bool(texts) and 2 * signed >= len(texts)


def _begins_with(text: str, written: str) -> bool:
    """Return whether a word of a text begins with `written`."""
    at = text.find(written)
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at = text.find(written, at + 1)
    return at >= 0


TERMS = 200_000  # whose frequencies are cached; then the cache is cleared
WORDS = 20_000  # whose compounds and parts are cached
COUNTED = 200_000  # words whose frequencies are cached
FEW_WORDS = 8  # typed words, whose terms are cached; more are parts, which hardly occur again
Languages = tuple[str, ...]
Made = TypeVar("Made")
Method = Callable[["Vocabulary", str, Languages], Made]


def _remembered(method: Method[Made]) -> Method[Made]:
    """Cache the results of a method of a vocabulary by word and languages."""

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
    """The words of some snapshots. `side_by_side` finds adjacent words. Safe to use from several threads."""

    def __init__(self, snapshots: Iterable[Snapshot], side_by_side: SideBySide) -> None:
        self.snapshots = tuple(snapshots)
        self._side_by_side = side_by_side
        self._held: dict[str, int] = {}
        self._counts: dict[Languages, dict[str, int]] = {}
        # By method, word and languages. Must not refer to the vocabulary: that would keep its files open.
        self.answers: dict[str, dict[tuple[str, Languages], tuple[Any]]] = {}

    @cached_property
    def views(self) -> list[SegmentView]:
        return [view for one in self.snapshots for view in one.views]

    @cached_property
    def documents(self) -> int:
        """The number of documents; deleted ones count until their segment is merged."""
        return sum(one.indexed for one in self.snapshots)

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages of pages and passages."""
        return frozenset(name for one in self.snapshots for name in one.languages())

    @cached_property
    def spoken(self) -> Mapping[str, int]:
        """The number of documents in each language."""
        return sum((one.spoken() for one in self.snapshots), Counter[str]())

    def stats(self, terms: Iterable[str]) -> TermStats:
        """Return the number of documents and the document frequencies of terms; see `documents`."""
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
        """Return the document frequency of each word, summed over some languages."""
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
        if are_few:  # the query will soon need its terms
            self._hold(dict(zip(terms, held.tolist(), strict=True)))
        counts: list[int] = held.reshape(len(words), len(readers)).sum(axis=1).tolist()
        return counts

    @_remembered
    def compounds_ending_in(self, word: str, languages: Languages) -> TermVariants:
        """Return the most frequent compounds that end with a word, in the languages of pages that hold it."""
        readers = analysers(languages)
        read = zip(readers, readers.read(word), strict=True)
        terms = {term: reader for reader, term in read if reader.language in COMPOUNDING}
        held = self.stats(terms).frequencies
        spoken = [reader for term, reader in terms.items() if held[term]]
        return compounds_ending_in(self.snapshots, word, spoken)

    @_remembered
    def longer(self, word: str, languages: Languages) -> Mapping[str, int]:
        """Return the compounds that contain a word, with their document frequencies."""
        return compounds_holding(self.snapshots, word, analysers(languages))

    @_remembered
    def parts(self, word: str, languages: Languages) -> Parts | None:
        """Return the two parts into which a word can be split; None if there are none."""
        return split_word(
            word,
            lambda asked: self.frequencies(asked, languages),
            lambda parts: _joined_in(self._texts_with(parts, languages), parts),
        )

    def _texts_with(self, parts: Parts, languages: Languages) -> Iterator[str]:
        """Yield the texts of some pages with two adjacent words: the same for any number of partitions."""
        first, second = analysers(languages).read_all(parts)
        places = []
        for view in self.views:
            docs = self._side_by_side(view, (first, second))
            pages = view.segment.columns.fingerprints[docs]
            few = np.argsort(pages)[:LOOKED_AT_PAGES]
            places += [(int(pages[place]), view.segment, int(docs[place])) for place in few]
        for _, segment, doc in sorted(places, key=lambda place: place[0])[:LOOKED_AT_PAGES]:
            stored = segment.stored
            data = stored.at(int(stored.slots[doc]))
            yield title_and_text(data, LONGEST_TEXT).decode("utf-8", "ignore")

    @_remembered
    def reading(self, word: str, languages: Languages) -> TermVariants:
        """Return the terms of a word in each language.

        For a Vietnamese syllable without tone marks, return the terms of all syllables that it may stand for.
        """
        plain = analysers(languages).read(word)
        patterns = [pattern for _, pattern in patterns_at(Word(word), languages)]
        if not patterns:
            return plain
        return choose([gather(one, patterns) for one in self.snapshots]).terms.get(patterns[0], plain)


# Query words written apart or joined
# -----------------------------------
#
# `hostname`, `host-name` and `host name` mean the same to users. The index holds only the forms on the
# pages. Other forms of a query word are found here, in the dictionaries of all partitions, at query time:
# adjacent words also rank by the word that they form together, if some page holds it (`beside`). A word
# that few pages hold is also searched for as two adjacent parts (`parts`) and, in languages that write
# compounds as one word, inside longer words (`longer`). Compounds that end with a frequent word add a
# share of its weight (`kinds`).

FEW = 10  # pages; a more frequent word fills a page of results without other forms
SHORTEST_JOINED = 4  # letters of a joined word: "Wi-Fi" is "wifi"
SHORTEST_BESIDE = 5  # letters if typed apart; shorter ones are often chance, such as "be at"
SHORT_QUERY = 4  # words; longer queries have other words, and "in" and "to" are adjacent by chance
MOST_TERMS = 100  # most frequent compounds that contain one word


@dataclass(frozen=True, slots=True)
class Compounds:
    """Other written forms of the words of a query that occur in the collection."""

    beside: tuple[str, ...] = ()  # words formed by adjacent plain words
    whole: Mapping[str, str] = field(default_factory=dict)  # joined words of texts like "host-name"
    parts: Mapping[str, Parts] = field(default_factory=dict)  # the parts of a rare word
    unknown: frozenset[str] = frozenset()  # words that no page holds
    longer: Mapping[str, TermVariants] = field(default_factory=dict)  # compounds that contain a rare word
    kinds: Mapping[str, TermVariants] = field(default_factory=dict)  # compounds that end with a frequent word
    share: float = 0.0  # weight of a compound relative to a word that some page holds

    @property
    def has_other_writings(self) -> bool:
        """Whether a word of the query may have another form on pages."""
        return bool(self.whole or self.parts or self.longer)


NO_COMPOUNDS = Compounds()


def known_compounds(
    query: Query, vocabulary: Vocabulary, languages: Iterable[str], share: float = 0.0
) -> Compounds:
    """Return the other forms of the words of a query, the same for any number of partitions.

    The weight of a compound is `share` times that of a word that some page holds. With 0, compounds that end
    with a frequent word are not searched for.
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
    """Return the other forms of the words of a query, without compounds that end with a frequent word."""
    # All plain words as typed, in any clause, repetitions included.
    typed = [text.text for text in query.texts() if isinstance(text, Word)]
    read = {text: words(text) for text in typed}
    if sum(len(read[text]) for text in typed) > SHORT_QUERY:
        return NO_COMPOUNDS
    rows = list(read.values())
    together = {text: "".join(row) for text, row in read.items() if _can_join(row)}
    # Function words are not joined: "not to" would match an Italian word.
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
    """Return the plain words of a short query; operands of operators get no compounds."""
    rows = [words(clause.text) for clause in query.clauses if isinstance(clause, Word)]
    return _single(rows) if sum(map(len, rows)) <= SHORT_QUERY else []


def _most_frequent(terms: Mapping[str, int]) -> TermVariants:
    return tuple(sorted(terms, key=lambda term: (-terms[term], term))[:MOST_TERMS])


def _neighbours(query: Query) -> Iterator[list[str]]:
    """Yield the runs of two and three adjacent plain words."""
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
    """Return whether the user probably means the joined word.

    At least one page must contain it. A short word must also be at least as frequent as its rarest part.
    """
    if len(word) >= SHORTEST_BESIDE or not held[word]:
        return bool(held[word])
    return held[word] >= min(held[part] for part in row)


def _is_plain(word: str) -> bool:
    return word.isalnum() and not is_unspaced(word)
