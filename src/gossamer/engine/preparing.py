"""What does a query ask of all partitions? The same of each, with statistics summed over all of them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gossamer.index.snapshot import Snapshot
from gossamer.model import ByPlace, In, Query, TermStats, Text, texts
from gossamer.search.anchors import AnchorIndex
from gossamer.search.compounds import known_compounds
from gossamer.search.condition import Located
from gossamer.search.expansion import Expansions, choose, gather, patterns_in, patterns_of
from gossamer.search.phases import Search
from gossamer.search.planner import NO_EXPANSIONS, plan
from gossamer.search.settings import SearchSettings
from gossamer.search.wordbook import Wordbook
from gossamer.text.synonyms import Synonyms


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
