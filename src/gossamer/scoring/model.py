# mypy: disable-error-code="arg-type, assignment, index, operator, no-any-return"
"""Score formula: all features, their weights, explanation."""

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
    """Fill in what each word adds, what neighbouring words add, and the sum of both; a row a page.

    `frequencies` and `distances` are those of `evidence`. Anchor text adds `share` of its frequencies:
    `anchor_pages` rise, `anchor_frequencies` has a row for each of them, and `near` a row for each page, or
    none at all. `shared` is the part of each word that it shares with the word before it, from the second
    word on.
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
# The first phase finds a few hundred candidates by impacts of 8 bits. Here they get their full
# scores:
#
#     score = (sum over words of s * weight * tf' / (k1 + tf')  +  proximity  +  feedback  +  exact)
#             * static * freshness * language * address * country * preferred * context * support
#     s     = 1 - o / 2  for a piece of an unspaced script whose page holds the piece before it, else 1
#     proximity = p * sum over neighbouring words of min(weight, weight) / d²
#     freshness = 1 + f * 2^(-age / half-life)
#     address   = 1 + a / words of host and path
#
# A word's weight is its idf times its emphasis in the query (`Plan.emphasis`); tf' is its exact term
# frequency over weighted fields (`index.bm25f`), with that of anchor text added (`anchor_text.score`).
# d is the least distance of two words that stand side by side in the query, within one field; p, f and
# a are settings, and f another one where the query asks for what is new. Further parts and factors:
#
#     feedback                      terms that the best pages have in common: `scoring.feedback`
#     exact                         words in the form typed, of the best only: `scoring.exact_forms`
#     static                        link rank times the owner's boost of the site: `search.link_rank`
#     language                      pages in other languages: `query.language_preference`
#     country, preferred, context   what is known of the user: `scoring.personalisation`
#     support                       links from other candidates: `scoring.link_support`
#
# `CandidateScorer` computes the parts of single documents. `SecondPhaseRanker` adds those that depend on
# all candidates: feedback, support and exact forms.
#
# Pieces that follow each other in the query share a part o of their letters, one of two or three of
# four: a page that holds both holds these once, and a stretch would count for more than the words in
# it. References: Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple weighted fields",
# CIKM 2004; Rasolofo, Savoy, "Term proximity scoring for keyword-based retrieval systems", ECIR 2003.

DAY = 86_400.0


class Factors(NamedTuple):
    """What multiplies the sums of some documents; an explanation has them by the same names."""

    static: Floats  # by links, and by what the owner makes of the site
    freshness: Floats
    language: Floats
    address: Floats
    country: Floats
    preferred: Floats
    context: Floats

    @property
    def product(self) -> Floats:
        """All of them together."""
        product = self.static
        for own in self[1:]:
            if own is not neutral(len(own)):
                product = product * own
        return product


@dataclass(frozen=True, slots=True)
class FullScores:
    """The parts of the scores of some documents, a row a document."""

    words: Floats  # what each word adds
    proximity: Floats
    sums: Floats  # of words and proximity
    near: Floats  # how often each word stands near links, as it is counted; no rows where it is not
    factors: Factors


DEFAULT = Weighting(pivots=(1.0,) * FIELDS)  # of a partition in which nothing is indexed yet
NAMED = 5  # terms that count beside a word

# What stands in an explanation for the nearness of words, for what the best pages have in common, and for
# words that stand there as they were typed.
CLOSENESS = "(close together)"
LIKENESS = "(like the best pages)"
AS_TYPED = "(as typed)"


@dataclass(frozen=True)
class CandidateScorer:
    """A query, and how its candidates are scored in full."""

    plan: Plan
    stats: TermStats
    settings: SearchSettings
    now: float
    anchor_frequencies: AnchorFrequenciesOfAll = NOTHING
    person: UserContext = NO_USER_CONTEXT  # who asks

    def explain(
        self, searcher: Searcher, candidate: Candidate, feedback: Feedback, is_read: bool
    ) -> Explanation:
        """The sum behind a document's full score; `is_read` says that it is one of those whose texts are."""
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
        if close := float(parts.proximity[0]):
            share = self.settings.proximity
            contributions.append(Contribution(CLOSENESS, share, close / share, close))
        if alike := float(gains(searcher, where.segment, doc, feedback)[0]):
            share = sum(feedback.weights)
            contributions.append(Contribution(LIKENESS, share, alike / share, alike))
        if is_read and (gain := float(self.as_typed(searcher, where.segment, doc, parts.words)[0])):
            share = self.settings.exact_form_boost
            contributions.append(Contribution(AS_TYPED, share, gain / share, gain))
        site = float(searcher.site_factors(where.segment, doc)[0])
        factors = {name: float(own[0]) for name, own in parts.factors._asdict().items()}
        return Explanation(tuple(contributions), factors.pop("static") / site, site=site, **factors)

    def as_typed(self, searcher: Searcher, segment: int, docs: NDArray[np.int64], words: Floats) -> Floats:
        """What documents of a segment gain by words that stand there as typed; `words` is what each adds."""
        forms = self.plan.forms
        held = held_as_typed(searcher, segment, docs, forms)
        added = held * words[:, : len(forms)] * emphasis(forms)
        return self.settings.exact_form_boost * added.sum(axis=1)

    def _anchor_text_of(self, searcher: Searcher, page: Pages, near: Floats) -> list[tuple[float, float]]:
        """What links add to the frequency of each word, by their texts and by the words near them."""
        nothing = np.zeros(len(self.plan.words))
        by_partition = self.anchor_frequencies.parts
        anchors = by_partition[searcher.partition].of(page)[0] if by_partition else nothing
        added = self.settings.anchor_text_weight * np.array([anchors, near[0] if len(near) else nothing])
        return list(zip(*added.tolist(), strict=True))

    def _named(self, word: TermVariants) -> str:
        """A word as explanations show it, with its synonyms."""
        shares = self.plan.shares
        names = [f"{without_language(term)} * {shares[term]:.2g}" for term in word if term in shares]
        names[NAMED:] = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
        typed = [without_language(term) for term in word if term not in shares]
        return " or ".join(dict.fromkeys([*typed[:1], *names]))

    def _language(self, searcher: Searcher, number: int, docs: NDArray[np.int64]) -> Floats:
        """What each document counts by its language."""
        if not self.plan.leaning.shares:
            return neutral(len(docs))
        segment, of_mark = searcher.snapshot.views[number].segment, self.plan.leaning.shares.get
        shares = np.array([of_mark(mark, 1.0) for mark in segment.marks])
        return shares[segment.columns.language_ids[docs]]

    @cached_property
    def weights(self) -> Floats:
        """The idf of each word times its emphasis; 0 for one that stands nowhere."""
        held, documents = self.stats.frequencies, self.stats.documents
        sums = [sum([held[term] for term in word]) for word in self.plan.words]
        if self.anchor_frequencies.parts:
            # What links say of many pages is not rare, though few hold it themselves.
            sums = list(map(max, sums, self.anchor_frequencies.holders))
        rare = np.array([idf(documents, min(own, documents)) if own else 0.0 for own in sums])
        return rare * self.plan.emphasis if self.plan.emphasis else rare

    def parts(self, searcher: Searcher, number: int, pages: Pages, docs: NDArray[np.int64]) -> FullScores:
        """The parts of the scores of documents of one segment, or of pages that only links speak of."""
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
        """Frequencies in texts of links to a partition, and near the links to these pages, if that counts."""
        nothing = _nothing(len(self.plan.words))
        if not self.anchor_frequencies.parts:
            return nothing, nothing.frequencies
        nearby = self.anchor_frequencies.nearby
        near = nearby[partition](pages) if nearby else nothing.frequencies
        return self.anchor_frequencies.parts[partition], near

    def _factors(self, searcher: Searcher, number: int, pages: Pages, docs: NDArray[np.int64]) -> Factors:
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
            person.by_country(searcher, number, docs, settings.country_strength),
            person.by_site(searcher, number, docs, settings.preferred_sites),
            person.by_context(searcher, number, docs, settings.context_boost),
        )

    def _evidence(self, searcher: Searcher, number: int, docs: NDArray[np.int64]) -> TermEvidence:
        """What the documents say themselves."""
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
        """The part of each word that it shares with the one before it, from the second on."""
        return shared_parts(self.plan.words)

    def _freshness(self, columns: Columns, docs: NDArray[np.int64]) -> Floats:
        """The factors of documents by their age."""
        ages = np.maximum(self.now - moments(columns, docs), 0)
        half_lives = ages / (self.settings.freshness_days * DAY)
        return 1 + self.settings.freshness * 0.5**half_lives

    def _in_place(self, searcher: Searcher, number: int, docs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Where the words count, a row a document: those of a synonym of several only in a row."""
        held = {row: searcher.holding(number, row, docs) for row in self.plan.rows}
        places = np.ones((len(docs), len(self.plan.words)), np.bool_)
        in_rows = self.plan.in_rows
        for column, word in enumerate(self.plan.words):
            if len(word) == 1 and word[0] in in_rows:
                places[:, column] = np.logical_or.reduce([held[row] for row in in_rows[word[0]]])
        return places

    def worth(self, searcher: Searcher, own: AnchorFrequencies) -> Floats:
        """What links alone give to each page of which they say a word."""
        worth = np.empty(len(own.frequencies))
        worth_of(own.frequencies, self.settings.anchor_text_weight, self.weights, k1_of(searcher), worth)
        return worth


def k1_of(searcher: Searcher) -> float:
    return (searcher.snapshot.weighting or DEFAULT).k1


def shared_parts(words: Sequence[TermVariants]) -> Floats:
    """The part of each word that it shares with the one before it, as pieces of unspaced scripts do; else 0.

    Where both stand in a page they nearly always stand side by side: that proves nothing.
    """
    pairs = [(without_language(first[0]), without_language(second[0])) for first, second in pairwise(words)]
    return np.array(
        [(len(two) - 1) / len(two) if is_unspaced(one) and one[1:] == two[:-1] else 0.0 for one, two in pairs]
    )


@lru_cache(16)
def _nothing(words: int) -> AnchorFrequencies:
    """What links say where none count."""
    return AnchorFrequencies(np.empty(0, np.uint64), np.empty((0, words)), (0,) * words)


@dataclass(frozen=True, slots=True)
class SecondPhaseRanker:
    """Score candidates of all partitions in full and sort them."""

    scorer: CandidateScorer
    searchers: Sequence[Searcher]
    links: LinkCounter | None = None  # those by which candidates support each other, where they count

    def ranked(self, candidates: Candidates) -> tuple[Candidates, Floats, Feedback, LinkSupport]:
        """The candidates and their scores, best first, ties by fingerprint; feedback and support in these."""
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
        """How many of the best are read for words as they were typed."""
        return to_be_read(self.scorer.plan.forms) if self.scorer.settings.exact_form_boost else 0

    def _as_typed(self, candidates: Candidates, parts: Sequence[Part], words: Floats) -> Floats:
        """What each gains by words that it holds as they were typed."""
        gains = np.empty(len(candidates))
        for partition, segment, rows in parts:
            searcher, docs = self.searchers[partition], candidates.docs[rows]
            gains[rows] = self.scorer.as_typed(searcher, segment, docs, words[rows])
        return gains

    def scores(self, candidates: Candidates) -> Floats:
        """Their scores, without feedback."""
        sums, factors, _ = self._scored(candidates, candidates.by_segment())
        return sums * factors

    def _scored(self, candidates: Candidates, parts: Sequence[Part]) -> tuple[Floats, Floats, Floats]:
        """The sums of candidates, what multiplies them, and what each word adds; a row each."""
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
        """What the best candidates have in common."""
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
