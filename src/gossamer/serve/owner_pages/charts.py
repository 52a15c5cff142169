"""Bar charts, sparklines, bow tie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import pi, sqrt

WIDE, HIGH = 600.0, 80.0  # size of the sparkline
FULL = 100.0  # width of the longest row of bars
THINNEST = 0.6  # width of the smallest bar, so that it is visible
TALL = 200.0  # height of the bow tie
WING = 0.8 * (1 + 0.45) / 2  # area of a wing of height 1


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a bar chart: label, value as text, and bars as (kind, x, width)."""

    label: str
    figure: str
    pieces: tuple[tuple[str, float, float], ...]


def sparkline(values: Sequence[float]) -> str:
    """Return the SVG path of a line through the values over the full width; "" for fewer than two.

    >>> sparkline([0, 5, 10])
    'M0 78L300 40L600 2'
    """
    if len(values) < 2:
        return ""
    top = max(*values, 1e-9)
    step = WIDE / (len(values) - 1)
    room = HIGH - 4  # leaves space for the width of the line
    return "M" + "L".join(
        f"{place * step:.4g} {HIGH - 2 - room * max(value, 0) / top:.4g}"
        for place, value in enumerate(values)
    )


def bars(rows: Iterable[tuple[str, str, Sequence[tuple[str, float]]]]) -> list[Bar]:
    """Return rows of bars, given as (kind, value). The longest row fills the width.

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
    """The wings as corners of polygons, and the circle between them. Areas are proportional to shares."""

    left: str
    right: str
    middle: float
    radius: float


def bow_tie(before: float, core: float, behind: float) -> BowTie:
    """Draw the pages that lead to the core, the core, and the pages it leads to, 600 by 200.

    A wing of height h is 0.8 h wide and 0.45 h high at the inner edge, so its area is 0.58 h squared. A.
    Broder and others, "Graph structure in the Web", WWW 2000.
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
