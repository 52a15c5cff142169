"""Read a request: plan, user context, places, topic."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from gossamer.anchor_text.score import AnchorIndex
from gossamer.answer.index_reader import Newest, Opened
from gossamer.answer.spelling.correct import Spelling
from gossamer.graph.blend import (
    NONE,
    OF_A_QUERY,
    PARTS,
    TOPIC,
    Blend,
    blend_of,
    chosen,
    preferring,
    topics_of,
    written,
)
from gossamer.graph.generation import Generation
from gossamer.index.segment import Snapshot
from gossamer.model import (
    UNFETCHED,
    BadQuery,
    BadSetting,
    ByPlace,
    In,
    Query,
    SearchRequest,
    Site,
    TermStats,
    Text,
    texts,
)
from gossamer.query.conditions import Located
from gossamer.query.expansion import (
    Expansions,
    analysers,
    choose,
    gather,
    patterns_in,
    patterns_of,
    read_words,
)
from gossamer.query.planner import NO_EXPANSIONS, plan
from gossamer.query.synonyms import NO_SYNONYMS, Synonyms, Thesaurus
from gossamer.query.syntax import host_of, parse
from gossamer.query.vocabulary import Wordbook, known_compounds
from gossamer.scoring.feedback import BEST, NO_FEEDBACK, Feedback, feedback_from
from gossamer.scoring.personalisation import Person, Reminders, context_of
from gossamer.scoring.two_phase import Ranked, Search
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.stopwords import telling
from gossamer.text.words import words

if TYPE_CHECKING:
    from gossamer.answer.gazetteer import Gazetteer, PlaceNames


# Places named in a query
# -----------------------

REMEMBERED = 64  # places
NO_GAZETTEER = "near: knows no places here; it takes the name as a word (towns come with the extra places)"


class Locating:
    """Places by their names. The gazetteer is read with the first that is asked for."""

    def __init__(self, gazetteer: Callable[[], Gazetteer | None] = lambda: None) -> None:
        self._gazetteer = gazetteer
        self._country = lru_cache(REMEMBERED)(self._found_country)
        self._town = lru_cache(REMEMBERED)(self._found_town)

    def country(self, code: str) -> Located | None:
        """What belongs to a country, by its two letters; raises BadSetting where these are none's."""
        from gossamer.answer.gazetteer import country_code

        if not code:
            return None
        known = country_code(code) if len(code) == len("dk") else None
        if known is None:
            raise BadSetting(f"there is no country {code!r}; write its two letters, such as dk")
        return self._country(known)

    def places(self, query: Query) -> Mapping[ByPlace, Located]:
        """What belongs to each place that a query names by an operator; unknown ones are left out."""
        asked = dict.fromkeys(leaf for leaf, _ in query.leaves() if isinstance(leaf, ByPlace))
        found = {place: self._located(place) for place in asked}
        return {place: located for place, located in found.items() if located is not None}

    def notes(self, query: Query) -> Iterator[str]:
        """Which places are meant, and which nobody knows."""
        for place in dict.fromkeys(leaf for leaf, _ in query.leaves() if isinstance(leaf, ByPlace)):
            if place.way == "country" and self._located(place) is None:
                yield f"no country is known by the name {place.name}"
            elif place.way == "near":
                yield self._town(place.name)[1]

    def _located(self, place: ByPlace) -> Located | None:
        from gossamer.answer.gazetteer import country_code

        if place.way == "near":
            return self._town(place.name)[0]
        code = country_code(place.name)
        return self._country(code) if code else None

    def _found_country(self, code: str) -> Located:
        from gossamer.answer.gazetteer import of_country

        return _located(of_country(code, self._gazetteer()))

    def _found_town(self, name: str) -> tuple[Located, str]:
        """What is near a town, and what is to be said of it."""
        from gossamer.answer.gazetteer import AROUND, around

        known = self._gazetteer()
        if known is None:
            return Located(sure=(name,)), NO_GAZETTEER
        found = around(name, known)
        if found is None:
            return Located(sure=(name,)), f"no town is known by the name {name}; near: takes it as a word"
        town, names = found
        region = f", {town.region}" if town.region else ""
        where = f"{town.name}{region}, {town.country_name}"
        return _located(names), f"near: pages that name {where}, or a town within {AROUND:.0f} km of it"


def _located(names: PlaceNames) -> Located:
    return Located(names.hosts, names.sure, names.unsure, names.company, names.company_hosts, names.towns)


# Plan with summed statistics
# ---------------------------


@dataclass(frozen=True, slots=True)
class Prepared:
    """A query as it is asked of the partitions."""

    search: Search
    expansions: Expansions
    spoken: frozenset[str]  # the languages of pages, and of texts of links where these are asked for
    wordbook: Wordbook  # by which it was planned


