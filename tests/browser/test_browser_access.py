"""WCAG 2.2 AA by axe, on every page in light and dark mode; headings and names for screen readers."""

from __future__ import annotations

import pytest
from fake_engine import hit

from gossamer.model import CachedPage, Cluster, Contribution, Explanation, Facet, InstantAnswer, Sitelink

LEVELS = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
URL = "https://example.org/cats"
COPY = CachedPage(
    URL, "Cats", "en", "text/html", 1714557600.0, "cats", "<h1>Cats</h1><p>cats", frozenset({"cats"})
)
SUM = Explanation((Contribution("cats", 2.0, 1.0, 2.0), Contribution("(close together)", 1.0, 0.5, 0.5)), 1.2)
SAID = {
    "folded": 2,
    "did_you_mean": "cuts",
    "searched": "cats",
    "searched_because": "corrected",
    "notes": ("a note",),
    "clusters": (Cluster("big cats", 7), Cluster("cars", 3)),
    "country": "DK",
    "context": ("big cats", "lions"),
    "preferred_topic": "ships",
    "answers": (InstantAnswer("units", "1 km in m", "1,000 m", "exactly", "https://example.org/km"),),
    "related": ("wild cats", "cat food"),
    "sitelinks": (Sitelink("Prices", "https://example.org/p"),),
    "facets": (
        Facet("site", "a.test", 3),
        Facet("language", "de", 2),
        Facet("type", "pdf", 1),
        Facet("time", "7", 1),
    ),
}
PAGES = {
    "start": "/",
    "results": "/search?q=cats+site:example.org",
    "explained": "/search?q=cats&explain=true&page=2",
    "empty": "/search?q=%22no+cats%22+-x",
    "problem": "/search?q=%22cats",
    "nowhere": "/nowhere",
    "copy": "/cache?url=https://example.org/cats&q=cats",
    "profile": "/you",
    "no copy": "/cache?url=https://example.org/dogs",
}


@pytest.fixture
def shown(opened, fake):
    engine, root = fake
    engine.copies = {URL: COPY}

    def show(name, **options):
        engine.said = {} if name == "empty" else SAID
        engine.hits = [] if name == "empty" else rich()
        return opened(root, **options).go(PAGES[name])

    return show


def rich():
    first = hit(
        URL,
        "Cats",
        "About cats.",
        [(6, 10)],
        language="de",
        published=1e9,
        similar=(URL + "2",),
        more_from_host=2,
    )
    arabic = hit(URL, "قطط", "عن القطط", language="ar", media_type="application/pdf")
    return [first, arabic, *[hit(URL + str(n), f"Cats {n}", unfetched=n % 2 == 0) for n in range(15)]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", list(PAGES))
def test_axe_finds_nothing(shown, name, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = shown(name, color_scheme=scheme)
    for summary in page.locator("details:not([name]) > summary").all():
        summary.click()
    found = Axe().run(page, options={"runOnly": LEVELS, "resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()


def test_open_menus_are_clean_too(shown):
    from axe_playwright_python.sync_playwright import Axe

    page = shown("results")
    page.locator(".pick summary").first.click()
    page.locator(".about summary").first.click()
    found = Axe().run(page, options={"runOnly": LEVELS, "resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()


def test_a_reader_hears_headings_and_names(shown):
    page = shown("results")
    assert page.get_by_role("heading", level=1).inner_text().startswith("Results for")
    assert page.get_by_role("search").count() == 1
    assert page.get_by_role("navigation", name="Filter results").count() == 1
    assert page.get_by_role("navigation", name="Result pages").count() == 1


@pytest.mark.parametrize("name", list(PAGES))
def test_text_can_be_spaced_and_enlarged_without_loss(shown, name):
    """WCAG 1.4.4 and 1.4.12: at twice the size, on a small screen, nothing leaves it sideways."""
    page = shown(name, viewport={"width": 640, "height": 800})
    page.evaluate("document.documentElement.style.fontSize = '212%'")
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
