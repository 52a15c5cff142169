"""Which passage of a page shows best that it answers?

The window of the text with the most distinct terms of the query, then the most occurrences, then the
earliest; found in one pass with two pointers over the places that match. Headings, captions and items stand
on lines of their own; a dot between them keeps them apart where no punctuation does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple
from unicodedata import category

from gossamer.model import Snippet
from gossamer.results.places import find_all_places, find_places
from gossamer.results.plain_places import Place
from gossamer.results.written import Written
from gossamer.text.words import is_unspaced

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


class Source(NamedTuple):
    """What a page says; `written` knows the index terms that a word of it stands for."""

    text: str
    written: Written
    description: str = ""


def snippets(sources: Sequence[Source], terms: Collection[str], width: int = 240) -> list[Snippet]:
    """Of each page about `width` characters around the query's terms; without any, what describes it."""
    wanted = frozenset(terms)
    texts = [_lines(source.text[:LOOKED_AT]) for source in sources]
    found = find_all_places(texts, wanted, [source.written for source in sources])
    return [
        _best(text, places, width) if places else _described(source, text, wanted, width)
        for source, text, places in zip(sources, texts, found, strict=True)
    ]


def snippet(
    text: str, terms: Collection[str], written: Written, description: str = "", width: int = 240
) -> Snippet:
    """The same of a single page."""
    return snippets([Source(text, written, description)], terms, width)[0]


def _described(source: Source, text: str, wanted: frozenset[str], width: int) -> Snippet:
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
    if start == 0 or text[start - 1] == "\n":
        return True
    if text[start - 1] in "。！？":
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
