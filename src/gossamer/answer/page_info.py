"""Information on one page: content, links, ranks; similar pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from gossamer.answer.index_reader import SearchableState, first_indexed
from gossamer.answer.pipeline import AnswerPipeline
from gossamer.collection.partition import Partition
from gossamer.graph.ranks.explain import PageLinks, page_links
from gossamer.graph.reader import (
    CollectionGraph,
    GraphLink,
    RankPosition,
    likely_urls,
    node_for_address,
    page_meant,
)
from gossamer.index.bm25f import idf
from gossamer.index.segment import Columns
from gossamer.index.stored_text import StoredDocument
from gossamer.model import Candidate, DocAddress, NotRanked, ResultPage, SearchOptions, UnknownPage
from gossamer.model.notebook import NotebookTable, iso
from gossamer.scoring.feedback import strongest_terms
from gossamer.web.url import repair

INDEXED = "indexed"
BLOCKED = "blocked"  # the owner blocks its site
WORDS = 12  # the strongest words of a page, which are the query for similar pages


@dataclass(frozen=True, slots=True)
class PageInfo(NotebookTable):
    """Information on a page. A page that is not indexed has neither title nor text.

    Attributes:
        url: Its URL.
        state: "indexed", "queued", "fetched", "failed", "refused" or "redirect".
        reason: Why it is not indexed.
        title: Its title.
        description: Its description, from its metadata.
        author: Its author.
        language: The code of its language.
        media_type: Such as "text/html".
        published: When it was published, in seconds since 1970, or None.
        fetched_at: When it was fetched, in seconds since 1970, or None.
        text: Its whole text.
        in_degree: How many pages link to it, or None if it is not in the link graph.
        out_degree: How many pages it links to, or None.
        standings: Its `RankPosition` in every link rank.

    Example:
        >>> engine.page("example.org/visit")
        <PageInfo https://example.org/visit 'Visit us', indexed>
    """

    url: str
    state: str  # "indexed", or the state in the catalogue: queued, fetched, failed, refused, redirect
    reason: str = ""  # why it is not indexed
    title: str = ""
    description: str = ""
    author: str = ""
    language: str = ""
    media_type: str = ""
    published: float | None = None
    fetched_at: float | None = None
    text: str = ""
    in_degree: int | None = None  # None: it is not in the link graph
    out_degree: int | None = None
    standings: tuple[RankPosition, ...] = ()

    def __repr__(self) -> str:
        return f"<PageInfo {self.url} {self.title!r}, {self.state}>"

    def as_dict(self) -> dict[str, Any]:
        """Convert to plain values for JSON, with times in ISO 8601."""
        shown = asdict(self)
        shown["published"] = None if self.published is None else iso(self.published)
        shown["fetched"] = None if self.fetched_at is None else iso(self.fetched_at)
        del shown["fetched_at"]
        return shown


class PageInfoReader:
    """Look up information on single pages. Threads may share it."""

    def __init__(self, partitions: Sequence[Partition], searching: AnswerPipeline, beta: float) -> None:
        self._partitions = partitions
        self._searching = searching
        self._beta = beta
        self._graph: CollectionGraph | None = None

    def page(self, typed: str) -> PageInfo:
        """The page of a typed address. Raises UnknownPage if it was never seen."""
        opened = self._searching.opened()
        known = _indexed(opened, typed)
        if known is None:
            return self._only_known(opened, typed)
        address = known.address
        segment = opened.searchers[address.partition].snapshot.views[address.segment].segment
        stored = segment.stored.document(address.doc)
        return indexed_page(stored, segment.columns, address.doc, **_linked(opened, stored.url))

    def similar(self, typed: str, k: int, offset: int) -> ResultPage:
        """Pages with similar content, from `offset` on: the results for the page's strongest words."""
        opened = self._searching.opened()
        known = _indexed(opened, typed)
        if known is None:
            raise UnknownPage(typed, "is not indexed")
        words, page = _strongest_words(opened, known.address), known.fingerprint
        text, options = " ".join(words), SearchOptions(k + 1, offset, correct=False)
        if offset:  # skip the page itself, if it is among the results before the offset
            before = self._searching.search(text, offset, 0, options=options, snippets=False)
            skipped = any(hit.fingerprint == page for hit in before.hits)
            options = replace(options, offset=offset + skipped)
        found = self._searching.search(text, options=options)
        others = [hit for hit in found.hits if hit.fingerprint != page][:k]
        hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(others, offset + 1))
        total = max(found.total - 1, len(hits))
        return replace(found, hits=hits, total=total, offset=offset, did_you_mean=None, related=())

    def links(self, typed: str, most: int, offset: int) -> PageLinks:
        """Links of each kind, from `offset` on."""
        return page_links(self._newest_graph(), typed, self._beta, most, offset)

    def in_links(self, typed: str) -> Iterator[GraphLink]:
        """Every link that leads to a page."""
        graph = self._newest_graph()
        return graph.all_in_links(page_meant(graph, typed)[0])

    def out_links(self, typed: str) -> Iterator[GraphLink]:
        """Every link of a page."""
        graph = self._newest_graph()
        return graph.all_out_links(page_meant(graph, typed)[0])

    def _newest_graph(self) -> CollectionGraph:
        """The graph of the newest generation. It is opened once, because opening checks its arrays."""
        generation = self._searching.opened().generation
        if generation is None:
            raise NotRanked
        if self._graph is None or self._graph.generation is not generation:
            self._graph = CollectionGraph(self._partitions, generation)
        return self._graph

    def _only_known(self, opened: SearchableState, typed: str) -> PageInfo:
        """Information from the catalogue on a page that is not indexed."""
        pairs = product(likely_urls(repair(typed)[0]), self._partitions)
        row = next(filter(None, (one.known(url.fingerprint) for url, one in pairs)), None)
        if row is None:
            raise UnknownPage(typed, "is not known here")
        reason = row.reason
        if row.verdict is not None:
            reason = ": ".join(filter(None, (row.verdict.judgement.value, row.verdict.reason)))
        if opened.site_rules.blocks(row.url.host):
            reason = BLOCKED
        return PageInfo(
            url=row.url.text,
            state=row.state.value,
            reason=reason,
            media_type=row.media_type,
            fetched_at=row.fetched_at,
            **_linked(opened, row.url.text),
        )


