"""Is the query the number of a flight?

Two letters and a number are many things (AS400, DL380, SU 27). Without the word flight, only numbers of three
digits are taken for one, and only those of airlines whose letters mean little else.
"""

from __future__ import annotations

import re
from functools import cache

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context
from gossamer.results.answers.lists import lines

_MARKED = re.compile(
    r"(?:flight|flug|vol|vuelo|volo|zbor|fly|πτήση)(?: (?:number|status|no\.?))? ([a-z0-9]{2}) ?(\d{1,4})"
    r"|([a-z0-9]{2}) ?(\d{1,4}) (?:flight(?: status| number)?|flug)"
)
_ALONE = re.compile(r"([a-z]{2}) ?(\d{3})")


def flight(asked: Asked, context: Context) -> InstantAnswer | None:
    """Whose flight it is."""
    if not asked.has_digit:
        return None
    if match := _MARKED.fullmatch(asked.text):
        letters, number = match[1] or match[3], match[2] or match[4]
    elif (match := _ALONE.fullmatch(asked.text)) and match[1].upper() in _airlines()[1]:
        letters, number = match[1], match[2]
    else:
        return None
    known = _airlines()[0].get(letters.upper())
    if known is None or not number.strip("0"):
        return None
    called, name = known
    value = f"{called}{number.lstrip('0')}"
    return InstantAnswer(
        "flight", f"flight {letters.upper()} {number}", name, "", context.link("flight", value)
    )


@cache
def _airlines() -> tuple[dict[str, tuple[str, str]], frozenset[str]]:
    """Letters in the air and names by the letters of flight numbers; and those that are sure alone."""
    rows = [line.removeprefix("* ").split(" | ") for _, line in lines("airlines")]
    sure = frozenset(line[2:4] for _, line in lines("airlines") if line.startswith("* "))
    return {code: (called, name) for code, called, name in rows}, sure
