"""How strongly does a document hold a term? The document's side of BM25F.

    tf' = sum over fields f of  w_f * tf_f / (1 - b_f + b_f * length_f / pivot_f)
    impact = tf' / (k1 + tf')                                   in [0, 1), stored in 8 bits

The pivot lengths are frozen for the whole collection (`engine.pivots` says when anew); idf, the collection's
side, multiplies at query time. So a segment never goes stale when the collection grows. Reference: Robertson,
Zaragoza, Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import FIELDS, Field
from gossamer.index.settings import WeightingSettings

IMPACT_LEVELS = 255
DEFAULT = WeightingSettings()


def _each(settings: WeightingSettings, what: str) -> tuple[float, ...]:
    return tuple(getattr(settings, f"{field.name.lower()}_{what}") for field in Field)


@dataclass(frozen=True, slots=True)
class Weighting:
    """Frozen for a collection and written into its manifest. One number a field, in the order of `Field`."""

    pivots: tuple[float, ...]
    weights: tuple[float, ...] = _each(DEFAULT, "weight")
    slopes: tuple[float, ...] = _each(DEFAULT, "slope")  # the b of each field
    k1: float = DEFAULT.k1

    @classmethod
    def frozen_for(
        cls, lengths: NDArray[np.int64], documents: int, settings: WeightingSettings = DEFAULT
    ) -> Weighting:
        """The weighting of a collection whose fields have these total lengths."""
        means = lengths / max(documents, 1)
        return cls(pivots=tuple(max(1.0, round(float(mean), 3)) for mean in means)).by(settings)

    def by(self, settings: WeightingSettings) -> Weighting:
        """The same pivots with these weights."""
        return replace(
            self, weights=_each(settings, "weight"), slopes=_each(settings, "slope"), k1=settings.k1
        )

    def shares(self, lengths: NDArray[np.uint32]) -> NDArray[np.float64]:
        """What one word adds to tf' in each field of documents with these lengths: a row a document."""
        weights, slopes, pivots = (np.array(row) for row in (self.weights, self.slopes, self.pivots))
        shares: NDArray[np.float64] = weights / (1.0 - slopes + slopes * lengths / pivots)
        return shares

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Weighting:
        numbers = {key: tuple(content[key]) for key in ("pivots", "weights", "slopes")}
        if any(len(row) != FIELDS for row in numbers.values()):
            raise ValueError("a weighting must have one number a field")
        return cls(k1=content["k1"], **numbers)


def idf(documents: int, frequency: int) -> float:
    """ln(1 + (N - df + 1/2) / (df + 1/2)): how much a term tells documents apart."""
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def idfs(documents: int, frequencies: NDArray[np.int64]) -> NDArray[np.float64]:
    """The same of many terms."""
    told: NDArray[np.float64] = np.log(1 + (documents - frequencies + 0.5) / (frequencies + 0.5))
    return told
