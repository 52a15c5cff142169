"""Which part of a title names the page, and which only its site?

Most sites put their name behind the title of each page, or before it: "Jaguars - Wildcats". What stands
behind the last mark of division on many pages of a host, or before the first, is its name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

LEAST = 3  # pages of a host that have it
SHARE = 0.3  # of the host's pages

_APART = re.compile(r" (?:[-–—|·•»«]|::) |: ")


def without_site_names(titles: Sequence[str], hosts: Sequence[Hashable]) -> list[str]:
    """The titles, with single spaces between words, without the names of their sites.

    >>> pages = ["Jaguars - Wildcats", "Lynx - Wildcats", "Leopards - Wildcats", "Cats - and dogs"]
    >>> without_site_names(pages, ["a", "a", "a", "a"])
    ['Jaguars', 'Lynx', 'Leopards', 'Cats - and dogs']
    """
    pages = Counter(hosts)
    named: Counter[tuple[Hashable, str]] = Counter()
    for title, host in zip(titles, hosts, strict=True):
        named.update({(host, edge) for edge, _ in _divided(title)})
    names = {
        (host, name) for (host, name), count in named.items() if count >= max(LEAST, SHARE * pages[host])
    }
    return [_bare(title, host, names) for title, host in zip(titles, hosts, strict=True)]


def _divided(title: str) -> Iterator[tuple[str, str]]:
    """The title's edges, the last first, each with the rest."""
    marks = list(_APART.finditer(title))
    if marks:
        first, last = marks[0], marks[-1]
        yield title[last.end() :].strip(), title[: last.start()].strip()
        yield title[: first.start()].strip(), title[first.end() :].strip()


def _bare(title: str, host: Hashable, names: set[tuple[Hashable, str]]) -> str:
    return next((rest for edge, rest in _divided(title) if rest and (host, edge) in names), title)
