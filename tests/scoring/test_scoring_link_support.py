"""What links from other answers make of a candidate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.graph.link_counts import LinkCounter
from gossamer.model.graph import Nodes, OutLinks
from gossamer.scoring.link_support import ANSWERS, DOUBT, EXPECTED, NO_SUPPORT, supported

PAGES = 40


def links_of(pairs, pages=PAGES):
    """Links between pages whose fingerprints are 100 and what follows; node i is not the i-th of these."""
    fingerprints = np.arange(100, 100 + pages, dtype=np.uint64)[::-1].copy()
    order = np.arange(pages, dtype=np.uint32)[::-1].copy()
    nodes = Nodes(fingerprints, np.sort(fingerprints), order)
    pairs = sorted({(pages - 1 - a, pages - 1 - b) for a, b in pairs if a != b})
    out = np.bincount([a for a, _ in pairs], minlength=pages)
    into = np.bincount([b for _, b in pairs], minlength=pages)
    outward = OutLinks(_starts(out), np.array([b for _, b in pairs], np.uint32))
    return LinkCounter(nodes, _starts(into), outward)


def _starts(counts):
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def plain(pairs, candidates, scores, strength):
    """The formula, page by page; pages are numbers from 0."""
    answers = {page for page, score in zip(candidates, scores, strict=True) if score >= ANSWERS * max(scores)}
    factors = []
    for page in candidates:
        sources = {a for a, b in pairs if b == page and a != b}
        surplus = len(sources & answers) - EXPECTED * len(sources)
        factors.append(1 + strength * surplus / (len(sources) + DOUBT))
    return factors


@st.composite
def webs(draw):
    page = st.integers(0, PAGES - 1)
    pairs = draw(st.sets(st.tuples(page, page), max_size=200))
    candidates = draw(st.lists(st.integers(0, PAGES + 5), min_size=1, max_size=PAGES, unique=True))
    size = len(candidates)
    scores = draw(st.lists(st.floats(0.01, 10), min_size=size, max_size=size))
    return pairs, candidates, scores


@given(webs(), st.sampled_from([0.1, 0.2, 1.0]))
def test_support_is_the_formula(web, strength):
    pairs, candidates, scores = web
    pages = np.array(candidates, np.uint64) + np.uint64(100)
    found = supported(links_of(pairs), pages, np.array(scores), strength)
    assert found.factors == pytest.approx(plain(pairs, candidates, scores, strength))
    assert (found.factors > 1 - EXPECTED * strength).all()
    assert (found.factors < 1 + (1 - EXPECTED) * strength).all()
    assert [found.of(int(page)) for page in pages] == found.factors.tolist()
    assert found.of(7) == 1


@given(webs(), st.data())
def test_links_are_counted_as_in_plain_python(web, data):
    pairs, candidates, scores = web
    links = links_of(pairs)
    nodes = links.nodes.find(np.array(candidates, np.uint64) + np.uint64(100))
    counting = np.array(data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores))))
    sources = [page for page, counts in zip(candidates, counting, strict=True) if counts]
    assert links.among(nodes, counting).tolist() == [
        sum((source, page) in pairs for source in sources if source != page) for page in candidates
    ]


def test_a_page_that_answers_link_to_passes_one_of_a_menu():
    article, menu = 0, 1
    pairs = [(page, article) for page in range(2, 8)] + [(page, menu) for page in range(2, PAGES)]
    candidates = np.arange(100, 110, dtype=np.uint64)
    scores = np.array([5.0, 5.0, *[4.0] * 6, 1.0, 1.0])
    factors = supported(links_of(pairs), candidates, scores, 0.2).factors
    assert factors[article] == pytest.approx(1 + 0.2 * (6 - 0.7 * 6) / 18)
    assert factors[menu] == pytest.approx(1 + 0.2 * (6 - 0.7 * 38) / 50)
    assert factors[2:].tolist() == [1] * 8, "nobody links to them"


def test_without_candidates_or_links_nothing_changes():
    nothing = LinkCounter(Nodes(*[np.empty(0, np.uint64)] * 2, np.empty(0, np.uint32)), np.zeros(1, np.int64),
                          OutLinks(np.zeros(1, np.int64), np.empty(0, np.uint32)))  # fmt: skip
    assert supported(nothing, np.array([7], np.uint64), np.ones(1), 0.2) is NO_SUPPORT
    assert supported(links_of([]), np.empty(0, np.uint64), np.empty(0), 0.2) is NO_SUPPORT
