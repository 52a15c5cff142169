# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator"
"""Snippets: best passage, snippet length, words that match query terms."""

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
# Most stemmers take endings away and leave the beginning, so a word of another beginning needs no
# look. That holds for plain words; signs inside of one, a number with its unit, and letters that are
# no ordinary ones of Latin or Cyrillic may hide a word that begins elsewhere, and are looked at
# always.


# How many first letters the stemmer of a language leaves as they are, diacritics and y for i aside. Of those
# that are missing here it takes prefixes away, or changes even the first letter; "" has no stemmer.
KEPT = dict.fromkeys(("de", "eo", "et", "fi"), 1) | dict.fromkeys(
    ("", "ca", "cs", "da", "en", "es", "eu", "fr", "hu", "it", "lt", "nb", "nn", "no", "pl", "pt", "ro", "ru",
     "sv"), 2
)  # fmt: skip
LETTERS = 2  # the most of them
AROUND = "([{<\"'.,;:!?)]}>“”„‘’«»…–—"  # before and behind a word they hide no other
_BEFORE_TERM = "#@."  # of terms: #tag, .net
_ALL = ("", *ascii_letters, *digits)
ORDINARY = "A-Za-zÀ-ÖØ-öø-ľŁ-ňŊ-ɏЀ-џ"  # without those that fold to more than letters
_WORD = re.compile(rf"[{ORDINARY}][{ORDINARY}0-9]*")
REMEMBERED_BEGINNINGS = 256  # queries, in a language each
BEGINNINGS = 2_048  # of words, that are remembered


@dataclass(frozen=True, slots=True)
class PrefixFilter:
    """The terms of a query in one language, and how words begin that stand for them."""

    terms: frozenset[str]
    begun: frozenset[str]  # one or two letters, folded
    plain: tuple[bytes, ...] | None  # how runs of ASCII letters or digits begin that may be part of one

    @property
    def heads(self) -> frozenset[str]:
        """The beginnings as ASCII may write them, of two characters where the word has them."""
        return frozenset().union(*map(_heads, self.begun))

    def among(self, text: str) -> list[str]:
        """What stands between two blanks of a text, each once, where it may stand for a term."""
        heads = self.heads
        return [
            one
            for one in set(text.split())
            if one[:LETTERS] in heads or not (one.isalpha() and one.isascii())
            if self._may(one.strip(AROUND))
        ]

    def _may(self, core: str) -> bool:
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
    """The wanted terms of a language; None where the beginnings of its words tell nothing.

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
    """By term, the beginnings of irregular forms that stand for it."""
    terms, found = analyser(language), defaultdict[str, set[str]](set)
    for form in irregular_forms(language):
        found[terms[form]].add(_beginning(form))
    return dict(found)


def _beginning(word: str) -> str:
    """The first letters of a word in small letters; dying stands for die."""
    return fold(word[:LETTERS])[:LETTERS].replace("y", "i")


@lru_cache(BEGINNINGS)
def _heads(begun: str) -> Sequence[str]:
    """How ASCII may write what begins so."""
    written = [
        f"{letter}{letter.upper()}yY" if letter == "i" else letter + letter.upper() for letter in begun
    ]
    return [*map("".join, product(*written, _ALL) if len(written) < LETTERS else product(*written))]


def _plain(begun: Iterable[str]) -> tuple[bytes, ...] | None:
    """The same without signs, none of them the beginning of another; None where one is not of ASCII."""
    letters = {one if one.isalpha() or one.isdigit() else one[:1] for one in begun}
    if not all(one.isascii() and one.isalnum() for one in letters):
        return None
    apart = [one for one in letters if len(one) == 1 or one[0] not in letters]
    written = (product(*("iy" if letter == "i" else letter for letter in one)) for one in apart)
    return tuple("".join(letters).encode() for one in written for letters in one)


# Kernels: words by prefix
# ------------------------


# Kinds of bytes: the letters, then the digits, then
BEYOND = 36  # a letter beyond ASCII
ABSENT = 37  # none of these, or the second one of a word that has only one
KINDS = ABSENT + 1
FIRST_DIGIT = 26
ODD = -1
FULL_STOP, COMMA, APOSTROPHE = ord("."), ord(","), ord("'")

# Signs beyond ASCII that part words, and the bytes that stand for them: no text has these.
_SIGNS = {"’": "'", **dict(zip("“”„‘«»…–—·•", map(chr, range(14, 25)), strict=True))}
_ELSE = "\x1a"  # stands for a letter beyond ASCII
_BEFORE_WORD = " \n([{<\"'-/:“„«‘’–—·•"  # a word that is one by itself
_BEHIND = " \n.,;:!?)]}>\"'-/“”’»…–—·•"


def _kinds() -> NDArray[np.uint8]:
    """Of each byte, which letter or digit it is."""
    kinds = np.full(256, ABSENT, np.uint8)
    for letters in (ascii_lowercase + digits, ascii_uppercase):
        kinds[list(letters.encode())] = range(len(letters))
    kinds[ord(_ELSE)] = BEYOND
    return kinds


def _standing() -> NDArray[np.bool_]:
    """Of each byte, whether it may stand before a word that is one by itself, and whether behind."""
    known = np.zeros((2, 256), np.bool_)
    for row, characters in enumerate((_BEFORE_WORD, _BEHIND)):
        known[row, [ord(_SIGNS.get(one, one)) for one in characters]] = True
    return known


_KINDS, _MAY_STAND = _kinds(), _standing()


@kernel_part
def is_digit(kind: int) -> bool:
    return FIRST_DIGIT <= kind < BEYOND


@kernel_part
def run_end(text: NDArray[np.uint8], at: int, end: int) -> int:
    """Where the letters end, or the digits, of which the first stands here."""
    digits = is_digit(_KINDS[text[at]])
    at += 1
    while at < end and _KINDS[text[at]] != ABSENT and is_digit(_KINDS[text[at]]) == digits:
        at += 1
    return at


@kernel_part
def hides_another(
    text: NDArray[np.uint8], at: int, stop: int, firsts: NDArray[np.bool_], numbers: bool
) -> bool:
    """Whether a run may be part of a word that begins elsewhere, or as ASCII cannot tell."""
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
    """Find where the words begin and end in each text that begin so, and how many it has, or `ODD`.

    The texts stand side by side, with a blank before each and two behind the last; starts[n] is where text n
    begins, and the last is where another one would. `begun` has a row for each kind of a first letter and a
    column for each of a second.
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
# A kernel finds them in all texts at once, a byte a character. Where what stands beside such a word
# may make another of it (C++, #tag, U.S.A., 10km), nothing is said.

