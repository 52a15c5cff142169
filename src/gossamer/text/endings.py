"""With which ending is a word read, whose own is written without its accents?

Stemmers look at accents: "informação" loses its ending, "informacao" keeps it, and neither finds the other.
So endings that hardly any word of a language has without accents get them back before a word is stemmed, in
pages and in queries alike. The same list joins plurals that a stemmer leaves apart, as "ação" and "ações".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache

from gossamer.text.characters import folded
from gossamer.text.word_lists import section

WHOLE = 5  # letters from which an ending may be the whole word
WORD = r"\w"
LAST = 2  # letters that the shortest ending has

Restored = Callable[[str], str]  # of words, one a line, as they are read


@cache
def restoring(language: str) -> Restored | None:
    """What gives the words of a language their endings; None for a language without a list.

    >>> restoring("pt")("informacao\\nacoes\\ncaos")
    'informação\\nação\\ncaos'
    """
    read_as = {folded(one): folded(other) for one, other in _pairs(language)}
    if not read_as:
        return None
    # What is found first is longest: it begins before the others, and all end with the word.
    before: dict[int, list[str]] = {}
    for written, own in read_as.items():
        before.setdefault(_needed(written, own), []).append(written)
    parts = [rf"(?<={letters * WORD})(?:{'|'.join(some)})" for letters, some in before.items()]
    ending = re.compile(rf"(?:{'|'.join(parts)})$", re.MULTILINE)
    return lambda lines: ending.sub(lambda match: read_as[match[0]], lines)


@cache
def last_letters(language: str) -> frozenset[str]:
    """What all words end with that `restoring` may change: most are soon seen not to be of them."""
    return frozenset([folded(written)[-LAST:] for written, _ in _pairs(language)])


def _needed(written: str, read_as: str) -> int:
    """How many letters must stand before an ending.

    The first two of a word stay, accents aside, by which it is looked for in texts.
    """
    if len(written) >= WHOLE:
        return 0
    return 1 if len(written) == len(read_as) else 1 + (written[0] != _bare(read_as[0]))


def _bare(letter: str) -> str:
    return unicodedata.normalize("NFKD", letter)[0]


def _pairs(language: str) -> list[tuple[str, str]]:
    lines = (line.partition(":") for line in section("endings", language))
    return [(written.strip(), read_as.strip()) for written, _, read_as in lines]
