"""A web that wants to run scripts here, crawled and served for real: nothing of it runs, on no page of ours.

Unlike in test_browser_safety, the texts come the whole way: from markup through extraction, index, texts of
links, suggestions and stored copies to the browser.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from html import escape
from urllib.parse import quote

import pytest
from conftest import SETTINGS, served
from payloads import payloads

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html

PAYLOADS = payloads()
A_PAGE = 4  # payloads in each
GROUPS = [PAYLOADS[at : at + A_PAGE] for at in range(0, len(PAYLOADS), A_PAGE)]
HOSTS = 8
PAGE = """<html lang="en"><head><title>{said} jaguar</title><meta name="description" content="{said}">
<meta name="author" content="{said}"></head><body><h1>{said}</h1><p>The jaguar of page {number} says {said},
and {words}.</p><p><a href="/never/{number}?{quoted}">{said} unfetched leopard</a>{links}</p>{raw}
</body></html>"""


def written(number, some):
    said = escape(" ".join(some))
    near = [(number + step) % len(GROUPS) for step in (1, 2, 3)]
    links = "".join(
        f'<a href="http://h{n % HOSTS}.test/{n}">{escape(GROUPS[n][0])} jaguar</a> ' for n in near
    )
    words = " ".join(f"word{number}x{n}" for n in range(30))
    return PAGE.format(
        said=said, number=number, words=words, quoted=quote(some[0]), links=links, raw="\n".join(some)
    )


def hostile_web():
    hosts = {f"h{n}.test": {"/robots.txt": html("User-agent: *\nDisallow: /none")} for n in range(HOSTS)}
    for number, some in enumerate(GROUPS):
        hosts[f"h{number % HOSTS}.test"][f"/{number}"] = html(written(number, some))
    return ScriptedWeb({name: ScriptedHost(pages) for name, pages in hosts.items()})


def crawled(folder):
    settings = {**SETTINGS, "quality": {"near_duplicate_threshold": 1.0}, "crawl": {"exclude": ["/never/"]}}
    with Engine.open(folder, create=True, settings=settings) as engine:
        seeds = [f"http://h{number % HOSTS}.test/{number}" for number in range(len(GROUPS))]
        engine.crawl(seeds, transport=ScriptedTransport(hostile_web()))
        engine.rank()
    return Engine.open(folder, settings=settings)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "c"
    with ThreadPoolExecutor(1) as elsewhere:  # a crawl has its own event loop
        engine = elsewhere.submit(crawled, folder).result()
    engine.suggest("wait")
    with engine, served(engine) as root:
        yield engine, root


@pytest.fixture
def watched(opened, hostile):
    made = opened(hostile[1])
    made.page.route("http*://*.test/**", lambda route: route.abort())  # whatever leads away is not asked for
    yield made
    made.page.wait_for_timeout(50)
    assert made.complaints == []
    assert made.page.url.startswith(hostile[1])


def test_the_web_is_there_with_all_it_says(hostile):
    engine, _ = hostile
    pages = list(engine.pages())
    assert len(pages) > 0.9 * len(GROUPS)
    said = "\n".join(page.title + page.text for page in pages)
    assert sum("<script>" in page.title for page in pages) > 10
    assert said.count("onerror=alert('RAN')") > 50


def test_results_groups_and_reasons(watched, hostile):
    engine, _ = hostile
    last = min(len(engine.results("jaguar")), 400) // 10
    for number in range(1, last + 1, 3):
        watched.go(f"/search?q=jaguar&page={number}&explain={'true' if number % 2 else 'false'}")
        assert watched.page.locator(".hits > li").count()


def test_pages_that_only_links_speak_of(watched):
    for query in ("leopard", "inanchor:leopard", "unfetched leopard alert RAN"):
        watched.go(f"/search?q={quote(query)}")


def test_stored_copies(watched, hostile):
    engine, _ = hostile
    urls = [page.url for page in engine.pages()]
    for url in urls[::5]:
        watched.go(f"/cache?url={quote(url, safe='')}&q=jaguar")
        watched.page.frame_locator("iframe").locator("mark").first.wait_for()
    # What is left of them may still want a stylesheet or a picture, which the policy refuses.
    watched.complaints[:] = [one for one in watched.complaints if "stylesheet" not in one]


def test_what_is_known_of_a_page(watched, hostile):
    """For programs, and yet a browser may be led there: JSON, feeds and tables are no HTML to it."""
    engine, _ = hostile
    url = quote(next(engine.pages()).url, safe="")
    for path in (
        f"/api/page?url={url}",
        f"/api/links?url={url}",
        f"/api/similar?url={url}",
        "/api/search?q=jaguar",
    ):
        watched.go(path)
        assert watched.page.evaluate("document.contentType") == "application/json"


def test_suggestions(watched):
    page = watched.go("/")
    for typed in ("alert", "script", "img", "svg", "ran", "onerror", "<", '"'):
        page.locator("#q").fill("")
        with page.expect_response("**/api/suggest*"):
            page.locator("#q").press_sequentially(typed)
        page.wait_for_timeout(100)
        assert page.locator("#suggestions *:not(li):not(span):not(b):not(mark)").count() == 0
