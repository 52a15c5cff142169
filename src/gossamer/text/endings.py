"""With which ending is a word read, whose own is written without its accents?

Stemmers look at accents: "informação" loses its ending, "informacao" keeps it, and neither finds the other.
So endings that hardly any word of a language has without accents get them back before a word is stemmed, in
pages and in queries alike. The same list joins plurals that a stemmer leaves apart, as "ação" and "ações".
"""

from __future__ import annotations

import re
from collections.abc import Callable
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
    # What is found first is longest: it begins before the others, and all end with the word.
    behind = "|".join(one for one in read_as if len(one) < WHOLE) or NOTHING
    whole = "|".join(one for one in read_as if len(one) >= WHOLE) or NOTHING
    ending = re.compile(rf"(?:(?<=\w)(?:{behind})|{whole})$", re.MULTILINE)
    return lambda lines: ending.sub(lambda match: read_as[match[0]], lines)


def _pairs(language: str) -> list[tuple[str, str]]:
    lines = (line.partition(":") for line in section("endings", language))
    return [(written.strip(), read_as.strip()) for written, _, read_as in lines]
