# mypy: disable-error-code="assignment, no-any-return"
"""Index terms of words: stemming, folding, irregular forms, per language.

Steps: word -> base form, if it is irregular; else restore the accents of its ending -> stem, if Snowball has
the language -> fold diacritics -> append a mark of the language. Index and query use the same function. A
page is stemmed in its own language. The language of a query is unknown, so its words are looked up under the
stems of all languages of the collection. Without the mark, a word stemmed in German ("Tempest", stem "temp")
would find French pages about the weather.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from threading import Lock
from types import MappingProxyType

import numpy as np
import Stemmer
from numpy.typing import NDArray

from gossamer.text.stopwords import section
from gossamer.text.strings import CODING, Strings, are_ascii
from gossamer.text.words import LONGEST_WORD, folded, words

# Restore accents of endings before stemming
# ------------------------------------------
#
# Stemmers depend on accents: "informação" loses its ending, "informacao" keeps it, and neither
# finds the other. So endings that rarely occur without accents get them back before stemming, in
# pages and queries. The same list joins plurals that a stemmer does not, such as "ação" and
# "ações".

WHOLE = 5  # letters of an ending that may be a whole word
WORD = r"\w"
LAST = 2  # letters of the shortest ending
Restored = Callable[[str], str]  # takes words, one per line


@cache
def restoring(language: str) -> Restored | None:
    """Return the function that restores the endings of a language; None without a list.

    >>> restoring("pt")("informacao\\nacoes\\ncaos")
    'informação\\nação\\ncaos'
    """
    read_as = {folded(one): folded(other) for one, other in _pairs(language)}
    if not read_as:
        return None
    # The first match is the longest: it starts before the others, and all end at the end of the word.
    before: dict[int, list[str]] = {}
    for written, own in read_as.items():
        before.setdefault(_needed(written, own), []).append(written)
    parts = [rf"(?<={letters * WORD})(?:{'|'.join(some)})" for letters, some in before.items()]
    ending = re.compile(rf"(?:{'|'.join(parts)})$", re.MULTILINE)
    return lambda lines: ending.sub(lambda match: read_as[match[0]], lines)


@cache
def last_letters(language: str) -> frozenset[str]:
    """Return the last letters of all words that `restoring` may change, to skip most other words quickly."""
    return frozenset([folded(written)[-LAST:] for written, _ in _pairs(language)])


def _needed(written: str, read_as: str) -> int:
    """Return how many letters must precede an ending.

    The first two letters of a word do not change, except for accents: words are looked up in texts by them.
    """
    if len(written) >= WHOLE:
        return 0
    return 1 if len(written) == len(read_as) else 1 + (written[0] != _bare(read_as[0]))


def _bare(letter: str) -> str:
    return unicodedata.normalize("NFKD", letter)[0]


def _pairs(language: str) -> list[tuple[str, str]]:
    lines = (line.partition(":") for line in section("endings", language))
    return [(written.strip(), read_as.strip()) for written, _, read_as in lines]


# Base forms of irregular words
# -----------------------------
#
# The base form is stemmed instead, in pages and queries: "mice" and "mouse" are one term, as "cats"
# and "cat" are. Only nouns and verbs: a search for "better" rarely means "good".


@cache
def irregular_forms(language: str) -> Mapping[str, str]:
    """Return the base forms of irregular words of a language; empty without a list.

    >>> irregular_forms("en")["geese"], irregular_forms("fr")["yeux"]
    ('goose', 'œil')
    """
    pairs = (line.split(":") for line in section("irregular", language))
    return MappingProxyType({folded(form): folded(base) for base, forms in pairs for form in forms.split()})


# Vietnamese tone marks and unmarked syllables
# --------------------------------------------
#
# In Vietnamese, marks distinguish words: ma, má, mà, mả, mã, mạ, mă and mâ are unrelated. So terms
# keep them. A syllable in a query without any marks stands for all of these.

LANGUAGE = "vi"
_TONES = "\u0300\u0301\u0303\u0309\u0323"
_LETTERS = {"a": "aăâ", "e": "eê", "o": "oôơ", "u": "uư"}
_VOWELS = "aeiouy"
_SYLLABLE = re.compile(
    r"(?:ngh|ch|gh|gi|kh|ng|nh|ph|qu|th|tr|[bcdghklmnpqrstvx])?"
    r"[aeiouy]{1,3}"
    r"(?:ch|ng|nh|[cmnpt])?"
)

# In oa, oe and uy at the end of a syllable, some writers mark the first vowel, some the second.
_EARLY_TONE = re.compile(rf"([ou])([{_TONES}])([aey])$")


def with_tone_in_place(word: str) -> str:
    """Return the word with the tone mark where the newer spelling has it.

    >>> with_tone_in_place("hòa"), with_tone_in_place("hoà"), with_tone_in_place("thúy")
    ('hoà', 'hoà', 'thuý')
    """
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _EARLY_TONE.sub(r"\1\3\2", unicodedata.normalize("NFD", word)))


def is_bare_syllable(word: str) -> bool:
    """Return whether this may be a Vietnamese syllable without marks.

    >>> is_bare_syllable("nguoi"), is_bare_syllable("jaguar"), is_bare_syllable("người")
    (True, False, False)
    """
    return _SYLLABLE.fullmatch(word) is not None


def marked_syllables(bare: str) -> frozenset[str]:
    """Return all syllables that a syllable without marks may stand for, including itself.

    >>> len(marked_syllables("ma")), "người" in marked_syllables("nguoi")
    (18, True)
    """
    first = "dđ" if bare.startswith("d") else bare[:1]
    options = [_LETTERS.get(letter, letter) for letter in bare]
    options[0] = _LETTERS.get(bare[0], first)
    spelled = ("".join(letters) for letters in product(*options))
    return frozenset(toned for plain in spelled for toned in _toned(plain))


def _toned(plain: str) -> Iterator[str]:
    """Yield the syllable in each of the six tones, on any vowel."""
    yield plain
    for place, letter in enumerate(plain):
        if unicodedata.normalize("NFD", letter)[0] in _VOWELS:
            for tone in _TONES:
                toned = plain[: place + 1] + tone + plain[place + 1 :]
                yield with_tone_in_place(unicodedata.normalize("NFC", toned))


# Language codes as pages declare them, and Snowball's names.
SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian",
    "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch",
    "nn": "norwegian", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    "yi": "yiddish",
}  # fmt: skip
READ_APART = frozenset({*SNOWBALL, LANGUAGE})  # languages with an analysis of their own
MARK = "\x1f"  # separates stem and language
_FOLDED_AWAY = re.compile(
    "[\u0300-\u036f"  # combining diacritics
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # the points and accents of Hebrew
    # Arabic vowels, hamzas, tatweel, signs. The madda stays, because it distinguishes Persian words.
    "\u0610-\u061a\u0640\u064b-\u0652\u0654-\u065f\u0670\u06d6-\u06ed]"
    # The nukta of Devanagari, which is often left out, except that of the two flapped sounds.
    "|(?<![\u0921\u0922])\u093c"
)
_FOLDED_TO = str.maketrans(
    # Letters that have no decomposition; the dotless i, because a capital I may stand for it.
    {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe"}
    # Arabic letters that keyboards and fonts of other languages write differently.
    | {"ک": "ك", "ی": "ي", "ى": "ي", "ے": "ي", "ہ": "ه", "ھ": "ه", "ة": "ه", "ٱ": "ا"}
    | {"\u0901": "\u0902"}  # candrabindu, often written as an anusvara
)

# Before a consonant of its own class, a nasal of Devanagari may be written as an anusvara.
_NASAL = re.compile(
    "\u0919\u094d(?=[\u0915-\u0918])|\u091e\u094d(?=[\u091a-\u091d])|\u0923\u094d(?=[\u091f-\u0922])"
    "|\u0928\u094d(?=[\u0924-\u0927])|\u092e\u094d(?=[\u092a-\u092d])"
)


def in_language(stem: str, language: str) -> str:
    """Return the index term of a stem. Languages with the same analysis share one mark."""
    return f"{stem}{MARK}{language if language in READ_APART else ''}"


def without_language(term: str) -> str:
    """Return the stem of an index term, for display."""
    return term.partition(MARK)[0]


def fold(word: str) -> str:
    """Return the word without diacritics and without optional spelling differences.

    >>> fold("dimineață"), fold("हिन्दी") == fold("हिंदी")
    ('dimineata', True)
    """
    if word.isascii():
        return word
    bare = _FOLDED_AWAY.sub("", unicodedata.normalize("NFKD", word)).translate(_FOLDED_TO)
    return unicodedata.normalize("NFC", _NASAL.sub("\u0902", bare))


class Analyser(dict[str, str]):
    """The terms of one language: a dictionary from word to term that fills itself."""

    LARGEST = 500_000  # words; when it is full, it is cleared

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language
        self.mark = in_language("", language)
        name = SNOWBALL.get(language)
        self._irregular = irregular_forms(language)
        self._restored = restoring(language)
        self._last_letters = last_letters(language)
        self._stemmer = Stemmer.Stemmer(name, 0) if name in Stemmer.algorithms() else None

    def __missing__(self, word: str) -> str:
        if len(self) >= self.LARGEST:
            self.clear()
        written = self._base(word)
        stem = self._stemmer.stemWord(written) if self._stemmer else written
        is_plain = stem.isascii() and 0 < len(stem) <= LONGEST_WORD and self.language != LANGUAGE
        term = self[word] = (stem if is_plain else self._folded(stem, word)) + self.mark
        return term

    def plain_stems(self, words: Sequence[str]) -> Sequence[str]:
        """Stem ASCII words in a fraction of the time, without the mark of the language.

        The result is valid if all stems are ASCII, none is empty, and none is longer than a word may be.

        >>> Analyser("en").plain_stems(["ruling", "families"])
        ['rule', 'famili']
        """
        return self._stems(self._bases(words))

    def _stems(self, written: Sequence[str]) -> Sequence[str]:
        stems: Sequence[str] = self._stemmer.stemWords(written) if self._stemmer else written
        return stems

    def _base(self, word: str) -> str:
        """Return the base form that is stemmed instead of the word."""
        # Accents are part of endings in other languages; in English they only occur in loan words.
        written = fold(word) if self.language == "en" else word
        read_as = self._with_ending(written)
        return self._irregular.get(written) or self._irregular.get(read_as, read_as)

    def _with_ending(self, word: str) -> str:
        """Return the word with the accents of its ending restored."""
        return self._restored(word) if self._restored and word[-LAST:] in self._last_letters else word

    def _bases(self, words: Sequence[str]) -> Sequence[str]:
        """Return the base forms of several words in a fraction of the time; in English they must be ASCII."""
        if not (self._irregular or self._restored):
            return words
        restored = words
        if self._restored and not self._last_letters.isdisjoint([word[-LAST:] for word in words]):
            restored = [self._with_ending(word) for word in words]
        bases = self._irregular.get
        if self._irregular.keys().isdisjoint(words if restored is words else [*words, *restored]):
            return restored
        return [bases(word) or bases(as_read, as_read) for word, as_read in zip(words, restored, strict=True)]

    def _folded(self, stem: str, word: str) -> str:
        """Return a stem as it is indexed: folded, unless folding removes all of it."""
        bare = with_tone_in_place(stem) if self.language == LANGUAGE else fold(stem)
        return (bare or stem or word)[:LONGEST_WORD]

    def stem_lines(self, lines: bytes, plain: bool) -> bytes:
        """Stem words, one per line, in a fraction of the time, without the mark of the language.

        `plain`: all words are ASCII, and none is longer than a word may be.

        >>> analyser("en").stem_lines(b"ruling\\nfamilies\\n", plain=True)
        b'rule\\nfamili\\n'
        """
        if plain and self._stemmer is None:
            return lines
        words = lines.decode().split("\n")[:-1]
        by_word = self.language == "en" and not plain
        written = [self._base(word) for word in words] if by_word else self._bases(words)
        stems = self._stems(written)
        if not (plain and _are_plain(stems)):
            stems = [self._folded(stem, word) for stem, word in zip(stems, words, strict=True)]
        return "\n".join([*stems, ""]).encode()

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, one per position.

        >>> [without_language(term) for term in analyser("en").terms("Ruling families")]
        ['rule', 'famili']
        """
        return [self[word] for word in words(text)]


