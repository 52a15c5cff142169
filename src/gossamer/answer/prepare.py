"""Read a request: plan, user context, places, topic."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from gossamer.anchor_text.score import AnchorIndex
from gossamer.answer.gazetteer import AROUND, Gazetteer, around, country_code, of_country, valid_country
from gossamer.answer.index_reader import IndexReader, SearchableState
from gossamer.answer.spelling.correct import SpellingCorrector
from gossamer.graph.blend import (
    NONE,
    OF_A_QUERY,
    PARTS,
    TOPIC,
    Blend,
    blend_name,
    blend_of,
    preferring,
    requested_rank,
    topics_of,
)
from gossamer.index.segment import Snapshot
from gossamer.model import (
    MAX_RESULTS,
    UNFETCHED,
    BadQuery,
    ByPlace,
    In,
    Query,
    SearchOptions,
    Site,
    TermStats,
    Text,
    texts,
)
from gossamer.query.conditions import AtPlace
from gossamer.query.expansion import (
    Expansions,
    analysers,
    choose,
    gather,
    patterns_of,
)
from gossamer.query.planner import NO_EXPANSIONS, plan
from gossamer.query.synonyms import NO_SYNONYMS, Synonyms
from gossamer.query.syntax import host_of, parse
from gossamer.query.vocabulary import Vocabulary, known_compounds
from gossamer.scoring.feedback import BEST, NO_FEEDBACK, Feedback, feedback_from
from gossamer.scoring.personalisation import Reminders, UserContext, context_of
from gossamer.scoring.two_phase import RankedCandidates, TwoPhaseSearch
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.storage.files import WatchedFile
from gossamer.text.stopwords import telling
from gossamer.text.words import words

# Places named in a query
# -----------------------

REMEMBERED = 64  # places
NO_GAZETTEER = "near: searches for the name as a word; for a list of towns, install the extra places"


class PlaceResolver:
    """Resolve the places of queries. The gazetteer is read when a place is first asked for."""

    def __init__(self, gazetteer: Callable[[], Gazetteer | None] = lambda: None) -> None:
        self._gazetteer = gazetteer
        self._country = lru_cache(REMEMBERED)(lambda code: of_country(code, gazetteer()))
        self._town = lru_cache(REMEMBERED)(self._found_town)

    def country(self, code: str) -> AtPlace:
        """The pages of a country, by its two-letter code. Raises BadSetting if there is no such code."""
        return self._country(valid_country(code))

    def places(self, query: Query) -> Mapping[ByPlace, AtPlace]:
        """The pages of each place that a query names by an operator. Unknown places are left out."""
        asked = dict.fromkeys(leaf for leaf, _ in query.leaves() if isinstance(leaf, ByPlace))
        found = {place: self._located(place) for place in asked}
        return {place: located for place, located in found.items() if located is not None}

    def notes(self, query: Query) -> Iterator[str]:
        """Yield notes on which places are meant, and which are unknown."""
        for place in dict.fromkeys(leaf for leaf, _ in query.leaves() if isinstance(leaf, ByPlace)):
            if place.way == "country" and self._located(place) is None:
                yield f"there is no country named {place.name}"
            elif place.way == "near":
                yield self._town(place.name)[1]

    def _located(self, place: ByPlace) -> AtPlace | None:
        if place.way == "near":
            return self._town(place.name)[0]
        code = country_code(place.name)
        return self._country(code) if code else None

    def _found_town(self, name: str) -> tuple[AtPlace, str]:
        """The pages near a town, and a note on it."""
        known = self._gazetteer()
        if known is None:
            return AtPlace(sure=(name,)), NO_GAZETTEER
        found = around(name, known)
        if found is None:
            return AtPlace(sure=(name,)), f"no town is named {name}; near: searches for it as a word"
        town, pages = found
        region = f", {town.region}" if town.region else ""
        where = f"{town.name}{region}, {town.country_name}"
        return pages, f"near: pages that name {where}, or a town within {AROUND:.0f} km of it"


# Plan with summed statistics
# ---------------------------


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """A query, planned for the open index, and what it was planned with."""

    search: TwoPhaseSearch
    expansions: Expansions
    spoken: frozenset[str]  # the languages of the pages, and for `inanchor:` of the anchor texts
    vocabulary: Vocabulary


def plan_query(
    query: Query,
    vocabulary: Vocabulary,
    anchors: Sequence[AnchorIndex],
    settings: SearchSettings,
    synonyms: Synonyms,
    languages: Sequence[str],
    places: Mapping[ByPlace, AtPlace],
) -> PlannedQuery:
    """Plan a query for a user who prefers these languages; `places` are those that the query names."""
    anchored = texts_of_links(query)
    anchor_texts = [one.snapshot for one in anchors] if anchored else []
    spoken = vocabulary.languages.union(*(one.languages() for one in anchor_texts))
    expansions = _expansions(query, vocabulary.snapshots, anchored, anchor_texts, spoken)
    compounds = known_compounds(query, vocabulary, spoken, settings.compounds)
    wanted = plan(query, spoken, expansions, compounds, synonyms, settings.synonyms, places)
    stats = vocabulary.stats(wanted.terms)
    wanted = wanted.of_known(_held(stats, anchors))
    search = TwoPhaseSearch(
        wanted, stats, settings.scheme, settings.algorithm, settings, time.time(), tuple(anchors)
    )
    if len(spoken) > 1:
        search = search.towards(vocabulary.spoken, languages)
    return PlannedQuery(search, expansions, spoken, vocabulary)


def _held(stats: TermStats, anchors: Sequence[AnchorIndex]) -> Mapping[str, int]:
    """How many pages have each term, plus how many anchor texts have it."""
    held = stats.frequencies
    if not anchors:
        return held
    in_links = [one.vocabulary.stats(held).frequencies for one in anchors]
    return {term: count + sum([own[term] for own in in_links]) for term, count in held.items()}


def has_texts(query: Query) -> bool:
    """Whether a query has any text; if not, anchor text is not needed."""
    return any(texts(leaf) for leaf, _ in query.leaves())


def texts_of_links(query: Query) -> list[Text]:
    """The texts of `inanchor:`, excluded ones included."""
    leaves = (leaf for leaf, _ in query.leaves())
    return [leaf.text for leaf in leaves if isinstance(leaf, In) and leaf.part == "anchor"]


def _expansions(
    query: Query,
    snapshots: Sequence[Snapshot],
    anchored: Sequence[Text],
    anchors: Sequence[Snapshot],
    languages: frozenset[str],
) -> Expansions:
    """The words that match `prefix*` and `fuzzy~` in pages and in anchor text, over all partitions."""
    patterns = patterns_of(query.texts(), languages)
    if not patterns:
        return NO_EXPANSIONS
    in_links = patterns_of(anchored, languages)
    gathered = [gather(one, patterns) for one in snapshots]
    return choose([*gathered, *(gather(one, in_links) for one in anchors)])


# User context of a request
# -------------------------

MOST_QUERIES = 3  # earlier queries that count
CANDIDATES = 30  # pages that get a full score for an earlier query


def personal_factors_used(prepared: PreparedQuery, found: RankedCandidates) -> tuple[str, tuple[str, ...]]:
    """The country ("" if it did not) and the earlier queries that changed a score among the best results."""
    search, options = prepared.search, prepared.options
    person, country = search.person, False
    if not person.country and not person.context.terms:
        return "", ()
    terms: set[str] = set()  # terms of the context that raise the score of a page
    best = found.candidates[: found.rescored]
    for partition, segment, rows in best.by_segment():
        if segment == UNFETCHED:
            continue
        searcher, docs = prepared.searchers[partition], best.docs[rows]
        if person.country and not country:
            country = bool(np.any(searcher.belonging(segment, person.country)[docs]))
        if person.context.terms:
            gained = np.flatnonzero(person.context.gains(searcher, segment, docs).any(axis=0))
            terms.update([person.context.terms[number] for number in gained.tolist()])
    named = search.settings.country if options.country is None else options.country
    context = tuple(text for text, own in person.reminders if not terms.isdisjoint(own))
    return (named.upper() if country else ""), context


def _hosts(typed: Iterable[str]) -> tuple[str, ...]:
    """Read preferred sites as `site:` does, also from addresses; skip what cannot be a host."""
    hosts = []
    for one in typed:
        with suppress(ValueError):
            hosts.append(host_of(one.strip()))
    return tuple(hosts)


def _parsed(text: str) -> Query | None:
    """Parse an earlier query; None if that fails."""
    try:
        return parse(text)
    except BadQuery:
        return None


def _terms(query: Query, languages: tuple[str, ...]) -> frozenset[str]:
    """The index terms of the words of a query, without function words."""
    typed = words(" ".join(one.text for leaf, wanted in query.leaves() if wanted for one in texts(leaf)))
    own = [word for word, tells in zip(typed, telling(typed, languages), strict=True) if tells]
    return frozenset(term for word in analysers(languages).read_all(own) for term in word)


# Guess the topic of a query
# --------------------------
#
# A page belongs to the topic that gives it the highest topic-sensitive PageRank, if that is at least twice
# its ordinary PageRank. The weight of a topic is its share of the best pages, rounded to quarters. The
# ordinary rank has the rest of the weight. T. Haveliwala, "Topic-sensitive PageRank", WWW 2002, weighs
# topics by the words of their pages instead.

TOPIC_PAGES = 30  # the best pages, from which the topic is guessed
FEWEST = 5  # with fewer pages, no topic is guessed
BELONGS = 2.0  # times its ordinary PageRank
SURE = 0.5  # the least share of the pages that must belong to topics


@dataclass(frozen=True, slots=True)
class TopicGuess:
    """The guessed topics of a query, as a blend of ranks."""

    blend: Blend
    note: str  # shown with an explanation


def classify_topic(opened: SearchableState, search: TwoPhaseSearch, rank: str) -> TopicGuess | None:
    """Guess the topics of a query; the given link rank gets the weight that is left.

    Return None if that is uncertain, or if fewer than two topics are defined.
    """
    generation = opened.generation
    if generation is None or rank in OF_A_QUERY or not search.plan.ranks:
        return None
    names = [name for name in generation.ranks if name.startswith(TOPIC)]
    if len(names) < 2:
        return None
    by_words = replace(search, settings=replace(search.settings, rerank_depth=0), anchors=())
    found = by_words.ranked(opened.ranked_by(blend_of(rank)), TOPIC_PAGES)
    pages = found.candidates.pages[:TOPIC_PAGES]
    if len(pages) < FEWEST:
        return None
    common = np.maximum(generation.lookup("pagerank", pages), 1e-300)
    lifted = np.array([generation.lookup(name, pages) / common for name in names])
    most = lifted.argmax(axis=0)
    counts = np.bincount(most[lifted.max(axis=0) >= BELONGS], minlength=len(names))
    return _blended(dict(zip(names, counts.tolist(), strict=True)), len(pages), rank)


def _blended(counts: dict[str, int], looked_at: int, rest: str) -> TopicGuess | None:
    """Blend the topics whose share rounds to a quarter or more, if enough pages belong to topics."""
    if sum(counts.values()) < SURE * looked_at:
        return None
    parts = {name: round(PARTS * count / looked_at) for name, count in counts.items()}
    parts = {name: part for name, part in sorted(parts.items(), key=lambda one: -one[1]) if part}
    if not parts or sum(parts.values()) > PARTS:
        return None
    left = PARTS - sum(parts.values())
    blend = (*parts.items(), *(((rest, left),) if left and rest != NONE else ()))
    return TopicGuess(
        blend, _topic_note({name.removeprefix(TOPIC): counts[name] for name in parts}, looked_at)
    )


def _topic_note(counts: dict[str, int], looked_at: int) -> str:
    """Explain a guess by the number of pages of each topic.

    >>> _topic_note({"cats": 12, "ships": 8}, 30)
    'ranked for the topics cats and ships: 20 of the best 30 pages belong to them'
    """
    noun = "topic" if len(counts) == 1 else "topics"
    them = "it" if len(counts) == 1 else "them"
    belong = f"{sum(counts.values())} of the best {looked_at} pages belong to {them}"
    return f"ranked for the {noun} {' and '.join(counts)}: {belong}"


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A request, read and planned for one state of the index."""

    text: str  # as typed
    options: SearchOptions
    query: Query
    opened: SearchableState
    link_rank: str
    planned: PlannedQuery
    guess: TopicGuess | None
    preferred_topic: str  # the user's, or "" if it does not count
    searchers: Sequence[Searcher]

    @property
    def search(self) -> TwoPhaseSearch:
        return self.planned.search

    @property
    def terms(self) -> frozenset[str]:
        """The index terms of the query."""
        return frozenset(self.search.plan.terms + self.search.plan.also)

    @property
    def depth(self) -> int:
        """How many results must be found."""
        return min(self.options.offset + self.options.k, MAX_RESULTS)

    @property
    def as_found(self) -> bool:
        """Whether results are listed as they are found, without a limit per host and without folding."""
        return self.options.everything or self.options.newest_first

    @property
    def of_one_site(self) -> bool:
        return any(wanted and isinstance(leaf, Site) for leaf, wanted in self.query.leaves())

    @property
    def ranked_by(self) -> str:
        if self.preferred_topic:
            return blend_name(preferring(self.preferred_topic, self.link_rank))
        return blend_name(self.guess.blend) if self.guess else self.link_rank