def prepared(
    query: Query,
    wordbook: Wordbook,
    anchors: Sequence[AnchorIndex],
    settings: SearchSettings,
    synonyms: Synonyms,
    languages: Sequence[str],
    places: Mapping[ByPlace, Located],
) -> Prepared:
    """Plans a query for a person who prefers these languages; scheme and algorithm are the settings'.

    `places` has what belongs to the places that it names by operators.
    """
    anchored = texts_of_links(query)
    said = [one.snapshot for one in anchors] if anchored else []
    spoken = wordbook.languages.union(*(one.languages() for one in said))
    expansions = _expansions(query, wordbook.snapshots, anchored, said, spoken)
    compounds = known_compounds(query, wordbook, spoken, settings.compounds)
    wanted = plan(query, spoken, expansions, compounds, synonyms, settings.synonyms, places)
    stats = wordbook.stats(wanted.terms)
    wanted = wanted.of_known(_held(stats, anchors))
    search = Search(wanted, stats, settings.scheme, settings.algorithm, settings, time.time(), tuple(anchors))
    if len(spoken) > 1:
        search = search.towards(wordbook.spoken, languages)
    return Prepared(search, expansions, spoken, wordbook)


def _held(stats: TermStats, anchors: Sequence[AnchorIndex]) -> Mapping[str, int]:
    """How many pages hold each term, and how many texts of links to them: something may hold it in either."""
    held = stats.frequencies
    if not anchors:
        return held
    said = [one.wordbook.stats(held).frequencies for one in anchors]
    return {term: count + sum([own[term] for own in said]) for term, count in held.items()}


def has_texts(query: Query) -> bool:
    """Whether any text is asked for: else links say nothing to it."""
    return any(texts(leaf) for leaf, _ in query.leaves())


def texts_of_links(query: Query) -> list[Text]:
    """The texts that links should say, or should not."""
    leaves = (leaf for leaf, _ in query.leaves())
    return [leaf.text for leaf in leaves if isinstance(leaf, In) and leaf.part == "anchor"]


def _expansions(
    query: Query,
    snapshots: Sequence[Snapshot],
    anchored: Sequence[Text],
    anchors: Sequence[Snapshot],
    languages: frozenset[str],
) -> Expansions:
    """What `prefix*` and `fuzzy~` stand for, in pages and in links, the same for all partitions."""
    patterns = patterns_of(query, languages)
    if not patterns:
        return NO_EXPANSIONS
    in_links = patterns_in(anchored, languages)
    gathered = [gather(one, patterns) for one in snapshots]
    return choose([*gathered, *(gather(one, in_links) for one in anchors)])


# User context of a request
# -------------------------

MOST_QUERIES = 3  # of the last ones that count
CANDIDATES = 30  # of which an earlier query takes the best


@dataclass(frozen=True, slots=True)
class Counted:
    """What of the person counted in a search."""

    country: str = ""
    context: tuple[str, ...] = ()


def personal(
    made: Prepared, query: Query, request: SearchRequest, searchers: Sequence[Searcher], locating: Locating
) -> Prepared:
    """The prepared search for the person of a request; the same where nothing is known of them."""
    search = made.search
    if not search.refined:
        return made
    country = _country(query, request, search.settings, locating)
    reminds = request.context and search.settings.context
    context, said = _context(query, request, made, searchers, locating) if reminds else (NO_FEEDBACK, ())
    sites = _hosts(request.sites)
    if country is None and not context.terms and not sites:
        return made
    return replace(made, search=replace(search, person=Person(country, sites, context, said)))


def counted(search: Search, found: Ranked, request: SearchRequest, searchers: Sequence[Searcher]) -> Counted:
    """What changed a score among the best, so that the person can be told."""
    person, country = search.person, False
    if not person.country and not person.context.terms:
        return Counted()
    terms: set[str] = set()  # of the context, those that some page gains by
    best = found.candidates[: found.refined]
    for partition, segment, rows in best.by_segment():
        if segment == UNFETCHED:
            continue
        searcher, docs = searchers[partition], best.docs[rows]
        if person.country and not country:
            country = bool(np.any(searcher.belonging(segment, person.country)[docs]))
        if person.context.terms:
            gained = np.flatnonzero(person.context.gains(searcher, segment, docs).any(axis=0))
            terms.update([person.context.terms[number] for number in gained.tolist()])
    named = search.settings.country if request.country is None else request.country
    context = tuple(text for text, own in person.reminders if not terms.isdisjoint(own))
    return Counted(named.upper() if country else "", context)


