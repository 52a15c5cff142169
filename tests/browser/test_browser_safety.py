"""A few hundred attempts to run a script from text of pages: none of them works in any place."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from fake_engine import hit
from payloads import payloads

from gossamer.model import CachedPage, Cluster, Facet, InstantAnswer, Sitelink

PAYLOADS = payloads()
AT_ONCE = 10  # results of a page
URL = "https://example.org/"


def grouped(size):
    return [PAYLOADS[at : at + size] for at in range(0, len(PAYLOADS), size)]


@pytest.fixture
def watched(opened, fake):
    engine, root = fake
    engine.hits, engine.said, engine.copies, engine.suggested = [], {}, {}, None
    made = opened(root)
    made.page.route("https://**", lambda route: route.abort())  # whatever leads away is not asked for
    yield made, engine
    made.page.wait_for_timeout(50)
    assert made.complaints == []
    assert made.page.url.startswith(root)


def poke(page):
    """Moves over and clicks what a payload may have made of itself; focus and hover run handlers too."""
    page.evaluate(
        "document.querySelectorAll('x, [onclick], [onfocus]').forEach(one => { one.focus(); one.click() })"
    )


def test_there_are_a_few_hundred():
    assert 250 < len(PAYLOADS) < 500
    assert len(set(PAYLOADS)) == len(PAYLOADS)


def test_titles_snippets_and_addresses(watched):
    page, engine = watched
    engine.hits = [
        hit(f"{URL}{payload}", payload, payload, [(0, 5)], language=payload[:20], media_type=payload)
        for payload in PAYLOADS
    ]
    for number in range(1, len(PAYLOADS) // AT_ONCE + 1):
        poke(page.go(f"/search?q=x&page={number}"))
    assert page.page.locator(".hits > li").count() == AT_ONCE
    assert page.page.locator(".hits h2").first.inner_text().strip()


def test_addresses_that_are_no_web_addresses(watched):
    page, engine = watched
    engine.hits = [hit(f"javascript:{call}", "x") for call in ("alert('RAN')", "alert`RAN`//http://a")]
    shown = page.go("/search?q=x")
    assert shown.locator(".hits h2 a").count() == 0


def test_other_texts_of_results(watched):
    page, engine = watched
    for some in grouped(40):
        one = some[0]
        engine.hits = [hit(similar=tuple(some), unfetched=True)]
        engine.said = {
            "did_you_mean": one,
            "notes": tuple(some),
            "searched": one,
            "searched_because": "corrected",
            "clusters": tuple(Cluster(label, 1) for label in some),
            "answers": tuple(InstantAnswer("x", each, each, each, f"javascript:{each}") for each in some),
            "related": tuple(some),
            "sitelinks": tuple(Sitelink(each, URL + each) for each in some),
            "facets": tuple(Facet(kind, each, 1) for each in some for kind in ("site", "type", "topic")),
        }
        poke(page.go("/search?q=x"))


def test_queries(watched):
    page, _ = watched
    for some in grouped(24):
        label = quote(some[0][:200])
        also = f"/search?explain=true&cluster={label}&topic={label}&ui={label}&q="
        poke(page.go(also + quote(" ".join(some)[:1900])))
    # A query that cannot be read is answered by 400, which the browser notes.
    page.complaints[:] = [one for one in page.complaints if "status of 400" not in one]


def test_stored_copies(watched):
    page, engine = watched
    for number, some in enumerate(grouped(50)):
        url = f"{URL}{number}"
        html = f"<title>{some[0]}</title><p>text</p>" + "\n".join(some)
        engine.copies[url] = CachedPage(
            url, some[0], some[0], "text/html", 0.0, "", html, frozenset({"text"})
        )
        shown = page.go(f"/cache?url={quote(url)}&q=text")
        shown.frame_locator("iframe").locator("mark").first.wait_for()
        page.go(f"/cache/copy?url={quote(url)}&q=text")
    # What is left of them may still want a stylesheet or a picture, which the policy refuses.
    page.complaints[:] = [one for one in page.complaints if "stylesheet" not in one]


def test_stored_texts(watched):
    page, engine = watched
    text = "\n".join(PAYLOADS)
    engine.copies[URL] = CachedPage(URL, text[:200], "en", "text/plain", 0.0, text, "", frozenset({"RAN"}))
    shown = page.go(f"/cache?url={quote(URL)}&q=RAN")
    assert shown.frame_locator("iframe").locator("mark").count() > 100


def test_suggestions(watched):
    page, engine = watched
    for some in grouped(40):
        engine.suggested = some
        page.go("/")
        page.page.wait_for_function("document.activeElement.id === 'q'")  # else the letter goes nowhere
        page.page.keyboard.type("x")
        page.page.locator("#suggestions li").first.wait_for()
        assert page.page.locator("#suggestions li").all_inner_texts() == [
            " ".join(one.split()) for one in some
        ]
        page.page.keyboard.press("ArrowDown")
        assert page.page.locator("#q").input_value() == some[0].replace("\n", "")
        poke(page.page)


def test_the_content_security_policy_stops_injected_scripts(watched):
    """The policy is the second wall: here somebody has got over the first."""
    page, _ = watched
    page.go("/search?q=x")
    refused = page.page.evaluate(
        """() => new Promise(done => {
            const seen = []
            document.addEventListener('securitypolicyviolation', one => seen.push(one.effectiveDirective))
            const made = (name, more) => Object.assign(document.createElement(name), more)
            const add = (name, more) => document.body.append(made(name, more))
            add('script', {textContent: "document.title = 'RAN'"})
            add('script', {src: 'https://evil.test/x.js'})
            add('img', {src: 'https://evil.test/x.png'})
            add('iframe', {src: 'https://evil.test/'})
            add('style', {textContent: 'body { display: none }'})
            add('base', {href: 'https://evil.test/'})
            document.body.setAttribute('onclick', "document.title = 'RAN'")
            document.body.click()
            fetch('https://evil.test/').catch(() => 0)
            setTimeout(() => done([document.title, document.baseURI, ...new Set(seen)]), 200)
        })"""
    )
    title, base, *directives = refused
    assert "RAN" not in title
    assert base.startswith(page.root)
    assert {
        "script-src-elem",
        "script-src-attr",
        "img-src",
        "frame-src",
        "style-src-elem",
        "connect-src",
    } <= set(directives)
    page.complaints.clear()  # of what was tried just now


def test_a_copy_that_is_opened_by_itself_is_shut_in_as_well(watched):
    page, engine = watched
    engine.copies[URL] = CachedPage(URL, "x", "en", "text/html", 0.0, "", "<p>text</p>", frozenset({"text"}))
    shown = page.go(f"/cache/copy?url={quote(URL)}&q=text")
    assert shown.evaluate("self.origin") == "null"
    for path in ("/api/status", "/search?q=x", "/"):
        assert shown.evaluate(f"fetch('{page.root}{path}').then(() => 'read', () => 'refused')") == "refused"
    reached = "(() => { try { return %s } catch (error) { return error.name } })()"
    assert shown.evaluate(reached % "localStorage.length") == "SecurityError"
    assert shown.evaluate(reached % "document.cookie") == "SecurityError"
    page.complaints.clear()  # of what was tried just now


def test_no_other_page_may_frame_ours(watched):
    page, engine = watched
    engine.hits = [hit()]
    page.page.route(
        "https://frames.test/**",
        lambda route: route.fulfill(
            content_type="text/html", body=f'<iframe id="own" src="{page.root}/search?q=x"></iframe>'
        ),
    )
    page.page.goto("https://frames.test/")
    page.page.wait_for_timeout(300)
    assert not any(frame.url.startswith(page.root) for frame in page.page.frames)
    page.complaints.clear()
    page.go("/")
