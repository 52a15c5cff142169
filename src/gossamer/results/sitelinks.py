"""How are the pages of a site called below its home page, in few words?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from gossamer.results.show import shortened

MOST = 6
LONGEST = 40  # characters
OFTEN = 0.5  # the share of titles from which on a part of them is the site's name
ENOUGH = 2  # titles that tell this

_BETWEEN = re.compile(r"\s+[-–—|·»]\s+|\s*\|\s*|: ")
_Part = tuple[int, int, str]  # where a part of a title begins and ends, and what it says, case aside


def short_titles(home: str, titles: Sequence[str]) -> list[str]:
    """Titles without the site's name, which is what most of them share, or a part of the home page's.

    >>> short_titles("Wildcats", ["Jaguar - Wildcats", "Puma - Wildcats", "About - Wildcats"])
    ['Jaguar', 'Puma', 'About']
    """
    lines = [" ".join(title.split()) for title in titles]
    counts = Counter(part for line in lines for part in _said(line))
    shared = {part for part, count in counts.items() if count >= max(ENOUGH, OFTEN * len(titles))}
    known = shared | _said(home)
    return [_short(line, known) for line in lines]


def chosen(home: str, titles: Sequence[str], most: int = MOST) -> Iterator[tuple[int, str]]:
    """The places of titles that are worth a link, with their short forms; none is empty or comes twice."""
    seen = _said(home)
    for place, title in enumerate(short_titles(home, titles)):
        if most and title and title.casefold() not in seen:
            seen.add(title.casefold())
            most -= 1
            yield place, title


def _parts(title: str) -> list[_Part]:
    borders = [0, *(place for sign in _BETWEEN.finditer(title) for place in sign.span()), len(title)]
    parts = [
        (begin, end, title[begin:end].strip().casefold())
        for begin, end in zip(borders[::2], borders[1::2], strict=True)
    ]
    return [part for part in parts if part[2]]


def _said(title: str) -> set[str]:
    return {said for _, _, said in _parts(" ".join(title.split()))}


def _short(title: str, known: set[str]) -> str:
    """The title as it is written, from its first part to its last that is not the site's name."""
    own = [part for part in _parts(title) if part[2] not in known]
    return shortened(title[own[0][0] : own[-1][1]].strip(), LONGEST) if own else ""