def _hosts(typed: Iterable[str]) -> tuple[str, ...]:
    """Preferred sites as `site:` reads them, pasted addresses too; what cannot be a host is passed over."""
    hosts = []
    for one in typed:
        with suppress(ValueError):
            hosts.append(host_of(one.strip()))
    return tuple(hosts)


def _country(
    query: Query, request: SearchRequest, settings: SearchSettings, locating: Locating
) -> Located | None:
    """Who asks for a place means that one, wherever they are."""
    code = settings.country if request.country is None else request.country
    if not code or not settings.country_strength:
        return None
    if any(isinstance(leaf, ByPlace) for leaf, _ in query.leaves()):
        return None
    return locating.country(code)


def _context(
    query: Query, request: SearchRequest, made: Prepared, searchers: Sequence[Searcher], locating: Locating
) -> tuple[Feedback, Reminders]:
    """What the last queries remind of, where they asked for something else, and of what each does."""
    search, languages = made.search, tuple(sorted(made.spoken))
    asked = {*search.plan.terms, *_terms(query, languages)}
    last = filter(None, map(_parsed, request.context[:MOST_QUERIES]))
    others = [one for one in last if not asked.issuperset(_terms(one, languages))]
    reminders = [_reminder(one, made.wordbook, searchers, search.settings, locating) for one in others]
    said = tuple((one.text, own.terms) for one, own in zip(others, reminders, strict=True))
    return context_of(reminders, asked), said


def _reminder(
    query: Query,
    wordbook: Wordbook,
    searchers: Sequence[Searcher],
    settings: SearchSettings,
    locating: Locating,
) -> Feedback:
    """What the best pages for an earlier query have in common."""
    quick = replace(settings, second_phase=CANDIDATES, feedback=0.0, exact=0.0)
    search = prepared(query, wordbook, (), quick, NO_SYNONYMS, (), locating.places(query)).search
    found = search.ranked(searchers, BEST)
    scores, best = found.scores[:BEST].tolist(), list(found.candidates[:BEST])
    if not best or not search.plan.ranks or scores[0] <= 0:
        return NO_FEEDBACK
    return feedback_from(searchers, [one.address for one in best], scores, 1.0)


def _parsed(text: str) -> Query | None:
    """An earlier query; None for what cannot be read."""
    try:
        return parse(text)
    except BadQuery:
        return None


def _terms(query: Query, languages: tuple[str, ...]) -> frozenset[str]:
    """The telling words of a query, as the index knows them."""
    typed = words(" ".join(one.text for leaf, wanted in query.leaves() if wanted for one in texts(leaf)))
    own = [word for word, tells in zip(typed, telling(typed, languages), strict=True) if tells]
    return frozenset(term for word in read_words(own, analysers(languages)) for term in word)


# Guess the topic of a query
# --------------------------
#
# A page belongs to the topic whose PageRank lifts it most above its common one, if that at least
# doubles it. A topic counts in quarters, by its share of the best pages; the rest is left to the
# common rank. T. Haveliwala, "Topic-sensitive PageRank", WWW 2002, weighs topics by the words of
# their pages instead.

TOPIC_PAGES = 30  # pages by which the topic is guessed
FEWEST = 5  # pages that say anything
BELONGS = 2.0  # times its common PageRank
SURE = 0.5  # of the best pages belong to topics


@dataclass(frozen=True, slots=True)
class Guess:
    """Topics that a query means, and how sure that is."""

    blend: Blend
    said: str


def guessed(generation: Generation, search: Search, searchers: Sequence[Searcher], rest: str) -> Guess | None:
    """The topics of a query, with the rank `rest` for what belongs to none.

    None where it is not sure that it has any, or fewer than two are defined.
    """
    names = [name for name in generation.ranks if name.startswith(TOPIC)]
    if len(names) < 2 or not search.plan.ranks:
        return None
    by_words = replace(search, settings=replace(search.settings, second_phase=0), anchors=())
    pages = by_words.ranked(searchers, TOPIC_PAGES).candidates.pages[:TOPIC_PAGES]
    if len(pages) < FEWEST:
        return None
    common = np.maximum(generation.lookup("pagerank", pages), 1e-300)
    lifted = np.array([generation.lookup(name, pages) / common for name in names])
    most = lifted.argmax(axis=0)
    counts = np.bincount(most[lifted.max(axis=0) >= BELONGS], minlength=len(names))
    return _blended(dict(zip(names, counts.tolist(), strict=True)), len(pages), rest)


def _blended(counts: dict[str, int], looked_at: int, rest: str) -> Guess | None:
    """The topics that have a quarter of the pages or nearly, if the pages of all topics are many enough."""
    if sum(counts.values()) < SURE * looked_at:
        return None
    parts = {name: round(PARTS * count / looked_at) for name, count in counts.items()}
    parts = {name: part for name, part in sorted(parts.items(), key=lambda one: -one[1]) if part}
    if not parts or sum(parts.values()) > PARTS:
        return None
    left = PARTS - sum(parts.values())
    blend = (*parts.items(), *(((rest, left),) if left and rest != NONE else ()))
    return Guess(blend, _said({name.removeprefix(TOPIC): counts[name] for name in parts}, looked_at))


