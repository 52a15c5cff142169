"""Which words of a query may also be written apart, or as one?

`hostname`, `host-name` and `host name` are one thing to those who look for it. The index holds only what a
page says; what else may be meant is found here, in the dictionaries of all partitions, when a query comes:
words side by side also rank by the word that they make, where some page holds it; and a word that few pages
hold is also looked for in two parts, one behind the other (`parting`), and within longer words, in languages
that write compounds as one (`decompounding`). Where many pages hold it, compounds that end with it are kinds
of it, and count a share of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gossamer.model import Query, Word, texts
from gossamer.search.condition import Reading
from gossamer.search.decompounding import COMPOUNDING
from gossamer.search.expansion import analysers
from gossamer.search.parting import Frequencies, Parts
from gossamer.search.wordbook import Wordbook
from gossamer.text.stopwords import are_function_words
from gossamer.text.words import is_unspaced, words

FEW = 10  # pages: a word that more of them hold needs no other writing to fill a page of results
SHORTEST_JOINED = 4  # letters of a word that others make together: "Wi-Fi" is "wifi"
SHORTEST_BESIDE = 5  # where they were typed apart; shorter ones meet by chance, as "be at" does
SHORT_QUERY = 4  # words; in longer ones "in" and "to" meet by chance, and the other words find what is meant
LONGEST = 40  # letters

MOST_TERMS = 100  # compounds that hold one word, the most frequent of the collection

Holding = Callable[[str], Mapping[str, int]]  # terms of compounds with a word, and how many pages hold them
Apart = Callable[[str], Parts | None]  # the two parts of a word, where it has them


@dataclass(frozen=True, slots=True)
class Compounds:
    """Other ways to write the words of one query, as far as the collection knows them."""

    beside: tuple[str, ...] = ()  # words made of plain words side by side
    whole: Mapping[str, str] = field(default_factory=dict)  # of what was typed as one and read as several
    parts: Mapping[str, Parts] = field(default_factory=dict)  # of a word that few pages hold
    unknown: frozenset[str] = frozenset()  # of the words that few pages hold, those that none does
    longer: Mapping[str, Reading] = field(default_factory=dict)  # terms of compounds with such a word
    kinds: Mapping[str, Reading] = field(default_factory=dict)  # terms of compounds that end with another
    share: float = 0.0  # what compounds count beside a word that some page holds

    @property
    def are_kinds(self) -> bool:
        """Whether nothing is written otherwise: compounds only add to what the words find."""
        return not (self.beside or self.whole or self.parts or self.longer)


NO_COMPOUNDS = Compounds()


def known_compounds(
    query: Query, wordbook: Wordbook, languages: Iterable[str], share: float = 0.0
) -> Compounds:
    """The other writings of a query's words that the partitions know together, the same for all of them.

    A compound counts a `share` of a word that some page holds. With 0 those that end with a frequent word are
    not looked for.
    """
    spoken = tuple(sorted(languages))
    made = compounds_of(
        query,
        lambda asked: wordbook.frequencies(asked, spoken),
        lambda word: wordbook.longer(word, spoken),
        lambda word: wordbook.parts(word, spoken),
        spoken,
    )
    made = replace(made, share=share) if made.longer else made
    if not share or COMPOUNDING.isdisjoint(reader.language for reader in analysers(spoken)):
        return made
    kinds = {word: wordbook.kinds(word, spoken) for word in _plain_words(query) if word not in made.longer}
    kinds = {word: terms for word, terms in kinds.items() if terms}
    return replace(made, kinds=kinds, share=share) if kinds else made


def compounds_of(
    query: Query, frequencies: Frequencies, holding: Holding, apart: Apart, spoken: Sequence[str] = ()
) -> Compounds:
    """The other writings of a query's words, in a collection that speaks these languages."""
    typed = _typed(query)
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
    held = dict(zip(asked, frequencies(asked), strict=True))
    rare = [word for word in single if held[word] <= FEW]
    parts = {word: both for word in rare if (both := apart(word))}
    longer = {word: _most_frequent(found) for word in rare if word.isalpha() and (found := holding(word))}
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


def _most_frequent(terms: Mapping[str, int]) -> Reading:
    return tuple(sorted(terms, key=lambda term: (-terms[term], term))[:MOST_TERMS])


def _typed(query: Query) -> list[str]:
    """The plain words, wherever they stand and however often, as they were typed."""
    leaves = [text for leaf, _ in query.leaves() for text in texts(leaf)]
    return [text.text for text in leaves if isinstance(text, Word)]


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
