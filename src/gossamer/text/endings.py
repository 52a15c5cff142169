"""With which ending is a word read, whose own is written without its accents?

Stemmers look at accents: "informação" loses its ending, "informacao" keeps it, and neither finds the other.
So endings that hardly any word of a language has without accents get them back before a word is stemmed, in
pages and in queries alike. The same list joins plurals that a stemmer leaves apart, as "ação" and "ações".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from gossamer.text.characters import folded
from gossamer.text.word_lists import section

WHOLE = 5  # letters from which an ending may be the whole word
NOTHING = "(?!)"

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
    # What is found first is longest: it begins before the others, and all end with the word. The first two
    # letters stay, whatever an ending gets: by them words are looked for in texts.
    short = [one for one in read_as if len(one) < WHOLE]
    accents = [one for one in short if len(one) == len(read_as[one])]
    letters = [one for one in short if one not in accents]
    whole = [one for one in read_as if len(one) >= WHOLE]
    parts = (rf"(?<=\w)(?:{_any(accents)})", rf"(?<=\w\w)(?:{_any(letters)})", _any(whole))
    ending = re.compile(rf"(?:{'|'.join(parts)})$", re.MULTILINE)
    return lambda lines: ending.sub(lambda match: read_as[match[0]], lines)


def _any(endings: Iterable[str]) -> str:
    return "|".join(endings) or NOTHING


def _pairs(language: str) -> list[tuple[str, str]]:
    lines = (line.partition(":") for line in section("endings", language))
    return [(written.strip(), read_as.strip()) for written, _, read_as in lines]
