"""Which search is this, and what is the address of another one like it?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote

REMEMBERED = 256  # values as they stand in addresses: a page names most of them several times
_OFTEN_CHANGED = frozenset({"page", "cluster", "correct", "explain", "everything", "newest"})
_UNSAFE = re.compile(r"[^A-Za-z0-9_.~-]")
_PERCENT = {chr(code): f"%{code:02X}" for code in range(128)}


@dataclass(frozen=True, slots=True)
class Asked:
    """A search as its address says it; `ui` is the language that was named for the page, if any was."""

    root: str
    query: str
    page: int = 1
    everything: bool = False
    newest: bool = False
    explain: bool = False
    correct: bool = True
    cluster: str = ""
    topic: str = ""
    ui: str = ""
    country: str = ""  # "none", or another than would be found out
    languages: str = ""
    context: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()
    prefer_topic: str = ""
    # What nearly every address of a page has behind the query: how to list and the rest; the rest alone.
    behind: str = field(init=False, repr=False, compare=False)
    _rest: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rest = (
            ("topic", self.topic),
            ("ui", self.ui),
            ("country", self.country),
            ("languages", self.languages),
            ("prefer_topic", self.prefer_topic),
        )
        several = [("context", one) for one in self.context] + [("prefer", one) for one in self.prefer]
        written = _written((*rest, *several))
        object.__setattr__(self, "behind", f"{_listed(self.everything, self.newest)}{written}")
        object.__setattr__(self, "_rest", written)

    def here(self, **changes: Any) -> str:
        """The same search, changed; on its first page unless one is named."""
        if changes.keys() <= _OFTEN_CHANGED:  # a new search takes ten times as long as its address
            changed = {name: changes.get(name, getattr(self, name)) for name in _OFTEN_CHANGED}
            return self._of(**{**changed, "page": changes.get("page", 1)})
        return replace(self, **{"page": 1, **changes}).address

    def group(self, cluster: str) -> str:
        """The same search for one group of its results only: `here`, for what a page asks for many times."""
        return self._of(1, cluster, self.correct, self.explain, self.everything, self.newest)

    def about(self, query: str, operator: str = "") -> str:
        """A search for something else, which is shown in the same order and language."""
        asked = f"&q={quoted(operator)}{quoted(query)}" if query else ""
        return f"{self.root}/search?{f'{asked}{self.behind}'[1:]}"

    @property
    def address(self) -> str:
        """
        >>> Asked("/find", "big cats", 2, newest=True).address
        '/find/search?q=big%20cats&page=2&newest=true'
        """
        return self._of(self.page, self.cluster, self.correct, self.explain, self.everything, self.newest)

    def as_json(self, offset: int) -> str:
        """The same results for programs, which are asked in no language of the page.

        >>> Asked("", "big cats", 2, correct=False, ui="de", context=("lions",)).as_json(10)
        '/api/search?q=big%20cats&correct=false&context=lions&offset=10'
        """
        same = replace(self, root=f"{self.root}/api", page=1, ui="").address
        return f"{same}&offset={offset}" if offset else same

    def elsewhere(self, path: str, **values: object) -> str:
        """Another address of ours, in the same language; a country that does not count goes along."""
        given = self.named(**values)
        return f"{self.root}{path}?{given[1:]}" if given else f"{self.root}{path}"

    def named(self, **values: object) -> str:
        """What stands behind the question mark there, each value behind an ampersand."""
        return _written((*values.items(), ("ui", self.ui), ("country", self.country)))

    def _of(
        self, page: int, cluster: str, correct: bool, explain: bool, everything: bool, newest: bool
    ) -> str:
        asked = f"&q={quoted(self.query)}" if self.query else ""
        numbered = f"&page={page}" if page > 1 else ""
        spelt = "" if correct else "&correct=false"
        explained = "&explain=true" if explain else ""
        group = f"&cluster={quoted(cluster)}" if cluster else ""
        behind = f"{spelt}{_listed(everything, newest)}{explained}{group}{self._rest}"
        return f"{self.root}/search?{f'{asked}{numbered}{behind}'[1:]}"


def _listed(everything: bool, newest: bool) -> str:
    return f"{'&everything=true' if everything else ''}{'&newest=true' if newest else ''}"


def _written(parameters: Iterable[tuple[str, object]]) -> str:
    """Each behind an ampersand; only what differs from what everybody gets is named."""
    return "".join([f"&{name}={quoted(str(value))}" for name, value in parameters if value])


@lru_cache(REMEMBERED)
def quoted(value: str) -> str:
    """A value as it stands in an address.

    >>> quoted("big cats & ünicorns")
    'big%20cats%20%26%20%C3%BCnicorns'
    """
    # Several times as fast as `quote`, which looks at every letter.
    if value.isascii():
        return _UNSAFE.sub(lambda unsafe: _PERCENT[unsafe[0]], value)
    return quote(value, "", errors="replace")
