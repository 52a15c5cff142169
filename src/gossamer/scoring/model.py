# mypy: disable-error-code="arg-type, assignment, index, operator, no-any-return"
"""Score formula of the second phase: features, weights, explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.anchor_text.retrieve import worth_of
from gossamer.anchor_text.score import NOTHING, AnchorFrequencies, AnchorFrequenciesOfAll, Pages
from gossamer.graph.link_counts import LinkCounter
from gossamer.index.bm25f import FIELDS, Field, Weighting, idf
from gossamer.index.cursor import lower_bound
from gossamer.index.segment import Columns
from gossamer.kernels.kernel import unchecked_kernel
from gossamer.model import UNFETCHED, Candidate, Contribution, Explanation, TermStats
from gossamer.query.conditions import Plan, TermVariants
from gossamer.scoring.evidence import Floats, TermEvidence, evidence, neutral
from gossamer.scoring.exact_forms import emphasis, held_as_typed, to_be_read
from gossamer.scoring.feedback import (
    BEST,
    LEAST_WORDS,
    NO_FEEDBACK,
    Feedback,
    feedback_from,
    gains,
    strength,
    words_among,
)
from gossamer.scoring.link_support import NO_SUPPORT, LinkSupport, supported
from gossamer.scoring.personalisation import NO_USER_CONTEXT, UserContext
from gossamer.search.candidates import Candidates, Part, best_first
from gossamer.search.match.filters import moments
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.terms import without_language
from gossamer.text.words import is_unspaced

# Kernel: weigh words
# -------------------


@unchecked_kernel
def weigh(
    pages: NDArray[np.uint64],
    frequencies: NDArray[np.float64],
    distances: NDArray[np.float64],
    anchor_pages: NDArray[np.uint64],
    anchor_frequencies: NDArray[np.float64],
    near: NDArray[np.float64],
    share: float,
    shared: NDArray[np.float64],
    weights: NDArray[np.float64],
    k1: float,
    proximity: float,
    words: NDArray[np.float64],
    close: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Fill in the contributions of words and of proximity, and their sum, with one row per page.

    `frequencies` and `distances` are those of `evidence`. Anchor text adds its frequencies times `share`:
    `anchor_pages` is in ascending order, with a row in `anchor_frequencies` for each page. `near` has a row
    for each page, or none at all. `shared` is the part of each word that overlaps the word before it, from
    the second word on.
    """
    last = np.int64(len(anchor_pages))
    for row in range(len(pages)):
        place = last
        if last > 0:
            place = lower_bound(anchor_pages, 0, last, pages[row])
        has_anchors = place < last and anchor_pages[place] == pages[row]
        total, together = 0.0, 0.0
        for word in range(len(weights)):
            links = anchor_frequencies[place, word] if has_anchors else 0.0
            if len(near) > 0:
                links += near[row, word]
            frequency = frequencies[row, word] + share * links
            words[row, word] = weights[word] * frequency / (k1 + frequency)
            overlap = shared[word - 1] if word > 0 else 0.0
            if overlap > 0 and words[row, word - 1] > 0:
                words[row, word] *= 1 - overlap / 2
            total += words[row, word]
            if word > 0 and overlap == 0:
                distance = distances[row, word - 1]
                together += min(weights[word - 1], weights[word]) / (distance * distance)
        close[row] = proximity * together
        sums[row] = total + close[row]


