"""Texts of links that name a page, told from those that lead everywhere."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.anchor_text import page_names as naming_texts
from gossamer.anchor_text.page_names import NameVotes, PageNameCounter
from gossamer.anchor_text.select import AnchorColumns


def counted(*pairs):
    count = PageNameCounter()
    targets = np.array([target for _, target in pairs], np.uint64)
    count.note(AnchorColumns(targets, np.zeros(len(pairs), np.uint64), [text for text, _ in pairs]))
    return count.naming()


def test_what_names_one_page_is_kept_and_what_leads_everywhere_is_not():
    named = counted(
        ("jaguar", 1), ("next", 1), ("jaguar", 1), ("next", 2), ("next", 3), ("lynx", 4), ("jaguar", 9),
        ("jaguar", 1), ("ok", 1), ("x" * 100, 1),
    )  # fmt: skip
    assert named.texts == ["jaguar", "lynx"]
    assert named.counts.tolist() == [4, 1]
    assert named.targets.tolist() == [1, 4]


def test_they_are_kept_as_arrays():
    for named in (counted(("jaguar", 1), ("Füchse", 2**63 + 1)), counted()):
        again = NameVotes.of_arrays(named.as_arrays())
        assert again.texts == named.texts
        assert again.counts.tolist() == named.counts.tolist()
        assert again.targets.tolist() == named.targets.tolist()


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(naming_texts, "MOST_KEPT", 10)
    count = PageNameCounter()
    for number in range(100):
        pairs = [("often said", 7), (f"text {number}", number)]
        targets = np.array([target for _, target in pairs], np.uint64)
        count.note(AnchorColumns(targets, np.zeros(2, np.uint64), [text for text, _ in pairs]))
        assert len(count._votes) <= 12
    assert count.naming().texts[0] == "often said"


@given(st.lists(st.tuples(st.sampled_from(["one text", "another"]), st.integers(1, 3)), max_size=40))
def test_a_page_that_is_named_has_the_majority(pairs):
    named = counted(*pairs)
    for text, target, count in zip(named.texts, named.targets.tolist(), named.counts.tolist(), strict=True):
        votes = Counter(page for said, page in pairs if said == text)
        assert sum(votes.values()) == count
        assert votes[target] * 2 > count
