"""Could a query have an instant answer at all?

Most have none. One look at the text tells, so that these pay nothing, not even for loading what would answer.
"""

from __future__ import annotations

import re

_SIGNS = re.compile(r"[\d$#:π√]|^\s*\.")
_CUES = re.compile(
    r"\b(?:to|in|at|until|till|since|between|code|codes|time|date|days?|weeks?|weekday|today|"
    r"where is|maps?|location|coordinates|how many|"
    r"uhrzeit|spät|tage?|wochentag|wieviele?|wie viele?|wo liegt|wo ist|karte|vorwahl|nach|"
    r"heure|jours?|combien|où est|carte de|indicatif|hora|ora|dove si trova|hvor ligger|kort over|klokken|"
    r"unde este|harta|ceasul|ώρα|πού είναι|χάρτης|σε)\b",
    re.IGNORECASE,
)


def may_be_answered(query: str) -> bool:
    """Whether the query holds a digit, a sign or a word that instant answers are asked for with.

    >>> may_be_answered("jaguar cars"), may_be_answered("time in tokyo"), may_be_answered("2+2")
    (False, True, True)
    """
    return _SIGNS.search(query) is not None or _CUES.search(query) is not None
