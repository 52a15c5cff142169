"""What must an engine be able to do so that it can be served?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from gossamer.model import CachedPage, ResultPage, SearchRequest


class Described(Protocol):
    """The state of a collection."""

    def as_dict(self) -> Mapping[str, object]: ...


class Searchable(Protocol):
    """The part of `Engine` that the page and the API use; called from several threads at once."""

    def answer(self, request: SearchRequest) -> ResultPage: ...

    def cached(self, url: str, query: str = "") -> CachedPage | None: ...

    def status(self) -> Described: ...