@dataclass(frozen=True, slots=True, eq=False)
class RequestReader:
    """Read and plan requests."""

    _newest: IndexReader
    _settings: SearchSettings
    _thesaurus: WatchedFile[Synonyms] | None
    resolver: PlaceResolver

    def prepare(self, text: str, options: SearchOptions) -> PreparedQuery:
        """Read a query and plan it for the newest state of the index."""
        query = parse(text)
        opened = self._newest.opened(has_texts(query))
        rank = requested_rank(options.rank, options.topic, opened.rank)
        planned = self._planned(query, opened, rank, options)
        topic, guess = "", None
        if not (options.rank or options.topic):
            topic = _preferred(options.preferred_topic, rank, opened)
            if self._settings.guess_topics and not topic:
                guess = classify_topic(opened, planned.search, rank)
        searchers = opened.ranked_by(_blend(rank, topic, guess))
        return PreparedQuery(text, options, query, opened, rank, planned, guess, topic, searchers)

    def spelling(self, prepared: PreparedQuery) -> SpellingCorrector:
        """The spelling corrector for a query. It counts results without anchor text and synonyms."""
        searchers = prepared.opened.searchers

        def count(query: Query) -> int:
            places = self.resolver.places(query)
            made = plan_query(query, prepared.opened.vocabulary, (), self._settings, NO_SYNONYMS, (), places)
            return made.search.count(searchers)

        return SpellingCorrector(prepared.opened.vocabulary, prepared.planned.spoken, count)

    def _planned(
        self, query: Query, opened: SearchableState, rank: str, options: SearchOptions
    ) -> PlannedQuery:
        settings = self._settings
        if options.scheme or options.algorithm:
            settings = replace(
                settings,
                scheme=options.scheme or settings.scheme,
                algorithm=options.algorithm or settings.algorithm,
            )
        synonyms = self._thesaurus.content() if self._thesaurus else NO_SYNONYMS
        anchors = opened.anchors if has_texts(query) else ()
        searchers, places = opened.ranked_by(blend_of(rank)), self.resolver.places(query)
        made = plan_query(query, opened.vocabulary, anchors, settings, synonyms, options.languages, places)
        if opened.graph is not None and blend_of(rank):
            graph = opened.graph
            made = replace(made, search=replace(made.search, links=lambda: graph.links_between))
        return self._personalised(made, query, options, searchers)

    # User context

    def _personalised(
        self, made: PlannedQuery, query: Query, options: SearchOptions, searchers: Sequence[Searcher]
    ) -> PlannedQuery:
        """Add the user context of a request to a planned query, if there is any."""
        search = made.search
        if not search.rescoring_depth:
            return made
        country = self._country(query, options)
        reminds = options.context and self._settings.context_boost
        context, reminders = self._context(query, options, made, searchers) if reminds else (NO_FEEDBACK, ())
        sites = _hosts(options.sites)
        if country is None and not context.terms and not sites:
            return made
        return replace(made, search=replace(search, person=UserContext(country, sites, context, reminders)))

    def _country(self, query: Query, options: SearchOptions) -> AtPlace | None:
        """The user's country, unless the query names a place."""
        code = self._settings.country if options.country is None else options.country
        if not code or not self._settings.country_strength:
            return None
        if any(isinstance(leaf, ByPlace) for leaf, _ in query.leaves()):
            return None
        return self.resolver.country(code)

    def _context(
        self, query: Query, options: SearchOptions, made: PlannedQuery, searchers: Sequence[Searcher]
    ) -> tuple[Feedback, Reminders]:
        """Feedback from the last queries that asked for something else; also each of them with its terms."""
        languages = tuple(sorted(made.spoken))
        asked = {*made.search.plan.terms, *_terms(query, languages)}
        last = filter(None, map(_parsed, options.context[:MOST_QUERIES]))
        others = [one for one in last if not asked.issuperset(_terms(one, languages))]
        found = [self._reminder(one, made, searchers) for one in others]
        named = tuple((one.text, own.terms) for one, own in zip(others, found, strict=True))
        return context_of(found, asked), named

    def _reminder(self, query: Query, made: PlannedQuery, searchers: Sequence[Searcher]) -> Feedback:
        """Relevance feedback from the best pages for an earlier query."""
        quick = replace(made.search.settings, rerank_depth=CANDIDATES, feedback=0.0, exact_form_boost=0.0)
        places = self.resolver.places(query)
        search = plan_query(query, made.vocabulary, (), quick, NO_SYNONYMS, (), places).search
        found = search.ranked(searchers, BEST)
        scores, best = found.scores[:BEST].tolist(), list(found.candidates[:BEST])
        if not best or not search.plan.ranks or scores[0] <= 0:
            return NO_FEEDBACK
        return feedback_from(searchers, [one.address for one in best], scores, 1.0)


def _preferred(topic: str, rank: str, opened: SearchableState) -> str:
    """The user's preferred topic; "" if it does not exist, or if the link rank is not a stored one."""
    return topic if blend_of(rank) and topic in topics_of(opened.generation) else ""


def _blend(rank: str, topic: str, guess: TopicGuess | None) -> Blend:
    if topic:
        return preferring(topic, rank)
    return guess.blend if guess else blend_of(rank)
