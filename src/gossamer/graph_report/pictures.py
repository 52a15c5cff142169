"""SVG pictures: bow tie, degree plot, communities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, cos, floor, log10, pi, sin, sqrt

import numpy as np
from markupsafe import Markup, escape

from gossamer.graph.structure.degrees import survival, thinned
from gossamer.graph.structure.report import CommunityReport, DegreeReport, PartReport
from gossamer.graph_report.wording import percent

# Write SVG
# ---------

Value = str | float
Point = tuple[float, float]


def element(name: str, *inner: str | Markup, **attributes: Value) -> Markup:
    """Return an SVG element. Attribute names: `class_` stands for class, `stroke_width` for stroke-width.

    >>> print(element("text", "a < b", class_="label", x=1.25, text_anchor="end"))
    <text class="label" x="1.2" text-anchor="end">a &lt; b</text>
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_svg_number(value))}"'
        for key, value in attributes.items()
    )
    content = Markup("").join(inner)
    return Markup(f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>")


def picture(width: float, height: float, title: str, parts: Iterable[Markup], kind: str) -> Markup:
    """Return a picture that scales to the available width; screen readers read its title."""
    return element(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_svg_number(width)} {_svg_number(height)}",
        class_=f"picture {kind}",
        role="img",
        aria_label=title,
    )


def text(at: Point, words: str, kind: str = "label", anchor: str = "middle") -> Markup:
    """Return a text at a position."""
    return element("text", words, class_=kind, x=at[0], y=at[1], text_anchor=anchor)


def circle(at: Point, radius: float, kind: str) -> Markup:
    return element("circle", class_=kind, cx=at[0], cy=at[1], r=radius)


def line(begin: Point, end: Point, kind: str) -> Markup:
    return element("line", class_=kind, x1=begin[0], y1=begin[1], x2=end[0], y2=end[1])


def curve(points: Iterable[Point], kind: str, arrow: str = "") -> Markup:
    """Return cubic Bézier curves: the start, then two control points and the end of each segment."""
    first, *others = points
    path = f"M{_pair(first)}C{' '.join(map(_pair, others))}"
    marked = {"marker_end": f"url(#{arrow})"} if arrow else {}
    return element("path", class_=kind, d=path, **marked)


def shape(points: Iterable[Point], kind: str) -> Markup:
    """Return a polygon."""
    return element("polygon", class_=kind, points=" ".join(map(_pair, points)))


def dots(points: Iterable[Point], radius: float, kind: str) -> Markup:
    """Return many small circles as one path: thousands of elements would make the page slow."""
    step = f"a{_svg_number(radius)} {_svg_number(radius)} 0 1 0"
    ring = f"{step} {_svg_number(2 * radius)} 0{step} {_svg_number(-2 * radius)} 0"
    return element("path", class_=kind, d="".join(f"M{_pair((x - radius, y))}{ring}" for x, y in points))


def arrow_head(name: str) -> Markup:
    """Return the definition of an arrow head for the ends of curves."""
    head = element("path", class_="arrow", d="M0 0L8 4L0 8z")
    box: dict[str, Value] = {"viewBox": "0 0 8 8", "refX": 7, "refY": 4, "markerWidth": 7, "markerHeight": 7}
    return element("defs", element("marker", head, id=name, orient="auto", **box))


def _pair(point: Point) -> str:
    return f"{_svg_number(point[0])} {_svg_number(point[1])}"


def _svg_number(value: Value) -> str:
    """Round to a tenth of a unit, which is finer than visible.

    >>> _svg_number(2.04), _svg_number(-0.04), _svg_number("a")
    ('2', '0', 'a')
    """
    if isinstance(value, str):
        return value
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


BOW_WIDTH, BOW_HEIGHT = 960.0, 575.0
ALONE = 350.0  # height of the picture without small parts below
BOW_MIDDLE = 205.0  # y of the core and the wings
BELOW = 440.0  # y of the small parts below
TALLEST, WIDEST = 250.0, 860.0  # of the bow tie
LARGEST_BELOW = 70.0  # radius of the largest small part
SMALLEST_PART = 2.5  # least radius, so that every part is visible
GAP = 26.0  # between core and wings
COLUMN = 150.0  # least width for the label of a part
ARROW = "onward"

# A wing of height h is 0.8 h wide and 0.45 h tall at the core; a tube of height h is 4 h long.
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
    """Draw the bow tie: the wings (in and out), the core between them, and the small parts below."""
    by_name = {part.name: part for part in parts}
    shares = {name: part.share for name, part in by_name.items()}
    area = _area_of_all(shares)
    radius = _radius(area * shares["core"])
    heights = {side: sqrt(area * shares[side] / WING_AREA) for side in ("in", "out")}
    middles = _columns(heights, radius)
    drawn = [arrow_head(ARROW), *_connections(heights, middles, radius, shares)]
    drawn += [_wing(middles["in"], heights["in"], 1, "in"), _wing(middles["out"], heights["out"], -1, "out")]
    drawn.append(circle((middles["core"], BOW_MIDDLE), radius, "part core"))
    drawn += [_small(name, at, area * shares[name]) for name, at in PLACES.items() if shares[name]]
    drawn += [_words(by_name[name], middles[name], 34) for name in ("in", "core", "out")]
    hanging = [(by_name[name], at) for name, at in PLACES.items() if shares[name]]
    drawn += [_words(part, at, BELOW + 102) for part, at in hanging]
    said = ", ".join(f"{NAMES[part.name].lower()} {part.share:.1%}" for part in parts)
    return picture(BOW_WIDTH, BOW_HEIGHT if hanging else ALONE, f"The bow tie: {said}", drawn, "bow")


