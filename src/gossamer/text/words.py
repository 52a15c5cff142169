"""Where are the words in this text?

A word is a run of letters, digits and the marks that belong to them, as Unicode breaks text (UAX #29), but
whatever joins several words (a hyphen, an apostrophe, a dot, an underscore) parts them, so that each can be
found; only numbers (1,000, 3.14) and acronyms (U.S.A.) stay together. The web's own words (C++, #tag, @name,
.NET) are words of their own beside what stands in them. Scripts that write no spaces (Han, kana), and Korean,
whose words end in particles, become overlapping pairs of characters; Thai and its neighbours, which write
letters, overlapping pieces of four. All of this holds at index and at query time alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from gossamer.text.characters import IGNORED, LETTERED, MARKS, STRETCHING, SYLLABIC, UNSPACED, folded, small
from gossamer.text.numbers import measure, number_words

LONGEST_WORD = 64  # characters; what is longer is no word, and would only swell the dictionary

PAIR = 2  # characters that carry a syllable or a word each
FOUR = 4  # letters; two of them tell nearly nothing, and most words have more

_BESIDE = MARKS + IGNORED + STRETCHING
_NUMBER = r"[0-9]++(?:[.,][0-9]++)++"


def _pattern(beside: str, lettered: str, syllabic: str) -> re.Pattern[str]:
    """What a word is, where these characters belong to others, and these are written without spaces."""
    unspaced = lettered + syllabic
    char = rf"(?:[^\W{unspaced}{STRETCHING}_][{beside}]*+)"
    letter = rf"(?:[^\W\d{unspaced}{STRETCHING}_][{beside}]*+)"
    no_word_before = rf"(?<![^\W{unspaced}_])(?<![{beside}])"
    # An English possessive belongs to its word and takes no position of its own.
    return re.compile(
        rf"(?:(?P<word>{char}++(?![.,+\#]))"  # nearly all; what follows says that another may be meant
        rf"|(?P<pairs>[{syllabic}](?:[{syllabic}{IGNORED}]*[{syllabic}])?)"
        rf"|(?P<fours>[{lettered}](?:[{lettered}{IGNORED}]*[{lettered}])?)"
        rf"|(?P<number>{_NUMBER})"
        rf"|{no_word_before}(?P<acronym>{letter}(?:\.{letter})++(?!\.?{char}))"
        rf"|{no_word_before}(?P<sharp>{letter}(?:\+\+|\#)(?![+\#]|{letter}))"
        rf"|(?P<plus>{char}*{letter}(?:\+\+(?![+\#]|{letter})|\+(?![+\#]|{char})))"
        rf"|(?P<counted>{char}*{letter}(?={_NUMBER}))"
        rf"|(?P<other>{char}++)"
        rf"|(?<![{beside}])(?P<stretched>[{STRETCHING}][{beside}]*+{char}++)"
        rf"|{no_word_before}(?:(?P<tag>[\#@](?={letter})(?:{char}|_)++)|(?P<net>\.[nN][eE][tT](?!{char}))))"
        r"(?:['\u2019][sS]\b)?"
    )


# Compiling the classes of all of Unicode takes a tenth of a second: a search in English need not wait.
_IN_ASCII = _pattern(MARKS[0], LETTERED[0], SYLLABIC[0])


@cache
def _in_unicode() -> re.Pattern[str]:
    return _pattern(_BESIDE, LETTERED, SYLLABIC)


def _matches(text: str) -> Iterator[re.Match[str]]:
    return (_IN_ASCII if text.isascii() else _in_unicode()).finditer(text)


_ASCII_WORD = re.compile(r"([a-z0-9]+)(?:'s\b)?")
# What makes more of ASCII than its runs of letters and digits.
_REMARKABLE = re.compile(r"[#@]|[a-z]\+|[0-9](?:[a-z]|[.,][0-9])|(?<![a-z0-9])[a-z]\.[a-z]|\.net")
_IN_WORD = re.compile(rf"[^\W{UNSPACED}_]|[{_BESIDE}]")
_IS_UNSPACED = re.compile(rf"[{UNSPACED}]")
_IS_LETTERED = re.compile(rf"[{LETTERED}]")
_BLANKS = frozenset({"", " ", "\n"})  # "" at the ends of a text
_GOES_ON = re.compile(r"[.,][0-9]")
_CAME_ON = re.compile(r"[0-9][.,]")


def is_unspaced(word: str) -> bool:
    """Whether the word is in a script that writes no spaces."""
    return _IS_UNSPACED.match(word) is not None


def piece_size(word: str) -> int:
    """How many characters make a piece in the unspaced script of this word."""
    return FOUR if _IS_LETTERED.match(word) else PAIR


def is_short(word: str) -> bool:
    """Whether this is less than what an unspaced script is indexed in.

    >>> is_short("京"), is_short("京都"), is_short("a")
    (True, False, False)
    """
    return is_unspaced(word) and len(word) < piece_size(word)


def pieces(run: str) -> list[str]:
    """The overlapping pieces of a run in one unspaced script.

    >>> pieces("京都市")
    ['京都', '都市']
    >>> pieces("ภาษาไทย")
    ['ภาษา', 'าษาไ', 'ษาไท', 'าไทย']
    """
    size = piece_size(run)
    return [run[i : i + size] for i in range(len(run) - size + 1)] or [run]


def joined(several: Sequence[str]) -> str:
    """Words as they stand in a text; the pieces of unspaced scripts overlap.

    >>> joined(["big", "cats"]), joined(["京都", "都大", "大学"]), joined(["京都", "旅行"])
    ('big cats', '京都大学', '京都 旅行')
    """
    whole = " ".join(several)
    if whole.isascii():
        return whole
    whole = several[0]
    for word in several[1:]:
        goes_on = len(word) > 1 and is_unspaced(word) and whole.endswith(word[:-1])
        whole += word[-1] if goes_on else f" {word}"
    return whole


def written_forms(text: str) -> set[str]:
    """The words of a text as they are written there, each once; their pieces in unspaced scripts.

    >>> sorted(written_forms("A jaguar, a Jaguar's 京都市"))
    ['A', 'Jaguar', 'a', 'jaguar', '京都', '都市']
    """
    runs = {match[match.lastgroup or 0] for match in _matches(text)}
    unspaced = {run for run in runs if is_unspaced(run)}
    return (runs - unspaced).union(*map(pieces, unspaced))


def written_as(text: str, found: Sequence[str]) -> Sequence[str]:
    """How each of the words that `words` finds in a text is written there, but in small letters.

    What several words are found in stands for each of them.

    >>> text = "Ruling the U.S.A. for 10km of Straße"
    >>> written_as(text, words(text))
    ['ruling', 'the', 'u.s.a', 'for', '10km', '10km', 'of', 'straße']
    """
    if _is_plain(text) or (text.isascii() and not _REMARKABLE.search(text.lower())):
        return found
    written = [match[match.lastgroup or 0] for match in _matches(text)]
    rows = [words(one) for one in written]
    if [word for row in rows for word in row] != list(found):  # normalised, it has other borders
        return found
    return [form for one, row in zip(written, rows, strict=True) for form in _forms(small(one), len(row))]


def _forms(written: str, several: int) -> list[str]:
    own = pieces(written) if is_unspaced(written) else []
    return own if len(own) == several else [written] * several


def occurrences(text: str, form: str) -> Iterator[int]:
    """Where a written form stands in a text as a word, not as a part of one."""
    is_free, size = _freedom(form), len(form)
    start = text.find(form)
    while start >= 0:
        if is_free(text, start, start + size):
            yield start
        start = text.find(form, start + 1)


def is_word(text: str, start: int, form: str) -> bool:
    """Whether a written form that stands at this place is a word there, not a part of one."""
    return _freedom(form)(text, start, start + len(form))


def _freedom(form: str) -> Callable[[str, int, int], bool]:
    """What tells whether a written form is a word where it stands."""
    return _is_free if not is_unspaced(form) else _is_alone if is_short(form) else _is_piece


def is_inside(character: str) -> bool:
    """Whether a word goes on where this character stands beside it.

    >>> is_inside("a"), is_inside("7"), is_inside("_")
    (True, True, False)
    """
    return _IN_WORD.match(character) is not None


def _is_piece(text: str, start: int, end: int) -> bool:
    return True


def _is_alone(text: str, start: int, end: int) -> bool:
    return not (_IS_UNSPACED.match(text, end) or (start and _IS_UNSPACED.match(text, start - 1)))


def _is_free(text: str, start: int, end: int) -> bool:
    """Whether a word ends on both sides: 000 is no word of 1,000."""
    if text[start - 1 : start] in _BLANKS and text[end : end + 1] in _BLANKS:  # nearly always
        return True
    if _IN_WORD.match(text, start) and start and _IN_WORD.match(text, start - 1):
        return False
    if _IN_WORD.match(text, end - 1) and _IN_WORD.match(text, end):
        return False
    in_number = text[start].isdigit() and start > 1 and _CAME_ON.match(text, start - 2)
    return not (in_number or (text[end - 1].isdigit() and _GOES_ON.match(text, end)))


def words(text: str) -> list[str]:
    """The words of a text in order, compatibility-normalised and case-folded.

    >>> words("The Jaguar's 4 paws")
    ['the', 'jaguar', '4', 'paws']
    >>> words("U.S.A., 1,000 #tags, 10km of C++")
    ['usa', '1000', '#tags', 'tags', '10', 'km', 'of', 'c++']
    """
    if _is_plain(text):
        return text.lower().split()
    plain = folded(text)
    if plain.isascii() and not _REMARKABLE.search(plain):
        return _ASCII_WORD.findall(plain)
    return [word for match in _matches(plain) for word in _words_of(match)]


def _is_plain(text: str) -> bool:
    """Whether only letters and blanks stand in a text: most queries, and most titles of one line."""
    return text.isascii() and text.replace(" ", "").isalpha()


def _words_of(match: re.Match[str]) -> list[str]:
    """The words under which something is found: the whole first, then what people look for in it."""
    kind = match.lastgroup or ""
    text = match[kind]
    match kind:
        case "pairs" | "fours":
            return pieces(text)
        case "number":
            return number_words(text)
        case "acronym":
            return [text.replace(".", "")]
        case "plus":
            return [text, text.rstrip("+")]
        case "tag" | "net":
            return [text, *words(text[1:])]
    return measure(text) if text[0].isdigit() else [text]
