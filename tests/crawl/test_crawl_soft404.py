"""Soft 404s: servers that say "not found" with a success status."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.hosts.soft_404 import (
    MOST_FOLDERS,
    HostSoft404,
    Soft404,
    folder_of,
    probe_address,
    says_not_found,
)
from gossamer.text.shingles import content_sketch
from gossamer.web.url import canonical

WORDS = [f"word{n}" for n in range(400)]


def url(path, host="example.com"):
    return canonical(f"http://{host}{path}")


def article(seed, length=300):
    return content_sketch(f"Article {seed}", " ".join(random.Random(seed).choices(WORDS, k=length)))


SORRY = " ".join(random.Random("sorry").choices(WORDS, k=150))


def sorry(path=""):
    """Return the response of the server: mostly the same text, with the URL in the middle."""
    return content_sketch("Oops", f"{SORRY[:500]} {path} {SORRY[500:]}")


def suspicious(path="/a/x", pages=3):
    soft = Soft404()
    for _ in range(pages):
        soft.observe(url(path), "Page not found", False)
    return soft


SAME_TWICE = ((200, sorry("one")), (200, sorry("two")))


def asked(soft, path="/a/x", answers=SAME_TWICE):
    for number, (status, content) in enumerate(answers):
        if soft.should_probe(url(path)):
            soft.learn(soft.probe(url(path), f"t{number}"), status, content)
    return soft


@pytest.mark.parametrize(
    ("path", "probe"),
    [
        ("/", "/gossamer-q7"),
        ("/news/", "/news/gossamer-q7"),
        ("/news/today", "/news/gossamer-q7"),
        ("/news/today.html?page=2&path=/x/y", "/news/gossamer-q7.html"),
        ("/v1.2/today", "/v1.2/gossamer-q7"),
    ],
)
def test_an_address_that_cannot_exist(path, probe):
    assert probe_address(url(path), "q7") == url(probe)
    assert folder_of(probe_address(url(path), "q7")) == folder_of(url(path))


def test_a_probe_stays_on_its_host():
    address = canonical("https://example.com:8443/a/b.html")
    assert probe_address(address, "t").text == "https://example.com:8443/a/gossamer-t.html"


@pytest.mark.parametrize(
    "title",
    [
        "404",
        "Error 404 | Example",
        "Page Not Found",
        "This page doesn’t exist",
        "Seite nicht gefunden – Beispiel",
        "Page introuvable",
        "Página no encontrada",
        "Página não encontrada",
        "Pagina non trovata",
        "Pagina niet gevonden",
        "Страница не найдена",
        "ページが見つかりません",
        "页面未找到",
        "Nie znaleziono strony",
    ],
)
def test_titles_of_error_pages(title):
    assert says_not_found(title)


@pytest.mark.parametrize("title", ["", "A walk in the forest", "Room 1404", "x" * 200 + " not found"])
def test_other_titles(title):
    assert not says_not_found(title)


def test_only_suspicious_folders_are_asked():
    soft = suspicious(pages=2)
    assert not soft.should_probe(url("/a/x"))
    soft.observe(url("/a/y"), "Welcome", False)
    assert not soft.should_probe(url("/a/x"))
    soft.observe(url("/a/y"), "Welcome", True)
    assert soft.should_probe(url("/a/x"))
    assert not soft.should_probe(url("/b/x"))


def test_suspicion_spread_over_folders():
    soft = Soft404()
    for n in range(8):
        assert not soft.should_probe(url("/b/x"))
        soft.observe(url(f"/f{n}/x"), "404", False)
    assert soft.should_probe(url("/b/x"))
    soft.learn(soft.probe(url("/b/x"), "t"), 404, None)
    assert not soft.should_probe(url("/c/x")), "an honest answer calms the whole host"


def test_one_question_at_a_time_and_two_in_all():
    soft = suspicious()
    probe = soft.probe(url("/a/x"), "one")
    assert not soft.should_probe(url("/a/x"))
    soft.learn(probe, 200, sorry())
    assert soft.should_probe(url("/a/x"))
    soft.learn(soft.probe(url("/a/x"), "two"), 200, sorry())
    assert not soft.should_probe(url("/a/x"))


@pytest.mark.parametrize(
    ("status", "again"), [(404, False), (410, False), (302, False), (503, True), (0, True)]
)
def test_an_honest_folder_is_not_asked_again(status, again):
    soft = suspicious()
    soft.learn(soft.probe(url("/a/x"), "t"), status, None)
    assert soft.should_probe(url("/a/x")) == again
    assert not soft.is_soft_404(url("/a/x"), sorry())
    assert soft.says_it_softly() == []


def test_pages_like_the_answer_are_not_there():
    soft = asked(suspicious())
    assert soft.says_it_softly() == ["/a/"]
    assert soft.is_soft_404(url("/a/gone.html"), sorry("gone.html"))
    assert soft.is_soft_404(url("/a/gone.html"), sorry("one"))
    assert soft.is_soft_404(url("/b/c/gone.html"), sorry("gone.html"))
    assert not any(soft.is_soft_404(url(f"/a/{n}"), article(n)) for n in range(100))


def test_what_changes_with_the_address_is_learned_from_two_answers():
    """A short answer that contains the URL: two of them have little more than half in common."""

    def short(path):
        return content_sketch("Oops", f"{SORRY[:150]} {path}")

    soft = asked(suspicious(), answers=[(200, short("one of these"))])
    assert not soft.is_soft_404(url("/a/x"), short("x and its long name in many words"))
    soft = asked(suspicious(), answers=[(200, short("one of these")), (200, short("two of those other"))])
    assert soft.is_soft_404(url("/a/x"), short("yet another name"))
    assert not any(soft.is_soft_404(url(f"/a/{n}"), article(n, 25)) for n in range(100))


def test_answers_that_have_nothing_in_common_condemn_nothing():
    soft = asked(suspicious(), answers=[(200, article("one")), (200, article("two"))])
    assert not any(soft.is_soft_404(url(f"/a/{n}"), article(n)) for n in range(100))
    assert soft.is_soft_404(url("/a/x"), article("one")), "but the very same page is no page"


def test_a_front_page_shown_instead_is_still_a_page():
    soft = asked(suspicious("/docs/x"), "/docs/x")
    for path in ("/", "/docs/", "/docs/index.html", "/?lang=en"):
        assert not soft.is_soft_404(url(path), sorry("one"))
    assert soft.is_soft_404(url("/docs/x"), sorry("one"))
    assert soft.is_soft_404(url("/other/"), sorry("one"))


def test_few_folders_are_ever_asked():
    soft = Soft404()
    probes = 0
    for n in range(500):
        soft.observe(url(f"/f{n % 50}/x"), "404", True)
        if soft.should_probe(url(f"/f{n % 50}/x")):
            probes += 1
            soft.learn(soft.probe(url(f"/f{n % 50}/x"), str(n)), 404, None)
    assert probes == MOST_FOLDERS
    assert len(soft) < 80


def test_a_state_is_taken_up():
    soft = asked(suspicious())
    soft.observe(url("/b/x"), "404", False)
    soft.probe(url("/c/x"), "on its way when the process dies")
    other = Soft404()
    other.restore(json.loads(json.dumps(soft.state())))
    assert other.is_soft_404(url("/a/gone"), sorry("gone"))
    assert other.says_it_softly() == ["/a/"]
    assert not other.should_probe(url("/a/x"))
    assert other.should_probe(url("/c/x"))


def test_a_book_remembers_suspicious_hosts_only():
    book = HostSoft404()
    book.observe(url("/a/x"), "Welcome", False)
    assert len(book) == 0
    assert book.probe(url("/a/x")) is None
    assert not book.is_soft_404(url("/a/x"), sorry())
    for _ in range(3):
        book.observe(url("/a/x", "bad.example.com"), "404", False)
    assert book.get("bad.example.com").should_probe(url("/a/x", "bad.example.com"))
    assert book.probe(url("/a/x")) is None
    asked(book.of("bad.example.com"))
    assert book.is_soft_404(url("/a/x", "bad.example.com"), sorry("one"))
    assert not book.is_soft_404(url("/a/x"), sorry("one"))


@given(st.text(max_size=60))
def test_any_address_has_a_neighbour_that_cannot_exist(text):
    address = url(f"/{text}")
    probe = probe_address(address, "token")
    assert probe.host == address.host
    assert probe != address
    assert "gossamer-token" in probe.path
