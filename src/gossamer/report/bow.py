"""The bow tie as a picture: the area of every part is as large as its share of the pages."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi, sqrt

from markupsafe import Markup

from gossamer.engine.graph_report import PartReport
from gossamer.report.svg import Point, arrow_head, circle, curve, element, picture, shape, text
from gossamer.report.wording import percent

WIDTH, HEIGHT = 960.0, 575.0
ALONE = 350.0  # the height when nothing hangs below
MIDDLE = 205.0  # where the knot stands
BELOW = 440.0  # where the small parts stand
TALLEST, WIDEST = 250.0, 860.0
LARGEST_BELOW = 70.0  # radius
SMALLEST = 2.5  # radius: what is there can be seen
GAP = 26.0
COLUMN = 150.0  # room for the words of a part
ARROW = "onward"
# A wing of height h is 0.8 h wide and 0.45 h tall at the knot; a tube of height h is 4 h long.
WING_WIDTH, WING_KNOT = 0.8, 0.45
WING_AREA = WING_WIDTH * (1 + WING_KNOT) / 2
PLACES = {"tendril in": 110.0, "fringe": 290.0, "tube": 480.0, "tendril out": 670.0, "island": 850.0}
NAMES = {
    "core": "Core",
    "in": "In",
    "out": "Out",
    "tendril in": "Tendrils in",
    "tendril out": "Tendrils out",
    "tube": "Tubes",
    "fringe": "Fringe",
    "island": "Islands",
}


def bow_tie_picture(parts: tuple[PartReport, ...]) -> Markup:
    """The wings, the knot, and below what hangs from them."""
    by_name = {part.name: part for part in parts}
    shares = {name: part.share for name, part in by_name.items()}
    area = _area_of_all(shares)
    radius = _radius(area * shares["core"])
    heights = {side: sqrt(area * shares[side] / WING_AREA) for side in ("in", "out")}
    middles = _columns(heights, radius)
    drawn = [arrow_head(ARROW), *_connections(heights, middles, radius, shares)]
    drawn += [_wing(middles["in"], heights["in"], 1, "in"), _wing(middles["out"], heights["out"], -1, "out")]
    drawn.append(circle((middles["core"], MIDDLE), radius, "part core"))
    drawn += [_small(name, at, area * shares[name]) for name, at in PLACES.items() if shares[name]]
    drawn += [_words(by_name[name], middles[name], 34) for name in ("in", "core", "out")]
    hanging = [(by_name[name], at) for name, at in PLACES.items() if shares[name]]
    drawn += [_words(part, at, BELOW + 102) for part, at in hanging]
    said = ", ".join(f"{NAMES[part.name].lower()} {part.share:.1%}" for part in parts)
    return picture(WIDTH, HEIGHT if hanging else ALONE, f"The bow tie: {said}", drawn, "bow")


def _radius(area: float) -> float:
    return sqrt(area / pi)


def _area_of_all(shares: Mapping[str, float]) -> float:
    """How large the whole may be drawn so that each part fits where it belongs."""
    wings = [sqrt(shares[side] / WING_AREA) for side in ("in", "out")]
    knot = 2 * _radius(shares["core"])
    below = max(_radius(shares[name]) for name in PLACES)
    limits = [
        (TALLEST, max(*wings, knot)),
        (WIDEST - 2 * GAP, WING_WIDTH * sum(wings) + knot),
        (LARGEST_BELOW, below),
    ]
    return min((room / needed) ** 2 for room, needed in limits if needed)


def _columns(heights: Mapping[str, float], radius: float) -> dict[str, float]:
    """Where the middle of each of the three large parts stands: side by side, with room for words."""
    widths = [heights["in"] * WING_WIDTH, 2 * radius, heights["out"] * WING_WIDTH]
    left = max(COLUMN, (widths[0] + widths[1]) / 2 + GAP)
    right = max(COLUMN, (widths[1] + widths[2]) / 2 + GAP)
    core = WIDTH / 2 + (left - right) / 2
    return {"in": core - left, "core": core, "out": core + right}


def _wing(middle: float, height: float, side: int, kind: str) -> Markup:
    """A trapezium whose narrow end points to the knot: side is 1 where that is on the right."""
    half, tall, narrow = side * height * WING_WIDTH / 2, height / 2, height * WING_KNOT / 2
    corners = [
        (middle - half, MIDDLE - tall),
        (middle + half, MIDDLE - narrow),
        (middle + half, MIDDLE + narrow),
        (middle - half, MIDDLE + tall),
    ]
    return shape(corners, f"part {kind}")


def _small(name: str, at: float, area: float) -> Markup:
    kind = "part " + name.replace(" ", "-")
    if name == "tube":
        height = max(sqrt(area / 4), 2 * SMALLEST)
        corner = height / 2
        place = {"x": at - 2 * height, "y": BELOW - corner, "width": 4 * height, "height": height}
        return element("rect", class_=kind, rx=corner, **place)
    if name == "island":
        return _islands((at, BELOW), area, kind)
    return circle((at, BELOW), max(_radius(area), SMALLEST), kind)


def _islands(at: Point, area: float, kind: str) -> Markup:
    """Three of them, for many."""
    parts = [(0.55, -0.42, 0.1), (0.3, 0.85, -0.55), (0.15, 0.75, 0.6)]
    reach = max(_radius(area), 2 * SMALLEST)
    drawn = [
        circle((at[0] + reach * x, at[1] + reach * y), max(_radius(area * share), 1.5), kind)
        for share, x, y in parts
    ]
    return element("g", *drawn)


def _connections(
    heights: Mapping[str, float], middles: Mapping[str, float], radius: float, shares: Mapping[str, float]
) -> list[Markup]:
    """Links run from left to right; what hangs from a wing is tied to its lower edge."""
    half = {side: height * WING_WIDTH / 2 for side, height in heights.items()}
    slope = (1 + WING_KNOT) / 4
    from_in = (middles["in"], MIDDLE + heights["in"] * slope)
    to_out = (middles["out"], MIDDLE + heights["out"] * slope)
    ways = [
        ("in", (middles["in"] + half["in"] + 3, MIDDLE), (middles["core"] - radius - 3, MIDDLE)),
        ("out", (middles["core"] + radius + 3, MIDDLE), (middles["out"] - half["out"] - 3, MIDDLE)),
        ("tendril in", from_in, (PLACES["tendril in"], BELOW)),
        ("tendril out", (PLACES["tendril out"], BELOW), to_out),
        ("tube", from_in, (PLACES["tube"], BELOW)),
        ("tube", (PLACES["tube"], BELOW), to_out),
    ]
    return [_way(begin, end) for name, begin, end in ways if shares[name]]


def _way(begin: Point, end: Point) -> Markup:
    """A curve that leaves and arrives upright, with an arrow half-way; level ones have it at their end."""
    if begin[1] == end[1]:
        return curve([begin, begin, end, end], "tie", ARROW)
    half = (begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2
    quarters = (begin[1] + half[1]) / 2, (end[1] + half[1]) / 2
    first = curve([begin, (begin[0], quarters[0]), half, half], "tie", ARROW)
    return element("g", first, curve([half, half, (end[0], quarters[1]), end], "tie"))


def _words(part: PartReport, at: float, down: float) -> Markup:
    kind = "words" if part.pages else "words none"
    return element(
        "g",
        text((at, down), NAMES[part.name], "name"),
        text((at, down + 24), f"{part.pages:,} · {percent(part.share)}", "figure"),
        class_=kind,
    )
