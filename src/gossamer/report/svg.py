"""How is a picture written? Elements of SVG, everything escaped; colours are classes of the style sheet."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

Value = str | float
Point = tuple[float, float]


def element(name: str, *inner: str | Markup, **attributes: Value) -> Markup:
    """One element; `class_` is the attribute class, and `stroke_width` is stroke-width.

    >>> print(element("text", "a < b", class_="label", x=1.25, text_anchor="end"))
    <text class="label" x="1.2" text-anchor="end">a &lt; b</text>
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for key, value in attributes.items()
    )
    content = Markup("").join(inner)
    return Markup(f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>")


def picture(width: float, height: float, title: str, parts: Iterable[Markup], kind: str = "") -> Markup:
    """A whole picture that takes the width it is given; its title is for those who cannot see it."""
    return element(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        class_=f"picture {kind}".strip(),
        role="img",
        aria_label=title,
    )


def text(at: Point, words: str, kind: str = "label", anchor: str = "middle") -> Markup:
    """Words at a place."""
    return element("text", words, class_=kind, x=at[0], y=at[1], text_anchor=anchor)


def circle(at: Point, radius: float, kind: str) -> Markup:
    return element("circle", class_=kind, cx=at[0], cy=at[1], r=radius)


def line(begin: Point, end: Point, kind: str) -> Markup:
    return element("line", class_=kind, x1=begin[0], y1=begin[1], x2=end[0], y2=end[1])


def curve(points: Iterable[Point], kind: str, arrow: str = "") -> Markup:
    """A cubic curve: where it begins, two points that pull, where it ends; and so on from there."""
    first, *others = points
    path = f"M{_pair(first)}C{' '.join(map(_pair, others))}"
    marked = {"marker_end": f"url(#{arrow})"} if arrow else {}
    return element("path", class_=kind, d=path, **marked)


def shape(points: Iterable[Point], kind: str) -> Markup:
    """A polygon."""
    return element("polygon", class_=kind, points=" ".join(map(_pair, points)))


def dots(points: Iterable[Point], radius: float, kind: str) -> Markup:
    """Many small circles as one path: a thousand elements would make a page slow."""
    step = f"a{_number(radius)} {_number(radius)} 0 1 0"
    ring = f"{step} {_number(2 * radius)} 0{step} {_number(-2 * radius)} 0"
    return element("path", class_=kind, d="".join(f"M{_pair((x - radius, y))}{ring}" for x, y in points))


def arrow_head(name: str) -> Markup:
    """What stands at the end of lines that lead somewhere."""
    head = element("path", class_="arrow", d="M0 0L8 4L0 8z")
    sized: dict[str, Value] = {
        "viewBox": "0 0 8 8",
        "refX": 7,
        "refY": 4,
        "markerWidth": 7,
        "markerHeight": 7,
    }
    return element("defs", element("marker", head, id=name, orient="auto", **sized))


def _pair(point: Point) -> str:
    return f"{_number(point[0])} {_number(point[1])}"


def _number(value: Value) -> str:
    """Short: a tenth of a unit is less than anybody sees.

    >>> _number(2.04), _number(-0.04), _number("a")
    ('2', '0', 'a')
    """
    if isinstance(value, str):
        return value
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")
