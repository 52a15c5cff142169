from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page, url

from gossamer.model import Judgement, Verdict
from gossamer.quality.digest import content_digest
from gossamer.quality.judge import claim, is_better_address, judge

PAGE = page("http://cats.example.com/jaguar", "The jaguar is a cat.", "Jaguar")


def verdict(page, owner=None, kept=False):
    return judge(page, kept, owner)


def test_keeps_a_page():
    assert verdict(PAGE) == Verdict(Judgement.KEEP)
    assert verdict(PAGE).keep


def test_keeps_a_page_that_is_only_a_title():
    assert verdict(replace(PAGE, text="")).keep


@pytest.mark.parametrize("problem", ["media-type image/png", "broken-pdf", "extraction-died"])
def test_unreadable_carries_the_problem(problem):
    assert verdict(replace(PAGE, problem=problem)) == Verdict(Judgement.UNREADABLE, problem)


def test_nothing_to_read():
    assert verdict(replace(PAGE, text="", title="")) == Verdict(Judgement.UNREADABLE, "no-text")


def test_noindex():
    assert verdict(replace(PAGE, noindex=True), owner=7) == Verdict(Judgement.NOINDEX, "robots")


def test_same_content_under_another_address():
    assert verdict(PAGE, owner=7) == Verdict(Judgement.DUPLICATE, "same-content", 7)


def test_a_page_does_not_repeat_itself():
    assert verdict(PAGE, owner=PAGE.url.fingerprint).keep


@pytest.mark.parametrize("address", ["http://cats.example.com/other", "https://www.example.com/jaguar"])
def test_canonical_on_the_same_domain_is_believed(address):
    named = url(address)
    expected = Verdict(Judgement.DUPLICATE, "canonical", named.fingerprint)
    assert verdict(replace(PAGE, canonical=named), kept=True) == expected
    assert verdict(replace(PAGE, canonical=named), kept=True, owner=7) == expected
    assert verdict(replace(PAGE, canonical=named)).keep, "nobody has seen it yet"
    assert claim(replace(PAGE, canonical=named)) == named


@pytest.mark.parametrize(
    "address", ["http://cats.example.com/jaguar", "http://famous.org/jaguar", "http://example.co.uk/"]
)
def test_canonical_of_itself_or_elsewhere_changes_nothing(address):
    assert verdict(replace(PAGE, canonical=url(address)), kept=True).keep
    assert claim(replace(PAGE, canonical=url(address))) is None


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("http://a.test/", "http://a.test/index.html"),
        ("https://a.test/a-longer-path", "http://a.test/"),
        ("http://a.test/page.html", "http://a.test/p?id=1"),
        ("http://a.test/a", "http://a.test/b"),
    ],
)
def test_the_better_of_two_addresses(better, worse):
    assert is_better_address(url(better), url(worse))
    assert not is_better_address(url(worse), url(better))


def test_digest_ignores_case_spacing_and_unicode_spelling():
    assert len(content_digest(PAGE)) == 16
    spelled = replace(PAGE, title="JAGUAR", text="The  jaguar\nis a CAT. ")
    assert content_digest(spelled) == content_digest(PAGE)
    composed, decomposed = replace(PAGE, text="caf\u00e9"), replace(PAGE, text="cafe\u0301")
    assert content_digest(composed) == content_digest(decomposed)


def test_digest_sees_title_and_text_apart():
    first, second = replace(PAGE, title="a", text="b c"), replace(PAGE, title="a b", text="c")
    assert content_digest(first) != content_digest(second)
    assert content_digest(replace(PAGE, text="The jaguar is a car.")) != content_digest(PAGE)


def test_digest_leaves_out_what_is_around():
    other = replace(PAGE, url=url("http://mirror.org/"), surroundings="menu", description="d", fetched_at=9.0)
    assert content_digest(other) == content_digest(PAGE)


@given(st.text(), st.text())
def test_digest_of_any_text(title, text):
    assert len(content_digest(replace(PAGE, title=title, text=text + "\ud800"))) == 16
