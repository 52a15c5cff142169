"""docs/tour.md is correct: every step on a page works over the real demo web."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import served
from tour_steps import DEEDS, deeds, steps

from gossamer.demo.bundled_web import PORT, SEEDS, demo_web
from gossamer.demo.scripted_web import ScriptedTransport
from gossamer.demo.tour import open_demo

ON_THE_PAGE = [step for step in steps() if deeds(step)]


def crawled(folder):
    with open_demo(folder, PORT) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(demo_web()))
        engine.rank()
    return open_demo(folder, PORT)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The address of a server over the demo web."""
    folder = tmp_path_factory.mktemp("tour") / "demo-collection"
    with ThreadPoolExecutor(1) as elsewhere:  # a crawl has its own event loop
        engine = elsewhere.submit(crawled, folder).result()
    engine.suggest("wait")
    engine.search("jaguar", country="gb", clusters=True, facets=True)  # loads what the first one needs
    with engine, served(engine) as root:
        yield root


def alike(text):
    """White space is one like the other, and so are numbers: they grow with the demo web."""
    return re.sub(r"\d+([.,]\d+)*", "0", " ".join(text.split()))


def visible(page):
    shown = page.locator("body").inner_text()
    return alike(shown + " ".join(frame.locator("body").inner_text() for frame in page.frames[1:]))


class Walk:
    """One deed after the other."""

    def __init__(self, watched):
        self.watched, self.page = watched, watched.page

    def open(self, path):
        self.watched.go(path)

    def type(self, text):
        self.page.locator("#q").fill("")
        self.page.locator("#q").press_sequentially(text)

    def press(self, key):
        self.page.keyboard.press(key)
        self.page.wait_for_load_state()

    def click(self, words):
        named = self.page.get_by_role("link", name=words).or_(self.page.locator("summary", has_text=words))
        named.or_(self.page.get_by_label(words)).locator("visible=true").first.click()
        self.page.wait_for_load_state()

    def see(self, words):
        self.page.wait_for_timeout(0)
        for _ in range(100):
            if alike(words) in visible(self.page):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"not to be seen: {words}\n{self.page.url}\n{visible(self.page)}")

    def miss(self, words):
        assert alike(words) not in visible(self.page), words

    def box(self, text):
        assert self.page.locator("#q").input_value() == text


def test_the_tour_is_a_tour():
    assert len(ON_THE_PAGE) >= 8
    for step in ON_THE_PAGE:
        names = [name for name, _ in deeds(step)]
        assert set(names) <= set(DEEDS)
        assert names[0] == "open", step.title
        assert "see" in names, step.title


@pytest.mark.parametrize("step", ON_THE_PAGE, ids=lambda step: step.title)
def test_a_step_on_the_page(opened, demo, step):
    walk = Walk(opened(demo))
    for name, what in deeds(step):
        getattr(walk, name)(what)
    assert walk.watched.complaints == []
