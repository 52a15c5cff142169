"""Which search is this, and what is the address of another one like it?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote

REMEMBERED = 256  # values as they stand in addresses: a page names most of them several times
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
    # What nearly every address of a page has behind the query: how to list, and all the rest.
    _listed: str = field(init=False, repr=False, compare=False)
    _rest: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        listed = (
            ("everything", "true" if self.everything else ""),
            ("newest", "true" if self.newest else ""),
        )
        rest = (
            ("topic", self.topic),
            ("ui", self.ui),
            ("country", self.country),
            ("languages", self.languages),
            ("prefer_topic", self.prefer_topic),
        )
        several = [("context", one) for one in self.context] + [("prefer", one) for one in self.prefer]
        object.__setattr__(self, "_listed", _written(listed))
        object.__setattr__(self, "_rest", _written((*rest, *several)))

    def here(self, **changes: Any) -> str:
        """The same search, changed; on its first page unless one is named."""
        return replace(self, **{"page": 1, **changes}).address

    def group(self, cluster: str) -> str:
        """The same search for one group of its results only: `here`, for what a page asks for many times."""
        return self._of(1, cluster)

    def about(self, query: str, operator: str = "") -> str:
        """A search for something else, which is shown in the same order and language."""
        asked = f"&q={_quoted(operator)}{_quoted(query)}" if query else ""
        return f"{self.root}/search?{f'{asked}{self._listed}{self._rest}'[1:]}"

    @property
    def address(self) -> str:
        """
        >>> Asked("/find", "big cats", 2, newest=True).address
        '/find/search?q=big%20cats&page=2&newest=true'
        """
        return self._of(self.page, self.cluster)

    def elsewhere(self, path: str, **values: object) -> str:
        """Another address of ours, in the same language; a country that does not count goes along."""
        given = _written((*values.items(), ("ui", self.ui), ("country", self.country)))
        return f"{self.root}{path}?{given[1:]}" if given else f"{self.root}{path}"

    def _of(self, page: int, cluster: str) -> str:
        named = _written(
            (
                ("q", self.query),
                ("page", page if page > 1 else ""),
                ("correct", "" if self.correct else "false"),
            )
        )
        behind = _written((("explain", "true" if self.explain else ""), ("cluster", cluster)))
        return f"{self.root}/search?{f'{named}{self._listed}{behind}{self._rest}'[1:]}"


def _written(parameters: Iterable[tuple[str, object]]) -> str:
    """Each behind an ampersand; only what differs from what everybody gets is named."""
    return "".join([f"&{name}={_quoted(str(value))}" for name, value in parameters if value])


@lru_cache(REMEMBERED)
def _quoted(value: str) -> str:
    """
    >>> _quoted("big cats & ünicorns")
    'big%20cats%20%26%20%C3%BCnicorns'
    """
    # Several times as fast as `quote`, which looks at every letter.
    if value.isascii():
        return _UNSAFE.sub(lambda unsafe: _PERCENT[unsafe[0]], value)
    return quote(value, "", errors="replace")
