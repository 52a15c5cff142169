"""What must an engine be able to do so that it can be served?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from gossamer.model import ResultPage


class Described(Protocol):
    """The state of a collection."""

    def as_dict(self) -> Mapping[str, object]: ...


class Searchable(Protocol):
    """The part of `Engine` that the page and the API use; called from several threads at once."""

    def search(
        self,
        text: str,
        k: int = 10,
        offset: int = 0,
        scheme: str | None = None,
        algorithm: str | None = None,
        explain: bool = False,
        everything: bool = False,
        languages: Sequence[str] = (),
        *,
        rank: str | None = None,
        topic: str | None = None,
    ) -> ResultPage: ...

    def status(self) -> Described: ...
