"""From when is a document, and which of some are the newest?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.columns import Columns
from gossamer.search.candidates import best_first
from gossamer.search.hits import Docs
from gossamer.search.task import Ranking

_BELOW_THE_SIGN = np.int64(0x7FFF_FFFF_FFFF_FFFF)


def moments(columns: Columns, docs: Docs | None = None) -> NDArray[np.float64]:
    """When these documents, or all, were published; when they were fetched where they do not say."""
    chosen = slice(None) if docs is None else docs
    published = columns.published[chosen]
    return np.where(np.isnan(published), columns.fetched_at[chosen], published)


def in_order(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole numbers that are ordered as these are, exactly, and equal where these are.

    The bits of a positive float rise with it; those of a negative one fall, so all but its sign are turned.
    """
    bits = (values + 0.0).view(np.int64)  # so that -0.0 is 0.0
    return np.where(bits < 0, bits ^ _BELOW_THE_SIGN, bits)


def newest_first(columns: Columns, docs: Docs, k: int) -> Ranking:
    """The k newest of these documents, ties by fingerprint."""
    order, pages = in_order(moments(columns, docs)), columns.fingerprints[docs]
    rows = best_first(order, pages, k)
    return order[rows], pages[rows], docs[rows]