def _said(counts: dict[str, int], looked_at: int) -> str:
    """
    >>> _said({"cats": 12, "ships": 8}, 30)
    'taken for the topics cats and ships, to which 20 of the best 30 pages belong'
    """
    noun = "topic" if len(counts) == 1 else "topics"
    belong = f"to which {sum(counts.values())} of the best {looked_at} pages belong"
    return f"taken for the {noun} {' and '.join(counts)}, {belong}"


DEEPEST = 1000  # results that can be paged through


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, read and prepared for what was open when it came."""

    request: SearchRequest
    query: Query
    opened: Opened
    by: str  # the rank by which links count
    prepared: Prepared
    guess: Guess | None  # of the topic
    preferred_topic: str  # of the person, where it counts
    searchers: Sequence[Searcher]

    @property
    def search(self) -> Search:
        return self.prepared.search

    @property
    def depth(self) -> int:
        """How many results must be known."""
        return min(self.request.offset + self.request.k, DEEPEST)

    @property
    def as_found(self) -> bool:
        """Whether nothing is put off or folded."""
        return self.request.everything or self.request.newest_first

    @property
    def of_one_site(self) -> bool:
        return any(wanted and isinstance(leaf, Site) for leaf, wanted in self.query.leaves())

    @property
    def ranked_by(self) -> str:
        if self.preferred_topic:
            return written(preferring(self.preferred_topic, self.by))
        return written(self.guess.blend) if self.guess else self.by


class Asking:
    """Reads requests."""

    def __init__(
        self,
        newest: Newest,
        settings: SearchSettings,
        thesaurus: Thesaurus | None,
        locating: Locating,
    ) -> None:
        self.locating = locating
        self._newest = newest
        self._settings = settings
        self._thesaurus = thesaurus

    def asked(self, request: SearchRequest) -> Asked:
        """What is asked for of what is newest."""
        query = parse(request.text)
        opened = self._newest.opened(has_texts(query))
        by = chosen(request.rank, request.topic, opened.rank)
        wanted = self._prepared(query, opened, by, request)
        named = bool(request.rank or request.topic)
        topic = "" if named else _preferred(request.preferred_topic, by, opened)
        guess = None if named or topic else self._guess(by, opened, wanted.search)
        searchers = opened.ranked_by(_blend(by, topic, guess))
        return Asked(request, query, opened, by, wanted, guess, topic, searchers)

    def spelling(self, asked: Asked) -> Spelling:
        """What knows better spellings of a query; they are counted without links and synonyms."""
        searchers = asked.opened.searchers

        def count(query: Query) -> int:
            places = self.locating.places(query)
            made = prepared(query, asked.opened.wordbook, (), self._settings, NO_SYNONYMS, (), places)
            return made.search.count(searchers)

        return Spelling(asked.opened.wordbook, asked.prepared.spoken, count)

    def _prepared(self, query: Query, opened: Opened, by: str, request: SearchRequest) -> Prepared:
        settings = self._settings
        if request.scheme or request.algorithm:
            settings = replace(
                settings,
                scheme=request.scheme or settings.scheme,
                algorithm=request.algorithm or settings.algorithm,
            )
        synonyms = self._thesaurus.synonyms() if self._thesaurus else NO_SYNONYMS
        anchors = opened.anchors if has_texts(query) else ()
        searchers, places = opened.ranked_by(blend_of(by)), self.locating.places(query)
        made = prepared(query, opened.wordbook, anchors, settings, synonyms, request.languages, places)
        if opened.graph is not None and blend_of(by):
            graph = opened.graph
            made = replace(made, search=replace(made.search, links=lambda: graph.links_between))
        return personal(made, query, request, searchers, self.locating)

    def _guess(self, by: str, opened: Opened, search: Search) -> Guess | None:
        """The topic that the query means, where nobody named a rank."""
        if by in OF_A_QUERY or not self._settings.guess_topics or opened.generation is None:
            return None
        return guessed(opened.generation, search, opened.ranked_by(blend_of(by)), by)


def _preferred(topic: str, by: str, opened: Opened) -> str:
    """The topic of the person, where there is one of that name, and links count by what is stored."""
    return topic if blend_of(by) and topic in topics_of(opened.generation) else ""


def _blend(by: str, topic: str, guess: Guess | None) -> Blend:
    if topic:
        return preferring(topic, by)
    return guess.blend if guess else blend_of(by)