Place = tuple[int, int, frozenset[str]]  # where it begins and ends, and the terms that it stands for
_ASKING = "\x1b"  # for a question mark, until Python's codec has put one for each such letter
_BACK = bytes.maketrans(b"?" + _ASKING.encode(), _ELSE.encode() + b"?")
_ODD = re.compile(rf"[^\x00-\x7f{''.join(_SIGNS)}{ORDINARY}]|[{_SIGNS['“']}-{_ASKING}]")


class Begun(NamedTuple):
    """How words begin that stand for terms of a query, and what is known of these words."""

    beginnings: NDArray[np.bool_]  # a row for each kind of a first letter, a column for each of a second
    borne: Mapping[str, frozenset[str]]  # the terms of every such word, as it is written


def table_of(beginnings: Iterable[bytes]) -> NDArray[np.bool_]:
    """One or two small letters or digits each, as a table."""
    table = np.zeros((KINDS, KINDS), np.bool_)
    for one in beginnings:
        table[tuple(_KINDS[list(one)].tolist())] = True  # of one letter, the whole row
    return table


def plain_places(texts: Sequence[str], begun: Begun) -> list[list[Place] | None]:
    """All places of words of each text that begin so and stand for terms, rising; None where it is odd.

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
        None if one is None or (count := next(each)) == ODD else _bearing(text, islice(pairs, count), begun)
        for text, one in zip(texts, encoded, strict=True)
    ]


def _bearing(text: str, places: Iterable[Sequence[int]], begun: Begun) -> list[Place]:
    """Those of the places whose words stand for terms."""
    borne = begun.borne
    return [(start, end, terms) for start, end in places if (terms := borne[text[start:end]])]


def _encoded(text: str) -> bytes | None:
    """A text with a byte for each character; None where one of them may hide a word."""
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
# A text is cut at its blanks, over which no word reaches. Most of what stands between two of them
# begins as no word does that would matter (`beginnings`); the rest was nearly always met in an
# earlier text, and so were its words and their terms.

T = TypeVar("T")
TermOf = Callable[[str], Iterable[str]]

# Around letters and digits of ASCII they change nothing; # @ + . before a word, or + # behind it, may.
_OPENING = "([{<\"'"
_CLOSING = ".,;:!?)]}>\"'"
LONGEST_KEPT = 40  # characters between two blanks; a sentence without any does not come again


class TermMatcher:
    """What was met so far in one language, where `term_of(word)` gives the terms that a word stands for.

    Where the language is named, words that cannot stand for a wanted term are passed over.

    Threads may share it: what one of them adds takes nothing from the others.
    """

    LARGEST = 200_000  # words and stretches remembered, about 40 MB; beyond it the memory starts anew

    def __init__(self, term_of: TermOf, language: str | None = None) -> None:
        self._term_of = term_of
        self._language = language
        self._memory = _Memory(term_of)

    def bearers(self, text: str, wanted: frozenset[str]) -> dict[str, frozenset[str]]:
        """The words of a text that stand for any of the wanted terms, as they are written, and for which.

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
        """How words begin that stand for the wanted terms, where that is known."""
        return None if self._language is None else sought(wanted, self._language)

    def terms(self, form: str) -> tuple[str, ...]:
        """The terms that a word stands for, as it is written."""
        return self._remembered().terms[form]

    def _remembered(self) -> _Memory:
        if len(self._memory) + len(self._memory.terms) > self.LARGEST:
            self._memory = _Memory(self._term_of)
        return self._memory  # another thread may put a new one in its place


