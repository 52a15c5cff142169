"""Hosts of different segments are the same where their names are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from gossamer.answer import diversify as module
from gossamer.answer.diversify import HostNumbers, host_numbers
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
several = st.lists(
    st.lists(st.sampled_from("a.test b.test c.test".split()), min_size=1), min_size=1, max_size=3
)


def segments_of(folder, hosts):
    index = Index(folder)
    for number, own in enumerate(hosts):
        writer = SegmentWriter("en")
        for n, host in enumerate(own):
            writer.add(page(f"http://{host}/{number}-{n}", "text"))
        index.commit(writer, np.empty(0, np.uint64), PIVOTS)
    return [view.segment for view in index.snapshot().views]


@given(several, st.randoms(use_true_random=False))
def test_numbers_are_those_of_names(tmp_path_factory, hosts, random):
    numbers, met = HostNumbers(), {"c.test": 0}
    met["c.test"] = numbers.number("c.test")
    for segment in segments_of(tmp_path_factory.mktemp("hosts"), hosts):
        ids = segment.columns.host_ids
        for _ in range(2):
            own = np.array(random.choices(ids.tolist(), k=4), np.uint32)
            for host, number in zip(own.tolist(), numbers.of(segment, own).tolist(), strict=True):
                assert met.setdefault(segment.host(host), number) == number
    assert len(set(met.values())) == len(met)


def test_full_ones_are_given_up(monkeypatch):
    host_numbers().number("a.test")
    assert host_numbers() is host_numbers()
    monkeypatch.setattr(module, "REMEMBERED", 0)
    before = host_numbers()
    before.number("b.test")
    assert len(host_numbers()) == 0
