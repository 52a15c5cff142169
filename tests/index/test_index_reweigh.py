"""Impacts under other weights: by the kernel, by plain Python, and by an index made with them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from test_index_invert import DOCUMENTS, PIVOTS, TERMS, places_of, plain_impact, stream_of

from gossamer.config import Config
from gossamer.index.bm25f import FIELDS, IMPACT_LEVELS, Weighting
from gossamer.index.index import Index
from gossamer.index.postings import invert
from gossamer.index.reweigh import reweighed, weigh
from gossamer.index.settings import WeightingSettings
from gossamer.index.writer import SegmentWriter
from gossamer.model import BadSetting, Page
from gossamer.web.url import canonical

OTHER = WeightingSettings(k1=2.5, title_weight=0.5, title_slope=0.99, body_slope=0.0, surroundings_weight=0.0)


@given(DOCUMENTS)
def test_impacts_equal_the_plain_reference(documents):
    stream, begins, lengths = stream_of(documents)
    postings, weighting = invert(stream, TERMS, begins, lengths, PIVOTS), PIVOTS.by(OTHER)
    impacts, highest = np.empty_like(postings.posting_impacts), np.empty_like(postings.entry_highest)
    anew = postings._replace(posting_impacts=impacts, entry_highest=highest)
    weigh(anew, lengths, weighting.shares(lengths), weighting.k1, IMPACT_LEVELS)
    places = places_of(documents)
    expected = [
        plain_impact(spots, lengths[doc], weighting)
        for term in range(TERMS)
        for doc, spots in places[term].items()
    ]
    assert impacts.tolist() == expected
    bounds = postings.entry_postings.tolist()
    assert highest.tolist() == [max(expected[a:b]) for a, b in pairwise(bounds)]


def page_of(number):
    text = " ".join(f"word{n % (number + 2)}" for n in range(3 * number))
    url = canonical(f"https://a.test/{number}")
    return Page(url, title=f"word{number % 7} title", text=text, language="en")


def written(numbers):
    writer = SegmentWriter("en")
    for number in numbers:
        writer.add(page_of(number))
    return writer


def filled(folder, settings):
    writer, index = written(range(40)), Index(folder)
    weighting = Weighting.frozen_for(writer.total_lengths(), len(writer), settings)
    index.commit(writer, np.empty(0, np.uint64), weighting)
    return index.snapshot()


def test_a_snapshot_under_other_weights_is_that_of_an_index_made_with_them(tmp_path):
    made = filled(tmp_path / "a", WeightingSettings())
    found, expected = reweighed(made, OTHER), filled(tmp_path / "b", OTHER)
    assert found.weighting == expected.weighting
    assert found.weighting != made.weighting
    one, other = found.views[0].segment.postings, expected.views[0].segment.postings
    assert one.posting_impacts.tolist() == other.posting_impacts.tolist()
    assert one.entry_highest.tolist() == other.entry_highest.tolist()
    assert one.positions is made.views[0].segment.postings.positions


def test_equal_weights_return_the_same_snapshot(tmp_path):
    made = filled(tmp_path, OTHER)
    assert reweighed(made, OTHER) is made


def test_slopes_that_would_divide_by_zero_are_refused():
    with pytest.raises(BadSetting, match=r"title_slope must be at most 0\.99"):
        Config().changed({"weighting": {"title_slope": 1.0}})


def test_segments_that_are_weighed_anew_are_those_of_an_index_made_so(tmp_path):
    """Several of them, without what was deleted."""
    weighting = Weighting(pivots=(2.0, 1.0, 4.0, 30.0, 1.0, 1.0))
    made = {}
    for name, first in (("anew", PIVOTS), ("so", weighting)):
        index = made[name] = Index(tmp_path / name)
        index.commit(written(range(20)), np.empty(0, np.uint64), first)
        gone = np.array([page_of(number).url.fingerprint for number in (3, 11)], np.uint64)
        index.commit(written(range(20, 50)), gone, first)
    before = made["anew"].snapshot()
    made["anew"].reweigh(weighting)
    assert made["anew"].manifest().weighting == weighting
    found = [view.segment.postings for view in made["anew"].snapshot().views]
    assert sum(entry.alive for entry in made["anew"].manifest().segments) == 48
    made["so"].merge_all()
    made["anew"].merge_all()
    one, other = (index.snapshot().views[0].segment.postings for index in (made["anew"], made["so"]))
    assert one.posting_impacts.tolist() == other.posting_impacts.tolist()
    assert one.entry_highest.tolist() == other.entry_highest.tolist()
    assert len(found) == 2
    assert before.views[0].segment.postings.posting_impacts.any()  # what a reader holds stays readable


def test_an_index_without_pages_can_be_weighed_anew(tmp_path):
    index = Index(tmp_path)
    index.commit(written(range(3)), np.empty(0, np.uint64), PIVOTS)
    pages = [page_of(number).url.fingerprint for number in range(3)]
    index.commit(SegmentWriter("en"), np.array(pages, np.uint64), PIVOTS)
    index.reweigh(Weighting(pivots=(9.0,) * FIELDS))
    assert index.manifest().segments == ()
    assert index.total_lengths()[1] == 0


def test_the_lengths_are_those_of_documents_that_can_be_found(tmp_path):
    index = Index(tmp_path)
    index.commit(written(range(20)), np.empty(0, np.uint64), PIVOTS)
    index.commit(written(range(20, 30)), np.array([page_of(4).url.fingerprint], np.uint64), PIVOTS)
    writer = written([number for number in range(30) if number != 4])
    lengths, documents = index.total_lengths()
    assert documents == 29
    assert lengths.tolist() == writer.total_lengths().tolist()
