"""What is known of the person who asks, as far as it counts for this query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from gossamer.engine.locating import Locating
from gossamer.engine.preparing import Prepared, prepared
from gossamer.model import UNFETCHED, BadQuery, ByPlace, Query, SearchRequest, texts
from gossamer.query.fields import host_of
from gossamer.query.parse import parse
from gossamer.search.condition import Located
from gossamer.search.expansion import analysers
from gossamer.search.feedback import BEST, NO_FEEDBACK, Feedback, feedback_of
from gossamer.search.page_terms import strongest_terms
from gossamer.search.person import Person, Reminders, context_of
from gossamer.search.phases import Ranked, Search
from gossamer.search.rescoring import summed_stats
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.search.simple import read_words
from gossamer.search.wordbook import Wordbook
from gossamer.text.stopwords import telling
from gossamer.text.synonyms import NO_SYNONYMS
from gossamer.text.words import words

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
    pages = [strongest_terms(searchers[one.address.partition], one.address) for one in best]
    stats = summed_stats(searchers, dict.fromkeys(term for page in pages for term in page))
    return feedback_of(pages, scores, stats, 1.0)


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