class _Memory(dict[str, tuple[str, ...]]):
    """From what stands between two blanks to the words in it, as they are written; it fills itself."""

    def __init__(self, term_of: TermOf) -> None:
        super().__init__()
        self.terms = _Filled(lambda form: tuple(term_of(form)))  # of each word, as it is written

    def __missing__(self, stretch: str) -> tuple[str, ...]:
        core = stretch.lstrip(_OPENING).rstrip(_CLOSING)
        found = (core,) if core.isascii() and core.isalnum() else tuple(written_forms(stretch))
        if len(stretch) <= LONGEST_KEPT:
            self[stretch] = found
        return found


class _Filled(dict[str, T]):
    """A dictionary that computes what it lacks, and keeps it."""

    def __init__(self, compute: Callable[[str], T]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: str) -> T:
        found = self[key] = self._compute(key)
        return found


def written_in(language: str) -> TermMatcher:
    """The memory of a language; those that are read alike share one."""
    return _of(analyser(language).language)


@cache
def _of(language: str) -> TermMatcher:
    return TermMatcher(analyser(language).terms, language)


REMEMBERED_PLACES = 32  # queries, in a language each; their words are those that begin as a term does


def find_term_positions(
    texts: Sequence[str], wanted: frozenset[str], written: Sequence[TermMatcher]
) -> list[list[Place]]:
    """The places that match in each of some texts, which may be of several languages."""
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
    """All places that match, in order; in scripts without spaces each pair of characters is asked for.

    Only the words that match are searched for in the text.
    """
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
    """How words of a language begin that stand for these terms; None where that takes a closer look."""
    known = written.sought(wanted)
    if known is None or known.plain is None:
        return None
    wanted_here = known.terms
    return Begun(table_of(known.plain), _Filled(lambda form: wanted_here.intersection(written.terms(form))))


# Best passage of a page
# ----------------------
#
# The window of the text with the most distinct terms of the query, then the most occurrences, then
# the earliest; found in one pass with two pointers over the places that match. Headings, captions and
# items stand on lines of their own; a dot between them keeps them apart where no punctuation does.

LOOKED_AT = 100_000  # characters of a text
WRAPPED = 40  # characters of a line that may have been broken because it was full
ELLIPSIS = "…"
SEPARATOR = " ·\n"  # behind a line that just ends; the line break is shown as a space
_ENDS = ".!?。！？…؟۔।"
_GOES_ON = ",;:，；：、،؛·"  # at the end of a line: nothing more is needed before the next
_CLOSERS = "\"'”’»)]」』"
FIRST_MARK = "\u0300"  # no character before it is a mark, or of a script without spaces
LONGEST_END = 4  # characters: a full stop, two that close, and a blank
_BEFORE_SENTENCE = re.compile(rf"[{_ENDS}][{re.escape(_CLOSERS)}]{{0,2}} |[\n。！？]")