def analyser(language: str) -> Analyser:
    """Return the analyser of a language; one without a stemmer only folds."""
    return _analyser(language if language in READ_APART else "")


_analyser = cache(Analyser)


# Terms of a word in several languages, cached
# --------------------------------------------
#
# The words of a query are analysed in all languages of a collection, dozens of times in one search.
# The results for a word are cached together, and several new words are stemmed at once. Both take a
# fraction of the time of one lookup per language.

REMEMBERED = 20_000  # words; when it is full, it is cleared
TermsByLanguage = tuple[str, ...]  # of one word, one per language


class MultilingualAnalyser(tuple[Analyser, ...]):
    """The analysers of some languages. Threads may share it.

    >>> [term[:-1].rstrip(chr(31)) for term in MultilingualAnalyser.of(["en", "la"]).read("ruling")]
    ['rule\\x1fe', 'ruling']
    """

    _known: dict[str, TermsByLanguage]

    @classmethod
    def of(cls, languages: Iterable[str]) -> MultilingualAnalyser:
        made = cls({one.language: one for one in map(analyser, languages)}.values())
        made._known = {}
        return made

    def read(self, word: str) -> TermsByLanguage:
        return self._known.get(word) or self.read_all([word])[0]

    def read_all(self, words: Sequence[str], remembered: bool = True) -> list[TermsByLanguage]:
        """Return the terms of each word."""
        found = {word: terms for word in words if (terms := self._known.get(word))}
        if len(found) < len(words) and (new := [*dict.fromkeys(one for one in words if one not in found)]):
            read = dict(zip(new, self._read(new), strict=True))
            found |= read
            if remembered:
                if len(self._known) + len(new) > REMEMBERED:
                    self._known.clear()
                self._known.update(read)
        return [found[word] for word in words]

    def _read(self, words: Sequence[str]) -> list[TermsByLanguage]:
        if not self:
            return [()] * len(words)
        are_plain = _are_plain(words)
        rows = self._read_plain(words) if are_plain else [[one[word] for word in words] for one in self]
        return list(zip(*rows, strict=True))

    def _read_plain(self, words: Sequence[str]) -> list[list[str]]:
        """Return the terms of ASCII words, one row per analyser.

        The stems of all languages are checked at once, because one check takes as long as one stem.
        """
        stems = [one.plain_stems(words) for one in self]
        are_plain = _are_plain([stem for own in stems for stem in own])
        return [
            [stem + one.mark for stem in own]
            if are_plain or _are_plain(own)
            else [one[word] for word in words]
            for one, own in zip(self, stems, strict=True)
        ]


