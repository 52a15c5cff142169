"""Split text into words: characters, numbers, scripts without spaces.

A word is a run of letters, digits and their marks, as in Unicode text segmentation (UAX #29). Characters that
join words (hyphen, apostrophe, dot, underscore) separate them here, so that each word can be found. Only
numbers (1,000, 3.14) and acronyms (U.S.A.) stay together. Special words of the web (C++, #tag, @name, .NET)
are words, and so are their parts. Scripts without spaces (Han, kana) become overlapping pairs of characters.
So does Korean, whose words end in particles. Thai and similar scripts, whose characters are letters, become
overlapping pieces of four. Index and query use the same rules.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from unicodedata import category


def shortened(text: str, longest: int) -> str:
    """Shorten a text to `longest` characters and add an ellipsis.

    It is cut between words, unless that would remove more than half of it.

    >>> shortened("A guide to the big cats of the Americas", 24)
    'A guide to the big cats…'
    """
    if len(text) <= longest:
        return text
    end = text.rfind(" ", 0, longest)
    if end < longest // 2:
        end = longest - 1
        while end and category(text[end])[0] == "M":  # a mark belongs to the letter before it
            end -= 1
    return text[:end].rstrip(" ,;:-–—|·") + "…"


# Unicode character classes; case and accent folding
# --------------------------------------------------
#
# The classes are written as between the brackets of a regular expression.


# Scripts without spaces whose characters are letters. Their digits are excluded and handled as all
# digits are.
LETTERED = (
    "\u0e00-\u0e4f\u0e5a-\u0ecf\u0eda-\u0eff"  # Thai, Lao
    "\u1000-\u103f\u104a-\u108f\u109a-\u109f\u1780-\u17df\u17ea-\u17ff"  # Burmese, Khmer
)

# Scripts whose characters are syllables or words.
SYLLABIC = (
    "\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u31f0-\u31ff"  # kana, repeat and iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    # Korean has spaces, but its words end in particles that nobody types in a query.
    "\uac00-\ud7a3"
)
UNSPACED = LETTERED + SYLLABIC

# Invisible characters: soft hyphens, joiners, direction marks, variation selectors.
_IGNORED = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x206F), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB),
    (0xE0000, 0xE0FFF),
)  # fmt: skip
IGNORED = "".join(f"{chr(first)}-{chr(last)}" for first, last in _IGNORED)

# Letters in Unicode that folding removes: the tatweel, which only lengthens the letter before it,
# and the small waw and yeh of the Quran. They belong to words as marks do, but are not words
# themselves.
STRETCHING = "\u0640\u06e5\u06e6"

# The zeros of scripts with digits of their own. A year is the same number in all of them.
_ZEROS = (
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50,
    0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0,
    0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
)  # fmt: skip

# They normalise to . , # @ or +, which may join words; but wide forms separate them.
APART = "\u2024\u2025\u2026\uff03\uff0b\uff0c\uff0e\uff20"


def _combining_marks() -> str:
    """Return the combining marks outside of the unspaced scripts as ranges.

    The class of word characters in Python's regular expressions does not include them and would split Hindi
    words. A class with each mark on its own takes a tenth of a second to compile.
    """
    blocks = (range(0x300, 0x1E00), range(0x20D0, 0x2100), range(0xA800, 0xAC00), range(0xFE20, 0xFE30))
    ranges: list[list[int]] = []
    for point in (point for block in blocks for point in block):
        if unicodedata.category(chr(point)) not in {"Mn", "Mc"}:
            continue
        if not ranges or ranges[-1][1] + 1 < point:
            ranges.append([point, point])
        ranges[-1][1] = point
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


MARKS = _combining_marks()
_CHANGES = dict.fromkeys((point for first, last in _IGNORED for point in range(first, last + 1)), "")
_CHANGES |= dict.fromkeys(map(ord, APART), " ")
_CHANGES |= {zero + digit: str(digit) for zero in _ZEROS for digit in range(10)}
_TABLE = str.maketrans(_CHANGES)
DOTTED_CAPITAL = "\u0130"  # Turkish; case folding would make an i and a combining dot of it


def folded(text: str) -> str:
    """Return the text in the form NFKC_Casefold (nearly), without ignored characters.

    Digits of all scripts become ASCII digits.

    >>> folded("Stra\\u00dfe so\\u00adft \\u0130stanbul \\u0967\\u0968\\u0969")
    'strasse soft istanbul 123'
    """
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text.translate(_TABLE))
    return plain.replace(DOTTED_CAPITAL, "i").casefold()


def small(text: str) -> str:
    """Return the text in lower case and otherwise unchanged, to compare spellings.

    The text is composed, because a composed letter and its parts look alike. A final sigma becomes a sigma.

    >>> small("Stra\u00dfe \u039b\u038c\u0393\u039f\u03a3") == "stra\u00dfe \u03bb\u03cc\u03b3\u03bf\u03c3"
    True
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text).lower().replace("\u03c2", "\u03c3")


