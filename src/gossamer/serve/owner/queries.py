"""What is asked most, and what finds nothing? Only where the owner lets queries be counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gossamer.serve.owner.rooms import Action
from gossamer.serve.speech import Speech

if TYPE_CHECKING:
    from gossamer.engine.query_log import QueryLog

SHOWN = 50


class QueriesRoom:
    """Popular and failing queries; nothing is known of who asked them, nor when."""

    name = "queries"
    path = "/owner/queries"
    actions: Mapping[str, Action] = {}

    def __init__(self, log: QueryLog | None) -> None:
        self._log = log

    def shown(self, speech: Speech) -> Mapping[str, Any]:
        if self._log is None:
            return {"counted": False, "popular": [], "failing": []}
        asked, empty = self._log.counts()
        return {
            "counted": True,
            "popular": [(query, speech.number(times)) for query, times in asked.most_common(SHOWN)],
            "failing": [
                (query, speech.number(times), speech.number(asked[query]))
                for query, times in empty.most_common(SHOWN)
            ],
        }
