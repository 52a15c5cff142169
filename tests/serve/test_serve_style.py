"""The colours hold WCAG AA in light and in dark, and every class of a page is known to the stylesheet."""

from __future__ import annotations

import re

import pytest

from gossamer.serve.templating import HERE, STATIC

STYLE = (STATIC / "style.css").read_text()
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
