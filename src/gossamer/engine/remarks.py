"""What should a person know of a search, beside its results?"""

from __future__ import annotations

from collections.abc import Iterator

from gossamer.engine.asking import Asked
from gossamer.engine.listing import Listed
from gossamer.engine.preparing import texts_of_links
from gossamer.search.topk import AUTO, EXACT
from gossamer.text.words import words

NOT_RANKED = "links count for nothing yet; run: gossamer rank"


def on_the_search(asked: Asked, listed: Listed) -> Iterator[str]:
    """On how well it was looked for."""
    if not asked.search.stats.documents:
        yield "nothing is indexed yet: crawl or import something, or run: gossamer index"
    if (asked.request.rank or asked.request.topic) and asked.opened.generation is None:
        yield NOT_RANKED
    if asked.guess and asked.request.explain:
        yield asked.guess.said
    if asked.search.algorithm not in {*EXACT, AUTO} and not asked.request.newest_first:
        own, best = asked.search.recall(asked.searchers, listed.found, asked.depth)
        yield f"{asked.search.algorithm} is not exact: it found {own:,} of the {best:,} best pages"


def on_the_query(asked: Asked) -> Iterator[str]:
    """On how it was read, and what is known of the pages that it names."""
    for text in asked.query.texts():
        if not words(text.text):
            yield f"ignored, because it holds no letter or digit: {text.text}"
    for cut in asked.prepared.expansions.cut:
        yield f"only the most frequent words that {cut.typed} stands for were looked for"
    if texts_of_links(asked.query) and not asked.search.anchors:
        yield "inanchor: finds nothing, as the texts of links are not indexed yet; run: gossamer rank"
    yield from asked.opened.link_queries.notes(asked.query)