# Score formula of the second phase
# ---------------------------------
#
# The first phase finds a few hundred candidates by impacts of 8 bits. The second phase computes their
# full scores:
#
#     score = (sum over words of s * weight * tf' / (k1 + tf')  +  proximity  +  feedback  +  exact)
#             * static * freshness * language * address * country * preferred * context * support
#     s     = 1 - o / 2  for a piece of an unspaced script if the page holds the piece before it, else 1
#     proximity = p * sum over neighbouring words of min(weight, weight) / d²
#     freshness = 1 + f * 2^(-age / half-life)
#     address   = 1 + a / words of host and path
#
# The weight of a word is its idf times its emphasis in the query (`Plan.emphasis`). tf' is its exact term
# frequency over weighted fields (`index.bm25f`) plus that of anchor text (`anchor_text.score`). d is the
# least distance between two neighbouring query words within one field. p, f and a are settings; f is a
# different setting if the query asks for news. Further parts and factors:
#
#     feedback                      terms that the best pages have in common: `scoring.feedback`
#     exact                         words in the form typed, best pages only: `scoring.exact_forms`
#     static                        link rank times the owner's boost of the site: `search.link_rank`
#     language                      pages in other languages: `query.language_preference`
#     country, preferred, context   what is known about the user: `scoring.personalisation`
#     support                       links from other candidates: `scoring.link_support`
#
# `CandidateScorer` computes the parts of single documents. `SecondPhaseRanker` adds those that depend on
# all candidates: feedback, support and exact forms.
#
# Neighbouring pieces of an unspaced script share a part o of their letters: one of two, or three of four.
# Without the factor s, the shared letters would count twice. References: Robertson, Zaragoza, Taylor, "Simple
# BM25 extension to multiple weighted fields", CIKM 2004; Rasolofo, Savoy, "Term proximity scoring for
# keyword-based retrieval systems", ECIR 2003.

DAY = 86_400.0


class Factors(NamedTuple):
    """The factors of some documents, with the names that they have in an explanation."""

    static: Floats  # link rank times the owner's boost of the site
    freshness: Floats
    language: Floats
    address: Floats
    country: Floats
    preferred: Floats
    context: Floats

    @property
    def product(self) -> Floats:
        """The product of all factors."""
        product = self.static
        for own in self[1:]:
            if own is not neutral(len(own)):
                product = product * own
        return product


@dataclass(frozen=True, slots=True)
class FullScores:
    """The parts of the scores of some documents, one row per document."""

    words: Floats  # the contribution of each word
    proximity: Floats
    sums: Floats  # of words and proximity
    near: Floats  # frequencies of words near links; no rows if they do not count
    factors: Factors


DEFAULT = Weighting(pivots=(1.0,) * FIELDS)  # of a partition without pages
NAMED = 5  # synonyms of a word that an explanation shows

# Names in explanations for the contributions of proximity, feedback and exact forms.
CLOSENESS = "(close together)"
LIKENESS = "(like the best pages)"
AS_TYPED = "(as typed)"