def _radius(area: float) -> float:
    return sqrt(area / pi)


def _area_of_all(shares: Mapping[str, float]) -> float:
    """Return the area of all pages: the largest with which every part fits into its place."""
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
    """Return the x of the centres of in, core and out: side by side, with room for labels."""
    widths = [heights["in"] * WING_WIDTH, 2 * radius, heights["out"] * WING_WIDTH]
    left = max(COLUMN, (widths[0] + widths[1]) / 2 + GAP)
    right = max(COLUMN, (widths[1] + widths[2]) / 2 + GAP)
    core = BOW_WIDTH / 2 + (left - right) / 2
    return {"in": core - left, "core": core, "out": core + right}


def _wing(middle: float, height: float, side: int, kind: str) -> Markup:
    """Return a trapezium with its narrow end at the core: on the right if `side` is 1, on the left if -1."""
    half, tall, narrow = side * height * WING_WIDTH / 2, height / 2, height * WING_KNOT / 2
    corners = [
        (middle - half, BOW_MIDDLE - tall),
        (middle + half, BOW_MIDDLE - narrow),
        (middle + half, BOW_MIDDLE + narrow),
        (middle - half, BOW_MIDDLE + tall),
    ]
    return shape(corners, f"part {kind}")


def _small(name: str, at: float, area: float) -> Markup:
    kind = "part " + name.replace(" ", "-")
    if name == "tube":
        height = max(sqrt(area / 4), 2 * SMALLEST_PART)
        corner = height / 2
        place = {"x": at - 2 * height, "y": BELOW - corner, "width": 4 * height, "height": height}
        return element("rect", class_=kind, rx=corner, **place)
    if name == "island":
        return _islands((at, BELOW), area, kind)
    return circle((at, BELOW), max(_radius(area), SMALLEST_PART), kind)


def _islands(at: Point, area: float, kind: str) -> Markup:
    """Draw three circles that stand for any number of islands."""
    parts = [(0.55, -0.42, 0.1), (0.3, 0.85, -0.55), (0.15, 0.75, 0.6)]
    reach = max(_radius(area), 2 * SMALLEST_PART)
    drawn = [
        circle((at[0] + reach * x, at[1] + reach * y), max(_radius(area * share), 1.5), kind)
        for share, x, y in parts
    ]
    return element("g", *drawn)


def _connections(
    heights: Mapping[str, float], middles: Mapping[str, float], radius: float, shares: Mapping[str, float]
) -> list[Markup]:
    """Draw links between parts, from left to right; small parts are linked to the lower edge of a wing."""
    half = {side: height * WING_WIDTH / 2 for side, height in heights.items()}
    slope = (1 + WING_KNOT) / 4
    from_in = (middles["in"], BOW_MIDDLE + heights["in"] * slope)
    to_out = (middles["out"], BOW_MIDDLE + heights["out"] * slope)
    ways = [
        ("in", (middles["in"] + half["in"] + 3, BOW_MIDDLE), (middles["core"] - radius - 3, BOW_MIDDLE)),
        ("out", (middles["core"] + radius + 3, BOW_MIDDLE), (middles["out"] - half["out"] - 3, BOW_MIDDLE)),
        ("tendril in", from_in, (PLACES["tendril in"], BELOW)),
        ("tendril out", (PLACES["tendril out"], BELOW), to_out),
        ("tube", from_in, (PLACES["tube"], BELOW)),
        ("tube", (PLACES["tube"], BELOW), to_out),
    ]
    return [_way(begin, end) for name, begin, end in ways if shares[name]]


def _way(begin: Point, end: Point) -> Markup:
    """Return a curve with an arrow in the middle; between points of equal height, a line with an arrow."""
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


# Degree plot
# -----------

