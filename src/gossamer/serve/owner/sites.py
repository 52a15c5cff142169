"""Which sites are blocked, which count more or less?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gossamer.model import UsageError
from gossamer.serve.owner.owned import Ruled
from gossamer.serve.owner.rooms import Action
from gossamer.serve.speech import Speech


class SitesRoom:
    """The rules of sites.txt, and how they are changed."""

    name = "sites"
    path = "/owner/sites"

    def __init__(self, sites: Ruled) -> None:
        self._sites = sites
        self.actions: Mapping[str, Action] = {
            "block": self._block,
            "boost": self._boost,
            "clear": self._clear,
        }

    def shown(self, speech: Speech) -> Mapping[str, Any]:
        rules = self._sites.rules()
        return {
            "problems": self._sites.problems(),
            "blocked": [rule.pattern for rule in rules if rule.action == "block"],
            "boosted": [
                (rule.pattern, _factor(rule.factor, speech)) for rule in rules if rule.action == "boost"
            ],
        }

    def _block(self, form: Mapping[str, str]) -> str:
        self._sites.block(form.get("site", "").strip())
        return "blocked"

    def _boost(self, form: Mapping[str, str]) -> str:
        try:
            factor = float(form.get("factor", "").replace(",", "."))
        except ValueError:
            raise UsageError("the factor must be a number from 0.1 to 10") from None
        self._sites.boost(form.get("site", "").strip(), factor)
        return "boosted"

    def _clear(self, form: Mapping[str, str]) -> str:
        self._sites.clear(form.get("site", "").strip())
        return "cleared"


def _factor(factor: float, speech: Speech) -> str:
    return f"{factor:g}".replace(".", speech.decimal)
