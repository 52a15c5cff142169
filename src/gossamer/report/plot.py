"""How many pages have at least so many links? Dots on logarithmic axes, and the fitted law as a line."""

from __future__ import annotations

from math import ceil, floor, log10

import numpy as np
from markupsafe import Markup

from gossamer.engine.graph_report import DegreeReport
from gossamer.links.structure.powerlaw import survival
from gossamer.report.svg import Point, curve, dots, element, line, picture, text

WIDTH, HEIGHT = 460.0, 360.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 14.0, 16.0, 48.0
MOST_DOTS = 300
LEAST_SHARE = 1e-9
ON_LINE = 60  # points of the fitted law
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Axes:
    """Where a number of links and a share of pages stand in the picture."""

    def __init__(self, most: int, least: float) -> None:
        self.decades = max(1, ceil(log10(max(most, 2))))
        self.depth = min(-1, floor(log10(max(least, LEAST_SHARE))))

    def place(self, value: float, share: float) -> Point:
        across = (WIDTH - LEFT - RIGHT) * log10(value) / self.decades
        down = (HEIGHT - TOP - BOTTOM) * log10(share) / self.depth
        return LEFT + across, TOP + down

    def drawn(self, across: str) -> list[Markup]:
        """The grid, a line for every power of ten, and what the axes mean."""
        parts = []
        for power in range(self.decades + 1):
            top, foot = self.place(10.0**power, 1.0), self.place(10.0**power, 10.0**self.depth)
            parts += [line(top, foot, "grid"), text((foot[0], foot[1] + 18), _power(power), "tick")]
        step = max(1, -self.depth // 6)
        for power in range(0, self.depth - 1, -step):
            begin = self.place(1, 10.0**power)
            parts.append(line(begin, (WIDTH - RIGHT, begin[1]), "grid"))
            parts.append(text((begin[0] - 8, begin[1] + 4), _share(power), "tick", "end"))
        middle = (LEFT + WIDTH - RIGHT) / 2
        parts.append(text((middle, HEIGHT - 8), across, "axis"))
        return parts


def degree_picture(found: DegreeReport, across: str) -> Markup:
    """Dots for what was counted, a line for the law."""
    if not found.values:
        axes = Axes(10, 0.1)
        return picture(WIDTH, HEIGHT, f"{across}: none", axes.drawn(across), "plot")
    axes = Axes(found.highest, found.at_least[-1])
    chosen = _thinned(len(found.values))
    points = [axes.place(found.values[i], found.at_least[i]) for i in chosen]
    drawn = [*axes.drawn(across), dots(points, 2.6, "observed"), *_law(found, axes)]
    said = f"{across}: share of pages with at least so many, from 1 to {found.highest:,}"
    return picture(WIDTH, HEIGHT, said, drawn, "plot")


def _thinned(count: int) -> list[int]:
    """All of them, or of many those that stand apart in the picture."""
    if count <= MOST_DOTS:
        return list(range(count))
    return sorted({min(count, round(place)) - 1 for place in np.geomspace(1, count, MOST_DOTS)})


def _law(found: DegreeReport, axes: Axes) -> list[Markup]:
    law = found.law
    if law is None:
        return []
    begin = found.at_least[found.values.index(law.x_min)]
    values = np.geomspace(law.x_min, max(found.highest, law.x_min + 1), ON_LINE)
    shares = begin * survival(law.exponent, law.x_min, values)
    seen = [(float(x), float(y)) for x, y in zip(values, shares, strict=True) if y >= 10.0**axes.depth]
    points = [axes.place(*one) for one in seen]
    foot, top = axes.place(law.x_min, 10.0**axes.depth), axes.place(law.x_min, begin)
    kind = "fitted" if law.plausible else "fitted poor"
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    above = points[len(points) // 3]
    label = min(above[0] + 12, WIDTH - 110), max(above[1] - 8, TOP + 12)
    return [
        curve([foot, foot, top, top], "from"),
        element("path", class_=kind, d=path),
        text(label, f"exponent {law.exponent:.2f}", "law", "start"),
    ]


def _power(power: int) -> str:
    return f"{10**power:,}" if power < 5 else "10" + str(power).translate(SUPERSCRIPT)


def _share(power: int) -> str:
    return f"{100 * 10.0**power:.10g}%" if power >= -4 else "10" + str(power).translate(SUPERSCRIPT)
