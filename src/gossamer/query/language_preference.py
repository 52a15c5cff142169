"""Language of a query; penalty for other languages.

The language is guessed from the collection: a word in many German pages and few English ones is likely
German. Let df_l(w) be the number of pages of language l that hold the stem of the word w, N_l the number of
pages of that language, and p(w) the share of all pages that hold the word. Then

    P(l | query) ~ preference_l * product over words of (df_l(w) + mu * p(w)) / (N_l + mu)

This is naive Bayes with Dirichlet smoothing, so that few pages of a language prove little. No word lowers the
probability of a language by more than the factor `MOST_TELLING`, so that a single name does not decide. The
languages that the user prefers start with this factor. A language has no penalty if it is at least a tenth as
likely as the likeliest, and the full penalty if it is less than a thousandth as likely. The penalty only
lowers scores. Reference: Zhai and Lafferty, "A study of smoothing methods for language models applied to
information retrieval", TOIS 2004.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import add

from gossamer.model import TermStats
from gossamer.query.conditions import LanguagePreference, Plan, mark_of
from gossamer.text.language_codes import canonical_code, kin
from gossamer.text.terms import analyser

MU = 50.0  # pages: the weight of smoothing
MOST_TELLING = 30.0  # largest factor by which one word changes a probability
IN_FULL, LEAST = 1 / 10, 1 / 1000  # likelihood, relative to the likeliest: no penalty, full penalty
NEARLY = 1 - 1e-9  # tolerance for rounding
SURE = 0.9  # least probability of a language that is certain
REMEMBERED = 16  # collections, and languages of users, that are cached
WORDS = 5_000  # of a collection that are cached


def language_preference(
    plan: Plan, stats: TermStats, spoken: Mapping[str, int], preferred: Sequence[str], others: float
) -> Plan:
    """Return the plan with a score factor for each language.

    `spoken` holds the number of pages of each language, `preferred` the languages that the user reads, and
    `others` the factor for a language that is certainly not the query's.
    """
    model = _language_model(tuple(spoken.items()))
    if len(model.pages) < 2 or not plan.words or others == 1.0:
        return plan
    chances = _chances(plan, stats, model, preferred)
    best = max(chances, key=lambda mark: (chances[mark], mark))
    shares = {mark: _share(chance / chances[best], others) for mark, chance in chances.items()}
    near = {mark: max([shares[one] for one in own]) for mark, own in model.families.items()}
    sure = sum([chances[one] for one in model.families.get(best, (best,))]) >= SURE
    return replace(plan, leaning=LanguagePreference(shares | near, best if sure else ""))


class _LanguageModel:
    """The languages of a collection by their marks in terms, and the evidence of words for them."""

    def __init__(self, spoken: Iterable[tuple[str, int]]) -> None:
        self.pages: dict[str, int] = {}  # by mark; languages without a stemmer share one
        for language, count in sorted(spoken):
            mark = analyser(language).language
            self.pages[mark] = self.pages.get(mark, 0) + count
        families = {mark: sorted(kin(mark) & self.pages.keys()) for mark in self.pages}
        # For each language with related ones: the languages that its readers understand, itself included.
        self.families = {mark: own for mark, own in families.items() if len(own) > 1}
        self._all = max(1, sum(self.pages.values()))
        self._cached_evidence = lru_cache(WORDS)(self._evidence)

    def evidence(self, word: Sequence[str], stats: TermStats) -> tuple[float, ...]:
        """Return the log-likelihood of a word for each language, minus the highest.

        Return () if no page holds it.
        """
        held: dict[str, int] = {}
        for term in word:
            mark, count = mark_of(term), stats.frequencies.get(term, 0)
            if count and mark in self.pages:
                held[mark] = held.get(mark, 0) + count
        return self._cached_evidence(tuple(held.items())) if held else ()

    def _evidence(self, frequencies: tuple[tuple[str, int], ...]) -> tuple[float, ...]:
        """Compute `evidence` from the number of pages in each language that hold the word."""
        held = dict(frequencies)
        smoothed = MU * (sum(held.values()) / self._all)
        chances = [(held.get(mark, 0) + smoothed) / (count + MU) for mark, count in self.pages.items()]
        highest = max(chances)
        telling = highest / MOST_TELLING * NEARLY  # lower likelihoods are raised to this one
        own, least = math.log(highest), -math.log(MOST_TELLING)
        return tuple(
            [max(math.log(chance) - own, least) if chance > telling else least for chance in chances]
        )


_language_model = lru_cache(REMEMBERED)(_LanguageModel)


def _chances(
    plan: Plan, stats: TermStats, model: _LanguageModel, preferred: Sequence[str]
) -> dict[str, float]:
    """Return the probability of each language; they sum to 1."""
    favoured = {mark for code in preferred for mark in _marks(code)}
    logs = [math.log(MOST_TELLING) if mark in favoured else 0.0 for mark in model.pages]
    for word in plan.words:
        typed = [term for term in word if term not in plan.shares]  # synonyms and compounds do not count
        if own := model.evidence(typed, stats):
            logs = list(map(add, logs, own))
    highest = max(logs)
    likely = [math.exp(log - highest) for log in logs]
    total = sum(likely)
    return {mark: one / total for mark, one in zip(model.pages, likely, strict=True)}


@lru_cache(REMEMBERED)
def _marks(code: str) -> Sequence[str]:
    """Return the marks of the languages that readers of this one can read."""
    own = canonical_code(code)
    return [analyser(one).language for one in kin(own)] if own else []


def _share(likely: float, others: float) -> float:
    """Return the score factor of a language by its likelihood relative to the likeliest.

    >>> _share(0.5, 0.6), round(_share(0.01, 0.6), 2), _share(1e-6, 0.6)
    (1.0, 0.8, 0.6)
    """
    if likely >= IN_FULL:  # nearly all languages are in one of the first two cases
        return 1.0
    if likely <= LEAST:
        return 1.0 - (1.0 - others)
    way = math.log(IN_FULL / likely) / math.log(IN_FULL / LEAST)
    return 1.0 - (1.0 - others) * min(1.0, max(0.0, way))
