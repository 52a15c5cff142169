"""The largest communities as circles on a ring, and how strongly they link to each other."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

from markupsafe import Markup

from gossamer.engine.graph_report import CommunityReport
from gossamer.report.svg import Point, circle, element, picture, text

SIZE = 460.0
MIDDLE = SIZE / 2
RING = 150.0
LARGEST, SMALLEST = 62.0, 5.0
ROOM = 13.0  # the radius that a number needs
THICKEST, THINNEST = 14.0, 0.6
LEAST = 0.01  # links that are thinner than this part of the thickest are not drawn
KINDS = 8  # colours


def ring_picture(found: tuple[CommunityReport, ...], between: tuple[tuple[int, ...], ...]) -> Markup:
    """Areas are numbers of pages, widths are numbers of links in either direction."""
    places = [_place(number, len(found)) for number in range(len(found))]
    most = max((one.pages for one in found), default=1)
    crowd = min(LARGEST, 0.9 * RING * sin(pi / max(len(found), 2)))
    drawn = _links(places, between)
    for number, (one, at) in enumerate(zip(found, places, strict=True)):
        radius = max(SMALLEST, crowd * sqrt(one.pages / most))
        drawn.append(circle(at, radius, f"community kind-{number % KINDS}"))
        drawn.append(_number(number, at, radius))
    return picture(
        SIZE, SIZE, f"The {len(found)} largest communities and the links between them", drawn, "ring"
    )


def _place(number: int, count: int) -> Point:
    angle = 2 * pi * number / max(count, 1) - pi / 2
    return (MIDDLE + RING * cos(angle), MIDDLE + RING * sin(angle)) if count > 1 else (MIDDLE, MIDDLE)


def _number(number: int, at: Point, radius: float) -> Markup:
    """Inside of the circle, or farther out where that is too small."""
    if radius >= ROOM:
        return text((at[0], at[1] + 5), str(number + 1), "number")
    away = 1 + (radius + 14) / RING
    place = MIDDLE + (at[0] - MIDDLE) * away, MIDDLE + (at[1] - MIDDLE) * away + 5
    return text(place, str(number + 1), "outside")


def _links(places: list[Point], between: tuple[tuple[int, ...], ...]) -> list[Markup]:
    pairs = {
        (one, other): between[one][other] + between[other][one]
        for one in range(len(places))
        for other in range(one)
    }
    most = max(pairs.values(), default=0)
    drawn = []
    for (one, other), links in sorted(pairs.items(), key=lambda pair: pair[1]):
        if most and links >= LEAST * most:
            (x, y), (to_x, to_y) = places[one], places[other]
            path = f"M{x:.1f} {y:.1f}Q{MIDDLE:.1f} {MIDDLE:.1f} {to_x:.1f} {to_y:.1f}"
            width = max(THINNEST, THICKEST * sqrt(links / most))
            drawn.append(element("path", class_="bond", d=path, stroke_width=width))
    return drawn
