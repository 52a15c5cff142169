"""Which passages of a text are in another language than the rest, and need stems of their own?

Only long blocks are looked at, first by a glance at their middle. One that seems to be in another language is
read whole, and counts where that is beyond doubt and its words become other terms there than in the language
of the page. Blocks of one language that stand side by side, but for short ones between them, are one passage.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gossamer.model import Passage
from gossamer.text.analysis import analyser
from gossamer.text.codes import kin
from gossamer.text.language import spoken

LONG = 250  # characters of a block
GLANCE = 80  # of its middle
LOOK = 1_000  # of one that seems to be in another language
MOST = 64  # blocks of a page that are looked at

Block = tuple[int, int]  # where it begins and ends


def passages(text: str, language: str) -> tuple[Passage, ...]:
    """The passages of a text that are in other languages than this one.

    >>> german = "Der schnelle braune Fuchs springt über den faulen Hund und läuft davon. " * 4
    >>> [one.language for one in passages("The quick brown fox jumps over the lazy dog.\\n" + german, "en")]
    ['de']
    """
    if not language or len(text) < LONG or "\n" not in text:
        return ()
    own = analyser(language).language
    found: list[Passage] = []
    between = False  # whether a long block of the page's own language came since
    for begin, end in islice(_long_blocks(text), MOST):
        other = _other_language(text[begin:end], language)
        if not other or analyser(other).language == own:
            between = True
        elif found and found[-1].language == other and not between:
            found[-1] = Passage(other, found[-1].begin, end)
        else:
            found.append(Passage(other, begin, end))
            between = False
    return tuple(found)


def _long_blocks(text: str) -> Iterator[Block]:
    """Find the blocks of at least `LONG` characters. Short ones are skipped many at a time."""
    begin = 0
    while begin + LONG <= len(text):
        last = text.rfind("\n", begin, begin + LONG)
        if last >= 0:  # every block that begins before it is short
            begin = last + 1
            continue
        end = text.find("\n", begin + LONG)
        end = len(text) if end < 0 else end
        yield begin, end
        begin = end + 1


def _other_language(block: str, language: str) -> str:
    """The language of a block that is clearly not in this one; "" else."""
    own = kin(language)
    middle = (len(block) - GLANCE) // 2
    seen = spoken(block[middle : middle + GLANCE]).languages
    if not seen or seen[0][0] in own:
        return ""
    clearly = spoken(block[:LOOK]).clearly
    return "" if clearly in own else clearly
