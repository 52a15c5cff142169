"""URLs of other schemes, from the seed to the search, with installed fetchers."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest

from gossamer import Engine
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.crawl.fetch.transport import GROUP, SchemeTransport, offers
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page, text
from gossamer.model import BadUrl
from gossamer.storage.warc import iter_warc
from gossamer.web.url import other_schemes

MODULE = """
import time
from gossamer.model import FetchResult

class Burrow:
    asked = []
    pages = {}

    def __init__(self, settings):
        pass

    async def get(self, url, headers, max_bytes):
        self.asked.append((time.monotonic(), url.text))
        body = self.pages.get(url.text)
        kind = "text/plain" if url.path == "/robots.txt" else "text/html"
        status = 200 if body else 404
        return FetchResult(url, time.time(), 0.0, status, (("Content-Type", kind),), body or b"")

    async def close(self):
        pass

class Polite(Burrow):
    has_robots = True
"""


@pytest.fixture
def burrow(tmp_path, monkeypatch):
    """Install the fetcher of `burrow:` and `polite:`, as pip does."""
    folder = tmp_path / "site"
    info = folder / "burrows-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "burrows.py").write_text(MODULE, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: burrows\nVersion: 1.0\n", encoding="utf-8")
    points = f"[{GROUP}]\nburrow = burrows:Burrow\npolite = burrows:Polite\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    other_schemes.cache_clear()
    import burrows  # type: ignore[import-not-found]

    yield burrows.Burrow
    sys.modules.pop("burrows", None)
    other_schemes.cache_clear()


ALL = ("http", "https", "burrow", "polite")


def crawl(folder, web, *seeds, partitions=1, schemes=ALL, delay=0.0, **more):
    settings = {
        "frontier": {"delay": delay},
        "extract": {"workers": 0},
        "crawl": {"retry_delay": 0.01, "schemes": list(schemes), **more},
    }
    transport = SchemeTransport(ScriptedTransport(web), offers(), FetchSettings())
    with Engine.open(folder, create=True, partitions=partitions, settings=settings) as engine:
        return engine.crawl(seeds, transport=transport)


def content(title, words, *links):
    return page(title, words, links).body


def found(folder, query):
    with Engine.open(folder) as engine:
        return {hit.url for hit in engine.search(query).hits}


def warren(burrow):
    """Two hosts of the scheme, URLs of it without a host, and a web host, all with links to each other."""
    links = ("deep?q=1", "//OTHER.test:7/x", "http://web.test/", "burrow:hole")
    burrow.pages.update({
        "burrow://den.test/": content("Den", "fur", *links),
        "burrow://den.test/deep?q=1": content("Deep", "deeper fur"),
        "burrow://other.test:7/x": content("Other", "more fur"),
        "burrow:hole": content("Hole", "fur of no host", "relative-leads-nowhere", "burrow:second hole"),
        "burrow:second%20hole": content("Second", "fur of no host again"),
        "burrow://den.test/from-web": content("Back", "fur that the web links to"),
    })  # fmt: skip
    links = ["burrow://den.test/from-web", "mailto:a@den.test", "ftp://den.test/x"]
    return ScriptedWeb({"web.test": ScriptedHost({"/": page("Web", "fur on the web", links)})})


EVERYTHING = {
    "burrow://den.test/",
    "burrow://den.test/deep?q=1",
    "burrow://other.test:7/x",
    "burrow:hole",
    "burrow:second%20hole",
    "burrow://den.test/from-web",
    "http://web.test/",
}


@pytest.mark.parametrize("partitions", [1, 3])
def test_pages_of_another_scheme_are_crawled_stored_and_found(burrow, tmp_path, partitions):
    folder = tmp_path / "c"
    progress = crawl(folder, warren(burrow), "burrow://den.test", partitions=partitions)
    assert (progress.pages, progress.failed, progress.queue) == (7, 0, 0)
    assert found(folder, "fur") == EVERYTHING
    stored = [one.url.text for path in folder.rglob("*.warc.gz") for one in iter_warc(path)]
    assert sorted(stored) == sorted(EVERYTHING)
    assert not any("robots.txt" in url for _, url in burrow.asked), "the scheme has none"
    assert crawl(folder, warren(burrow), "burrow://den.test").pages == 0


def test_what_is_known_of_its_hosts(burrow, tmp_path):
    folder = tmp_path / "c"
    crawl(folder, warren(burrow), "burrow://den.test")
    with Engine.open(folder) as engine:
        den, hole = engine.host_status("burrow://den.test/"), engine.host_status("burrow:")
        assert engine.host_status("den.test") == den
        assert engine.host_status("burrow://other.test:7/").pages == 1
        assert not engine.check().problems
    assert (den.host, den.pages, den.robots) == ("den.test", 3, None)
    assert (hole.host, hole.urls, len(hole.fetches)) == ("burrow:", {"fetched": 2}, 2)


def test_a_host_is_one_host_whatever_the_scheme(burrow, tmp_path):
    pages = {f"burrow://den.test/{i}": content(f"Page {i}", f"number {i}") for i in range(3)}
    burrow.pages.update(pages)
    web = ScriptedWeb({"den.test": ScriptedHost({"/": page("Web", "front", list(pages))})})
    assert crawl(tmp_path / "c", web, "http://den.test/", delay=0.15).pages == 4
    times = sorted([one.time for one in web.asked] + [when for when, _ in burrow.asked])
    assert len(times) == 5
    assert all(later - earlier >= 0.15 for earlier, later in pairwise(times))


def test_links_of_a_scheme_that_is_not_wanted_are_left_out(burrow, tmp_path):
    folder = tmp_path / "c"
    assert crawl(folder, warren(burrow), "http://web.test/", schemes=["http"]).pages == 1
    assert crawl(folder, warren(burrow), "burrow:hole", schemes=["http"]).pages == 1, "seeds are fetched"


def test_limits_hold_for_it_too(burrow, tmp_path):
    folder = tmp_path / "c"
    crawl(folder, warren(burrow), "burrow:hole", max_pages_per_host=1, stay_on_site=True)
    assert found(folder, "fur") == {"burrow:hole"}
    crawl(folder, warren(burrow), "burrow://den.test/", stay_on_site=True, exclude=["deep"])
    assert found(folder, "fur") == {"burrow:hole", "burrow://den.test/"}


def test_robots_are_asked_where_the_fetcher_says_so(burrow, tmp_path):
    burrow.pages.update({
        "polite://den.test/robots.txt": b"User-agent: *\nDisallow: /private",
        "polite://den.test/": content("Front", "open", "/private"),
    })  # fmt: skip
    web = ScriptedWeb({"den.test": ScriptedHost({"/robots.txt": text("")})})
    progress = crawl(tmp_path / "c", web, "polite://den.test/")
    assert (progress.pages, progress.refused) == (1, 1)
    assert [url for _, url in burrow.asked] == ["polite://den.test/robots.txt", "polite://den.test/"]
    assert not web.asked


def test_a_seed_of_a_scheme_that_nobody_speaks(burrow, tmp_path):
    with Engine.open(tmp_path / "c", create=True) as engine:
        with pytest.raises(BadUrl, match="only http, https, burrow and polite can be crawled, not gopher"):
            engine.crawl("gopher://a.test/")
        with pytest.raises(BadUrl, match="user name"):
            engine.crawl("burrow://anna@a.test/")
