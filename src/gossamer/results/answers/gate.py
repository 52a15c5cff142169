"""Could a query have an instant answer at all?

Most have none. One look at the text tells, so that these pay nothing, not even for loading what would answer.
"""

from __future__ import annotations

import re

_SIGNS = re.compile(r"[\d$#:π√½⅓⅔¼¾⅛⅜⅝⅞]|^\s*\.")
_CUES = re.compile(
    r"\b(?:codes?|time (?:now )?(?:in|at)|time is it|date|days?|weeks?|weekday|today|"
    r"where is|map|location|coordinates|how many|(?:share|stock) price|stock quote|datum|kalenderwoche|"
    r"uhrzeit|spät|tage?|wochentag|wieviele?|wie viele?|wo liegt|wo ist|karte|vorwahl|"
    r"heure|jours?|combien|où est|carte de|indicatif|hora|ora|dove si trova|hvor ligger|kort over|klokken|"
    r"unde este|harta|ceasul|ώρα|πού είναι|χάρτης)\b"
    r"|^\s*(?:convert )?\S+(?: \S+){0,2} to \S+(?: \S+){0,2}\s*$",  # miles to km
    re.IGNORECASE,
)


def may_be_answered(query: str) -> bool:
    """Whether the query holds a digit, a sign or a word that instant answers are asked for with.

    >>> may_be_answered("jaguar cars"), may_be_answered("time in tokyo"), may_be_answered("2+2")
    (False, True, True)
    """
    return _SIGNS.search(query) is not None or _CUES.search(query) is not None