# Words under which numbers are found
# -----------------------------------
#
# Thousands are written 1,000, 1.000 or 1000, decimals 3.14 or 3,14; each is one word. Groups of
# three digits are thousands, whatever separates them: 1.234 is ambiguous, and index and query read
# it in the same way. A number with more dots is a version, an IP address or a date. It is found as
# a whole and by the parts that people search for.

_PARTS = re.compile(r"[.,]")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:([.,])[0-9]{3})(?:\1[0-9]{3})*")
_GROUPED_DECIMAL = re.compile(
    r"([1-9][0-9]{0,2}(?:,[0-9]{3})+)\.([0-9]+)|([1-9][0-9]{0,2}(?:\.[0-9]{3})+),([0-9]+)"
)

# Units that are found with or without a space before them. 5g, 90s and 2a are not measures.
_WITH_UNIT = re.compile(
    r"([0-9]+)("
    r"[kcdmn\u03bc]?m|kmh|mph|ft|in|yd|mi|ha|[km]g|(?<=[0-9][0-9])g|lbs?|oz|[cdm]?l|gal|[kmgtp]i?b|[kmg]bps"
    r"|[kmg]?hz|[kmg]?wh?|k?v|mah?|k?pa|bar|psi|k?cal|kj|[mn]s|sec|mins?|hrs?|h|am|pm|px|pt|r?em|dpi|ppi|fps"
    r"|mp|db|eur|usd|gbp|chf)"
)
YEAR_DIGITS = 4


def number_words(written: str) -> list[str]:
    """Return the words of digits with dots or commas between them.

    >>> number_words("1,000"), number_words("3,14"), number_words("3.11.2"), number_words("1.234,50")
    (['1000'], ['3.14'], ['3.11.2', '3.11'], ['1234.50'])
    """
    if _GROUPED.fullmatch(written):
        return [_PARTS.sub("", written)]
    if match := _GROUPED_DECIMAL.fullmatch(written):
        whole, decimals = (match[1], match[2]) if match[1] else (match[3], match[4])
        return [f"{_PARTS.sub('', whole)}.{decimals}"]
    parts = _PARTS.split(written)
    if len(parts) == 2:
        return [".".join(parts)]
    if "," in written:  # a list without spaces
        return [word for one in written.split(",") for word in (number_words(one) if "." in one else [one])]
    if YEAR_DIGITS in (len(parts[0]), len(parts[-1])):
        return [written, *parts]
    return [written, ".".join(parts[:2])]


def measure(word: str) -> list[str]:
    """Split a number and its unit, as if there were a space between them; keep any other word.

    >>> measure("10km"), measure("3d")
    (['10', 'km'], ['3d'])
    """
    match = _WITH_UNIT.fullmatch(word)
    return [match[1], match[2]] if match else [word]


