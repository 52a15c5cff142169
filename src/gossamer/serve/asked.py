"""Which search is this, and what is the address of another one like it?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote

REMEMBERED = 256  # values as they stand in addresses: a page names most of them several times


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

    def here(self, **changes: Any) -> str:
        """The same search, changed; on its first page unless one is named."""
        return replace(self, **{"page": 1, **changes}).address

    def about(self, query: str) -> str:
        """A search for something else, which is shown in the same order and language."""
        return self._searching(query, 1, True, False, "")

    @property
    def address(self) -> str:
        """
        >>> Asked("/find", "big cats", 2, newest=True).address
        '/find/search?q=big%20cats&page=2&newest=true'
        """
        return self._searching(self.query, self.page, self.correct, self.explain, self.cluster)

    def elsewhere(self, path: str, **values: object) -> str:
        """Another address of ours, in the same language; a country that does not count goes along."""
        own = (("ui", self.ui), ("country", self.country))
        given = [(name, value) for name, value in (*values.items(), *own) if value]
        return f"{self.root}{path}?{_written(given)}" if given else f"{self.root}{path}"

    def _searching(self, query: str, page: int, correct: bool, explain: bool, cluster: str) -> str:
        """Only what differs from what everybody gets is named."""
        given = (
            ("page", page if page > 1 else ""),
            ("correct", "" if correct else "false"),
            ("everything", "true" if self.everything else ""),
            ("newest", "true" if self.newest else ""),
            ("explain", "true" if explain else ""),
            ("cluster", cluster),
            ("topic", self.topic),
            ("ui", self.ui),
            ("country", self.country),
            ("languages", self.languages),
            ("prefer_topic", self.prefer_topic),
        )
        named = [("q", query), *given] if query else given
        several = [("context", one) for one in self.context] + [("prefer", one) for one in self.prefer]
        return f"{self.root}/search?{_written([*(one for one in named if one[1]), *several])}"


def _written(parameters: Iterable[tuple[str, object]]) -> str:
    return "&".join([f"{name}={_quoted(str(value))}" for name, value in parameters])


@lru_cache(REMEMBERED)
def _quoted(value: str) -> str:
    return quote(value, "", errors="replace")
