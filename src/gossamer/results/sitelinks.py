"""How are the pages of a site called below its home page, in few words?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from gossamer.results.show import shortened

MOST = 6
LONGEST = 40  # characters
OFTEN = 0.5  # the share of titles from which on a part of them is the site's name
ENOUGH = 3  # titles that tell this

_PARTS = re.compile(r"\s+[-–—|·»]\s+|\s*\|\s*|: ")


def short_titles(home: str, titles: Sequence[str]) -> list[str]:
    """Titles without the site's name, which is what most of them share, or a part of the home page's.

    >>> short_titles("Wildcats", ["Jaguar - Wildcats", "Puma - Wildcats", "About - Wildcats"])
    ['Jaguar', 'Puma', 'About']
    """
    divided = [_parts(title) for title in titles]
    counts = Counter(part.casefold() for parts in divided for part in set(parts))
    shared = {part for part, count in counts.items() if count >= max(ENOUGH, OFTEN * len(titles))}
    known = shared | {part.casefold() for part in _parts(home)}
    return [_short(parts, known) for parts in divided]


def chosen(home: str, titles: Sequence[str], most: int = MOST) -> Iterator[tuple[int, str]]:
    """The places of titles that are worth a link, with their short forms; none is empty or comes twice."""
    seen = {part.casefold() for part in _parts(home)}
    for place, title in enumerate(short_titles(home, titles)):
        if most and title and title.casefold() not in seen:
            seen.add(title.casefold())
            most -= 1
            yield place, title


def _parts(title: str) -> list[str]:
    return [part for part in map(str.strip, _PARTS.split(" ".join(title.split()))) if part]


def _short(parts: Sequence[str], known: set[str]) -> str:
    """The first part that is not the site's name."""
    own = next((part for part in parts if part.casefold() not in known), "")
    return shortened(own, LONGEST)
