"""Which page links mean by the words of a query."""

from __future__ import annotations

import numpy as np
import pytest

from gossamer.anchor_text.score import NOTHING, AnchorFrequencies, AnchorFrequenciesOfAll
from gossamer.answer.navigational import MOST_PAGES, target_by_anchor_text


def said(*parts):
    """Of each partition, the frequencies of the words by page."""
    made = [
        AnchorFrequencies.counted(
            np.array(sorted(own), np.uint64), np.array([own[page] for page in sorted(own)], np.float64)
        )
        for own in parts
    ]
    return AnchorFrequenciesOfAll.of_all(made)


@pytest.mark.parametrize(
    ("parts", "page"),
    [
        ([{7: [2.4, 2.4], 8: [1.2, 0.0]}], 7),
        ([{7: [2.4, 2.4]}, {9: [1.2, 1.2]}], 7),
        ([{7: [2.4, 2.4]}, {9: [2.4, 2.4]}], None),  # two pages share the name
        ([{7: [1.2, 1.2]}], None),  # one host says so
        ([{7: [9.0, 0.0], 8: [0.0, 9.0]}], None),  # nobody says both words
    ],
)
def test_a_name_that_most_links_give_to_one_page(parts, page):
    assert target_by_anchor_text(said(*parts)) == page


def test_where_nothing_is_said_nothing_is_meant():
    assert target_by_anchor_text(NOTHING) is None
    many = AnchorFrequencies.counted(np.arange(MOST_PAGES + 1, dtype=np.uint64), np.ones((MOST_PAGES + 1, 1)))
    assert target_by_anchor_text(AnchorFrequenciesOfAll.of_all([many])) is None
