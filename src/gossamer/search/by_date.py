"""From when are candidates, wherever they stand?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gossamer.model import UNFETCHED
from gossamer.search.candidates import Candidates
from gossamer.search.dated import in_order, moments
from gossamer.search.searcher import Searcher

_OF_NO_DATE = in_order(np.array([-np.inf]))[0]  # older than everything


def dated(candidates: Candidates, searchers: Sequence[Searcher]) -> Candidates:
    """The same with their moments as scores; what was not fetched has none, and is older than all."""
    scores = np.full(len(candidates), _OF_NO_DATE)
    for partition, segment, rows in candidates.by_segment():
        if segment != UNFETCHED:
            columns = searchers[partition].snapshot.views[segment].segment.columns
            scores[rows] = in_order(moments(columns, candidates.docs[rows]))
    return replace(candidates, scores=scores)