def _are_plain(words: Sequence[str]) -> bool:
    """Return whether all are ASCII, none is empty, and none is longer than a word may be."""
    return all(words) and "".join(words).isascii() and max(map(len, words), default=0) <= LONGEST_WORD


# Terms of numbered words, as numbers
# -----------------------------------
#
# `analyser` maps words to terms as strings. Here an array maps word numbers to term numbers, so
# that a known word takes almost no time. New words are stemmed together.

NOT_ASKED = np.uint32(0xFFFFFFFF)  # a term that is not known yet
WORD_ONLY = " "  # before a word that would be split differently if it were a run


class Terms:
    """Terms of numbered words, in all languages. Threads may share it."""

    def __init__(self, words: Strings) -> None:
        self.texts = Strings()  # terms by number, with the marks of their languages
        self._words = words  # by number, some with `WORD_ONLY`; may grow
        self._of: dict[str, NDArray[np.uint32]] = {}  # by language, then by word
        self._table_bytes = 0
        self._lock = Lock()

    @property
    def memory(self) -> int:
        """Approximate memory in bytes."""
        return self._table_bytes + self.texts.memory

    def of(self, words: NDArray[np.uint32], language: str) -> NDArray[np.uint32]:
        """Return the numbers of the terms of words in this language."""
        language = analyser(language).language  # languages with the same analysis share a table
        with self._lock:
            known = self._table(language)
            terms = known[words]
            places = np.flatnonzero(terms == NOT_ASKED)
            if len(places):
                new = words[places]
                self._fill(known, np.unique(new), language)
                terms[places] = known[new]
            return terms

    def of_each(
        self, words: NDArray[np.uint32], starts: NDArray[np.int64], languages: Sequence[str]
    ) -> NDArray[np.uint32]:
        """Return the same where words[starts[s] : starts[s + 1]] are in languages[s]."""
        numbers = {language: number for number, language in enumerate(dict.fromkeys(languages))}
        if len(numbers) == 1:
            return self.of(words, languages[0])
        spoken = np.repeat([numbers[language] for language in languages], np.diff(starts))
        terms = np.empty_like(words)
        for language, number in numbers.items():
            places = np.flatnonzero(spoken == number)
            terms[places] = self.of(words[places], language)
        return terms

    def numbers(self, terms: Sequence[str]) -> NDArray[np.uint32]:
        """Return the numbers of these terms, including new ones."""
        with self._lock:
            return self.texts.number("".join([f"{term}\n" for term in terms]).encode(*CODING), len(terms))

    def _fill(self, table: NDArray[np.uint32], words: NDArray[np.uint32], language: str) -> None:
        plain = are_ascii(self._words.arena, self._words.bounds, words, LONGEST_WORD)
        for alike, is_plain in ((words[plain], True), (words[~plain], False)):
            if len(alike):
                table[alike] = self._learn(alike, language, is_plain)

    def _learn(self, words: NDArray[np.uint32], language: str, plain: bool) -> NDArray[np.uint32]:
        lines = self._words.lines(words).replace(WORD_ONLY.encode(), b"")
        stems = analyser(language).stem_lines(lines, plain)
        return self.texts.number(stems.replace(b"\n", f"{in_language('', language)}\n".encode()), len(words))

    def _table(self, language: str) -> NDArray[np.uint32]:
        table = self._of.get(language, np.empty(0, np.uint32))
        if len(table) < len(self._words):
            size = len(self._words) * 5 // 4
            self._table_bytes += 4 * (size - len(table))
            table = self._of[language] = np.pad(table, (0, size - len(table)), constant_values=NOT_ASKED)
        return table
