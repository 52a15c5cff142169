"""Two-phase search over all partitions.

Each partition gives its best candidates by impact, and those that links put forward; the best of all of them
get full scores. How many these are does not depend on how many results are wanted, so that a page of results
is the same whatever was shown before it.
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

_OF_NO_DATE = in_order(np.array([-np.inf]))[0]  # older than everything


def dated(candidates: Candidates, searchers: Sequence[Searcher]) -> Candidates:
    """The same with their moments as scores; what was not fetched has none, and is older than all."""
    scores = np.full(len(candidates), _OF_NO_DATE)
    for partition, segment, rows in candidates.by_segment():
        if segment != UNFETCHED:
            columns = searchers[partition].snapshot.views[segment].segment.columns
            scores[rows] = in_order(moments(columns, candidates.docs[rows]))
    return replace(candidates, scores=scores)


TWO_PHASE_SCHEME = "bm25f"  # the others have no second phase: they are shown as their formulas are
REMEMBERED = 16  # sets of languages
WINDOW = 100  # results that are known together where none has a full score


@dataclass(frozen=True, slots=True)
class RankedCandidates:
    """What all partitions found together."""

    total: int
    candidates: Candidates  # best first
    scores: NDArray[np.float64]  # as they are shown
    rescored: int  # how many of them, the first, have full scores
    # How many, the last, have full scores without feedback: pages that only links speak for; all by date.
    scored_without_feedback: int = 0
    anchor_frequencies: AnchorFrequenciesOfAll = NOTHING
    feedback: Feedback = NO_FEEDBACK  # what the best pages say
    support: LinkSupport = NO_SUPPORT  # what links between the candidates say
    read: int = 0  # how many, the first of them, were read for words as they were typed
    reasons: Mapping[int, str] = field(default_factory=dict)  # by page: how links alone made its score

    @property
    def rerank_depth(self) -> int:
        """How many candidates are known together, however few are wanted: they may change places."""
        return self.rescored or min(WINDOW, len(self.candidates))


@dataclass(frozen=True)
class TwoPhaseSearch:
    """What is to be found, and how."""

    plan: Plan
    stats: TermStats
    scheme: str
    algorithm: str
    settings: SearchSettings
    now: float
    anchors: Sequence[AnchorIndex] = ()  # the texts of links, by partition, where they count
    person: UserContext = NO_USER_CONTEXT  # who asks
    # What opens the links by which candidates support each other, where they count.
    links: Callable[[], LinkCounter] | None = None

    @property
    def rescoring_depth(self) -> int:
        """How many candidates get full scores; 0 where there is no second phase."""
        words_rank = self.plan.ranks and bool(self.plan.words)
        return self.settings.rerank_depth if self.scheme == TWO_PHASE_SCHEME and words_rank else 0

    def towards(self, spoken: Mapping[str, int], preferred: Sequence[str]) -> TwoPhaseSearch:
        """The same, leaning towards the query's language.

        `spoken` has how many pages there are in each language, `preferred` those that the person reads.
        """
        if self.scheme != TWO_PHASE_SCHEME:
            return self
        preferred = preferred or self.settings.languages
        others = self.settings.other_language_factor
        return replace(self, plan=language_preference(self.plan, self.stats, spoken, preferred, others))

    def count(self, searchers: Sequence[Searcher]) -> int:
        """How many documents answer by their own words; nothing is ranked."""
        stats = self.stats if len(searchers) > 1 else None
        return sum(one.search(self.plan, stats, 1, self.scheme, self.algorithm).total for one in searchers)

    def ranked(self, searchers: Sequence[Searcher], depth: int) -> RankedCandidates:
        """The best documents: `depth` of them, or more."""
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
            # When all that match by their own words are there, those come that match by links alone.
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
        """The newest of all documents that match; their scores change no place."""
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
        """Some of the documents that were found, the newest first; again their scores change no place."""
        newest = dated(found, searchers).best(len(found))
        return self._by_date(searchers, newest, len(found), self._anchor_frequencies())

    def _by_date(
        self,
        searchers: Sequence[Searcher],
        candidates: Candidates,
        total: int,
        frequencies: AnchorFrequenciesOfAll,
    ) -> RankedCandidates:
        """Candidates as they stand, with their scores."""
        if self.rescoring_depth:
            scores = SecondPhaseRanker(self._scorer(frequencies), searchers).scores(candidates)
            return RankedCandidates(total, candidates, scores, 0, len(candidates), frequencies)
        return RankedCandidates(total, candidates, self._own_scores(searchers, candidates), 0)

    def _own_scores(self, searchers: Sequence[Searcher], candidates: Candidates) -> NDArray[np.float64]:
        """What the formula of a scheme without a second phase gives."""
        scores = np.empty(len(candidates))
        for place, one in enumerate(candidates):
            searcher = searchers[one.address.partition]
            sums = searcher.explain(self.plan, self.stats, one.address, self.scheme)
            words = sum(part.score for part in sums.contributions) if self.plan.ranks else 1.0
            scores[place] = words * sums.factor
        return scores

    def recall(self, searchers: Sequence[Searcher], found: RankedCandidates, depth: int) -> tuple[int, int]:
        """How many of the exact best documents were found, and how many of these there are."""
        exact = replace(self, algorithm=AUTO).ranked(searchers, depth).candidates[:depth]
        return len(exact) - len(exact.without(found.candidates[:depth])), len(exact)

    def explained(self, searcher: Searcher, found: RankedCandidates, place: int) -> Explanation:
        """The sum behind the score of one of the documents found."""
        candidate = found.candidates[place]
        scorer = self._scorer(found.anchor_frequencies)
        if place < found.rescored:
            sums = scorer.explain(searcher, candidate, found.feedback, place < found.read)
            return replace(sums, support=found.support.of(candidate.fingerprint))
        if place >= len(found.candidates) - found.scored_without_feedback:
            return scorer.explain(searcher, candidate, NO_FEEDBACK, False)
        return searcher.explain(self.plan, self.stats, candidate.address, self.scheme)

    def _anchor_frequencies(self) -> AnchorFrequenciesOfAll:
        """Anchor-text frequencies of the words; nothing where there is no second phase."""
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
        """What links put forward in all partitions."""
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
        """The settings, with the freshness that the query asks for."""
        wanted = self.settings.recency > self.settings.freshness
        typed = [word for own in self.plan.forms for form in own for word in words(form)] if wanted else []
        if not (typed and asks_for_news(typed, _read_in(self.plan.languages), gmtime(self.now).tm_year)):
            return self.settings
        freshness, days = self.settings.recency, self.settings.recency_days
        return replace(self.settings, freshness=freshness, freshness_days=days)


@lru_cache(REMEMBERED)
def _read_in(languages: tuple[str, ...]) -> frozenset[str]:
    """The languages in which words were read, with all those that are read as one of them is."""
    apart = READ_APART.intersection(languages)
    return apart if len(apart) == len(languages) else apart | (LANGUAGES - READ_APART)


def _merged(found: Sequence[PartitionMatches], k: int) -> Candidates:
    """The best k of all partitions."""
    return joined([part.candidates for part in found]).best(k)
