"""How did a score come about? The sum behind it, as rows with bars."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import Contribution, Explanation
from gossamer.serve.speech import Speech

# How explanations name what is no word of the query, and the phrases for it.
_PHRASES = {
    "(close together)": "close_together",
    "(like the best pages)": "like_the_best",
    "(as typed)": "exactly_typed",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One addend: what it is, what it adds, and how long its bar is, of 100."""

    name: str
    is_word: bool
    score: str
    width: float


@dataclass(frozen=True, slots=True)
class Sum:
    """The addends, what multiplies them, and what comes out."""

    rows: tuple[Row, ...]
    factors: tuple[tuple[str, str], ...]  # phrase, and number
    score: str
    links: str  # where links alone made the score: how, in English


def summed(explanation: Explanation, score: float, speech: Speech) -> Sum:
    """An explanation as the page shows it; factors that change nothing are left out."""
    whole = sum(one.score for one in explanation.contributions) or 1.0
    factors = {
        "by_links": explanation.static_factor,
        "by_support": explanation.support,
        "by_freshness": explanation.freshness,
        "by_language": explanation.language,
        "by_address": explanation.address,
        "by_site": explanation.site,
        "by_country": explanation.country,
        "by_preference": explanation.preferred,
        "by_context": explanation.context,
    }
    return Sum(
        tuple(_row(one, whole, speech) for one in explanation.contributions),
        tuple((key, speech.decimals(value, 2)) for key, value in factors.items() if round(value, 2) != 1),
        speech.decimals(score, 2),
        explanation.links,
    )


def _row(one: Contribution, whole: float, speech: Speech) -> Row:
    phrase = _PHRASES.get(one.term)
    name = speech.say(phrase) if phrase else one.term
    width = round(100 * min(max(one.score / whole, 0.0), 1.0), 1)
    return Row(name, phrase is None, speech.decimals(one.score, 2), width)
