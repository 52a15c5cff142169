"""What must an engine be able to do so that it can be served?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from gossamer.model import CachedPage, ResultPage, SearchRequest

if TYPE_CHECKING:
    from gossamer.engine.known_pages import PageInfo
    from gossamer.engine.page_links import PageLinks


class Described(Protocol):
    """The state of a collection."""

    def as_dict(self) -> Mapping[str, object]: ...


class Searchable(Protocol):
    """The part of `Engine` that the page and the API use; called from several threads at once."""

    def answer(self, request: SearchRequest) -> ResultPage: ...

    def cached(self, url: str, query: str = "") -> CachedPage | None: ...

    def suggest(self, text: str, k: int = 8, *, wait: bool = True) -> list[str]: ...

    def page(self, url: str) -> PageInfo: ...

    def similar(self, url: str, k: int = 10, offset: int = 0) -> ResultPage: ...

    def links(self, url: str, most: int = 10, offset: int = 0) -> PageLinks: ...

    def topics(self) -> Sequence[str]: ...

    def status(self) -> Described: ...
