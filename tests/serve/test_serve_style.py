"""Colours meet WCAG AA in light and dark mode, and the stylesheet has every class of the pages."""

from __future__ import annotations

import re

import pytest
from fake_engine import FakeEngine

from gossamer.serve.app import STYLES, STYLESHEET, stylesheet
from gossamer.serve.rendering import HERE

STYLE = stylesheet()
TEXT = 4.5  # WCAG 2.2, 1.4.3
PARTS = 3.0  # WCAG 2.2, 1.4.11: borders of controls


def palette(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))


LIGHT, DARK = (palette(block) for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL))


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_as_defined():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read(colours):
    for ground in ("paper", "raised"):
        for ink in ("ink", "soft", "link", "visited", "wrong", "accent"):
            assert contrast(colours[ink], colours[ground]) >= TEXT, (ink, ground)
        assert contrast(colours["edge"], colours[ground]) >= PARTS, ground
    assert contrast(colours["ink"], colours["mark"]) >= TEXT
    assert contrast(colours["on-accent"], colours["accent"]) >= TEXT


def test_both_palettes_name_the_same_colours():
    assert LIGHT.keys() == DARK.keys()


def test_every_file_is_part_of_the_stylesheet():
    whole = stylesheet()
    for path in STYLES.iterdir():
        assert path.name == STYLESHEET or whole.count(path.read_text("utf-8")) == 1, path


def test_it_is_sent_once(client_of):
    client = client_of(FakeEngine())
    answer = client.get("/static/style.css")
    assert answer.text == STYLE
    again = client.get("/static/style.css", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/static/style.css", headers={"If-None-Match": '"other"'}).status_code == 200
    assert client.head("/static/style.css").headers["content-length"] == str(len(STYLE.encode()))


def test_no_rule_is_written_twice():
    rules = re.findall(
        r"^([^\s{}@/][^{}@/]*?) \{([^{}]*)\}", STYLE, re.MULTILINE
    )  # those of no special screen
    for told in ([names for names, _ in rules], [what for _, what in rules if what.count(";") > 2]):
        assert len(told) > 50
        assert {one for one in told if told.count(one) > 1} == set()


def test_every_class_of_the_stylesheet_is_used():
    written = "".join(
        path.read_text() for kind in ("html", "js", "py", "svg") for path in HERE.rglob(f"*.{kind}")
    )
    styled = set(re.findall(r"\.([a-z]+)\b(?=[^{}]*\{)", re.sub(r"/\*.*?\*/", "", STYLE, flags=re.DOTALL)))
    assert {name for name in styled if not re.search(rf"\b{name}\b", written)} == set()


def test_the_stylesheet_loads_nothing():
    assert "@import" not in STYLE
    assert "url(" not in STYLE


def test_every_colour_is_used():
    assert [name for name in LIGHT if f"var(--{name})" not in STYLE] == []


def test_every_class_has_a_style():
    used = set()
    for template in (HERE / "templates").rglob("*.html"):
        for names in re.findall(r'class="([a-z ]+)"', template.read_text()):
            used.update(names.split())
    styled = set(re.findall(r"\.([a-z]+)\b", STYLE))
    assert used - styled == set()
