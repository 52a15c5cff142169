"""Teleport distributions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.model import UsageError

Nodes = NDArray[np.integer] | Sequence[int]
Vector = NDArray[np.float64]


def teleport_set(pages: int, nodes: Nodes, weights: Vector | None = None) -> Vector:
    """The chance of each of so many pages to be jumped to: these nodes alike, or by weight; a sum of 1.

    A node that is named twice counts twice with weights, and once without.

    >>> teleport_set(4, [1, 3]).tolist()
    [0.0, 0.5, 0.0, 0.5]
    """
    places = as_nodes(pages, nodes)
    if weights is None:
        chosen = np.zeros(pages)
        chosen[places] = 1.0
    else:
        chosen = np.bincount(places, _checked(weights, len(places)), pages).astype(np.float64)
    total = float(chosen.sum())
    if not total > 0:
        raise UsageError("a teleport set needs at least one page of a weight above 0")
    chosen /= total
    return chosen


def as_nodes(pages: int, nodes: Nodes) -> NDArray[np.int64]:
    """Numbers of nodes as an array, of which none is outside the graph: kernels do not check."""
    places = np.asarray(nodes, np.int64).reshape(-1)
    if len(places) and (places.min() < 0 or places.max() >= pages):
        wrong = places[(places < 0) | (places >= pages)][0]
        raise UsageError(f"the graph has no node {wrong}; its nodes are 0 to {pages - 1}")
    return places


def _checked(weights: Vector, count: int) -> Vector:
    given = np.asarray(weights, np.float64)
    if len(given) != count:
        raise UsageError(f"the teleport set has {len(given)} weights for {count} pages")
    if not (np.isfinite(given).all() and (given >= 0).all()):
        raise UsageError("weights of a teleport set are numbers of which none is negative")
    return given
