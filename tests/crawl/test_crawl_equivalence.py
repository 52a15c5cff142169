"""Rules for different URLs with the same page: learned, applied, withdrawn."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.hosts.equivalence import (
    MOST_DIFFERENCES,
    REMEMBERED,
    Equivalences,
    HostEquivalences,
    difference,
    folded,
    without_parameter,
)
from gossamer.crawl.hosts.url_pattern import PROBED, EquivalenceEvidence
from gossamer.web.url import canonical

A, B = b"a" * 16, b"b" * 16


def url(text):
    return canonical(text if "://" in text else f"http://example.com{text}")


def learned(*pairs):
    found = Equivalences()
    for one, other in pairs:
        found.observe_duplicate(url(one), url(other))
    return found


def rewritten(found, text):
    address = url(text)
    assert address.fingerprint % PROBED, "choose another example: this one is asked for as it is"
    better = found.rewritten(address)
    return None if better is None else better.text.removeprefix("http://example.com")


def differences(found):
    return [rule.difference for rule in found.rules()]


@pytest.mark.parametrize(
    ("one", "other", "name"),
    [
        ("/x", "/x", None),
        ("/x", "/y", None),
        ("/x", "/x/", "slash"),
        ("/x/", "/x/index.html", "index index.html"),
        ("/", "/default.aspx", "index default.aspx"),
        ("/x", "/xindex.html", None),
        ("/x", "/x/index.html", None),
        ("/X/y", "/x/Y", "case"),
        ("/x?a=1", "/x?a=2", "?a"),
        ("/x", "/x?a=2", "?a"),
        ("/x?a=1&b=2", "/x?a=1", "?b"),
        ("/x?a=1&a=2", "/x?a=1", "?a"),
        ("/x?a=1&b=2", "/x?b=2&a=1", "order"),
        ("/x?a=1&b=2", "/x?b=2&a=3", "?a"),
        ("/x?a=1&c=2", "/x?b=1&c=2", None),
        ("/x?a=1", "/y?a=2", None),
        ("http://a.com/x", "https://a.com/x", "scheme"),
        ("http://a.com:8080/x", "https://a.com/x", None),
        ("http://www.a.com/x", "http://a.com/x", "www"),
        ("http://www.a.com:81/x", "http://a.com/x", None),
        ("http://www.a.com/x", "https://a.com/x", None),
        ("http://a.com/x", "http://b.com/x", None),
        ("http://a.com/x", "https://a.com/x/", None),
    ],
)
def test_the_one_difference_of_two_addresses(one, other, name):
    assert difference(url(one), url(other)) == name
    assert difference(url(other), url(one)) == name


def test_a_parameter_taken_out():
    assert without_parameter("/x?a=1&b=2&a=3", "a") == "/x?b=2"
    assert without_parameter("/x?a", "a") == "/x"
    assert without_parameter("/x", "a") == "/x"


REFERRED = [(f"/{name}?ref={n}", f"/{name}?ref=0") for n, name in enumerate("abcdef", 1)]


def test_a_parameter_that_does_not_matter_is_left_out():
    found = learned(*REFERRED)
    assert differences(found) == ["?ref"]
    assert rewritten(found, "/new?ref=77") == "/new"
    assert rewritten(found, "/new?a=1&ref=77&b=2") == "/new?a=1&b=2"
    assert rewritten(found, "/new?a=1") is None
    assert rewritten(found, "/new") is None


def test_a_rule_needs_five_copies_of_three_pages():
    assert differences(learned(*REFERRED[:4])) == []
    assert differences(learned(*REFERRED[:2] * 10)) == []
    assert differences(learned(*REFERRED[:3] * 2)) == ["?ref"]


def test_one_answer_to_all_numbers_proves_nothing():
    """The page "no such article" is the same for every number."""
    found = learned(*((f"/article?id={n}", "/article?id=0") for n in range(1, 50)))
    assert found.rules() == []
    assert rewritten(found, "/article?id=777") is None


def test_a_parameter_may_matter_under_one_path_only():
    shop = [(f"/shop?item={n}&view=grid", f"/shop?item={n}&view=list") for n in range(6)]
    found = learned(*shop)
    assert differences(found) == ["/shop ?view"]
    assert rewritten(found, "/shop?item=9&view=big") == "/shop?item=9"
    assert rewritten(found, "/gallery?item=9&view=big") is None


@pytest.mark.parametrize(
    ("pairs", "new", "better"),
    [
        ([(f"/{c}/index.html", f"/{c}/") for c in "abcde"], "/new/index.html", "/new/"),
        ([(f"/{c}", f"/{c}/") for c in "abcde"], "/new", "/new/"),
        ([(f"/{c}/", f"/{c}") for c in "abcde"], "/new/", "/new"),
        ([(f"/{c}/", f"/{c}") for c in "abcde"], "/new/x.html", None),
        ([(f"/{c.upper()}", f"/{c}") for c in "abcde"], "/New/Caf%C3%A9?Q=Up", "/new/caf%C3%A9?Q=Up"),
        ([(f"/{c}?x=1&a=2", f"/{c}?a=2&x=1") for c in "abcde"], "/new?z=1&c=2&b=3", "/new?b=3&c=2&z=1"),
        (
            [(f"http://example.com/{c}", f"https://example.com/{c}") for c in "abcde"],
            "/new",
            "https://example.com/new",
        ),
        (
            [(f"http://www.example.com/{c}", f"http://example.com/{c}") for c in "abcde"],
            "http://www.example.com/new",
            "/new",
        ),
        (
            [(f"http://example.com/{c}", f"http://www.example.com/{c}") for c in "abcde"],
            "/new",
            "http://www.example.com/new",
        ),
    ],
)
def test_variants_of_an_address(pairs, new, better):
    found = learned(*pairs)
    assert len(found.rules()) == 1
    assert rewritten(found, new) == better
    assert rewritten(learned(*pairs[:4]), new) is None


def test_rules_work_together():
    found = learned(
        *REFERRED,
        *((f"/{c}/index.html", f"/{c}/") for c in "abcde"),
        *((f"http://example.com/{c}", f"https://example.com/{c}") for c in "abcde"),
    )
    assert rewritten(found, "/New/index.html?ref=7&b=1") == "https://example.com/New/?b=1"


def test_one_address_in_fifty_is_asked_for_as_it_is():
    found = learned(*REFERRED)
    addresses = [url(f"/p{n}?ref={n}") for n in range(5_000)]
    left = [address for address in addresses if found.rewritten(address) is None]
    assert 50 < len(left) < 150
    assert left == [address for address in addresses if found.rewritten(address) is None], "always the same"


def test_a_rule_is_withdrawn_when_pages_differ():
    found = learned(*REFERRED)
    found.observe_distinct(url("/news?ref=1"), url("/news?ref=2"))
    assert found.rules() == []
    assert rewritten(found, "/new?ref=77") is None


def test_one_counter_example_in_a_hundred_is_borne():
    found = learned(*REFERRED * 20)
    found.observe_distinct(url("/news?ref=1"), url("/news?ref=2"))
    assert [(rule.same, rule.different) for rule in found.rules()] == [(120, 1)]
    found.observe_distinct(url("/news?ref=1"), url("/news?ref=3"))
    assert found.rules() == []


def test_pages_that_were_fetched_are_compared_with_their_variants():
    found = learned(*REFERRED)
    found.observe_page(url("/news?ref=1"), A)
    found.observe_page(url("/other?ref=1"), B)
    found.observe_page(url("/news?ref=2"), A)
    assert differences(found) == ["?ref"]
    found.observe_page(url("/news?ref=1"), B)
    assert differences(found) == ["?ref"], "a page that changed is no other page"
    found.observe_page(url("/news"), A)
    assert found.rules() == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/n", "/n/"),
        ("/n/", "/n/index.html"),
        ("/N/x", "/n/x"),
        ("http://example.com/n", "https://example.com/n"),
        ("http://example.com/n", "http://www.example.com/n"),
        ("/n?a=1&b=2", "/n?b=2&a=1"),
    ],
)
def test_variants_of_all_kinds_meet(one, other):
    pairs = [
        [text.replace("/n", f"/{c}").replace("/N", f"/{c.upper()}") for text in (one, other)] for c in "abcde"
    ]
    found = learned(*pairs)
    assert len(found.rules()) == 1
    found.observe_page(url(one), A)
    found.observe_page(url(other), B)
    assert found.rules() == []


def test_memory_is_bounded():
    found = learned(*REFERRED)
    for n in range(2_000):
        found.observe_page(url(f"/p{n}?a={n}&b=1"), A)
        found.observe_duplicate(url(f"/p?x{n}=1"), url("/p"))
    assert len(found) <= REMEMBERED + MOST_DIFFERENCES
    assert differences(found) == ["?ref"], "what has much evidence stays"


def test_a_state_is_taken_up():
    found = learned(*REFERRED, ("/x", "/x/"))
    other = Equivalences()
    other.restore(json.loads(json.dumps(found.state())))
    assert other.rules() == found.rules()
    assert other.state() == found.state()
    assert rewritten(other, "/new?ref=77") == "/new"


def test_a_book_learns_from_pages_as_they_come():
    book = HostEquivalences()
    for n, name in enumerate("abcdef"):
        book.observe(url(f"http://www.example.com/{name}"), bytes([n]) * 16, None)
    assert len(book) == 0
    for n, name in enumerate("abcdef"):
        copy_of = url(f"http://www.example.com/{name}")
        book.observe(url(f"/{name}"), bytes([n]) * 16, copy_of)
        book.observe(url(f"http://other.com/{name}"), bytes([n]) * 16, copy_of)
    assert [rule.difference for rule in book.get("example.com").rules()] == ["www"]
    assert book.get("www.example.com") is None
    assert book.rewritten(url("/new")).text == "http://www.example.com/new"
    assert book.get("other.com") is None
    assert book.rewritten(url("http://other.com/new")) is None
    assert set(book.changes()) == {"example.com"}


paths = st.text("aB/.?&=1", max_size=16).map(lambda text: url(f"/{text}"))


@given(paths, paths)
def test_a_difference_has_no_direction(one, other):
    assert difference(one, other) == difference(other, one)
    if difference(one, other) in {"slash", "case", "order"}:
        assert folded(one.host, one.path) == folded(other.host, other.path)


@given(paths)
def test_rewriting_comes_to_an_end(address):
    found = Equivalences()
    names = ["slash", "case", "order", "scheme", "www", "index index.html", "?a", "?1"]
    found.restore(
        {name: EquivalenceEvidence(9, 0, [1, 2, 3], lean).state() for lean, name in enumerate(names)}
    )
    better = found.rewritten(address)
    if better is not None:
        again = found.rewritten(better)
        assert again is None or found.rewritten(again) is None
