"""Full scores of candidates in the segments of one partition, and the sums behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.index.columns import Columns
from gossamer.index.fields import FIELDS, Field
from gossamer.index.weighting import Weighting, idf
from gossamer.kernel import kernels_are_loaded
from gossamer.model import UNFETCHED, Candidate, Contribution, Explanation, TermStats
from gossamer.search.condition import Reading
from gossamer.search.evidence import Evidence, evidence
from gossamer.search.feedback import Feedback, gains
from gossamer.search.linked_kernel import worth_of
from gossamer.search.person import NOBODY_KNOWN, Person
from gossamer.search.plan import Plan
from gossamer.search.said import NOTHING, AllSaid, Pages, Said
from gossamer.search.searcher import Searcher
from gossamer.search.second import (
    ADDED_APART,
    FullScores,
    address_of,
    count_once,
    freshness_of,
    full_scores,
    neutral,
)
from gossamer.search.settings import SearchSettings
from gossamer.search.typed import emphasis, held_as_typed
from gossamer.text.analysis import without_language
from gossamer.text.words import is_unspaced

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