def indexed_page(stored: StoredDocument, columns: Columns, doc: int, **linked: Any) -> PageInfo:
    """Information on an indexed page; `linked` are fields from the link graph."""
    published = float(columns.published[doc])
    return PageInfo(
        url=stored.url,
        state=INDEXED,
        title=stored.title,
        description=stored.description,
        author=stored.author,
        language=stored.language,
        media_type=stored.media_type,
        published=None if math.isnan(published) else published,
        fetched_at=float(columns.fetched_at[doc]),
        text=stored.text,
        **linked,
    )


def _indexed(opened: SearchableState, typed: str) -> Candidate | None:
    """Find an indexed page by its address, or by an address that leads to it."""
    pages = [url.fingerprint for url in likely_urls(repair(typed)[0])]
    node = node_for_address(opened.graph, typed) if opened.graph else None
    if node is not None and opened.generation is not None:
        pages.append(int(opened.generation.fingerprints[node]))
    return first_indexed(pages, opened.searchers)


def _linked(opened: SearchableState, url: str) -> dict[str, Any]:
    """The fields from the link graph; none if the graph lacks the page."""
    graph = opened.graph
    node = node_for_address(graph, url) if graph else None
    if graph is None or node is None:
        return {}
    return degrees(graph, node) | {"standings": tuple(graph.standings(node))}


def degrees(graph: CollectionGraph, node: int) -> dict[str, Any]:
    """The in-degree and out-degree of a page."""
    return dict(zip(("in_degree", "out_degree"), graph.degrees(node), strict=True))


def _strongest_words(opened: SearchableState, address: DocAddress) -> list[str]:
    """The words with the highest impact times idf in a page, as people write them."""
    searcher = opened.searchers[address.partition]
    impacts = strongest_terms(opened.searchers, address)
    stats = opened.vocabulary.stats(impacts)
    shared = {term: n for term, n in stats.frequencies.items() if n > 1}  # other pages have it, too
    ranked = sorted((-impacts[term] * idf(stats.documents, n), term) for term, n in shared.items())
    dictionary = searcher.snapshot.views[address.segment].segment.dictionary
    numbers = [dictionary.number(term) for _, term in ranked[:WORDS]]
    return [dictionary.form(number).lower() for number in numbers if number >= 0]