PLOT_WIDTH, PLOT_HEIGHT = 460.0, 360.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 14.0, 16.0, 48.0
MOST_DOTS = 300
LEAST_SHARE = 1e-9
ON_LINE = 60  # points of the curve of the fitted law
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Axes:
    """Logarithmic axes: number of links, and share of pages with at least that many links."""

    def __init__(self, most: int, least: float) -> None:
        self.decades = max(1, ceil(log10(max(most, 2))))
        self.depth = min(-1, floor(log10(max(least, LEAST_SHARE))))

    def place(self, value: float, share: float) -> Point:
        across = (PLOT_WIDTH - LEFT - RIGHT) * log10(value) / self.decades
        down = (PLOT_HEIGHT - TOP - BOTTOM) * log10(share) / self.depth
        return LEFT + across, TOP + down

    def drawn(self, across: str) -> list[Markup]:
        """Draw the grid, with a line for every power of ten, and the labels of the axes."""
        parts = []
        for power in range(self.decades + 1):
            top, foot = self.place(10.0**power, 1.0), self.place(10.0**power, 10.0**self.depth)
            parts += [line(top, foot, "grid"), text((foot[0], foot[1] + 18), _power(power), "tick")]
        step = max(1, -self.depth // 6)
        for power in range(0, self.depth - 1, -step):
            begin = self.place(1, 10.0**power)
            parts.append(line(begin, (PLOT_WIDTH - RIGHT, begin[1]), "grid"))
            parts.append(text((begin[0] - 8, begin[1] + 4), _share(power), "tick", "end"))
        middle = (LEFT + PLOT_WIDTH - RIGHT) / 2
        parts.append(text((middle, PLOT_HEIGHT - 8), across, "axis"))
        return parts


def degree_picture(found: DegreeReport, across: str) -> Markup:
    """Plot a degree distribution: dots for the observed values, a line for the fitted power law."""
    if not found.values:
        axes = Axes(10, 0.1)
        return picture(PLOT_WIDTH, PLOT_HEIGHT, f"{across}: none", axes.drawn(across), "plot")
    axes = Axes(found.highest, found.at_least[-1])
    chosen = thinned(len(found.values), MOST_DOTS).tolist()
    points = [axes.place(found.values[i], found.at_least[i]) for i in chosen]
    drawn = [*axes.drawn(across), dots(points, 2.6, "observed"), *_law(found, axes)]
    said = f"{across}: share of pages with at least so many, from 1 to {found.highest:,}"
    return picture(PLOT_WIDTH, PLOT_HEIGHT, said, drawn, "plot")


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
    label = min(above[0] + 12, PLOT_WIDTH - 110), max(above[1] - 8, TOP + 12)
    return [
        curve([foot, foot, top, top], "from"),
        element("path", class_=kind, d=path),
        text(label, f"exponent {law.exponent:.2f}", "law", "start"),
    ]


def _power(power: int) -> str:
    return f"{10**power:,}" if power < 5 else "10" + str(power).translate(SUPERSCRIPT)


def _share(power: int) -> str:
    return f"{100 * 10.0**power:.10g}%" if power >= -4 else "10" + str(power).translate(SUPERSCRIPT)


# Ring of communities
# -------------------

SIZE = 460.0
RING_MIDDLE = SIZE / 2
RING = 150.0
LARGEST, SMALLEST_COMMUNITY = 62.0, 5.0
ROOM = 13.0  # least radius of a circle with its number inside
THICKEST, THINNEST = 14.0, 0.6  # lines
LEAST = 0.01  # pairs with less than this part of the largest number of links get no line
KINDS = 8  # number of colours


def ring_picture(found: tuple[CommunityReport, ...], between: tuple[tuple[int, ...], ...]) -> Markup:
    """Draw communities on a ring: areas are numbers of pages, line widths numbers of links (both ways)."""
    places = [_place(number, len(found)) for number in range(len(found))]
    most = max((one.pages for one in found), default=1)
    crowd = min(LARGEST, 0.9 * RING * sin(pi / max(len(found), 2)))
    drawn = _links(places, between)
    for number, (one, at) in enumerate(zip(found, places, strict=True)):
        radius = max(SMALLEST_COMMUNITY, crowd * sqrt(one.pages / most))
        drawn.append(circle(at, radius, f"community kind-{number % KINDS}"))
        drawn.append(_number_label(number, at, radius))
    return picture(
        SIZE, SIZE, f"The {len(found)} largest communities and the links between them", drawn, "ring"
    )


def _place(number: int, count: int) -> Point:
    if count < 2:
        return RING_MIDDLE, RING_MIDDLE
    angle = 2 * pi * number / count - pi / 2
    return RING_MIDDLE + RING * cos(angle), RING_MIDDLE + RING * sin(angle)


def _number_label(number: int, at: Point, radius: float) -> Markup:
    """Return the number of a community: inside its circle, or beside it if the circle is too small."""
    if radius >= ROOM:
        return text((at[0], at[1] + 5), str(number + 1), "number")
    away = 1 + (radius + 14) / RING
    place = RING_MIDDLE + (at[0] - RING_MIDDLE) * away, RING_MIDDLE + (at[1] - RING_MIDDLE) * away + 5
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
            path = f"M{x:.1f} {y:.1f}Q{RING_MIDDLE:.1f} {RING_MIDDLE:.1f} {to_x:.1f} {to_y:.1f}"
            width = max(THINNEST, THICKEST * sqrt(links / most))
            drawn.append(element("path", class_="bond", d=path, stroke_width=width))
    return drawn
