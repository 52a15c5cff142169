"""Counts what is asked, where the owner wants that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gossamer.model import ResultPage, SearchRequest
from gossamer.serve.searchable import Searchable

if TYPE_CHECKING:
    from gossamer.engine.query_log import QueryLog


class Noting:
    """An engine, every new question to which is noted; another look at the same results is none."""

    def __init__(self, engine: Searchable, log: QueryLog) -> None:
        self._engine = engine
        self._log = log

    def answer(self, request: SearchRequest) -> ResultPage:
        found = self._engine.answer(request)
        if not _is_another_look(request):
            self._log.note(request.text, bool(found.answers) or (found.total > 0 and not found.searched))
        return found

    def __getattr__(self, name: str) -> Any:
        """Everything else is asked of the engine itself."""
        return getattr(self._engine, name)


def _is_another_look(request: SearchRequest) -> bool:
    """Whether it is a further page, a group, another order, or the reasons: links on a page of results."""
    elsewhere = request.offset or request.cluster
    return bool(elsewhere or request.explain or request.newest_first or request.everything)
