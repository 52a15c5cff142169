from dataclasses import replace

import pytest
from pages import page, url

from gossamer.duplicates.verdict import canonical_claim, is_better_address, judge
from gossamer.model import Judgement, Verdict

PAGE = page("http://cats.example.com/jaguar", "The jaguar is a cat.", "Jaguar")


def copy(owner, reason="same-content"):
    return Verdict(Judgement.DUPLICATE, reason, owner)


def verdict(page, copy_of=None, kept=False):
    return judge(page, kept, copy_of)


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
    assert verdict(replace(PAGE, noindex=True), copy(7)) == Verdict(Judgement.NOINDEX, "robots")


@pytest.mark.parametrize("reason", ["same-content", "near-duplicate"])
def test_what_another_page_says_too(reason):
    assert verdict(PAGE, copy(7, reason)) == copy(7, reason)


def test_what_is_only_read_for_its_links():
    assert verdict(replace(PAGE, kind="sitemap")) == Verdict(Judgement.NOINDEX, "sitemap")


def test_a_feed_is_a_document_if_it_says_something():
    assert verdict(replace(PAGE, kind="feed")).keep
    assert verdict(replace(PAGE, kind="feed", title="", text="")).reason == "no-text"


@pytest.mark.parametrize("address", ["http://cats.example.com/other", "https://www.example.com/jaguar"])
def test_canonical_on_the_same_domain_is_believed(address):
    named = url(address)
    expected = Verdict(Judgement.DUPLICATE, "canonical", named.fingerprint)
    assert verdict(replace(PAGE, canonical=named), kept=True) == expected
    assert verdict(replace(PAGE, canonical=named), kept=True, copy_of=copy(7)) == expected
    assert verdict(replace(PAGE, canonical=named)).keep, "nobody has seen it yet"
    assert canonical_claim(replace(PAGE, canonical=named)) == named


@pytest.mark.parametrize(
    "address", ["http://cats.example.com/jaguar", "http://famous.org/jaguar", "http://example.co.uk/"]
)
def test_canonical_of_itself_or_elsewhere_changes_nothing(address):
    assert verdict(replace(PAGE, canonical=url(address)), kept=True).keep
    assert canonical_claim(replace(PAGE, canonical=url(address))) is None


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
