"""Answers queries over all partitions: statistics first, then each partition, then the merge."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from gossamer.engine.newest import AnchorsFolder, Newest
from gossamer.index.index import Index
from gossamer.index.near import forms_near
from gossamer.index.snapshot import Snapshot
from gossamer.index.stored import StoredDocument
from gossamer.model import Hit, In, Query, ResultPage, TermStats, Text, Word
from gossamer.query.parse import parse
from gossamer.results.snippet import snippet
from gossamer.results.spelling import did_you_mean
from gossamer.search.expansion import Expansions, analysers, choose, gather, patterns_in, patterns_of
from gossamer.search.phases import Ranked, Search, summed_stats
from gossamer.search.planner import NO_EXPANSIONS, plan
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.search.topk import AUTO, EXACT
from gossamer.text.analysis import analyser
from gossamer.text.words import words

DEEPEST = 1000  # results that can be paged through


class Searching:
    """Searches what is on the disk now; notices new commits and new ranks by itself."""

    def __init__(
        self,
        indexes: Sequence[Index],
        graph_folder: Path | None,
        settings: SearchSettings,
        anchors_folders: Sequence[AnchorsFolder] = (),
    ) -> None:
        self._settings = settings
        self._newest = Newest(indexes, graph_folder, settings, anchors_folders)

    def search(
        self,
        text: str,
        k: int = 10,
        offset: int = 0,
        scheme: str | None = None,
        algorithm: str | None = None,
        explain: bool = False,
    ) -> ResultPage:
        """The results from `offset` on, at most k."""
        begun = time.perf_counter()
        query = parse(text)
        anchored = _anchored(query)
        searchers, anchors = self._newest.with_anchors() if anchored else (self._newest.searchers(), [])
        snapshots = [one.snapshot for one in searchers]
        languages = {name for one in [*snapshots, *anchors] for name in one.languages()}
        expansions = _expansions(query, snapshots, anchored, anchors, languages)
        wanted = plan(query, languages, expansions)
        stats = summed_stats(searchers, wanted.terms)
        search = Search(
            wanted,
            stats,
            scheme or self._settings.scheme,
            algorithm or self._settings.algorithm,
            self._settings,
            time.time(),
        )
        depth = min(offset + k, DEEPEST)
        found = search.ranked(searchers, depth)
        hits = [
            self._hit(searchers, rank, found, search, explain)
            for rank in range(offset + 1, len(found.candidates) + 1)
        ]
        suggestion = _suggestion(searchers, query, languages, stats)
        return ResultPage(
            query=text,
            total=found.total,
            took_ms=round((time.perf_counter() - begun) * 1000, 3),
            hits=tuple(hits),
            offset=offset,
            did_you_mean=suggestion,
            notes=_notes(query, stats, expansions, bool(anchored and not anchors))
            + _recall(search, searchers, found, depth),
        )

    def _hit(
        self, searchers: Sequence[Searcher], rank: int, found: Ranked, search: Search, explain: bool
    ) -> Hit:
        candidate = found.candidates[rank - 1]
        address = candidate.address
        searcher = searchers[address.partition]
        segment = searcher.snapshot.views[address.segment].segment
        stored: StoredDocument = segment.stored.document(address.doc)
        terms = analyser(stored.language).terms
        published = float(segment.columns.published[address.doc])
        return Hit(
            rank=rank,
            url=stored.url,
            title=stored.title or stored.url,
            snippet=snippet(stored.text, frozenset(search.plan.terms), terms, stored.description),
            score=round(found.scores[rank - 1], 4),
            fingerprint=candidate.fingerprint,
            language=stored.language,
            media_type=stored.media_type,
            published=None if math.isnan(published) else published,
            fetched_at=float(segment.columns.fetched_at[address.doc]),
            explanation=search.explained(searcher, found, rank - 1) if explain else None,
        )


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
        found = (forms_near(one, word, reader, mistakes) for one in dictionaries for reader in readers)
        return {form for forms in found for form in forms if form[:1] == word[:1]}

    return did_you_mean(typed, frequency, near)


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
