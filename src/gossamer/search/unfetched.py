"""Which pages answer that nobody has fetched? Of them is known what links say, and their host.

A condition that asks for words asks the texts of links. One for a part of the page, its type, language or
date does not hold: nobody knows.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from gossamer.search.anchors import AnchorIndex
from gossamer.search.condition import All, Anchored, Close, Condition, Either, Except, OnSite, Row
from gossamer.search.filters import hosts_below

Mask = NDArray[np.bool_]


def answering(anchors: AnchorIndex, rows: NDArray[np.int64], condition: Condition | None) -> Mask:
    """Which of these rows of `anchors.unfetched` satisfy a condition."""
    if condition is None:
        return np.ones(len(rows), np.bool_)
    match condition:
        case All(parts):
            return reduce(np.logical_and, [answering(anchors, rows, part) for part in parts])
        case Either(parts):
            return reduce(np.logical_or, [answering(anchors, rows, part) for part in parts])
        case Except(part):
            return ~answering(anchors, rows, part)
        case OnSite(host):
            return hosts_below(anchors.unfetched.host_names, host)[anchors.unfetched.host_ids[rows]]
        case Anchored() | Close() | Row(field=None):
            return np.isin(anchors.unfetched.fingerprints[rows], anchors(condition))
    return np.zeros(len(rows), np.bool_)
