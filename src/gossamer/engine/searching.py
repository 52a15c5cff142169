"""Answers queries over all partitions: statistics first, then each partition, then the merge."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from gossamer.engine.arranging import Arranged, arranged, as_ranked, without
from gossamer.engine.blending import OF_A_QUERY, blend_of, chosen, written
from gossamer.engine.distilling import Distilled
from gossamer.engine.hits import Hits
from gossamer.engine.link_queries import by_likeness
from gossamer.engine.newest import AnchorsFolder, Newest, Opened
from gossamer.engine.thesaurus import Thesaurus
from gossamer.engine.topic_guess import guessed
from gossamer.index.index import Index
from gossamer.index.near import forms_near
from gossamer.index.snapshot import Snapshot
from gossamer.model import UNFETCHED, ByLinks, In, Query, ResultPage, Site, TermStats, Text, Word, texts
from gossamer.query.parse import parse
from gossamer.results.spelling import did_you_mean
from gossamer.search.compounds import known_compounds
from gossamer.search.expansion import (
    Expansions,
    analysers,
    choose,
    forms_alike,
    gather,
    patterns_in,
    patterns_of,
)
from gossamer.search.phases import Ranked, Search
from gossamer.search.planner import NO_EXPANSIONS, plan
from gossamer.search.rescoring import summed_stats
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.search.topk import AUTO, EXACT
from gossamer.text.synonyms import NO_SYNONYMS
from gossamer.text.words import words

NOT_RANKED = "links count for nothing yet; run: gossamer rank"
DEEPEST = 1000  # results that can be paged through

NeverFetched = Callable[[Sequence[int]], dict[int, str]]  # the addresses of those pages that still are not


class Searching:
    """Searches what is on the disk now; notices new commits and new ranks by itself."""

    def __init__(
        self,
        indexes: Sequence[Index],
        graph_folder: Path | None,
        settings: SearchSettings,
        anchors_folders: Sequence[AnchorsFolder] = (),
        never_fetched: Sequence[NeverFetched] = (),
        thesaurus: Thesaurus | None = None,
    ) -> None:
        self._thesaurus = thesaurus
        self._settings = settings
        self._never_fetched = never_fetched
        self._newest = Newest(indexes, graph_folder, settings, anchors_folders)

    def search(
        self,
        text: str,
        k: int = 10,
        offset: int = 0,
        scheme: str | None = None,
        algorithm: str | None = None,
        explain: bool = False,
        everything: bool = False,
        languages: Sequence[str] = (),
        snippets: bool = True,
        rank: str | None = None,
        topic: str | None = None,
    ) -> ResultPage:
        """The results from `offset` on, at most k, for a person who prefers these languages.

        `everything` lists them by score alone: one host may fill the page, and nothing is folded.
        Without `snippets` they are listed much sooner, for one who only wants to know which they are.
        Links count by a `rank`, or by that of a `topic`.
        """
        begun = time.perf_counter()
        query = parse(text)
        anchored = _anchored(query)
        by = chosen(rank, topic, self._settings.rank)
        has_words = any(texts(leaf) for leaf, _ in query.leaves())
        opened = self._newest.opened(has_words)
        searchers: Sequence[Searcher] = opened.ranked_by(blend_of(by))
        anchors = opened.anchors if has_words else ()
        snapshots = [one.snapshot for one in searchers]
        said = [one.snapshot for one in anchors] if anchored else []
        spoken = {name for one in [*snapshots, *said] for name in one.languages()}
        expansions = _expansions(query, snapshots, anchored, said, spoken)
        synonyms = self._thesaurus.synonyms() if self._thesaurus else NO_SYNONYMS
        compounds = known_compounds(query, snapshots, spoken, self._settings.compounds)
        wanted = plan(query, spoken, expansions, compounds, synonyms, self._settings.synonyms)
        stats = summed_stats(searchers, wanted.terms)
        search = Search(
            wanted,
            stats,
            scheme or self._settings.scheme,
            algorithm or self._settings.algorithm,
            self._settings,
            time.time(),
            anchors,
        )
        if len(spoken) > 1:
            search = search.towards(sum((one.spoken() for one in snapshots), Counter[str]()), languages)
        guess = None
        if not (rank or topic) and by not in OF_A_QUERY and self._settings.guess_topics and opened.generation:
            guess = guessed(opened.generation, search, searchers)
        if guess:
            searchers = opened.ranked_by(guess.blend)
        ranked = _way(search, searchers, opened, query, by)
        depth = min(offset + k, DEEPEST)
        of_one_site = any(asked and isinstance(leaf, Site) for leaf, asked in query.leaves())
        found, addresses, listed = self._listed(search, ranked, searchers, everything, of_one_site, depth)
        known = Hits(search, found, searchers, anchors, addresses, snippets)
        hits = [
            known.hit(rank, place, explain, listed.behind.get(place, ()), more)
            for rank, (place, more) in enumerate(_cut(listed, offset, depth), offset + 1)
        ]
        suggestion = _suggestion(searchers, query, spoken, stats)
        return ResultPage(
            query=text,
            total=found.total,
            took_ms=round((time.perf_counter() - begun) * 1000, 3),
            hits=tuple(hits),
            offset=offset,
            folded=listed.folded,
            did_you_mean=suggestion,
            language=search.plan.leaning.language,
            ranked_by=written(guess.blend) if guess else by,
            notes=(
                *_notes(query, stats, expansions, bool(anchored and not anchors)),
                *opened.link_queries.notes(query),
                *((NOT_RANKED,) if (rank or topic) and opened.generation is None else ()),
                *((guess.said,) if guess and explain else ()),
                *_recall(search, searchers, found, depth),
            ),
        )

    def _listed(
        self,
        search: Search,
        ranked: Callable[[int], Ranked],
        searchers: Sequence[Searcher],
        everything: bool,
        of_one_site: bool,
        depth: int,
    ) -> tuple[Ranked, dict[int, str], Arranged]:
        """What was found, the addresses of pages that were not fetched, and what is listed of it."""
        deep = depth
        while True:
            found, addresses = self._still_unfetched(ranked(deep))
            listed = as_ranked(found)
            if not everything:
                listed = arranged(found, searchers, search.anchors, self._settings, of_one_site, depth)
            is_all = len(found.candidates) >= found.total
            if is_all or len(listed.places) >= depth or deep > depth or not listed.folded:
                return found, addresses, listed
            deep = depth + listed.folded  # others come in the place of what was folded

    def _still_unfetched(self, found: Ranked) -> tuple[Ranked, dict[int, str]]:
        """Without pages that were fetched, refused or given up since the texts of links were indexed."""
        places = np.flatnonzero(found.candidates.segments == UNFETCHED)
        if not len(places):
            return found, {}
        unfetched = found.candidates.taken(places)
        addresses: dict[int, str] = {}
        for partition, _, rows in unfetched.by_segment():
            addresses |= self._never_fetched[partition](unfetched.pages[rows].tolist())
        gone = [page not in addresses for page in unfetched.pages.tolist()]
        return without(found, places[gone]), addresses


def _way(
    search: Search, searchers: Sequence[Searcher], opened: Opened, query: Query, by: str
) -> Callable[[int], Ranked]:
    """What gives the best documents, as many as are asked for."""
    if by in OF_A_QUERY and opened.graph and search.plan.ranks:
        distilled = Distilled(search, searchers, opened.graph).ranked(by)
        return lambda _: distilled
    links = [leaf for leaf, asked in query.leaves() if asked and isinstance(leaf, ByLinks)]
    related = [leaf.url for leaf in links if leaf.way == "related"]
    if related and not search.plan.ranks:
        found = search.ranked(searchers, DEEPEST)
        likeness = opened.link_queries.likeness(related[0], found.candidates.pages)
        alike = by_likeness(found, likeness)
        return lambda _: alike
    return lambda deep: search.ranked(searchers, deep)


def _cut(listed: Arranged, first: int, end: int) -> Iterator[tuple[int, int]]:
    """Places of what is shown, and how many of the host of each were put off."""
    for number, place in enumerate(listed.places[first:end], first):
        yield place, listed.more[number] if number < len(listed.more) else 0


def _suggestion(
    searchers: Sequence[Searcher], query: Query, languages: Iterable[str], stats: TermStats
) -> str | None:
    """A spelling that the index knows, where a word of the query stands nowhere in it."""
    typed = [word for clause in query.clauses if isinstance(clause, Word) for word in words(clause.text)]
    readers = analysers(tuple(sorted(languages)))

    def frequency(word: str) -> int:
        terms = {reader[word] for reader in readers}
        if terms <= stats.frequencies.keys():
            return sum(stats.frequencies[term] for term in terms)
        return sum(sum(one.snapshot.term_stats(terms).frequencies.values()) for one in searchers)

    def near(word: str, mistakes: int) -> set[str]:
        dictionaries = [view.segment.dictionary for one in searchers for view in one.snapshot.views]
        found = (forms_near(one, word, readers, mistakes) for one in dictionaries)
        return {form for forms in found for form in forms if form[:1] == word[:1]}

    def alike(word: str) -> set[str]:
        segments = [view.segment for one in searchers for view in one.snapshot.views]
        return {form for one in segments for reader in readers for form in forms_alike(one, word, reader)}

    return did_you_mean(typed, frequency, near, alike)


def _anchored(query: Query) -> list[Text]:
    """The texts that links should say, or should not."""
    leaves = (leaf for leaf, _ in query.leaves())
    return [leaf.text for leaf in leaves if isinstance(leaf, In) and leaf.part == "anchor"]


def _expansions(
    query: Query,
    snapshots: Sequence[Snapshot],
    anchored: Sequence[Text],
    anchors: Sequence[Snapshot],
    languages: set[str],
) -> Expansions:
    """What `prefix*` and `fuzzy~` stand for, in pages and in links, the same for all partitions."""
    patterns = patterns_of(query, languages)
    if not patterns:
        return NO_EXPANSIONS
    in_links = patterns_in(anchored, languages)
    gathered = [gather(one, patterns) for one in snapshots]
    return choose([*gathered, *(gather(one, in_links) for one in anchors)])


def _notes(query: Query, stats: TermStats, expansions: Expansions, lacks_anchors: bool) -> tuple[str, ...]:
    """What the person should know of the query."""
    empty = [one.text for one in query.texts() if not words(one.text)]
    notes = [f"ignored, because it holds no letter or digit: {text}" for text in empty]
    notes += [
        f"only the most frequent words that {cut.typed} stands for were looked for" for cut in expansions.cut
    ]
    if lacks_anchors:
        notes.append("inanchor: finds nothing, as the texts of links are not indexed yet; run: gossamer rank")
    if not stats.documents:
        notes.append("nothing is indexed yet: crawl or import something, or run: gossamer index")
    return tuple(notes)


def _recall(search: Search, searchers: Sequence[Searcher], found: Ranked, depth: int) -> tuple[str, ...]:
    """How good an algorithm was that is not exact."""
    if search.algorithm in {*EXACT, AUTO}:
        return ()
    own, best = search.recall(searchers, found, depth)
    return (f"{search.algorithm} is not exact: it found {own:,} of the {best:,} best pages",)
