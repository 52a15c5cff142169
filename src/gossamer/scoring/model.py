# mypy: disable-error-code="arg-type, assignment, index, operator"
"""Score formula: all features, their weights, explanation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.anchor_text.retrieve import worth_of
from gossamer.anchor_text.score import NOTHING, AllSaid, Pages, Said
from gossamer.index.bm25f import FIELDS, Field, Weighting, idf
from gossamer.index.cursor import lower_bound
from gossamer.index.segment import Columns
from gossamer.kernels import kernels_are_loaded, unchecked_kernel
from gossamer.model import UNFETCHED, Candidate, Contribution, Explanation, TermStats
from gossamer.query.conditions import Plan, Reading
from gossamer.scoring.evidence import Evidence, evidence, gather, neutral
from gossamer.scoring.exact_forms import emphasis, held_as_typed, to_be_read
from gossamer.scoring.feedback import (
    BEST,
    LEAST_WORDS,
    NO_FEEDBACK,
    Feedback,
    feedback_from,
    feedback_of,
    gains,
    strength,
    strongest_terms,
    words_among,
)
from gossamer.scoring.link_support import NO_SUPPORT, Links, Support, supported
from gossamer.scoring.personalisation import NOBODY_KNOWN, Person
from gossamer.search.candidates import Candidates, Numbers, Part, best_first
from gossamer.search.link_rank import NEUTRAL
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.terms import without_language
from gossamer.text.words import is_unspaced

# Kernels: full scores
# --------------------
#
# `score` is all of it in one call: what the documents say, what links say of them, the sums and the
# static factors. Between the steps Python would take as long as they do.


@unchecked_kernel
def weigh(
    frequencies: NDArray[np.float64],
    distances: NDArray[np.float64],
    weights: NDArray[np.float64],
    k1: float,
    proximity: float,
    words: NDArray[np.float64],
    close: NDArray[np.float64],
) -> None:
    """Fills in what each word adds, and what words add that stand close together."""
    for row in range(len(frequencies)):
        together = 0.0
        for word in range(len(weights)):
            frequency = frequencies[row, word]
            words[row, word] = weights[word] * frequency / (k1 + frequency)
            if word > 0:
                distance = distances[row, word - 1]
                together += min(weights[word - 1], weights[word]) / (distance * distance)
        close[row] = proximity * together


@unchecked_kernel
def score(
    docs: NDArray[np.int64],
    order: NDArray[np.int64],
    pages: NDArray[np.uint64],
    terms: NDArray[np.int64],
    word_of: NDArray[np.int64],
    counts: NDArray[np.float64],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    weighting: NDArray[np.float64],
    said_pages: NDArray[np.uint64],
    said: NDArray[np.float64],
    near: NDArray[np.float64],
    share: float,
    shared: NDArray[np.float64],
    weights: NDArray[np.float64],
    k1: float,
    proximity: float,
    static: NDArray[np.uint16],
    neutral: float,
    distances: NDArray[np.float64],
    words: NDArray[np.float64],
    sums: NDArray[np.float64],
    factors: NDArray[np.float64],
) -> None:
    """Fills the rows of docs[order], which rise: what each word adds, the sums, and the static factors.

    `words` has zeros there, `distances` is infinite; the arguments up to `weighting` are those of `gather`,
    `said_pages` and `said` those of `add_said`; `near`, if it has rows at all, is what stands near links;
    `shared` is the part of each word that it shares with the one before it, from the second word on: 0 but
    for pieces that overlap; `neutral` is the static factor that changes nothing.
    """
    gather(
        docs,
        order,
        terms,
        word_of,
        counts,
        term_entries,
        entry_ranges,
        entry_postings,
        posting_docs,
        position_blocks,
        positions,
        lengths,
        weighting,
        words,
        distances,
    )
    last = np.int64(len(said_pages))
    for row in order:
        place = last
        if last > 0:
            place = lower_bound(said_pages, 0, last, pages[row])
        speaks = place < last and said_pages[place] == pages[row]
        total, together = 0.0, 0.0
        for word in range(len(weights)):
            links = said[place, word] if speaks else 0.0
            if len(near) > 0:
                links += near[row, word]
            frequency = words[row, word] + share * links
            words[row, word] = weights[word] * frequency / (k1 + frequency)
            overlap = shared[word - 1] if word > 0 else 0.0
            if overlap > 0 and words[row, word - 1] > 0:
                words[row, word] *= 1 - overlap / 2
            total += words[row, word]
            if word > 0 and overlap == 0:
                distance = distances[row, word - 1]
                together += min(weights[word - 1], weights[word]) / (distance * distance)
        sums[row] = total + proximity * together
        factors[row] = static[docs[row]] / neutral


# Score formula of the second phase
# ---------------------------------
#
# The first phase finds a few hundred candidates by impacts of 8 bits. Here they get their full
# scores:
#
#     score = (sum over words of s * weight * tf' / (k1 + tf')  +  proximity  +  feedback  +  typed)
#             * static * freshness * language * address * country * preferred * context
#     s     = 1 - o / 2  for a piece of an unspaced script where the page holds the piece before it too,
# else 1
#     proximity = p * sum over neighbouring words of min(weight, weight) / d²
#     freshness = 1 + f * 2^(-age / half-life)
#     address   = 1 + a / words of host and path
#
# A word's weight is its idf times its emphasis (`emphasis`); for what the best pages add see
# `feedback`, for words that stand there as they were typed see `typed`, for what is known of the
# person `person`. tf' is the term frequency over weighted fields (`index.weighting`), exactly; d the
# least distance of two words that stand side by side in the query, within one field; p, f and a are
# settings, and f another one where the query asks for what is new. Pieces that follow each other in
# the query share a part o of their letters, one of two or three of four: a page that holds both holds
# these once, and a stretch would count for more than the words in it. References: Robertson,
# Zaragoza, Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004; Rasolofo, Savoy,
# "Term proximity scoring for keyword-based retrieval systems", ECIR 2003.

DAY = 86_400.0
ADDED_APART = 8  # so many numbers and more NumPy adds in another order than one after the other


@dataclass(frozen=True, slots=True)
class FullScores:
    """The parts of the scores of some documents, a row a document."""

    words: Floats  # what each word adds
    proximity: Floats
    static: Floats  # a factor: by links, and by what the owner makes of the site
    freshness: Floats  # a factor
    language: Floats  # a factor
    address: Floats  # a factor
    country: Floats  # a factor
    preferred: Floats  # a factor
    context: Floats  # a factor

    @property
    def sum(self) -> Floats:
        total: Floats = self.words.sum(axis=1) + self.proximity
        return total

    @property
    def factor(self) -> Floats:
        """What multiplies the sum."""
        product = self.static
        for own in (
            self.freshness,
            self.language,
            self.address,
            self.country,
            self.preferred,
            self.context,
        ):
            if own is not neutral(len(own)):
                product = product * own
        return product


def full_scores(
    found: Evidence,
    weights: Floats,
    k1: float,
    static: Floats,
    ages: Floats | None,
    languages: Floats,
    addresses: NDArray[np.uint32] | None,
    settings: SearchSettings,
    personal: tuple[Floats, Floats, Floats],
    shared: Floats,
) -> FullScores:
    """Full scores by what was found, of pages of these ages, in seconds.

    `languages` is what each page counts by its own, `addresses` how many words its address has, `personal`
    what it counts for the person, by country, site and last queries. Ages and addresses are None where they
    do not count. `shared` is the part of each word that it shares with the one before it, from the second on.
    """
    words, proximity = _words(found, weights, k1, settings.proximity)
    count_once(words, shared)
    freshness, address = neutral(len(words)), neutral(len(words))
    if ages is not None:
        freshness = freshness_of(ages, settings)
    if addresses is not None:
        address = address_of(addresses, settings)
    return FullScores(words, proximity, static, freshness, languages, address, *personal)


def count_once(words: Floats, shared: Floats) -> None:
    """Lets each piece count less in the documents, a row each, that hold the one that it overlaps."""
    if shared.any():
        words[:, 1:] *= np.where(words[:, :-1] > 0, 1 - shared / 2, 1.0)


def freshness_of(ages: Floats, settings: SearchSettings) -> Floats:
    """The factors of pages of these ages, in seconds."""
    factors: Floats = 1 + settings.freshness * 0.5 ** (np.maximum(ages, 0) / (settings.freshness_days * DAY))
    return factors


def address_of(addresses: NDArray[np.uint32], settings: SearchSettings) -> Floats:
    """The factors of pages whose addresses have so many words."""
    factors: Floats = 1 + settings.depth / np.maximum(addresses, 1)
    return factors


def _words(found: Evidence, weights: Floats, k1: float, share: float) -> tuple[Floats, Floats]:
    """What each word adds, and what words add that stand close together."""
    if kernels_are_loaded() and len(weights) < ADDED_APART:
        words, proximity = np.empty(found.frequencies.shape), np.empty(len(found.frequencies))
        weigh(found.frequencies, found.distances, weights, k1, share, words, proximity)
        return words, proximity
    pairs = np.minimum(weights[:-1], weights[1:])
    words = weights * found.frequencies / (k1 + found.frequencies)
    return words, share * (pairs / found.distances**2).sum(axis=1)


DEFAULT = Weighting(pivots=(1.0,) * FIELDS)  # of a partition in which nothing is indexed yet
NAMED = 5  # terms that count beside a word

# What stands in an explanation for the nearness of words, for what the best pages have in common, and for
# words that stand there as they were typed.
CLOSENESS = "(close together)"
LIKENESS = "(like the best pages)"
AS_TYPED = "(as typed)"


class Asked(NamedTuple):
    """The terms of a query, word by word."""

    places: list[int]  # of each, in the plan's list of them
    word_of: NDArray[np.int64]
    counts: NDArray[np.float64]  # what each counts beside the one that was typed


@dataclass(frozen=True)
class Refining:
    """A query, and how its candidates are scored in full."""

    plan: Plan
    stats: TermStats
    settings: SearchSettings
    now: float
    said: AllSaid = NOTHING  # what links say
    person: Person = NOBODY_KNOWN  # who asks

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
            self._said_of(searcher, page),
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
            share = self.settings.exact
            contributions.append(Contribution(AS_TYPED, share, gain / share, gain))
        site = float(searcher.site_factors(where.segment, doc)[0])
        return Explanation(
            tuple(contributions),
            float(parts.static[0]) / site,
            float(parts.freshness[0]),
            float(parts.language[0]),
            float(parts.address[0]),
            site=site,
            country=float(parts.country[0]),
            preferred=float(parts.preferred[0]),
            context=float(parts.context[0]),
        )

    def as_typed(
        self, searcher: Searcher, segment: int, docs: NDArray[np.int64], words: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What documents of a segment gain by words that stand there as typed; `words` is what each adds."""
        forms = self.plan.forms
        held = held_as_typed(searcher, segment, docs, forms)
        added = held * words[:, : len(forms)] * emphasis(forms)
        gained: NDArray[np.float64] = self.settings.exact * added.sum(axis=1)
        return gained

    def _said_of(self, searcher: Searcher, page: NDArray[np.uint64]) -> list[tuple[float, float]]:
        """What links add to the frequency of each word, by their texts and by the words near them."""
        if not self.said.parts:
            return [(0.0, 0.0)] * len(self.plan.words)
        said, near = (self.settings.anchors * part[0] for part in self.said.apart(searcher.partition, page))
        return list(zip(said.tolist(), near.tolist(), strict=True))

    def _named(self, word: Reading) -> str:
        """A word as explanations show it, with its synonyms."""
        shares = self.plan.shares
        names = [f"{without_language(term)} * {shares[term]:.2g}" for term in word if term in shares]
        names[NAMED:] = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
        typed = [without_language(term) for term in word if term not in shares]
        return " or ".join(dict.fromkeys([*typed[:1], *names]))

    def _language(self, searcher: Searcher, number: int, docs: NDArray[np.int64]) -> NDArray[np.float64]:
        """What each document counts by its language."""
        if not self.plan.leaning.shares:
            return neutral(len(docs))
        segment, of_mark = searcher.snapshot.views[number].segment, self.plan.leaning.shares.get
        shares = np.array([of_mark(mark, 1.0) for mark in segment.marks])
        own: NDArray[np.float64] = shares[segment.columns.language_ids[docs]]
        return own

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The idf of each word times its emphasis; 0 for one that stands nowhere."""
        held, documents = self.stats.frequencies, self.stats.documents
        sums = [sum([held[term] for term in word]) for word in self.plan.words]
        if self.said.parts:  # what is said of many pages is not rare, though few hold it themselves
            sums = list(map(max, sums, self.said.holders))
        rare = np.array([idf(documents, min(own, documents)) if own else 0.0 for own in sums])
        return rare * self.plan.emphasis if self.plan.emphasis else rare

    @cached_property
    def asked(self) -> Asked:
        """The terms of the words, as arrays."""
        terms, words, shares = self.plan.terms, self.plan.words, self.plan.shares
        flat = [term for word in words for term in word]
        places = list(range(len(terms)))
        if len(flat) > len(terms):
            place = dict(zip(terms, places, strict=True))
            places = [place[term] for term in flat]
        return Asked(
            places,
            np.array([number for number, word in enumerate(words) for _ in word], np.int64),
            np.array([shares.get(term, 1.0) for term in flat]) if shares else np.ones(len(flat)),
        )

    def further_factors(
        self, searcher: Searcher, number: int, docs: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> list[NDArray[np.float64]]:
        """What multiplies the scores of docs[rows] beside their ranks, in the order of `FullScores`."""
        settings, person = self.settings, self.person
        knows = person is not NOBODY_KNOWN
        leans = bool(self.plan.leaning.shares)
        found: list[NDArray[np.float64]] = []
        if not (searcher.has_site_rules or settings.freshness or settings.depth or leans or knows):
            return found
        docs, columns = docs[rows], searcher.snapshot.views[number].segment.columns
        if searcher.has_site_rules:
            found.append(searcher.site_factors(number, docs))
        if settings.freshness:
            found.append(freshness_of(self._ages(columns, docs), settings))
        if leans:
            found.append(self._language(searcher, number, docs))
        if settings.depth:
            found.append(address_of(columns.lengths[docs, Field.URL], settings))
        return [*found, *self._personal(searcher, number, docs)] if knows else found

    def _personal(
        self, searcher: Searcher, number: int, docs: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """What documents count for the person, by country, site and last queries."""
        settings, person = self.settings, self.person
        return (
            person.by_country(searcher, number, docs, settings.country_strength),
            person.by_site(searcher, number, docs, settings.preferred_sites),
            person.by_context(searcher, number, docs, settings.context),
        )

    def parts(self, searcher: Searcher, number: int, pages: Pages, docs: NDArray[np.int64]) -> FullScores:
        """The parts of the scores of documents of one segment."""
        if number == UNFETCHED:
            return self._unfetched(searcher, pages, docs)
        segment, weighting = searcher.snapshot.views[number].segment, searcher.snapshot.weighting
        assert weighting is not None, "documents were found in an index without a weighting"
        found = self._evidence(searcher, number, docs, weighting)
        self.said.add(searcher.partition, pages, self.settings.anchors, found.frequencies)
        settings = self.settings
        return full_scores(
            found,
            self.weights,
            weighting.k1,
            searcher.static_factors(number, docs),
            self._ages(segment.columns, docs) if settings.freshness else None,
            self._language(searcher, number, docs),
            segment.columns.lengths[docs, Field.URL] if settings.depth else None,
            settings,
            self._personal(searcher, number, docs),
            self.shared,
        )

    def _evidence(
        self, searcher: Searcher, number: int, docs: NDArray[np.int64], weighting: Weighting
    ) -> Evidence:
        """What the documents say themselves."""
        segment, terms = searcher.snapshot.views[number].segment, self.plan.terms
        places = dict(zip(terms, segment.look_up(terms).numbers, strict=True))
        words = [[places[term] for term in word if places[term] >= 0] for word in self.plan.words]
        counted = {places[term]: share for term, share in self.plan.shares.items()}
        found = evidence(segment, docs, words, weighting, counted)
        if self.plan.rows:
            found = found.where(self._in_place(searcher, number, docs))
        if self.shared.any():
            found.distances[:, self.shared > 0] = np.inf
        return found

    @cached_property
    def shared(self) -> NDArray[np.float64]:
        """The part of each word that it shares with the one before it, from the second on."""
        return shared_parts(self.plan.words)

    def _ages(self, columns: Columns, docs: NDArray[np.int64]) -> NDArray[np.float64]:
        """How old documents are, in seconds."""
        published, fetched = columns.published[docs], columns.fetched_at[docs]
        ages: NDArray[np.float64] = self.now - np.where(np.isnan(published), fetched, published)
        return ages

    def _in_place(self, searcher: Searcher, number: int, docs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Where the words count, a row a document: those of a synonym of several only in a row."""
        held = {row: searcher.holding(number, row, docs) for row in self.plan.rows}
        places = np.ones((len(docs), len(self.plan.words)), np.bool_)
        in_rows = self.plan.in_rows
        for column, word in enumerate(self.plan.words):
            if len(word) == 1 and word[0] in in_rows:
                places[:, column] = np.logical_or.reduce([held[row] for row in in_rows[word[0]]])
        return places

    def _unfetched(self, searcher: Searcher, pages: Pages, rows: NDArray[np.int64]) -> FullScores:
        """The same for pages that only links speak of."""
        words = self._saturated(searcher, self.settings.anchors * self.said.of(searcher.partition, pages))
        count_once(words, self.shared)
        static = searcher.by_site(UNFETCHED, rows, searcher.static_of(pages))
        return FullScores(words, np.zeros(len(pages)), static, *[neutral(len(pages))] * 6)

    def worth(self, searcher: Searcher, said: Said) -> NDArray[np.float64]:
        """What links alone give to each page of which they say a word."""
        share, frequencies = self.settings.anchors, said.frequencies
        if not kernels_are_loaded() or len(self.plan.words) >= ADDED_APART:
            plain: NDArray[np.float64] = self._saturated(searcher, share * frequencies).sum(axis=1)
            return plain
        worth = np.empty(len(frequencies))
        worth_of(frequencies, share, self.weights, k1_of(searcher), worth)
        return worth

    def _saturated(self, searcher: Searcher, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
        k1 = k1_of(searcher)
        words: NDArray[np.float64] = self.weights * frequencies / (k1 + frequencies)
        return words


def k1_of(searcher: Searcher) -> float:
    return (searcher.snapshot.weighting or DEFAULT).k1


def shared_parts(words: Sequence[Reading]) -> NDArray[np.float64]:
    """The part of each word that it shares with the one before it, as pieces of unspaced scripts do; else 0.

    Where both stand in a page they nearly always stand side by side: that proves nothing.
    """
    pairs = [(without_language(first[0]), without_language(second[0])) for first, second in pairwise(words)]
    return np.array(
        [(len(two) - 1) / len(two) if is_unspaced(one) and one[1:] == two[:-1] else 0.0 for one, two in pairs]
    )


# Full scores in one kernel call
# ------------------------------

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of candidates before anything of one counts for another, a row each."""

    sums: Floats
    factors: Floats  # what multiplies them
    words: Floats  # what each word adds

    @classmethod
    def of(
        cls, refining: Refining, searchers: Sequence[Searcher], candidates: Candidates, parts: Sequence[Part]
    ) -> Scores:
        """Those of candidates of any partitions; `parts` tells where they stand."""
        size, words = len(candidates), len(refining.plan.words)
        found = cls(np.empty(size), np.empty(size), np.zeros((size, words)))
        distances = np.full((size, max(0, words - 1)), np.inf)
        for partition, segment, rows in parts:
            searcher, docs = searchers[partition], candidates.docs[rows]
            if _is_simple(refining, segment):
                order = np.argsort(docs)
                order = order if isinstance(rows, slice) else rows[order]
                found._fill(refining, searcher, segment, candidates, order, distances)
            else:
                own = refining.parts(searcher, segment, candidates.pages[rows], docs)
                found.sums[rows], found.factors[rows], found.words[rows] = own.sum, own.factor, own.words
        return found

    def _fill(
        self,
        refining: Refining,
        searcher: Searcher,
        number: int,
        candidates: Candidates,
        order: Numbers,
        distances: Floats,
    ) -> None:
        """Fills the rows of candidates that stand in one segment; docs[order] rise."""
        segment, weighting = searcher.snapshot.views[number].segment, searcher.snapshot.weighting
        assert weighting is not None, "documents were found in an index without a weighting"
        postings, asked, settings = segment.postings, refining.asked, refining.settings
        numbers = segment.look_up(refining.plan.terms).numbers
        said = (
            refining.said.parts[searcher.partition] if refining.said.parts else _nothing(self.words.shape[1])
        )
        score(
            candidates.docs,
            order,
            candidates.pages,
            np.array([numbers[place] for place in asked.places], np.int64),
            asked.word_of,
            asked.counts,
            postings.term_entries,
            postings.entry_ranges,
            postings.entry_postings,
            postings.posting_docs,
            postings.position_blocks,
            postings.positions,
            segment.columns.lengths,
            _as_array(weighting),
            said.pages,
            said.frequencies,
            self._near(refining, searcher.partition, candidates.pages, order),
            settings.anchors,
            refining.shared,
            refining.weights,
            weighting.k1,
            settings.proximity,
            searcher.static_levels(number),
            float(NEUTRAL),
            distances,
            self.words,
            self.sums,
            self.factors,
        )
        for factor in refining.further_factors(searcher, number, candidates.docs, order):
            self.factors[order] *= factor

    def _near(self, refining: Refining, partition: int, pages: NDArray[np.uint64], rows: Numbers) -> Floats:
        """What stands near links to the pages of these rows; no row at all where that does not count."""
        if not refining.said.nearby:
            return _nothing(self.words.shape[1]).frequencies
        near = np.empty(self.words.shape)
        near[rows] = refining.said.nearby[partition](pages[rows])
        return near


def _is_simple(refining: Refining, segment: int) -> bool:
    """Whether the compiled formula has all that counts."""
    plan = refining.plan
    return kernels_are_loaded() and segment != UNFETCHED and not plan.rows and len(plan.words) < ADDED_APART


@lru_cache(ADDED_APART)
def _nothing(words: int) -> Said:
    """What links say where none count."""
    return Said(np.empty(0, np.uint64), np.empty((0, words)))


@lru_cache(16)
def _as_array(weighting: Weighting) -> Floats:
    return np.array([weighting.weights, weighting.slopes, weighting.pivots])


@dataclass(frozen=True, slots=True)
class Rescoring:
    """How candidates are scored in full, in these partitions."""

    refining: Refining
    searchers: Sequence[Searcher]
    links: Links | None = None  # those by which candidates support each other, where they count

    def ranked(self, candidates: Candidates) -> tuple[Candidates, Floats, Feedback, Support]:
        """The candidates and their scores, best first, ties by fingerprint; feedback and support in these."""
        parts = candidates.by_segment()
        found = Scores.of(self.refining, self.searchers, candidates, parts)
        sums, factors, words = found.sums, found.factors, found.words
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
        return to_be_read(self.refining.plan.forms) if self.refining.settings.exact else 0

    def _as_typed(self, candidates: Candidates, parts: Sequence[Part], words: Floats) -> Floats:
        """What each gains by words that it holds as they were typed."""
        gains = np.empty(len(candidates))
        for partition, segment, rows in parts:
            searcher, docs = self.searchers[partition], candidates.docs[rows]
            gains[rows] = self.refining.as_typed(searcher, segment, docs, words[rows])
        return gains

    def scores(self, candidates: Candidates) -> Floats:
        """Their scores, without feedback."""
        found = Scores.of(self.refining, self.searchers, candidates, candidates.by_segment())
        return found.sums * found.factors

    def _support(self, candidates: Candidates, totals: Floats) -> Support:
        strength = self.refining.settings.support
        if self.links is None or not strength:
            return NO_SUPPORT
        return supported(self.links, candidates.pages, totals, strength)

    def _feedback(self, candidates: Candidates, totals: Floats) -> Feedback:
        """What the best candidates have in common."""
        plan = self.refining.plan
        settings = self.refining.settings
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
        if kernels_are_loaded():
            return feedback_from(self.searchers, addresses, scores, believed * typed)
        pages = [strongest_terms(self.searchers[address.partition], address) for address in addresses]
        stats = summed_stats(self.searchers, dict.fromkeys(term for page in pages for term in page))
        return feedback_of(pages, scores, stats, believed * typed)


def summed_stats(searchers: Iterable[Searcher], terms: Iterable[str]) -> TermStats:
    """How many documents there are in all partitions, and how many of them hold each term."""
    wanted = tuple(terms)
    return sum((one.snapshot.term_stats(wanted) for one in searchers), TermStats(0, {}))
