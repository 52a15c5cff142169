"""Bars, sparklines, bow tie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import pi, sqrt

WIDE, HIGH = 600.0, 80.0  # of the sparkline
FULL = 100.0  # of a bar
THINNEST = 0.6  # what is there can be seen
TALL = 200.0  # of the bow tie
WING = 0.8 * (1 + 0.45) / 2  # the area of a wing of height 1


@dataclass(frozen=True, slots=True)
class Bar:
    """A row: its label, its figure in words, and pieces as (kind, x, width)."""

    label: str
    figure: str
    pieces: tuple[tuple[str, float, float], ...]


def sparkline(values: Sequence[float]) -> str:
    """The path of a line through the values, from the left edge to the right; empty for fewer than two.

    >>> sparkline([0, 5, 10])
    'M0 78L300 40L600 2'
    """
    if len(values) < 2:
        return ""
    top = max(*values, 1e-9)
    step = WIDE / (len(values) - 1)
    room = HIGH - 4  # so that the line's own width is seen at the edges
    return "M" + "L".join(
        f"{place * step:.4g} {HIGH - 2 - room * max(value, 0) / top:.4g}"
        for place, value in enumerate(values)
    )


def bars(rows: Iterable[tuple[str, str, Sequence[tuple[str, float]]]]) -> list[Bar]:
    """Rows of pieces as (kind, value), side by side; the longest row fills the width.

    >>> bars([("a", "4", [("alive", 3), ("deleted", 1)])])[0].pieces
    (('alive', 0.0, 75.0), ('deleted', 75.0, 25.0))
    """
    known = list(rows)
    most = max((sum(value for _, value in pieces) for _, _, pieces in known), default=0.0) or 1.0
    return [Bar(label, figure, _placed(pieces, FULL / most)) for label, figure, pieces in known]


def _placed(pieces: Sequence[tuple[str, float]], scale: float) -> tuple[tuple[str, float, float], ...]:
    placed, at = [], 0.0
    for kind, value in pieces:
        if value > 0:
            width = max(value * scale, THINNEST)
            placed.append((kind, round(at, 2), round(width, 2)))
            at += width
    return tuple(placed)


@dataclass(frozen=True, slots=True)
class BowTie:
    """The wings as corners of polygons, and the knot between them: areas are as large as the shares."""

    left: str
    right: str
    middle: float
    radius: float


def bow_tie(before: float, core: float, behind: float) -> BowTie:
    """The picture of what leads to the core, the core, and what it leads to, 600 by 200.

    A wing of height h is 0.8 h wide and 0.45 h high at the knot, so its area is 0.58 h squared. A. Broder and
    others, "Graph structure in the Web", WWW 2000.
    """
    heights = [sqrt(share / WING) for share in (before, behind)]
    radius = sqrt(core / pi)
    wide = 0.8 * sum(heights) + 2 * radius
    scale = min((TALL - 4) / max(*heights, 2 * radius, 1e-9), (WIDE - 40) / max(wide, 1e-9))
    left, right, radius = heights[0] * scale, heights[1] * scale, radius * scale
    middle = WIDE / 2 + 0.4 * (left - right)
    gap = radius + 8
    return BowTie(
        _wing(middle - gap, left, -1), _wing(middle + gap, right, 1), round(middle, 1), round(radius, 1)
    )


def _wing(knot: float, height: float, side: int) -> str:
    far = knot + side * 0.8 * height
    corners = [(knot, -0.225), (far, -0.5), (far, 0.5), (knot, 0.225)]
    return " ".join(f"{x:.4g},{TALL / 2 + part * height:.4g}" for x, part in corners)
