"""Counts what is asked, where the owner wants that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gossamer.model import ResultPage, SearchRequest
from gossamer.serve.searchable import Searchable

if TYPE_CHECKING:
    from gossamer.engine.query_log import QueryLog


class Noting:
    """An engine, every new question to which is noted; nobody counts who goes on to the next page."""

    def __init__(self, engine: Searchable, log: QueryLog) -> None:
        self._engine = engine
        self._log = log

    def answer(self, request: SearchRequest) -> ResultPage:
        found = self._engine.answer(request)
        if not request.offset:
            self._log.note(request.text, found.total > 0 and not found.searched)
        return found

    def __getattr__(self, name: str) -> Any:
        """Everything else is asked of the engine itself."""
        return getattr(self._engine, name)
