"""Every page fits into windows of every width without horizontal scrolling."""

from __future__ import annotations

import pytest
from conftest import served
from fake_engine import FakeEngine, hit, hits
from fake_owned import fake_owned

from gossamer.config import ServeSettings
from gossamer.model import Cluster, Facet

WIDTHS = (320, 375, 480, 576, 640, 768, 880, 896, 900, 936, 1024, 1056, 1088, 1120, 1180, 1250, 1366, 1600)
URL = "https://example.org/" + "a-long-address/" * 9
SAID = {
    "clusters": (Cluster("big cats of the Americas", 7), Cluster("cars", 3)),
    "facets": tuple(
        Facet(kind, value, 5)
        for kind, value in [
            ("site", "a-long-name-of-a-host.example.org"),
            ("language", "de"),
            ("type", "pdf"),
            ("time", "7"),
            ("topic", "Animals that live near the rivers of the Americas"),
        ]
    ),
}
LONG = "&q=cats&ui=de"
PAGES = ("/?", "/search?", "/search?explain=true", "/search?newest=true&page=9", "/you?", "/submit?")
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CUT_OFF = """all => all.filter(one => one.scrollWidth > one.clientWidth
    || one.getBoundingClientRect().left < 0 || one.getBoundingClientRect().right > innerWidth).length"""


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    engine = FakeEngine([hit(URL), *hits(9)], said=SAID)
    both = ServeSettings(submissions=True, reports=True)
    with served(engine, both, fake_owned(tmp_path_factory.mktemp("owned"))) as address:
        yield address


@pytest.mark.parametrize("path", [*PAGES, f"/report?url={URL}"])
def test_no_page_is_wider_than_its_window(opened, root, path):
    page = opened(root).go(path + LONG)
    wider = {width: page.evaluate(TOO_WIDE) for width in widths(page)}
    assert not any(wider.values()), wider


def test_groups_are_seen_whole_at_every_width(opened, root):
    page = opened(root).go("/search?q=cats")
    assert page.locator(".groups a").count() == 2
    for width in widths(page):
        assert page.locator(".groups, .groups a").evaluate_all(CUT_OFF) == 0, width


@pytest.mark.parametrize("language", ["en", "de", "el", "da", "fr", "ro"])
def test_an_open_menu_is_seen_whole_at_every_width(opened, root, language):
    page = opened(root).go(f"/search?q=cats&ui={language}")
    for menu in [*page.locator(".pick").all(), page.locator(".about").first]:
        menu.evaluate("one => one.open = true")
        for width in widths(page):
            assert menu.locator("ul").evaluate_all(CUT_OFF) == 0, (width, menu.inner_text())
            assert page.evaluate(TOO_WIDE) == 0, (width, menu.inner_text())


def widths(page):
    """Each width, when the window has it."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        yield width
