"""What is the index term of this word, in this language?

word -> base, where it is irregular; else with the accents of its ending -> stem, where Snowball knows the
language -> diacritics folded -> marked with the language. Index and query use the same function. A page is
stemmed in its own language; a query, whose language nobody knows, is looked up under the stems of every
language that the collection speaks. The mark keeps a German reading ("Tempest" stems to "temp") from finding
French pages about the weather.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

import Stemmer

from gossamer.text.endings import LAST, last_letters, restoring
from gossamer.text.irregular import irregular_forms
from gossamer.text.vietnamese import LANGUAGE as VIETNAMESE
from gossamer.text.vietnamese import with_tone_in_place
from gossamer.text.words import LONGEST_WORD, words

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

READ_APART = frozenset({*SNOWBALL, VIETNAMESE})  # languages whose words become terms in a way of their own

MARK = "\x1f"  # between a stem and its language

_FOLDED_AWAY = re.compile(
    "[\u0300-\u036f"  # combining diacritics
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # the points and accents of Hebrew
    # Of Arabic: vowels, hamzas, tatweel, signs. The madda stays, which tells Persian words apart.
    "\u0610-\u061a\u0640\u064b-\u0652\u0654-\u065f\u0670\u06d6-\u06ed]"
    # The nukta of Devanagari, which writers leave out at will, but not that of the two flapped sounds.
    "|(?<![\u0921\u0922])\u093c"
)
_FOLDED_TO = str.maketrans(
    # Letters that nothing composes; the dotless i, because nobody knows whether a capital I was one.
    {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe"}
    # Letters of Arabic that keyboards and fonts of other languages write in other ways.
    | {"ک": "ك", "ی": "ي", "ى": "ي", "ے": "ي", "ہ": "ه", "ھ": "ه", "ة": "ه", "ٱ": "ا"}
    | {"\u0901": "\u0902"}  # candrabindu, for which many write an anusvara
)
# Before a consonant of its own class a nasal of Devanagari may be written as an anusvara.
_NASAL = re.compile(
    "\u0919\u094d(?=[\u0915-\u0918])|\u091e\u094d(?=[\u091a-\u091d])|\u0923\u094d(?=[\u091f-\u0922])"
    "|\u0928\u094d(?=[\u0924-\u0927])|\u092e\u094d(?=[\u092a-\u092d])"
)


def in_language(stem: str, language: str) -> str:
    """The index term of a stem; languages that are read alike share one mark."""
    return f"{stem}{MARK}{language if language in READ_APART else ''}"


def without_language(term: str) -> str:
    """The stem of an index term, for people."""
    return term.partition(MARK)[0]


def fold(word: str) -> str:
    """The word without its diacritics, and without differences that writers make at will.

    >>> fold("dimineață"), fold("हिन्दी") == fold("हिंदी")
    ('dimineata', True)
    """
    if word.isascii():
        return word
    bare = _FOLDED_AWAY.sub("", unicodedata.normalize("NFKD", word)).translate(_FOLDED_TO)
    return unicodedata.normalize("NFC", _NASAL.sub("\u0902", bare))


class Analyser(dict[str, str]):
    """The terms of one language: a dictionary from word to term that fills itself."""

    LARGEST = 500_000  # words remembered; beyond it the memory starts anew

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
        is_plain = stem.isascii() and 0 < len(stem) <= LONGEST_WORD and self.language != VIETNAMESE
        term = self[word] = (stem if is_plain else self._folded(stem, word)) + self.mark
        return term

    def plain_stems(self, words: Sequence[str]) -> Sequence[str]:
        """What stands before the mark in the terms of words of ASCII, at a fraction of the time.

        That holds where all stems are ASCII, none is empty, and none is longer than a word may be.

        >>> Analyser("en").plain_stems(["ruling", "families"])
        ['rule', 'famili']
        """
        written = self._bases(words) if self._irregular or self._restored else words
        stems: Sequence[str] = self._stemmer.stemWords(written) if self._stemmer else written
        return stems

    def _base(self, word: str) -> str:
        """What is stemmed in the place of a word."""
        # Accents are part of other languages' endings; in English they only adorn words from elsewhere.
        written = fold(word) if self.language == "en" else word
        read_as = self._with_ending(written)
        return self._irregular.get(written) or self._irregular.get(read_as, read_as)

    def _with_ending(self, word: str) -> str:
        """The word with the accents of its ending."""
        return self._restored(word) if self._restored and word[-LAST:] in self._last_letters else word

    def _bases(self, words: Sequence[str]) -> Sequence[str]:
        """The same of several words at a fraction of the time; in English they must be ASCII."""
        restored = words
        if self._restored and not self._last_letters.isdisjoint([word[-LAST:] for word in words]):
            restored = [self._with_ending(word) for word in words]
        bases = self._irregular.get
        if self._irregular.keys().isdisjoint(words if restored is words else [*words, *restored]):
            return restored
        return [bases(word) or bases(as_read, as_read) for word, as_read in zip(words, restored, strict=True)]

    def _folded(self, stem: str, word: str) -> str:
        """A stem as it is indexed; a word of which nothing is left stands for itself."""
        bare = with_tone_in_place(stem) if self.language == VIETNAMESE else fold(stem)
        return (bare or stem or word)[:LONGEST_WORD]

    def stem_lines(self, lines: bytes, plain: bool) -> bytes:
        """Of words, one a line, what stands before the mark in their terms, at a fraction of the time.

        `plain` says that they are ASCII, and that none is longer than a word may be.

        >>> analyser("en").stem_lines(b"ruling\\nfamilies\\n", plain=True)
        b'rule\\nfamili\\n'
        """
        if plain and self._stemmer is None:
            return lines
        words = lines.decode().split("\n")[:-1]
        by_word = self.language == "en" and not plain
        written = [self._base(word) for word in words] if by_word else self._bases(words)
        stems: Sequence[str] = self._stemmer.stemWords(written) if self._stemmer else written
        stemmed = "\n".join([*stems, ""])
        if not (plain and all(stems) and stemmed.isascii() and _longest(stems) <= LONGEST_WORD):
            stems = [self._folded(stem, word) for stem, word in zip(stems, words, strict=True)]
            stemmed = "\n".join([*stems, ""])
        return stemmed.encode()

    def terms(self, text: str) -> list[str]:
        """The terms of a text, one a position.

        >>> [without_language(term) for term in analyser("en").terms("Ruling families")]
        ['rule', 'famili']
        """
        return [self[word] for word in words(text)]


def _longest(words: Sequence[str]) -> int:
    return max(map(len, words), default=0)


def analyser(language: str) -> Analyser:
    """The analyser of a language; one without a stemmer only folds."""
    return _analyser(language if language in READ_APART else "")


@cache
def _analyser(language: str) -> Analyser:
    return Analyser(language)


def readings(text: str, languages: Iterable[str]) -> list[tuple[str, ...]]:
    """The different term sequences that a typed text stands for in these languages.

    >>> [[without_language(term) for term in terms] for terms in readings("ruling families", ["en", "ro"])]
    [['rule', 'famili'], ['ruling', 'families']]
    """
    found = dict.fromkeys(tuple(analyser(language).terms(text)) for language in languages)
    return [terms for terms in found if terms]