@dataclass(frozen=True)
class CandidateScorer:
    """Computes full scores of candidates for one query."""

    plan: Plan
    stats: TermStats
    settings: SearchSettings
    now: float
    anchor_frequencies: AnchorFrequenciesOfAll = NOTHING
    person: UserContext = NO_USER_CONTEXT  # what is known about the user

    def explain(
        self, searcher: Searcher, candidate: Candidate, feedback: Feedback, is_read: bool
    ) -> Explanation:
        """Explain the full score of a document; `is_read` says whether its text was read for exact forms."""
        page, where = np.array([candidate.fingerprint], np.uint64), candidate.address
        doc = np.array([where.doc])
        parts = self.parts(searcher, where.segment, page, doc)
        rows = zip(
            self.plan.words,
            self.weights.tolist(),
            parts.words[0].tolist(),
            self._anchor_text_of(searcher, page, parts.near),
            strict=True,
        )
        contributions = [
            Contribution(self._named(word), weight, added / weight, added, *links)
            for word, weight, added, links in rows
            if added
        ]
        exact = self.as_typed(searcher, where.segment, doc, parts.words) if is_read else np.zeros(1)
        further = (
            (CLOSENESS, self.settings.proximity, parts.proximity),
            (LIKENESS, sum(feedback.weights), gains(searcher, where.segment, doc, feedback)),
            (AS_TYPED, self.settings.exact_form_boost, exact),
        )
        for name, share, column in further:
            if added := float(column[0]):
                contributions.append(Contribution(name, share, added / share, added))
        site = float(searcher.site_factors(where.segment, doc)[0])
        factors = {name: float(own[0]) for name, own in parts.factors._asdict().items()}
        return Explanation(tuple(contributions), factors.pop("static") / site, site=site, **factors)

    def as_typed(self, searcher: Searcher, segment: int, docs: NDArray[np.int64], words: Floats) -> Floats:
        """Return the gains of documents by words in a typed form.

        `words` has the contribution of each word.
        """
        forms = self.plan.forms
        held = held_as_typed(searcher, segment, docs, forms)
        added = held * words[:, : len(forms)] * emphasis(forms)
        return self.settings.exact_form_boost * added.sum(axis=1)

    def _anchor_text_of(self, searcher: Searcher, page: Pages, near: Floats) -> list[tuple[float, float]]:
        """Return what anchor text, and text near links, add to the frequency of each word."""
        nothing = np.zeros(len(self.plan.words))
        by_partition = self.anchor_frequencies.parts
        anchors = by_partition[searcher.partition].of(page)[0] if by_partition else nothing
        added = self.settings.anchor_text_weight * np.array([anchors, near[0] if len(near) else nothing])
        return list(zip(*added.tolist(), strict=True))

    def _named(self, word: TermVariants) -> str:
        """Return the name of a word in explanations, with its synonyms."""
        shares = self.plan.shares
        names = [f"{without_language(term)} * {shares[term]:.2g}" for term in word if term in shares]
        names[NAMED:] = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
        typed = [without_language(term) for term in word if term not in shares]
        return " or ".join(dict.fromkeys([*typed[:1], *names]))

    def _language(self, searcher: Searcher, number: int, docs: NDArray[np.int64]) -> Floats:
        """Return the factors of documents by their languages."""
        if not self.plan.leaning.shares:
            return neutral(len(docs))
        segment, of_mark = searcher.snapshot.views[number].segment, self.plan.leaning.shares.get
        shares = np.array([of_mark(mark, 1.0) for mark in segment.marks])
        return shares[segment.columns.language_ids[docs]]

    @cached_property
    def weights(self) -> Floats:
        """The idf of each word times its emphasis; 0 for a word on no page."""
        held, documents = self.stats.frequencies, self.stats.documents
        sums = [sum([held[term] for term in word]) for word in self.plan.words]
        if self.anchor_frequencies.parts:
            # A word in the anchor text of many pages is not rare, even if few pages hold it.
            sums = list(map(max, sums, self.anchor_frequencies.holders))
        rare = np.array([idf(documents, min(own, documents)) if own else 0.0 for own in sums])
        return rare * self.plan.emphasis if self.plan.emphasis else rare

    def parts(self, searcher: Searcher, number: int, pages: Pages, docs: NDArray[np.int64]) -> FullScores:
        """Return the parts of the scores of documents of one segment, or of pages that were not fetched."""
        words = np.empty((len(pages), len(self.plan.words)))
        proximity, sums = np.empty(len(pages)), np.empty(len(pages))
        found = self._evidence(searcher, number, docs)
        anchors, near = self._frequencies_by_links(searcher.partition, pages)
        weigh(
            pages,
            found.frequencies,
            found.distances,
            anchors.pages,
            anchors.frequencies,
            near,
            self.settings.anchor_text_weight,
            self.shared,
            self.weights,
            k1_of(searcher),
            self.settings.proximity,
            words,
            proximity,
            sums,
        )
        return FullScores(words, proximity, sums, near, self._factors(searcher, number, pages, docs))

    def _frequencies_by_links(self, partition: int, pages: Pages) -> tuple[AnchorFrequencies, Floats]:
        """Return frequencies in anchor text for a partition, and in text near the links to these pages."""
        nothing = _no_anchor_text(len(self.plan.words))
        if not self.anchor_frequencies.parts:
            return nothing, nothing.frequencies
        nearby = self.anchor_frequencies.nearby
        near = nearby[partition](pages) if nearby else nothing.frequencies
        return self.anchor_frequencies.parts[partition], near

    def _factors(self, searcher: Searcher, number: int, pages: Pages, docs: NDArray[np.int64]) -> Factors:
        """Return the factors of documents of one segment, or of pages that were not fetched."""
        settings, person, ones = self.settings, self.person, neutral(len(docs))
        if number == UNFETCHED:
            static = searcher.by_site(UNFETCHED, docs, searcher.static_of(pages))
            return Factors(static, *[ones] * 6)
        columns, boost = searcher.snapshot.views[number].segment.columns, settings.short_url_boost
        return Factors(
            searcher.static_factors(number, docs),
            self._freshness(columns, docs) if settings.freshness else ones,
            self._language(searcher, number, docs),
            1 + boost / np.maximum(columns.lengths[docs, Field.URL], 1) if boost else ones,
            *([ones] * 3 if person is NO_USER_CONTEXT else person.factors(searcher, number, docs, settings)),
        )

    def _evidence(self, searcher: Searcher, number: int, docs: NDArray[np.int64]) -> TermEvidence:
        """Return frequencies and distances in the documents themselves."""
        count = len(self.plan.words)
        if number == UNFETCHED:
            return TermEvidence(np.zeros((len(docs), count)), np.full((len(docs), max(0, count - 1)), np.inf))
        segment, terms = searcher.snapshot.views[number].segment, self.plan.terms
        weighting = searcher.snapshot.weighting
        assert weighting is not None, "documents were found in an index without a weighting"
        places = dict(zip(terms, segment.look_up(terms).numbers, strict=True))
        words = [[places[term] for term in word if places[term] >= 0] for word in self.plan.words]
        counted = {places[term]: share for term, share in self.plan.shares.items()}
        found = evidence(segment, docs, words, weighting, counted)
        return found.where(self._in_place(searcher, number, docs)) if self.plan.rows else found

    @cached_property
    def shared(self) -> Floats:
        """The part of each word that overlaps the word before it, from the second word on."""
        return shared_parts(self.plan.words)

    def _freshness(self, columns: Columns, docs: NDArray[np.int64]) -> Floats:
        """Return the factors of documents by their age."""
        ages = np.maximum(self.now - moments(columns, docs), 0)
        half_lives = ages / (self.settings.freshness_days * DAY)
        return 1 + self.settings.freshness * 0.5**half_lives

    def _in_place(self, searcher: Searcher, number: int, docs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether each word (column) counts in each document (row).

        Words of a synonym of several words count only if they are adjacent.
        """
        held = {row: searcher.holding(number, row, docs) for row in self.plan.rows}
        places = np.ones((len(docs), len(self.plan.words)), np.bool_)
        in_rows = self.plan.in_rows
        for column, word in enumerate(self.plan.words):
            if len(word) == 1 and word[0] in in_rows:
                places[:, column] = np.logical_or.reduce([held[row] for row in in_rows[word[0]]])
        return places

    def worth(self, searcher: Searcher, own: AnchorFrequencies) -> Floats:
        """Return the score by anchor text alone of each page whose anchor text holds a word."""
        worth = np.empty(len(own.frequencies))
        worth_of(own.frequencies, self.settings.anchor_text_weight, self.weights, k1_of(searcher), worth)
        return worth


def k1_of(searcher: Searcher) -> float:
    """Return the BM25F constant k1 of a partition."""
    return (searcher.snapshot.weighting or DEFAULT).k1


def shared_parts(words: Sequence[TermVariants]) -> Floats:
    """Return the part of each word that overlaps the word before it: above 0 for pieces of unspaced scripts.

    A page with two overlapping pieces nearly always holds them side by side, so proximity does not count.
    """
    pairs = [(without_language(first[0]), without_language(second[0])) for first, second in pairwise(words)]
    return np.array(
        [(len(two) - 1) / len(two) if is_unspaced(one) and one[1:] == two[:-1] else 0.0 for one, two in pairs]
    )


@lru_cache(16)
def _no_anchor_text(words: int) -> AnchorFrequencies:
    """Return empty anchor-text frequencies."""
    return AnchorFrequencies(np.empty(0, np.uint64), np.empty((0, words)), (0,) * words)


@dataclass(frozen=True, slots=True)
class SecondPhaseRanker:
    """Computes full scores of candidates of all partitions and sorts them."""

    scorer: CandidateScorer
    searchers: Sequence[Searcher]
    links: LinkCounter | None = None  # between candidates; None if they do not count

    def ranked(self, candidates: Candidates) -> tuple[Candidates, Floats, Feedback, LinkSupport]:
        """Return candidates and scores, best first, ties by fingerprint.

        Also return the feedback and the link support that were used.
        """
        parts = candidates.by_segment()
        sums, factors, words = self._scored(candidates, parts)
        totals = sums * factors
        feedback = self._feedback(candidates, totals)
        if feedback.terms:
            for partition, segment, rows in parts:
                sums[rows] += gains(self.searchers[partition], segment, candidates.docs[rows], feedback)
            totals = sums * factors
        support = self._support(candidates, totals)
        if len(support.pages):
            factors *= support.factors
            totals = sums * factors
        order = best_first(totals, candidates.pages, len(candidates))
        if reads := self.reads:
            head = order[:reads]
            own = candidates.taken(head)
            homes = parts if len(parts) == 1 else own.by_segment()
            totals[head] += self._as_typed(own, homes, words[head]) * factors[head]
            order[:reads] = head[best_first(totals[head], candidates.pages[head], reads)]
        return candidates.taken(order), totals[order], feedback, support

    @property
    def reads(self) -> int:
        """The number of best candidates whose texts are read for exact forms."""
        return to_be_read(self.scorer.plan.forms) if self.scorer.settings.exact_form_boost else 0

    def _as_typed(self, candidates: Candidates, parts: Sequence[Part], words: Floats) -> Floats:
        """Return the gain of each candidate by words in a typed form."""
        gains = np.empty(len(candidates))
        for partition, segment, rows in parts:
            searcher, docs = self.searchers[partition], candidates.docs[rows]
            gains[rows] = self.scorer.as_typed(searcher, segment, docs, words[rows])
        return gains

    def scores(self, candidates: Candidates) -> Floats:
        """Return the scores of candidates without feedback."""
        sums, factors, _ = self._scored(candidates, candidates.by_segment())
        return sums * factors

    def _scored(self, candidates: Candidates, parts: Sequence[Part]) -> tuple[Floats, Floats, Floats]:
        """Return the sums, the factors and the contributions of words, with one row per candidate."""
        size = len(candidates)
        sums, factors, words = np.empty(size), np.empty(size), np.empty((size, len(self.scorer.plan.words)))
        for partition, segment, rows in parts:
            searcher, pages, docs = self.searchers[partition], candidates.pages[rows], candidates.docs[rows]
            own = self.scorer.parts(searcher, segment, pages, docs)
            sums[rows], factors[rows], words[rows] = own.sums, own.factors.product, own.words
        return sums, factors, words

    def _support(self, candidates: Candidates, totals: Floats) -> LinkSupport:
        strength = self.scorer.settings.link_support_boost
        if self.links is None or not strength:
            return NO_SUPPORT
        return supported(self.links, candidates.pages, totals, strength)

    def _feedback(self, candidates: Candidates, totals: Floats) -> Feedback:
        """Return the feedback of the best candidates."""
        plan = self.scorer.plan
        settings = self.scorer.settings
        if not settings.feedback or words_among(plan.words[: plan.telling]) < LEAST_WORDS:
            return NO_FEEDBACK
        read = np.flatnonzero(candidates.segments != UNFETCHED)
        best = read[best_first(totals[read], candidates.pages[read], BEST)]
        scores = totals[best].tolist()
        believed = strength(scores, settings.feedback)
        if not believed:
            return NO_FEEDBACK
        addresses = [candidates[row].address for row in best.tolist()]
        typed = sum(plan.emphasis) if plan.emphasis else len(plan.words)
        return feedback_from(self.searchers, addresses, scores, believed * typed)
