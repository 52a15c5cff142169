"""In which language was a query typed, and what do pages in the others count?

The collection itself knows: a word that stands in many German pages and in few English ones is likely German.
With df_l(w) pages of language l that hold the word w under its stem there, N_l pages of that language, and
p(w) the share of all pages that hold it,

    P(l | query) ~ preference_l * product over words of (df_l(w) + mu * p(w)) / (N_l + mu)

which is naive Bayes with Dirichlet smoothing: few pages of a language prove little. No word may speak against
a language more than `MOST_TELLING` times, so that one name decides nothing. Languages that a person prefers
are that much likelier from the start. A language counts in full that is at least a tenth as likely as the
likeliest, and least when it is not a thousandth; nothing is lost, it only ranks behind. Reference: Zhai and
Lafferty, "A study of smoothing methods for language models applied to information retrieval", TOIS 2004.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from gossamer.model import TermStats
from gossamer.search.plan import Leaning, Plan, mark_of
from gossamer.text.analysis import analyser
from gossamer.text.codes import canonical_code, kin

MU = 50.0  # pages: what smoothing weighs
MOST_TELLING = 30.0
IN_FULL, LEAST = 1 / 10, 1 / 1000  # as likely as the likeliest
NEARLY = 1 - 1e-9  # so that no rounding matters
SURE = 0.9  # from which on a language is named
REMEMBERED = 16  # collections whose pages are counted by mark


def leaning(
    plan: Plan, stats: TermStats, spoken: Mapping[str, int], preferred: Sequence[str], others: float
) -> Plan:
    """The plan with what pages of each language count.

    `spoken` has how many pages there are in each language, `preferred` the languages that the person reads,
    and `others` is what a page counts whose language the query is surely not in.
    """
    pages = _by_mark(tuple(spoken.items()))
    if len(pages) < 2 or not plan.words or others == 1.0:
        return plan
    chances = _chances(plan, stats, pages, preferred)
    best = max(chances, key=lambda mark: (chances[mark], mark))
    shares = {mark: _share(chances[mark] / chances[best], others) for mark in chances}
    near = {mark: max(shares[one] for one in kin(mark) & shares.keys()) for mark in shares}
    sure = sum(chances[one] for one in kin(best) & chances.keys()) >= SURE
    return replace(plan, leaning=Leaning(near, best if sure else ""))


@lru_cache(REMEMBERED)
def _by_mark(spoken: tuple[tuple[str, int], ...]) -> Mapping[str, int]:
    """The pages by the language in which they are stemmed; those that are not are one language."""
    pages: dict[str, int] = {}
    for language, count in sorted(spoken):
        mark = analyser(language).language
        pages[mark] = pages.get(mark, 0) + count
    return pages


def _chances(
    plan: Plan, stats: TermStats, pages: Mapping[str, int], preferred: Sequence[str]
) -> dict[str, float]:
    """How likely each language is; together 1."""
    favoured = {mark for code in preferred for mark in _marks(code)}
    logs = {mark: math.log(MOST_TELLING) if mark in favoured else 0.0 for mark in pages}
    for word in plan.words:
        typed = [term for term in word if term not in plan.shares]  # the others were typed by nobody
        for mark, log in _told_by(typed, stats, pages).items():
            logs[mark] += log
    highest = max(logs.values())
    likely = {mark: math.exp(log - highest) for mark, log in logs.items()}
    total = sum(likely.values())
    return {mark: one / total for mark, one in likely.items()}


def _marks(code: str) -> Iterable[str]:
    """The languages as which pages are stemmed that somebody can read who reads this one."""
    own = canonical_code(code)
    return [analyser(one).language for one in kin(own)] if own else []


def _told_by(word: Sequence[str], stats: TermStats, pages: Mapping[str, int]) -> dict[str, float]:
    """What a word says of each language: 0 for the likeliest, less for others."""
    held = dict.fromkeys(pages, 0)
    for term in word:
        mark = mark_of(term)
        if mark in held:
            held[mark] += stats.frequencies.get(term, 0)
    share = sum(held.values()) / max(1, sum(pages.values()))
    if not share:
        return {}
    smoothed = MU * share
    chances = {mark: (count + smoothed) / (pages[mark] + MU) for mark, count in held.items()}
    highest = max(chances.values())
    telling = highest / MOST_TELLING * NEARLY  # what is less likely says no more than this does
    own, least = math.log(highest), -math.log(MOST_TELLING)
    return {
        mark: max(math.log(chance) - own, least) if chance > telling else least
        for mark, chance in chances.items()
    }


def _share(likely: float, others: float) -> float:
    """What pages count whose language is so likely, relative to the likeliest.

    >>> _share(0.5, 0.6), round(_share(0.01, 0.6), 2), _share(1e-6, 0.6)
    (1.0, 0.8, 0.6)
    """
    if likely >= IN_FULL:  # nearly all are either
        return 1.0
    if likely <= LEAST:
        return 1.0 - (1.0 - others)
    way = math.log(IN_FULL / likely) / math.log(IN_FULL / LEAST)
    return 1.0 - (1.0 - others) * min(1.0, max(0.0, way))
