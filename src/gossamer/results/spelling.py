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
MOST_BY_CONTEXT = 2.0  # that it adds or takes away

Same = Callable[[Sequence[str], str], Sequence[bool]]  # of each word, whether it and another are forms of one
Scored = tuple[float, Meant]
# How well each of some words goes with those beside it, as a logarithm; 0 says nothing.
Context = Callable[[Sequence[str]], Sequence[float]]


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
    sureness: float  # below `LIKELY` it may be less, above `SURE` more: that decides nothing


def guess(
    typed: Typed, known: Sequence[Meant], same: Same, context: Context, likely: bool = False
) -> Guess | None:
    """The best known word for a typed one; None where no other is near.

    Where only a likely one is wanted, there may be none instead of one that is not.
    """
    own = sum(one.count for one in known if one.word == typed.word)
    rivals = [one for one in known if one.word != typed.word]
    if max((one.count for one in rivals), default=0) < own * MORE_FREQUENT:
        return None
    ordered = sorted([(one.score, one) for one in rivals], key=_by_score)
    ordered = (_other_words(typed.word, ordered, same) if typed.is_form else ordered)[:RIVALS_LOOKED_AT]
    close = [one for _, one in _close(ordered)]
    if all(one.count < own * MORE_FREQUENT for one in close):
        return None
    less = KNOWN if own else KNOWN_STEM if typed.is_form else 0.0
    if likely and not any(_may_be_likely(typed, one, less) for one in close):
        return None
    ordered = _in_context(ordered, context)
    if ordered[0][1].count < own * MORE_FREQUENT:
        return None
    best, first = ordered[0]
    return Guess(first.word, best, _surely(typed, ordered, same, first.score - best + less))


def _may_be_likely(typed: Typed, meant: Meant, less: float) -> bool:
    """Whether a guess could be likely enough, if it had no rivals and the context spoke for it."""
    highest = _sureness(typed, meant, 0.0, _is_part(typed.word, meant.word)) - less + MOST_BY_CONTEXT
    return highest >= LIKELY


def _surely(typed: Typed, ordered: Sequence[Scored], same: Same, less: float) -> float:
    """How sure the first one is. Which of its rivals are forms of it is asked only where it matters."""
    best, first = ordered[0]
    is_part = _is_part(typed.word, first.word)
    alone = _sureness(typed, first, 0.0, is_part) - less
    if alone < LIKELY:
        return alone
    shares = [exp(other - best) for other, _ in ordered[1:]]
    beside_all = _sureness(typed, first, log(1 + sum(shares)), is_part) - less
    if beside_all >= SURE:
        return beside_all
    forms = same([one.word for _, one in ordered[1:]], first.word)
    others = sum(share for share, is_form in zip(shares, forms, strict=True) if not is_form)
    return _sureness(typed, first, log(1 + others), is_part) - less


def _other_words(word: str, ordered: Sequence[Scored], same: Same) -> list[Scored]:
    """Those that are no forms of a word, as many as are looked at."""
    found: list[Scored] = []
    for begin in range(0, len(ordered), RIVALS_LOOKED_AT):
        some = ordered[begin : begin + RIVALS_LOOKED_AT]
        forms = same([one.word for _, one in some], word)
        found += [pair for pair, is_form in zip(some, forms, strict=True) if not is_form]
        if len(found) >= RIVALS_LOOKED_AT:
            break
    return found


def _by_score(pair: Scored) -> tuple[float, str]:
    return -pair[0], pair[1].word


def _close(ordered: Sequence[Scored]) -> list[Scored]:
    """The best few, between which the context may decide."""
    return [pair for pair in ordered[:IN_CONTEXT] if pair[0] > ordered[0][0] - CLOSE]


def _in_context(ordered: list[Scored], context: Context) -> list[Scored]:
    """The best few by what stands beside them, where it could matter; they stay before the others."""
    few = _close(ordered)
    added = context([one.word for _, one in few])
    judged = [(own + more, one) for (own, one), more in zip(few, added, strict=True)]
    return sorted(judged, key=_by_score) + ordered[len(few) :]


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
