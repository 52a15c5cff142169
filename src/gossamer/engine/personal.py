"""What is known of the person who asks, as far as it counts for this query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gossamer.engine.locating import Locating
from gossamer.engine.preparing import Prepared
from gossamer.model import UNFETCHED, BadQuery, ByPlace, Query, SearchRequest, texts
from gossamer.query.parse import parse
from gossamer.search.condition import Located, Reading
from gossamer.search.expansion import analysers
from gossamer.search.feedback import NO_FEEDBACK, Feedback, gains
from gossamer.search.person import Person, context_of
from gossamer.search.phases import Ranked, Search
from gossamer.search.rescoring import summed_stats
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.search.simple import read_words
from gossamer.text.stopwords import telling
from gossamer.text.words import words

MOST_QUERIES = 5  # of the last ones that count
MOST_WORDS = 8  # of each


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
    context = _context(query, request, made, searchers) if request.context else NO_FEEDBACK
    if country is None and not context.terms and not request.sites:
        return made
    return replace(made, search=replace(search, person=Person(country, tuple(request.sites), context)))


def counted(search: Search, found: Ranked, request: SearchRequest, searchers: Sequence[Searcher]) -> Counted:
    """What changed a score among the best, so that the person can be told."""
    person, best = search.person, found.candidates[: found.refined]
    country, context = False, False
    for partition, segment, rows in best.by_segment():
        if segment == UNFETCHED:
            continue
        searcher, docs = searchers[partition], best.docs[rows]
        if person.country and not country:
            country = bool(np.any(searcher.belonging(segment, person.country)[docs]))
        if person.context.terms and not context:
            context = bool(np.any(gains(searcher, segment, docs, person.context)))
    named = search.settings.country if request.country is None else request.country
    return Counted(named.upper() if country else "", tuple(request.context[:MOST_QUERIES]) if context else ())


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
    query: Query, request: SearchRequest, made: Prepared, searchers: Sequence[Searcher]
) -> Feedback:
    """What the words of the last queries add that are not asked for anyway."""
    search, languages = made.search, tuple(sorted(made.spoken))
    known = {*search.plan.words, *(word for text in query.texts() for word in _readings(text.text, languages))}
    last = [
        [word for word in _readings(text, languages)[:MOST_WORDS] if word not in known]
        for text in map(_plain, request.context[:MOST_QUERIES])
    ]
    stats = summed_stats(searchers, dict.fromkeys(term for own in last for word in own for term in word))
    typed = sum(search.plan.emphasis) if search.plan.emphasis else len(search.plan.words)
    return context_of(last, stats, search.settings.context * typed)


def _plain(text: str) -> str:
    """The words that a query asked for; what cannot be read any more says nothing."""
    try:
        leaves = list(parse(text).leaves())
    except BadQuery:
        return ""
    return " ".join(one.text for leaf, wanted in leaves if wanted for one in texts(leaf))


def _readings(text: str, languages: tuple[str, ...]) -> list[Reading]:
    """The telling words of a text, each as its terms."""
    typed = words(text)
    own = [word for word, tells in zip(typed, telling(typed, languages), strict=True) if tells]
    return list(dict.fromkeys(read_words(own, analysers(languages))))
