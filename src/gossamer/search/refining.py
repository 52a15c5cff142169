"""Full scores of candidates in the segments of one partition, and the sums behind them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import FIELDS, Field
from gossamer.index.weighting import Weighting, idf
from gossamer.model import UNFETCHED, Candidate, Contribution, Explanation, TermStats
from gossamer.search.condition import Reading
from gossamer.search.evidence import evidence
from gossamer.search.feedback import Feedback, gains
from gossamer.search.plan import Plan
from gossamer.search.said import NOTHING, AllSaid, Pages, Said
from gossamer.search.searcher import Searcher
from gossamer.search.second import FullScores, full_scores
from gossamer.search.settings import SearchSettings
from gossamer.search.typed import held_as_typed
from gossamer.text.analysis import analyser, without_language

DEFAULT = Weighting(pivots=(1.0,) * FIELDS)  # of a partition in which nothing is indexed yet
NAMED = 5  # terms that count beside a word
# What stands in an explanation for the nearness of words, for what the best pages have in common, and for
# words that stand there as they were typed.
CLOSENESS = "(close together)"
LIKENESS = "(like the best pages)"
AS_TYPED = "(as typed)"


@dataclass(frozen=True, slots=True)
class Refining:
    """A query, and how its candidates are scored in full."""

    plan: Plan
    stats: TermStats
    settings: SearchSettings
    now: float
    said: AllSaid = NOTHING  # what links say

    def explain(
        self, searcher: Searcher, candidate: Candidate, feedback: Feedback, is_read: bool
    ) -> Explanation:
        """The sum behind a document's full score; `is_read` says that it is one of those whose texts are."""
        page, where = np.array([candidate.fingerprint], np.uint64), candidate.address
        doc = np.array([where.doc])
        parts = self.parts(searcher, where.segment, page, doc)
        rows = zip(
            self.plan.words,
            self.weights().tolist(),
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
            site,
        )

    def as_typed(
        self, searcher: Searcher, segment: int, docs: NDArray[np.int64], words: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What documents of a segment gain by words that stand there as typed; `words` is what each adds."""
        forms = self.plan.forms
        held = held_as_typed(searcher, segment, docs, forms)
        gained: NDArray[np.float64] = self.settings.exact * (held * words[:, : len(forms)]).sum(axis=1)
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
            return np.ones(len(docs))
        columns = searcher.snapshot.views[number].segment.columns
        marks = [analyser(name).language for name in columns.languages() or [""]]
        shares = np.array([self.plan.leaning.shares.get(mark, 1.0) for mark in marks])
        own: NDArray[np.float64] = shares[columns.language_ids[docs]]
        return own

    def weights(self) -> NDArray[np.float64]:
        """The idf of each word times its emphasis; 0 for one that stands nowhere."""
        held, documents = self.stats.frequencies, self.stats.documents
        sums = [sum([held[term] for term in word]) for word in self.plan.words]
        if self.said.parts:  # what is said of many pages is not rare, though few hold it themselves
            sums = list(map(max, sums, self.said.holders))
        rare = np.array([idf(documents, min(own, documents)) if own else 0.0 for own in sums])
        return rare * self.plan.emphasis if self.plan.emphasis else rare

    def parts(self, searcher: Searcher, number: int, pages: Pages, docs: NDArray[np.int64]) -> FullScores:
        """The parts of the scores of documents of one segment."""
        by_links = self.settings.anchors * self.said.of(searcher.partition, pages)
        if number == UNFETCHED:
            return self._unfetched(searcher, pages, docs, by_links)
        segment, weighting = searcher.snapshot.views[number].segment, searcher.snapshot.weighting
        assert weighting is not None, "documents were found in an index without a weighting"
        terms = self.plan.terms
        places = dict(zip(terms, segment.look_up(terms).numbers, strict=True))
        words = [[places[term] for term in word if places[term] >= 0] for word in self.plan.words]
        published, fetched = segment.columns.published[docs], segment.columns.fetched_at[docs]
        ages = self.now - np.where(np.isnan(published), fetched, published)
        static = searcher.static_factors(number, docs)
        counted = {places[term]: share for term, share in self.plan.shares.items()}
        found = evidence(segment, docs, words, weighting, counted)
        found = replace(found, frequencies=found.frequencies + by_links)
        languages = self._language(searcher, number, docs)
        addresses = segment.columns.lengths[docs, Field.URL]
        weights, settings = self.weights(), self.settings
        return full_scores(found, weights, weighting.k1, static, ages, languages, addresses, settings)

    def _unfetched(
        self, searcher: Searcher, pages: Pages, rows: NDArray[np.int64], by_links: NDArray[np.float64]
    ) -> FullScores:
        """The same for pages that only links speak of."""
        nothing, neutral = np.zeros(len(pages)), np.ones(len(pages))
        words = self._saturated(searcher, by_links)
        static = searcher.by_site(UNFETCHED, rows, searcher.static_of(pages))
        return FullScores(words, nothing, static, neutral, neutral, neutral)

    def worth(self, searcher: Searcher, said: Said) -> NDArray[np.float64]:
        """What links alone give to each page of which they say a word."""
        words = self._saturated(searcher, self.settings.anchors * said.frequencies)
        worth: NDArray[np.float64] = words.sum(axis=1)
        return worth

    def _saturated(self, searcher: Searcher, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
        k1 = (searcher.snapshot.weighting or DEFAULT).k1
        words: NDArray[np.float64] = self.weights() * frequencies / (k1 + frequencies)
        return words
