"""Which terms are a mistake or two away from this one?

A mistake is a character inserted, deleted or put for another, or two neighbours swapped (optimal string
alignment; F. J. Damerau, A technique for computer detection and correction of spelling errors, CACM 7(3),
1964), with d(i,j) the distance of i characters of the one from j characters of the other:

    d(i,j) = min(d(i-1,j) + 1, d(i,j-1) + 1, d(i-1,j-1) + [a_i != b_j],
                 d(i-2,j-2) + 1 if a_i a_(i-1) = b_(j-1) b_j)

Row i depends on i characters only, so sorted terms share the rows of what they share. When all of a row is
too far, and all of the row before it so far that a swap leads too far, nothing that begins so is near.
"""

from __future__ import annotations

import numpy as np

from gossamer.index.dictionary import END_BYTE, Dictionary
from gossamer.index.near_kernel import walk
from gossamer.kernel import kernels_are_loaded
from gossamer.text.analysis import MARK
from gossamer.text.strings import CODING

SMALL = 30_000  # terms that are walked through in less time than it takes to load a kernel


def near(dictionary: Dictionary, term: str, mistakes: int) -> list[int]:
    """The numbers of all terms of the same language whose stem is so few mistakes away from the term's."""
    stem, mark, language = term.partition(MARK)
    return _near(dictionary, stem, frozenset([mark + language]), mistakes)


def _near(dictionary: Dictionary, stem: str, endings: frozenset[str], mistakes: int) -> list[int]:
    """The terms with one of these endings."""
    if len(dictionary) <= SMALL and not kernels_are_loaded():
        return near_without_kernels(dictionary, stem, endings, mistakes)
    blocks = dictionary.blocks
    word = np.array([ord(character) for character in stem], np.uint64)
    terms, longest, _ = blocks.sizes.tolist()
    found: list[int] = []
    for own in endings:
        ending = np.frombuffer(own.encode(*CODING), np.uint8)
        found += walk(
            blocks.heads, blocks.starts, blocks.data, terms, longest, word, ending, mistakes
        ).tolist()
    return found


def near_without_kernels(
    dictionary: Dictionary, stem: str, endings: frozenset[str], mistakes: int
) -> list[int]:
    """The same, without loading compiled code."""
    found: list[int] = []
    rows = [list(range(len(stem) + 1))]
    last, number, end = "", 0, len(dictionary)
    while number < end:
        term = dictionary.term(number)
        own, mark, language = term.partition(MARK)
        del rows[_shared(own, last) + 1 :]
        last = own
        if _fill(rows, own, stem, mistakes):
            if rows[-1][-1] <= mistakes and mark + language in endings:
                found.append(number)
            number += 1
        else:
            number = dictionary.rank(own[: len(rows) - 1].encode(*CODING) + END_BYTE)
    return found


def _shared(one: str, other: str) -> int:
    """How many characters two words begin with."""
    shorter = min(len(one), len(other))
    return next((i for i in range(shorter) if one[i] != other[i]), shorter)


def _fill(rows: list[list[int]], own: str, word: str, mistakes: int) -> bool:
    """Adds the rows that are missing, until none of them can lead to a near term; whether all were added."""
    for i in range(len(rows), len(own) + 1):
        before, row = rows[-1], [i]
        for j, letter in enumerate(word, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (own[i - 1] != letter))
            if i > 1 and j > 1 and own[i - 1] == word[j - 2] and own[i - 2] == letter:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
        if min(row) > mistakes and min(before) >= mistakes:
            return False
    return True
