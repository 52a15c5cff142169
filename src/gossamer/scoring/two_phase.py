"""Two-phase search over all partitions.

Each partition provides its best candidates by impact and by anchor text. The best of all partitions get full
scores. Their number does not depend on the number of results requested, so that a page of results is always
the same, whatever was requested before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from time import gmtime

import numpy as np
from numpy.typing import NDArray

from gossamer.anchor_text.retrieve import NOTHING_LINKED, AnchorCandidates, anchor_candidates
from gossamer.anchor_text.score import NOTHING, AnchorFrequenciesOfAll, AnchorIndex
from gossamer.graph.link_counts import LinkCounter
from gossamer.model import UNFETCHED, Explanation, TermStats
from gossamer.query.conditions import Plan
from gossamer.query.intent import LANGUAGES, asks_for_news
from gossamer.query.language_preference import language_preference
from gossamer.scoring.feedback import NO_FEEDBACK, Feedback
from gossamer.scoring.link_support import NO_SUPPORT, LinkSupport
from gossamer.scoring.model import CandidateScorer, SecondPhaseRanker
from gossamer.scoring.personalisation import NO_USER_CONTEXT, UserContext
from gossamer.search.candidates import NOBODY, Candidates, joined
from gossamer.search.match.filters import in_order, moments
from gossamer.search.retrieve.choose import AUTO
from gossamer.search.searcher import PartitionMatches, Searcher, shown_scores
from gossamer.search.settings import SearchSettings
from gossamer.text.terms import READ_APART
from gossamer.text.words import words

# Candidates by date, over partitions
# -----------------------------------

_OF_NO_DATE = in_order(np.array([-np.inf]))[0]  # older than every date


def dated(candidates: Candidates, searchers: Sequence[Searcher]) -> Candidates:
    """Return the candidates with their dates as scores; pages that were not fetched are older than all."""
    scores = np.full(len(candidates), _OF_NO_DATE)
    for partition, segment, rows in candidates.by_segment():
        if segment != UNFETCHED:
            columns = searchers[partition].snapshot.views[segment].segment.columns
            scores[rows] = in_order(moments(columns, candidates.docs[rows]))
    return replace(candidates, scores=scores)


TWO_PHASE_SCHEME = "bm25f"  # the only scheme with a second phase
REMEMBERED = 16  # sets of languages that are cached
WINDOW = 100  # candidates that are found together if none gets a full score


@dataclass(frozen=True, slots=True)
class RankedCandidates:
    """The result of a search over all partitions."""

    total: int  # matching documents
    candidates: Candidates  # best first
    scores: NDArray[np.float64]  # for display
    rescored: int  # number of first candidates with full scores
    # Number of last candidates with full scores without feedback: pages found by anchor text alone, or all
    # candidates if they are sorted by date.
    scored_without_feedback: int = 0
    anchor_frequencies: AnchorFrequenciesOfAll = NOTHING
    feedback: Feedback = NO_FEEDBACK  # terms of the best pages
    support: LinkSupport = NO_SUPPORT  # by links between the candidates
    read: int = 0  # number of first candidates whose texts were read for exact forms
    reasons: Mapping[int, str] = field(default_factory=dict)  # by page: how links alone made its score

    @property
    def rerank_depth(self) -> int:
        """The number of candidates that are ranked together, even if fewer results are requested."""
        return self.rescored or min(WINDOW, len(self.candidates))


@dataclass(frozen=True)
class TwoPhaseSearch:
    """A planned query, and how to search for it."""

    plan: Plan
    stats: TermStats
    scheme: str
    algorithm: str
    settings: SearchSettings
    now: float
    anchors: Sequence[AnchorIndex] = ()  # by partition; empty if anchor text does not count
    person: UserContext = NO_USER_CONTEXT  # what is known about the user
    # Opens the links between candidates; None if they do not count.
    links: Callable[[], LinkCounter] | None = None

    @property
    def rescoring_depth(self) -> int:
        """The number of candidates that get full scores; 0 without a second phase."""
        words_rank = self.plan.ranks and bool(self.plan.words)
        return self.settings.rerank_depth if self.scheme == TWO_PHASE_SCHEME and words_rank else 0

    def towards(self, spoken: Mapping[str, int], preferred: Sequence[str]) -> TwoPhaseSearch:
        """Return the search with a preference for the language of the query.

        `spoken` holds the number of pages in each language, `preferred` the languages that the user reads.
        """
        if self.scheme != TWO_PHASE_SCHEME:
            return self
        preferred = preferred or self.settings.languages
        others = self.settings.other_language_factor
        return replace(self, plan=language_preference(self.plan, self.stats, spoken, preferred, others))

    def count(self, searchers: Sequence[Searcher]) -> int:
        """Return the number of documents that match by their own words, without ranking."""
        stats = self.stats if len(searchers) > 1 else None
        return sum(one.search(self.plan, stats, 1, self.scheme, self.algorithm).total for one in searchers)

    def ranked(self, searchers: Sequence[Searcher], depth: int) -> RankedCandidates:
        """Return the best documents: `depth` of them, or more."""
        full = self.rescoring_depth
        deep = max(depth, full or WINDOW)
        stats = self.stats if len(searchers) > 1 else None
        found = [one.search(self.plan, stats, deep, self.scheme, self.algorithm) for one in searchers]
        candidates = found[0].candidates if len(found) == 1 else _merged(found, deep)
        frequencies = self._anchor_frequencies()
        scorer = self._scorer(frequencies)
        best, rest, last, more = candidates, NOBODY, NOBODY, 0
        if len(candidates) > full:
            best, rest = candidates[:full], candidates[full:]
        if frequencies.parts:
            forward = self._put_forward(searchers, scorer)
            best, more = joined([best, forward.beside(best, full)]), forward.more
            rest = rest.without(best)
            # After all documents that match by their own words come those that match by anchor text alone.
            last = forward.last(best, deep) if len(candidates) < deep else NOBODY
        links = self.links() if self.links and self.settings.link_support_boost and full else None
        ranker = SecondPhaseRanker(scorer, searchers, links)
        rescored, scores, feedback, support = ranker.ranked(best)
        if len(rest) or len(last):
            shown = shown_scores(rest.scores, self.plan, self.scheme)
            scores = np.concatenate([scores, shown, ranker.scores(last)])
        return RankedCandidates(
            sum([part.total for part in found]) + more,
            joined([rescored, rest, last]),
            scores,
            len(rescored),
            len(last),
            frequencies,
            feedback,
            support,
            min(ranker.reads, len(rescored)),
        )

    def newest(self, searchers: Sequence[Searcher], depth: int) -> RankedCandidates:
        """Return the newest matching documents; scores do not affect their order."""
        found = [one.newest(self.plan, self.stats, depth, self.scheme) for one in searchers]
        frequencies, candidates = self._anchor_frequencies(), _merged(found, depth)
        forward = (
            self._put_forward(searchers, self._scorer(frequencies)) if frequencies.parts else NOTHING_LINKED
        )
        total = sum(part.total for part in found) + forward.more
        if forward.more:
            alone = dated(forward.candidates.taken(forward.alone), searchers).without(candidates)
            candidates = joined([candidates, alone]).best(depth)
        return self._by_date(searchers, candidates, total, frequencies)

    def newest_of(self, searchers: Sequence[Searcher], found: Candidates) -> RankedCandidates:
        """Sort documents that were found by date; scores do not affect their order."""
        newest = dated(found, searchers).best(len(found))
        return self._by_date(searchers, newest, len(found), self._anchor_frequencies())

    def _by_date(
        self,
        searchers: Sequence[Searcher],
        candidates: Candidates,
        total: int,
        frequencies: AnchorFrequenciesOfAll,
    ) -> RankedCandidates:
        """Return candidates in their order, with scores."""
        if self.rescoring_depth:
            scores = SecondPhaseRanker(self._scorer(frequencies), searchers).scores(candidates)
            return RankedCandidates(total, candidates, scores, 0, len(candidates), frequencies)
        return RankedCandidates(total, candidates, self._own_scores(searchers, candidates), 0)

    def _own_scores(self, searchers: Sequence[Searcher], candidates: Candidates) -> NDArray[np.float64]:
        """Return the scores of candidates by a scheme without a second phase."""
        scores = np.empty(len(candidates))
        for place, one in enumerate(candidates):
            searcher = searchers[one.address.partition]
            sums = searcher.explain(self.plan, self.stats, one.address, self.scheme)
            words = sum(part.score for part in sums.contributions) if self.plan.ranks else 1.0
            scores[place] = words * sums.factor
        return scores

    def recall(self, searchers: Sequence[Searcher], found: RankedCandidates, depth: int) -> tuple[int, int]:
        """Return how many of the exact best documents were found, and the number of exact best documents."""
        exact = replace(self, algorithm=AUTO).ranked(searchers, depth).candidates[:depth]
        return len(exact) - len(exact.without(found.candidates[:depth])), len(exact)

    def explained(self, searcher: Searcher, found: RankedCandidates, place: int) -> Explanation:
        """Explain the score of one of the documents found."""
        candidate = found.candidates[place]
        scorer = self._scorer(found.anchor_frequencies)
        if place < found.rescored:
            sums = scorer.explain(searcher, candidate, found.feedback, place < found.read)
            return replace(sums, support=found.support.of(candidate.fingerprint))
        if place >= len(found.candidates) - found.scored_without_feedback:
            return scorer.explain(searcher, candidate, NO_FEEDBACK, False)
        return searcher.explain(self.plan, self.stats, candidate.address, self.scheme)

    def _anchor_frequencies(self) -> AnchorFrequenciesOfAll:
        """Return the anchor-text frequencies of the words; none without a second phase."""
        if not (self.anchors and self.rescoring_depth and self.settings.anchor_text_weight):
            return NOTHING
        words, near = self.plan.words_alone, self.settings.nearby_text_weight
        nearby = []
        if near and any(one.nearby.has_text for one in self.anchors):
            nearby = [partial(one.nearby.of, words=words, weight=near) for one in self.anchors]
        return AnchorFrequenciesOfAll.of_all(
            [one.voices.term_frequencies(words) for one in self.anchors], nearby
        )

    def _put_forward(self, searchers: Sequence[Searcher], scorer: CandidateScorer) -> AnchorCandidates:
        """Return the candidates by anchor text of all partitions."""
        unfetched = self.settings.unfetched
        parts = zip(searchers, self.anchors, scorer.anchor_frequencies.parts, strict=True)
        return AnchorCandidates.joined(
            [
                anchor_candidates(searcher, anchors, self.plan, own, scorer.worth(searcher, own), unfetched)
                for searcher, anchors, own in parts
            ]
        )

    def _scorer(self, frequencies: AnchorFrequenciesOfAll) -> CandidateScorer:
        return CandidateScorer(self.plan, self.stats, self._timely, self.now, frequencies, self.person)

    @cached_property
    def _timely(self) -> SearchSettings:
        """The settings; if the query asks for news, with its boost for fresh pages."""
        wanted = self.settings.recency > self.settings.freshness
        typed = [word for own in self.plan.forms for form in own for word in words(form)] if wanted else []
        if not (typed and asks_for_news(typed, _read_in(self.plan.languages), gmtime(self.now).tm_year)):
            return self.settings
        freshness, days = self.settings.recency, self.settings.recency_days
        return replace(self.settings, freshness=freshness, freshness_days=days)


@lru_cache(REMEMBERED)
def _read_in(languages: tuple[str, ...]) -> frozenset[str]:
    """Return the languages of the words, with all languages that share an analyser with one of them."""
    apart = READ_APART.intersection(languages)
    return apart if len(apart) == len(languages) else apart | (LANGUAGES - READ_APART)


def _merged(found: Sequence[PartitionMatches], k: int) -> Candidates:
    """Return the best k candidates of all partitions."""
    return joined([part.candidates for part in found]).best(k)
