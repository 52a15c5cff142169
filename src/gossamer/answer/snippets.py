# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator"
"""Snippets: the best passage of a page, with the words that match the query."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, chain, islice, pairwise, product
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple, TypeVar
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import kernel, kernel_part
from gossamer.model import Snippet
from gossamer.text.terms import analyser, fold, in_language, irregular_forms, without_language
from gossamer.text.words import folded, is_unspaced, occurrences, written_forms

# Prefixes that matching words must have
# --------------------------------------
#
# Most stemmers remove endings and keep the first letters. So a word that begins with other letters than
# the terms of the query need not be stemmed. This holds for plain words only. A piece of text with a sign
# inside, a number with its unit, or letters other than ordinary Latin or Cyrillic ones may contain a word
# that begins in its middle. Such pieces are always analysed.


# How many first letters the stemmer of a language keeps, apart from diacritics and y for i. The stemmers of
# other languages remove prefixes or change the first letter. "" is text without a stemmer.
KEPT = dict.fromkeys(("de", "eo", "et", "fi"), 1) | dict.fromkeys(
    ("", "ca", "cs", "da", "en", "es", "eu", "fr", "hu", "it", "lt", "nb", "nn", "no", "pl", "pt", "ro", "ru",
     "sv"), 2
)  # fmt: skip
LETTERS = 2  # the highest of these numbers
AROUND = "([{<\"'.,;:!?)]}>“”„‘’«»…–—"  # signs before and after a word that do not change it
_BEFORE_TERM = "#@."  # signs that a term may begin with: #tag, .net
_ALL = ("", *ascii_letters, *digits)
ORDINARY = "A-Za-zÀ-ÖØ-öø-ľŁ-ňŊ-ɏЀ-џ"  # without those that fold to other characters than letters
_WORD = re.compile(rf"[{ORDINARY}][{ORDINARY}0-9]*")
REMEMBERED_BEGINNINGS = 256  # filters that are cached, for a query and a language each
BEGINNINGS = 2_048  # beginnings of words that are cached


@dataclass(frozen=True, slots=True)
class PrefixFilter:
    """The terms of a query in one language, and the first letters of words that match them."""

    terms: frozenset[str]
    begun: frozenset[str]  # one or two letters, folded
    plain: tuple[bytes, ...] | None  # these as ASCII letters or digits, or None (see `_plain`)

    @property
    def heads(self) -> frozenset[str]:
        """The beginnings in all ASCII spellings: one character for a word of one letter, else two."""
        return frozenset().union(*map(_heads, self.begun))

    def among(self, text: str) -> list[str]:
        """The pieces of a text between blanks that may have a matching word, each once."""
        heads = self.heads
        return [
            one
            for one in set(text.split())
            if one[:LETTERS] in heads or not (one.isalpha() and one.isascii())
            if self._may_match(one.strip(AROUND))
        ]

    def _may_match(self, core: str) -> bool:
        if core.isascii():
            if not core.isalnum():
                return bool(core)
            if core[0] in digits and not core.isdigit():
                return True  # 10km
            begun = core[:LETTERS].lower().replace("y", "i")
        elif _WORD.fullmatch(core):
            begun = _beginning(folded(core[:LETTERS]))
        else:
            return True
        return begun in self.begun or begun[0] in self.begun


@lru_cache(REMEMBERED_BEGINNINGS)
def sought(wanted: frozenset[str], language: str) -> PrefixFilter | None:
    """Make the filter for the wanted terms of a language; None if its stemmer changes first letters.

    >>> known = sought(frozenset({"jaguar\\x1fen", "puma\\x1ffr"}), "en")
    >>> sorted(known.among("A (Jaguar) or puma, the jaguars' family"))
    ['(Jaguar)', "jaguars'"]
    """
    if language not in KEPT:
        return None
    mark = in_language("", language)
    terms = frozenset(term for term in wanted if term.endswith(mark))
    irregular, kept = _irregular(language), KEPT[language]
    begun = {_beginning(without_language(term).lstrip(_BEFORE_TERM))[:kept] for term in terms}.union(
        *(irregular.get(term, ()) for term in terms)
    )
    return PrefixFilter(terms, frozenset(begun), _plain(begun))


@cache
def _irregular(language: str) -> Mapping[str, set[str]]:
    """The beginnings of irregular forms, by their term."""
    terms, found = analyser(language), defaultdict[str, set[str]](set)
    for form in irregular_forms(language):
        found[terms[form]].add(_beginning(form))
    return dict(found)


def _beginning(word: str) -> str:
    """The first letters of a word in small letters, with i for y, because dying matches die."""
    return fold(word[:LETTERS])[:LETTERS].replace("y", "i")


@lru_cache(BEGINNINGS)
def _heads(begun: str) -> Sequence[str]:
    """The ASCII spellings of a beginning."""
    written = [
        f"{letter}{letter.upper()}yY" if letter == "i" else letter + letter.upper() for letter in begun
    ]
    return [*map("".join, product(*written, _ALL) if len(written) < LETTERS else product(*written))]


def _plain(begun: Iterable[str]) -> tuple[bytes, ...] | None:
    """Beginnings without signs, none of them the beginning of another; None if one is not in ASCII."""
    letters = {one if one.isalpha() or one.isdigit() else one[:1] for one in begun}
    if not all(one.isascii() and one.isalnum() for one in letters):
        return None
    apart = [one for one in letters if len(one) == 1 or one[0] not in letters]
    written = (product(*("iy" if letter == "i" else letter for letter in one)) for one in apart)
    return tuple("".join(letters).encode() for one in written for letters in one)


# Kernels: words by prefix
# ------------------------


# Kinds of bytes: 0 to 25 are letters, 26 to 35 are digits, then
BEYOND = 36  # a letter beyond ASCII
ABSENT = 37  # no letter or digit; also the second letter of a word that has only one
KINDS = ABSENT + 1
FIRST_DIGIT = 26
ODD = -1
FULL_STOP, COMMA, APOSTROPHE = ord("."), ord(","), ord("'")

# Signs beyond ASCII that separate words, and the bytes that replace them, which texts do not contain.
_SIGNS = {"’": "'", **dict(zip("“”„‘«»…–—·•", map(chr, range(14, 25)), strict=True))}
_ELSE = "\x1a"  # replaces a letter beyond ASCII
_BEFORE_WORD = " \n([{<\"'-/:“„«‘’–—·•"  # characters that may stand before a whole word
_BEHIND = " \n.,;:!?)]}>\"'-/“”’»…–—·•"  # and after it


def _kinds() -> NDArray[np.uint8]:
    """The kind of each byte."""
    kinds = np.full(256, ABSENT, np.uint8)
    for letters in (ascii_lowercase + digits, ascii_uppercase):
        kinds[list(letters.encode())] = range(len(letters))
    kinds[ord(_ELSE)] = BEYOND
    return kinds


def _word_edges() -> NDArray[np.bool_]:
    """For each byte, whether it may stand before a whole word, and whether after it."""
    known = np.zeros((2, 256), np.bool_)
    for row, characters in enumerate((_BEFORE_WORD, _BEHIND)):
        known[row, [ord(_SIGNS.get(one, one)) for one in characters]] = True
    return known


_KINDS, _MAY_STAND = _kinds(), _word_edges()


@kernel_part
def is_digit(kind: int) -> bool:
    return FIRST_DIGIT <= kind < BEYOND


@kernel_part
def run_end(text: NDArray[np.uint8], at: int, end: int) -> int:
    """Find the end of the run of letters, or of digits, that begins here."""
    digits = is_digit(_KINDS[text[at]])
    at += 1
    while at < end and _KINDS[text[at]] != ABSENT and is_digit(_KINDS[text[at]]) == digits:
        at += 1
    return at


@kernel_part
def hides_another(
    text: NDArray[np.uint8], at: int, stop: int, firsts: NDArray[np.bool_], numbers: bool
) -> bool:
    """Whether a run may be a part of a longer word, or begin with letters that ASCII cannot show."""
    first = _KINDS[text[at]]
    if first == BEYOND:
        return True
    if is_digit(first):  # 1,000 and 3.14 are words of their own
        parts = text[stop] == FULL_STOP or text[stop] == COMMA
        return numbers and parts and is_digit(_KINDS[text[stop + 1]])
    if not firsts[first]:
        return False
    if stop - at == 1:  # an acronym
        return text[stop] == FULL_STOP
    return _KINDS[text[at + 1]] == BEYOND


@kernel
def find_words(
    text: NDArray[np.uint8], starts: NDArray[np.int64], begun: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the words of each text that begin like a term; return their starts and ends, and counts by text.

    The count is `ODD` for a text that needs the full analysis. The texts are joined, with a blank before each
    and two after the last; starts[n] is the start of text n, and the last entry is that of one more text.
    `begun` has a row for each kind of the first letter and a column for each kind of the second.
    """
    places, counts = np.empty((len(text) // 2, 2), np.int64), np.empty(len(starts) - 1, np.int64)
    firsts = np.empty(KINDS, np.bool_)
    for kind in range(KINDS):
        firsts[kind] = begun[kind].any()
    numbers, found = firsts[FIRST_DIGIT:BEYOND].any(), 0
    for n in range(len(starts) - 1):
        own, at, end = found, starts[n], starts[n + 1] - 1
        while at < end:
            first = _KINDS[text[at]]
            if first == ABSENT:
                at += 1
                continue
            stop = run_end(text, at, end)
            odd = hides_another(text, at, stop, firsts, numbers)
            if not odd and begun[first, _KINDS[text[at + 1]] if stop - at > 1 else ABSENT]:
                before = text[at - 1]
                possessive = stop - at == 1 and before == APOSTROPHE  # which belongs to the word before it
                odd = possessive or not (_MAY_STAND[0, before] and _MAY_STAND[1, text[stop]])
                places[own, 0], places[own, 1] = at - starts[n], stop - starts[n]
                own += 1
            if odd:
                own = found + ODD
                break
            at = stop
        counts[n] = own - found
        found = max(own, found)
    return places[:found], counts


# Matching words in plain texts
# -----------------------------
#
# A kernel finds them in all texts at once; each character is one byte. A text in which signs may change
# such a word (C++, #tag, U.S.A., 10km) is left to the full analysis.

Place = tuple[int, int, frozenset[str]]  # start and end of a word, and the terms that it matches
_ASKING = "\x1b"  # replaces question marks while Python's codec writes one for each letter beyond ASCII
_BACK = bytes.maketrans(b"?" + _ASKING.encode(), _ELSE.encode() + b"?")
_ODD = re.compile(rf"[^\x00-\x7f{''.join(_SIGNS)}{ORDINARY}]|[{_SIGNS['“']}-{_ASKING}]")


class Begun(NamedTuple):
    """The first letters of words that may match a query, and the terms of such words."""

    beginnings: NDArray[np.bool_]  # a row for each kind of the first letter, a column for the second
    borne: Mapping[str, frozenset[str]]  # the matching terms of every word, as it is written


def table_of(beginnings: Iterable[bytes]) -> NDArray[np.bool_]:
    """Make a table of beginnings: one or two small letters or digits each."""
    table = np.zeros((KINDS, KINDS), np.bool_)
    for one in beginnings:
        table[tuple(_KINDS[list(one)].tolist())] = True  # of one letter, the whole row
    return table


def plain_places(texts: Sequence[str], begun: Begun) -> list[list[Place] | None]:
    """Find the matching words of each text, in order; None for a text that needs the full analysis.

    >>> own = Begun(table_of([b"ja"]), {"Jaguar": frozenset({"jaguar"}), "jam": frozenset()})
    >>> plain_places(["A Jaguar, jam", "#Jaguar"], own)
    [[(2, 8, frozenset({'jaguar'}))], None]
    """
    encoded = [_encoded(text) for text in texts]
    plain = [one for one in encoded if one is not None]
    whole = b" %b  " % b" ".join(plain)
    starts = np.array([*accumulate([len(one) + 1 for one in plain], initial=1)])
    places, counts = find_words(np.frombuffer(whole, np.uint8), starts, begun.beginnings)
    pairs, each = iter(places.tolist()), iter(counts.tolist())
    return [
        None if one is None or (count := next(each)) == ODD else _matching(text, islice(pairs, count), begun)
        for text, one in zip(texts, encoded, strict=True)
    ]


def _matching(text: str, places: Iterable[Sequence[int]], begun: Begun) -> list[Place]:
    """Keep the places whose words match terms."""
    borne = begun.borne
    return [(start, end, terms) for start, end in places if (terms := borne[text[start:end]])]


def _encoded(text: str) -> bytes | None:
    """Encode a text with one byte for each character; None if a character may be part of a hidden word."""
    if text.isascii():
        return None if _ELSE in text else text.encode()
    if _ODD.search(text):
        return None
    plain = text.replace("?", _ASKING)
    for sign, byte in _SIGNS.items():
        plain = plain.replace(sign, byte)
    return plain.encode("ascii", "replace").translate(_BACK)


# Words that stem to query terms, cached
# --------------------------------------
#
# A text is split at blanks, which no word contains. Most of the pieces begin with other letters than
# the terms of the query, and are skipped (`PrefixFilter`). The words of the other pieces and their terms
# are cached: nearly all of them were in an earlier text.

T = TypeVar("T")
TermOf = Callable[[str], Iterable[str]]

# Signs that do not change a word of ASCII letters and digits. # @ + . before it, or + # after it, may do so.
_OPENING = "([{<\"'"
_CLOSING = ".,;:!?)]}>\"'"
LONGEST_KEPT = 40  # characters of a piece that is cached; longer ones rarely come twice


class TermMatcher:
    """Find words that match query terms, in texts of one language, with a cache of words and terms.

    `term_of` returns the terms of a word. If the language is given, words that cannot match are skipped.
    Threads may share it.
    """

    LARGEST = 200_000  # words and pieces that are cached, about 40 MB; then the cache is emptied

    def __init__(self, term_of: TermOf, language: str | None = None) -> None:
        self._term_of = term_of
        self._language = language
        self._memory = _Memory(term_of)

    def bearers(self, text: str, wanted: frozenset[str]) -> dict[str, frozenset[str]]:
        """Find the words of a text that match wanted terms; return these terms by word, as it is written.

        >>> found = written_in("en").bearers("A jaguar, the JAGUARS' family", frozenset({"jaguar\\x1fen"}))
        >>> sorted(found)
        ['JAGUARS', 'jaguar']
        """
        known, memory = self.sought(wanted), self._remembered()
        terms, own = memory.terms, known.terms if known else wanted
        stretches = known.among(text) if known else text.split()
        forms = set(chain.from_iterable(map(memory.__getitem__, stretches)))
        found = ((form, own.intersection(terms[form])) for form in forms)
        return {form: borne for form, borne in found if borne}

    def sought(self, wanted: frozenset[str]) -> PrefixFilter | None:
        """The filter for the wanted terms, or None if there is none."""
        return None if self._language is None else sought(wanted, self._language)

    def terms(self, form: str) -> tuple[str, ...]:
        """The terms of a word."""
        return self._remembered().terms[form]

    def _remembered(self) -> _Memory:
        if len(self._memory) + len(self._memory.terms) > self.LARGEST:
            self._memory = _Memory(self._term_of)
        return self._memory  # another thread may replace it meanwhile


class _Memory(dict[str, tuple[str, ...]]):
    """A cache that maps a piece between two blanks to its words, as they are written."""

    def __init__(self, term_of: TermOf) -> None:
        super().__init__()
        self.terms = _Filled(lambda form: tuple(term_of(form)))  # the terms of each word

    def __missing__(self, stretch: str) -> tuple[str, ...]:
        core = stretch.lstrip(_OPENING).rstrip(_CLOSING)
        found = (core,) if core.isascii() and core.isalnum() else tuple(written_forms(stretch))
        if len(stretch) <= LONGEST_KEPT:
            self[stretch] = found
        return found


class _Filled(dict[str, T]):
    """A dictionary that computes missing values and keeps them."""

    def __init__(self, compute: Callable[[str], T]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: str) -> T:
        found = self[key] = self._compute(key)
        return found


def written_in(language: str) -> TermMatcher:
    """The matcher for a language. Languages with the same analyser share one."""
    return _of(analyser(language).language)


@cache
def _of(language: str) -> TermMatcher:
    return TermMatcher(analyser(language).terms, language)


REMEMBERED_PLACES = 32  # tables that are cached, for a query and a language each


def find_term_positions(
    texts: Sequence[str], wanted: frozenset[str], written: Sequence[TermMatcher]
) -> list[list[Place]]:
    """Find the matching places in each text. The texts may be in several languages."""
    found: list[list[Place] | None] = [None] * len(texts)
    if wanted:
        for own in dict.fromkeys(written):
            if begun := _begun(own, wanted):
                rows = [row for row, one in enumerate(written) if one is own]
                for row, places in zip(rows, plain_places([texts[row] for row in rows], begun), strict=True):
                    found[row] = places
    return [
        find_places(text, wanted, own) if places is None else places
        for text, own, places in zip(texts, written, found, strict=True)
    ]


def find_places(text: str, wanted: frozenset[str], written: TermMatcher) -> list[Place]:
    """Find all matching places in order. In scripts without spaces, each pair of characters is a term."""
    known = written.sought(wanted)
    if not wanted or (known and not known.terms):
        return []
    return sorted(
        (start, start + len(form), terms)
        for form, terms in written.bearers(text, wanted).items()
        for start in occurrences(text, form)
    )


@lru_cache(REMEMBERED_PLACES)
def _begun(written: TermMatcher, wanted: frozenset[str]) -> Begun | None:
    """The table for these terms in a language; None if its texts need the full analysis."""
    known = written.sought(wanted)
    if known is None or known.plain is None:
        return None
    wanted_here = known.terms
    return Begun(table_of(known.plain), _Filled(lambda form: wanted_here.intersection(written.terms(form))))


# Best passage of a page
# ----------------------
#
# The best passage is the window with the most distinct terms of the query. Ties are decided by the number
# of matches, then the earliest window wins. One pass with two pointers over the matching places finds it.
# Headings, captions and list items are lines of their own. A dot separates them if they end without
# punctuation.

LOOKED_AT = 100_000  # characters of a text that are searched
WRAPPED = 40  # characters; a shorter line was not wrapped because it was full
ELLIPSIS = "…"
SEPARATOR = " ·\n"  # after a line that ends without punctuation; the line break is shown as a space
_ENDS = ".!?。！？…؟۔।"
_GOES_ON = ",;:，；：、،؛·"  # a line that ends with one of these needs no separator
_CLOSERS = "\"'”’»)]」』"
FIRST_MARK = "\u0300"  # no earlier code point is a combining mark or in a script without spaces
LONGEST_END = 4  # characters at the end of a sentence: a full stop, two closing signs and a blank
_BEFORE_SENTENCE = re.compile(rf"[{_ENDS}][{re.escape(_CLOSERS)}]{{0,2}} |[\n。！？]")


class SnippetSource(NamedTuple):
    """The text of a page, the matcher for its language, and its description."""

    text: str
    written: TermMatcher
    description: str = ""


def snippets(sources: Sequence[SnippetSource], terms: Collection[str], width: int = 240) -> list[Snippet]:
    """Make a snippet for each page: about `width` characters around matching words.

    A page without matching words gets its description or the beginning of its text.
    """
    wanted = frozenset(terms)
    texts = [_lines(source.text[:LOOKED_AT]) for source in sources]
    found = find_term_positions(texts, wanted, [source.written for source in sources])
    return [
        _best(text, places, width) if places else _described(source, text, wanted, width)
        for source, text, places in zip(sources, texts, found, strict=True)
    ]


def snippet(
    text: str, terms: Collection[str], written: TermMatcher, description: str = "", width: int = 240
) -> Snippet:
    """Make the snippet of one page; see `snippets`."""
    return snippets([SnippetSource(text, written, description)], terms, width)[0]


def _described(source: SnippetSource, text: str, wanted: frozenset[str], width: int) -> Snippet:
    """Make a snippet of the description, or of the beginning of the text if there is no description."""
    lines = _lines(source.description[:LOOKED_AT])
    if places := find_places(lines, wanted, source.written):
        return _best(lines, places, width)
    shown = lines or text
    return _cut(shown, 0, _end(shown, 0, width, 0), [])


def _best(text: str, places: Sequence[Place], width: int) -> Snippet:
    return _cut(text, *_placed(text, *_densest(places, width), width), places)


def _lines(text: str) -> str:
    """Collapse whitespace but keep lines, because snippets may begin with a line."""
    if text.isprintable() and "  " not in text:  # no other blank is printable
        return text.strip(" ")
    lines = [line for line in [" ".join(line.split()) for line in text.splitlines()] if line]
    if len(lines) == 1:
        return lines[0]
    joined = [line + _joint(line, following) for line, following in pairwise(lines)]
    return "".join(joined + lines[-1:])


def _joint(line: str, following: str) -> str:
    """The text between two lines: a blank if the line was wrapped inside a sentence, else a line break."""
    if line.rstrip(_CLOSERS)[-1:] in _ENDS + _GOES_ON:
        return "\n"
    return " " if len(line) >= WRAPPED and following[0].islower() else SEPARATOR


def _densest(places: Sequence[Place], width: int) -> tuple[int, int]:
    """Find the best span of matches, at most `width` wide unless a single word is longer."""
    if places[-1][1] - places[0][0] <= width:
        return places[0][0], places[-1][1]
    counts: dict[str, int] = {}  # of the terms in the span
    best, most_terms, most_places, first = (0, 0), 0, 0, 0
    earliest = places[0][0]
    for last, (_, end, terms) in enumerate(places):
        for term in terms:
            counts[term] = counts.get(term, 0) + 1
        while end - earliest > width and first < last:
            _remove(counts, places[first][2])
            first += 1
            earliest = places[first][0]
        within, distinct = last - first + 1, len(counts)
        if distinct > most_terms or (distinct == most_terms and within > most_places):
            best, most_terms, most_places = (first, last), distinct, within
    return places[best[0]][0], places[best[1]][1]


def _remove(counts: dict[str, int], terms: Iterable[str]) -> None:
    for term in terms:
        if counts[term] > 1:
            counts[term] -= 1
        else:
            del counts[term]


def _placed(text: str, first: int, last: int, width: int) -> tuple[int, int]:
    """Widen a span to a snippet, from the start of its sentence if that is near."""
    slack = max(width - (last - first), 0)
    start = _sentence_start(text, first, slack)
    if start is None:
        early = max(first - slack // 3, 0)
        start = next((at for at in range(early, first) if _is_boundary(text, at)), first)
    return start, _end(text, start, width, last)


def _sentence_start(text: str, position: int, slack: int) -> int | None:
    """Find the last start of a sentence that is at most `slack` before a position."""
    earliest = max(position - slack, 0)
    before = text[max(earliest - LONGEST_END, 0) : position]
    ends = [found.end() for found in _BEFORE_SENTENCE.finditer(before)]
    if ends and (start := position - len(before) + ends[-1]) >= earliest:
        return start
    return None if earliest else 0


def _begins_sentence(text: str, start: int) -> bool:
    if start == 0 or text[start - 1] in "\n。！？":
        return True
    return text[start - 1] == " " and _ends_sentence(text, start - 1)


def _ends_sentence(text: str, end: int) -> bool:
    """Whether a sentence ends at `end`; closing quotes and brackets may follow its full stop."""
    before = text[max(end - 3, 0) : end].rstrip(_CLOSERS)
    return bool(before) and before[-1] in _ENDS


def _end(text: str, start: int, width: int, earliest: int) -> int:
    """Find the last word boundary at most `width` after the start, and if possible not before `earliest`."""
    limit = min(start + width, len(text))
    for at in range(limit, max(earliest, start + 1) - 1, -1):
        if _is_boundary(text, at):
            return at
    return limit


def _is_boundary(text: str, at: int) -> bool:
    if at == 0 or at == len(text):
        return True
    left, right = text[at - 1], text[at]
    if left < FIRST_MARK and right < FIRST_MARK:
        return not (left.isalnum() and right.isalnum())
    if category(right)[0] == "M":
        return False
    divided = left.isalnum() or category(left)[0] == "M"
    return not (divided and right.isalnum()) or is_unspaced(left) or is_unspaced(right)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Trim blanks and separators from a window, and from its start punctuation of the words before it."""
    while start < end and (text[start].isspace() or _separates(text, start) or _closes(text, start)):
        start += 1
    while end > start and (text[end - 1].isspace() or _separates(text, end - 1)):
        end -= 1
    return start, end


def _closes(text: str, at: int) -> bool:
    """Whether punctuation that belongs to the text before it is at this place."""
    return text[at] in _GOES_ON + _ENDS + _CLOSERS and text[at + 1 : at + 2].isspace()


def _separates(text: str, at: int) -> bool:
    return text[at] == SEPARATOR[1] and text[at + 1 : at + 2] == "\n"


def _cut(text: str, start: int, end: int, places: Sequence[Place]) -> Snippet:
    start, end = _trimmed(text, start, end)
    before = "" if _begins_sentence(text, start) else ELLIPSIS + " "
    whole = end >= len(text) or text.startswith(("\n", SEPARATOR), end) or _ends_sentence(text, end)
    after = "" if whole else " " + ELLIPSIS
    shift = len(before) - start
    highlights: list[tuple[int, int]] = []
    reached = -1  # the end of the last highlight
    for first, last, _ in places:
        if first >= end:  # places are in order
            break
        if last <= start:
            continue
        left = (first if first > start else start) + shift
        right = (last if last < end else end) + shift
        if left <= reached:
            reached = max(right, reached)
            highlights[-1] = (highlights[-1][0], reached)
        else:
            highlights.append((left, right))
            reached = right
    return Snippet(before + text[start:end].replace("\n", " ") + after, tuple(highlights))