LONGEST_WORD = 64  # characters; longer runs are not words and would only enlarge the dictionary
PAIR = 2  # characters that are a syllable or a word each
FOUR = 4  # letters; pairs of letters are not specific, and most words have more letters
_BESIDE = MARKS + IGNORED + STRETCHING
_NUMBER = r"[0-9]++(?:[.,][0-9]++)++"


def _pattern(beside: str, lettered: str, syllabic: str) -> re.Pattern[str]:
    """Return the pattern of a word, given classes for marks and for scripts without spaces."""
    unspaced = lettered + syllabic
    char = rf"(?:[^\W{unspaced}{STRETCHING}_][{beside}]*+)"
    letter = rf"(?:[^\W\d{unspaced}{STRETCHING}_][{beside}]*+)"
    no_word_before = rf"(?<![^\W{unspaced}_])(?<![{beside}])"
    # An English possessive belongs to its word and has no position of its own.
    return re.compile(
        rf"(?:(?P<word>{char}++(?![.,+\#]))"  # nearly all words; the lookahead excludes special cases
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


# Compiling the classes of all of Unicode takes 30 ms, each of the others 2. A search in French needs no
# marks, and no scripts without spaces.
_IN_LATIN = _pattern("\u00ad", LETTERED[0], SYLLABIC[0])
_BEYOND_LATIN = re.compile("[^\0-\u02ff]")


@cache
def _in_unicode() -> re.Pattern[str]:
    return _pattern(_BESIDE, LETTERED, SYLLABIC)


def _matches(text: str) -> Iterator[re.Match[str]]:
    beyond = not text.isascii() and _BEYOND_LATIN.search(text)
    return (_in_unicode() if beyond else _IN_LATIN).finditer(text)


_ASCII_WORD = re.compile(r"([a-z0-9]+)(?:'s\b)?")

# ASCII that contains more than runs of letters and digits.
_REMARKABLE = re.compile(r"[#@]|[a-z]\+|[0-9](?:[a-z]|[.,][0-9])|(?<![a-z0-9])[a-z]\.[a-z]|\.net")
_IN_WORD = re.compile(rf"[^\W{UNSPACED}_]|[{_BESIDE}]")
_IS_UNSPACED = re.compile(rf"[{UNSPACED}]")
_IS_LETTERED = re.compile(rf"[{LETTERED}]")
_BLANKS = frozenset({"", " ", "\n"})  # "" at the start and the end of a text
_GOES_ON = re.compile(r"[.,][0-9]")
_CAME_ON = re.compile(r"[0-9][.,]")


def is_unspaced(word: str) -> bool:
    """Return whether the word is in a script without spaces."""
    return _IS_UNSPACED.match(word) is not None


def piece_size(word: str) -> int:
    """Return how many characters a piece has in the unspaced script of this word."""
    return FOUR if _IS_LETTERED.match(word) else PAIR


def is_short(word: str) -> bool:
    """Return whether this is shorter than the indexed pieces of its unspaced script.

    >>> is_short("京"), is_short("京都"), is_short("a")
    (True, False, False)
    """
    return is_unspaced(word) and len(word) < piece_size(word)


def pieces(run: str) -> list[str]:
    """Return the overlapping pieces of a run in one unspaced script.

    >>> pieces("京都市")
    ['京都', '都市']
    >>> pieces("ภาษาไทย")
    ['ภาษา', 'าษาไ', 'ษาไท', 'าไทย']
    """
    size = piece_size(run)
    return [run[i : i + size] for i in range(len(run) - size + 1)] or [run]


def joined(several: Sequence[str]) -> str:
    """Join words as in a text. The pieces of unspaced scripts overlap.

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
    """Return the different words of a text as they are written, or their pieces in unspaced scripts.

    >>> sorted(written_forms("A jaguar, a Jaguar's 京都市"))
    ['A', 'Jaguar', 'a', 'jaguar', '京都', '都市']
    """
    runs = {match[match.lastgroup or 0] for match in _matches(text)}
    unspaced = {run for run in runs if is_unspaced(run)}
    return (runs - unspaced).union(*map(pieces, unspaced))


def written_as(text: str, found: Sequence[str]) -> Sequence[str]:
    """Return how the text writes each of its words, in lower case. `found` are the words of the text.

    If one form contains several words, it is returned for each of them.

    >>> text = "Ruling the U.S.A. for 10km of Straße"
    >>> written_as(text, words(text))
    ['ruling', 'the', 'u.s.a', 'for', '10km', '10km', 'of', 'straße']
    """
    if is_plain(text) or (text.isascii() and not _REMARKABLE.search(text.lower())):
        return found
    written = [match[match.lastgroup or 0] for match in _matches(text)]
    rows = [words(one) for one in written]
    if [word for row in rows for word in row] != list(found):  # normalisation moved the boundaries of words
        return found
    return [form for one, row in zip(written, rows, strict=True) for form in _forms(small(one), len(row))]


def _forms(written: str, several: int) -> list[str]:
    own = pieces(written) if is_unspaced(written) else []
    return own if len(own) == several else [written] * several


def occurrences(text: str, form: str) -> Iterator[int]:
    """Yield the positions in a text where a written form is a whole word."""
    is_free, size = _freedom(form), len(form)
    start = text.find(form)
    while start >= 0:
        if is_free(text, start, start + size):
            yield start
        start = text.find(form, start + 1)


def is_word(text: str, start: int, form: str) -> bool:
    """Return whether a written form at this position of a text is a whole word."""
    return _freedom(form)(text, start, start + len(form))


def _freedom(form: str) -> Callable[[str, int, int], bool]:
    """Return the function that checks whether a written form is a whole word."""
    return _is_free if not is_unspaced(form) else _is_alone if is_short(form) else _is_piece


def is_inside(character: str) -> bool:
    """Return whether a word continues across this character.

    >>> is_inside("a"), is_inside("7"), is_inside("_")
    (True, True, False)
    """
    return _IN_WORD.match(character) is not None


def _is_piece(text: str, start: int, end: int) -> bool:
    return True


def _is_alone(text: str, start: int, end: int) -> bool:
    return not (_IS_UNSPACED.match(text, end) or (start and _IS_UNSPACED.match(text, start - 1)))


def _is_free(text: str, start: int, end: int) -> bool:
    """Return whether there are word boundaries on both sides: 000 is not a word of 1,000."""
    if text[start - 1 : start] in _BLANKS and text[end : end + 1] in _BLANKS:  # nearly always
        return True
    if _IN_WORD.match(text, start) and start and _IN_WORD.match(text, start - 1):
        return False
    if _IN_WORD.match(text, end - 1) and _IN_WORD.match(text, end):
        return False
    in_number = text[start].isdigit() and start > 1 and _CAME_ON.match(text, start - 2)
    return not (in_number or (text[end - 1].isdigit() and _GOES_ON.match(text, end)))


def words(text: str) -> list[str]:
    """Return the words of a text in order, compatibility-normalised and case-folded.

    >>> words("The Jaguar's 4 paws")
    ['the', 'jaguar', '4', 'paws']
    >>> words("U.S.A., 1,000 #tags, 10km of C++")
    ['usa', '1000', '#tags', 'tags', '10', 'km', 'of', 'c++']
    """
    if is_plain(text):
        return text.lower().split()
    plain = folded(text)
    if plain.isascii() and not _REMARKABLE.search(plain):
        return _ASCII_WORD.findall(plain)
    return [word for match in _matches(plain) for word in _words_of(match)]


def is_plain(text: str) -> bool:
    """Return whether a text consists of ASCII letters and spaces, as most queries and titles do."""
    return text.isascii() and text.replace(" ", "").isalpha()


def _words_of(match: re.Match[str]) -> list[str]:
    """Return the words of a match: the whole first, then parts that people search for."""
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