class SnippetSource(NamedTuple):
    """What a page says; `written` knows the index terms that a word of it stands for."""

    text: str
    written: TermMatcher
    description: str = ""


def snippets(sources: Sequence[SnippetSource], terms: Collection[str], width: int = 240) -> list[Snippet]:
    """Of each page about `width` characters around the query's terms; without any, what describes it."""
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
    """The same of a single page."""
    return snippets([SnippetSource(text, written, description)], terms, width)[0]


def _described(source: SnippetSource, text: str, wanted: frozenset[str], width: int) -> Snippet:
    """What is shown of a page whose text does not hold the terms."""
    lines = _lines(source.description[:LOOKED_AT])
    if places := find_places(lines, wanted, source.written):
        return _best(lines, places, width)
    shown = lines or text
    return _cut(shown, 0, _end(shown, 0, width, 0), [])


def _best(text: str, places: Sequence[Place], width: int) -> Snippet:
    return _cut(text, *_placed(text, *_densest(places, width), width), places)


def _lines(text: str) -> str:
    """Whitespace collapsed, but lines kept: a line's beginning is a good place to begin."""
    if text.isprintable() and "  " not in text:  # no other blank is printable
        return text.strip(" ")
    lines = [line for line in [" ".join(line.split()) for line in text.splitlines()] if line]
    if len(lines) == 1:
        return lines[0]
    joined = [line + _joint(line, following) for line, following in pairwise(lines)]
    return "".join(joined + lines[-1:])


def _joint(line: str, following: str) -> str:
    """What stands between two lines; plain text is broken into long lines anywhere in a sentence."""
    if line.rstrip(_CLOSERS)[-1:] in _ENDS + _GOES_ON:
        return "\n"
    return " " if len(line) >= WRAPPED and following[0].islower() else SEPARATOR


def _densest(places: Sequence[Place], width: int) -> tuple[int, int]:
    """The span of matches that is best, no wider than `width` (a single longer word excepted)."""
    if places[-1][1] - places[0][0] <= width:
        return places[0][0], places[-1][1]
    counts: dict[str, int] = {}  # of the terms in the span
    best, most_terms, most_places, first = (0, 0), 0, 0, 0
    earliest = places[0][0]
    for last, (_, end, terms) in enumerate(places):
        for term in terms:
            counts[term] = counts.get(term, 0) + 1
        while end - earliest > width and first < last:
            _take_out(counts, places[first][2])
            first += 1
            earliest = places[first][0]
        within, distinct = last - first + 1, len(counts)
        if distinct > most_terms or (distinct == most_terms and within > most_places):
            best, most_terms, most_places = (first, last), distinct, within
    return places[best[0]][0], places[best[1]][1]


def _take_out(counts: dict[str, int], terms: Iterable[str]) -> None:
    for term in terms:
        if counts[term] > 1:
            counts[term] -= 1
        else:
            del counts[term]


def _placed(text: str, first: int, last: int, width: int) -> tuple[int, int]:
    """The span and what stands around it, from the sentence's start if that is near."""
    slack = max(width - (last - first), 0)
    start = _sentence_start(text, first, slack)
    if start is None:
        early = max(first - slack // 3, 0)
        start = next((at for at in range(early, first) if _is_boundary(text, at)), first)
    return start, _end(text, start, width, last)


def _sentence_start(text: str, position: int, slack: int) -> int | None:
    """The last beginning of a sentence that is no farther than `slack` before a position."""
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
    """Whether a sentence is over before `end`; closing quotes and brackets may follow its full stop."""
    before = text[max(end - 3, 0) : end].rstrip(_CLOSERS)
    return bool(before) and before[-1] in _ENDS


def _end(text: str, start: int, width: int, earliest: int) -> int:
    """The last word boundary at most `width` behind the start, and not before `earliest` if that can be."""
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
    """The window without blanks and separators at its ends, nor what belongs to words before it."""
    while start < end and (text[start].isspace() or _separates(text, start) or _closes(text, start)):
        start += 1
    while end > start and (text[end - 1].isspace() or _separates(text, end - 1)):
        end -= 1
    return start, end


def _closes(text: str, at: int) -> bool:
    """Whether a sign stands here that ends what was said before it."""
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
    reached = -1  # the end of the last one
    for first, last, _ in places:
        if first >= end:  # they rise, and so do all that follow
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
