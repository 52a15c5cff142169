"""Which word was meant, and how sure is that?

The noisy channel: of all known words that one is taken which makes P(meant) P(typed | meant) highest, as
logarithms

    score(w) = 0.54 ln count(w) - cost(w) / 100 + context(w)

with the cost of `text.channel`. How sure a guess is says a logistic model: the nearer and the more frequent
the word, the fewer rivals it has, and the stranger what was typed looks, the surer. Its weights were fitted
to guesses for misspellings, right and wrong ones, and for right words that the known ones lack; `LIKELY` and
`SURE` were chosen so that nearly all of these are left alone (docs/spelling.md has the figures).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log

from gossamer.text.channel import Meant

LIKELY = -0.9  # how sure a guess must be to be shown
SURE = 0.0  # and to be searched for unasked
# The weights of sureness.
BASE, COST, COUNT, LENGTH, RIVALS, STRANGE, PART = -2.9, -0.40, 0.25, -0.12, -1.75, 0.23, -2.1
KNOWN_STEM = 2.0  # how much surer a guess must be where other forms of the typed word are known
KNOWN = 2.0  # and where the word itself is
MORE_FREQUENT = 1000  # times, a word that is taken for a known one
RIVALS_LOOKED_AT = 20
IN_CONTEXT = 3  # guesses that are compared by what stands beside them
CLOSE = 2.5  # scores apart from which the context does not matter

Same = Callable[[str, str], bool]  # whether two words are forms of one
Context = Callable[[str], float]  # how well a word goes with the others, as a logarithm; 0 says nothing


@dataclass(frozen=True, slots=True)
class Typed:
    """A word that may be misspelt, and what is known of it."""

    word: str
    strangeness: float  # how unlike a word it looks
    is_form: bool = False  # whether other forms of it are known


@dataclass(frozen=True, slots=True)
class Guess:
    """What was meant instead, and how sure that is: above 0 it is rather right than wrong."""

    words: str
    score: float
    sureness: float


def guess(typed: Typed, known: Sequence[Meant], same: Same, context: Context) -> Guess | None:
    """The best known word for a typed one; None where no other is near."""
    own = sum(one.count for one in known if one.word == typed.word)
    rivals = [
        one for one in known if one.word != typed.word and not (typed.is_form and same(one.word, typed.word))
    ]
    ordered = sorted(((one.score, one) for one in rivals), key=lambda pair: (-pair[0], pair[1].word))
    ordered = _in_context(ordered[:RIVALS_LOOKED_AT], context)
    if not ordered or ordered[0][1].count < own * MORE_FREQUENT:
        return None
    best, first = ordered[0]
    others = sum(exp(other - best) for other, one in ordered[1:] if not same(one.word, first.word))
    sureness = _sureness(typed, first, log(1 + others), _is_part(typed.word, first.word)) + best - first.score
    return Guess(first.word, best, sureness - (KNOWN if own else KNOWN_STEM if typed.is_form else 0.0))


def _in_context(ordered: list[tuple[float, Meant]], context: Context) -> list[tuple[float, Meant]]:
    """The best few by what stands beside them, where it could matter; they stay before the others."""
    few = [pair for pair in ordered[:IN_CONTEXT] if pair[0] > ordered[0][0] - CLOSE]
    judged = [(own + context(one.word), one) for own, one in few]
    return sorted(judged, key=lambda pair: (-pair[0], pair[1].word)) + ordered[len(few) :]


def respaced(typed: Typed, meant: Meant) -> Guess:
    """A guess that differs in spaces only: it has no rivals among words."""
    return Guess(meant.word, meant.score, _sureness(typed, meant, 0.0, False))


def _sureness(typed: Typed, meant: Meant, rivals: float, is_part: bool) -> float:
    return (
        BASE
        + COST * meant.cost / 100
        + COUNT * log(meant.count)
        + LENGTH * len(typed.word)
        + RIVALS * rivals
        + STRANGE * typed.strangeness
        + PART * is_part
    )


def _is_part(one: str, other: str) -> bool:
    """Whether one word begins or ends with the other: then it may well be a word made of it."""
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter) or longer.endswith(shorter)
