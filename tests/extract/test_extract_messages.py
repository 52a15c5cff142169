"""Messages of workers: pages survive the round trip, and invalid messages are rejected."""

import pickle
import struct
from dataclasses import fields

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.extract.workers.messages import (
    HEADER,
    BadMessage,
    Task,
    framed,
    framed_page,
    framed_text,
    page_of,
)
from gossamer.model import Link, Links, Page, Passage, Url

URL = Url.parsed("http://cats.example/a?b")
urls = st.sampled_from([URL, Url.parsed("https://[::1]:8443/"), Url.parsed("http://d.example/%C3%A9")])
texts = st.text(st.characters(codec="utf-8"), max_size=20)
lines = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12)
words = st.text("ab-", max_size=5)
links = st.lists(st.builds(Link, urls, lines, st.booleans(), lines), max_size=5).map(Links.of)
numbers = st.floats(allow_nan=False)
dated_links = st.tuples(links, st.booleans()).map(
    lambda pair: {"links": pair[0], "modified": b"modified" * len(pair[0]) * pair[1]}
)
pages = st.builds(
    lambda dated, **others: Page(**dated, **others),
    dated_links,
    url=st.just(URL),
    fetched_at=numbers,
    kind=texts,
    media_type=texts,
    title=texts,
    headings=st.lists(lines.filter(bool), max_size=3).map(tuple),
    text=texts,
    surroundings=texts,
    description=texts,
    author=texts,
    language=texts,
    published=st.none() | numbers,
    alternates=st.lists(st.tuples(words, urls), max_size=3).map(tuple),
    feeds=st.lists(urls, max_size=3).map(tuple),
    canonical=st.none() | urls,
    refresh=st.none() | urls,
    noindex=st.booleans(),
    nofollow=st.booleans(),
    digest=st.binary(max_size=8),
    sketch=st.binary(max_size=90),
    words=st.integers(0, 2**32 - 1),
    problem=texts,
)
FULL = Page(
    URL,
    fetched_at=1.5,
    kind="feed",
    media_type="application/pdf",
    title="Title",
    emphasised="two words\nmore",
    headings=("One", "Two"),
    text="text",
    surroundings="around",
    description="about",
    author="Ada",
    language="en",
    passages=(Passage("fr", 1, 3),),
    published=0.0,
    links=Links.of([Link(URL, "a", True, "near"), Link(Url.parsed("http://b.example/"), "")]),
    modified=struct.pack("<2d", 1e9, float("nan")),
    alternates=(("de", URL),),
    feeds=(URL,),
    canonical=URL,
    refresh=URL,
    noindex=True,
    nofollow=True,
    digest=b"12345678",
    sketch=bytes(84),
    words=3,
    problem="none",
)


def payload(page):
    message = framed_page(page)
    (length,) = HEADER.unpack_from(message)
    assert length == len(message) - HEADER.size
    return message[HEADER.size :]


@given(pages)
@example(FULL)
@example(Page(URL))
def test_round_trip_of_a_page(page):
    found = page_of(payload(page), URL)
    for field in fields(Page):
        assert getattr(found, field.name) == getattr(page, field.name), field.name


def test_the_example_has_something_in_every_field():
    nothing = Page(URL)
    same = {field.name for field in fields(Page) if getattr(FULL, field.name) == getattr(nothing, field.name)}
    assert same == {"url"}


def test_broken_characters_are_replaced():
    page = Page(URL, title="a\ud800b", text="\udfff", links=Links.of([Link(URL, "x\udc00")]))
    found = page_of(payload(page), URL)
    assert (found.title, found.text, found.links.words()) == ("a?b", "?", ["x?"])


def test_unusual_fields_of_plugins_are_accepted():
    """Plug-ins may return unusual languages and headings."""
    page = Page(URL, headings=("one\ntwo", ""), alternates=(("en us\nx", URL), ("", URL)))
    found = page_of(payload(page), URL)
    assert found.headings == ("one", "two", "")
    assert found.alternates == (("en us x", URL), ("", URL))


def test_a_page_with_another_url_is_rejected():
    with pytest.raises(BadMessage, match=r"cats\.example.*about http://b/"):
        page_of(payload(Page(Url.parsed("http://b/"))), URL)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_page_or_rejected(garbage):
    with pytest.raises(BadMessage, match=r"http://cats\.example/"):
        page_of(garbage, URL)


@given(st.data(), st.binary(min_size=1, max_size=4), st.booleans())
def test_changed_bytes_are_a_page_or_rejected(data, change, insert):
    whole = payload(FULL)
    place = data.draw(st.integers(0, len(whole)))
    changed = whole[:place] + change + whole[place + (0 if insert else len(change)) :]
    assert is_refused_or_whole(changed)


def is_refused_or_whole(changed):
    """Whether a message is rejected, or is a page with the right URL and consistent links."""
    try:
        page = page_of(changed, URL)
    except BadMessage:
        return True
    lengths = {len(page.links), len(page.links.texts()), len(page.links.words()), len(page.links.numbers)}
    return page.url == URL and len(lengths) == 1


def test_every_prefix_is_rejected():
    whole = payload(FULL)
    for end in range(len(whole)):
        with pytest.raises(BadMessage):
            page_of(whole[:end], URL)
    with pytest.raises(BadMessage, match="its length does not match"):
        page_of(whole + b"x", URL)


@pytest.mark.parametrize("size", [0, 1, 2**31, 2**32 - 1])
def test_impossible_sizes_are_rejected(size):
    for place in range(0, len(payload(Page(URL, media_type=""))) - len(URL.text), 4):
        whole = bytearray(payload(FULL))
        struct.pack_into("<I", whole, place, size)
        assert is_refused_or_whole(bytes(whole))


@pytest.mark.parametrize(
    "links",
    [
        Links(b"12345678", b"", "", ""),
        Links(b"1234567", b"\0", "http://a/", ""),
        Links(b"12345678", b"\0", "http://a/\nhttp://b/", ""),
        Links(b"12345678", b"\0", "http://a/", "a\nb"),
        Links(b"12345678", b"\0", "http://a/", "a", "b\nc"),
        Links(b"", b"", "http://a/\nhttp://b/", ""),
        Links(bytes(16), b"\0\0", "http://a/\nhttp://b/", ""),
    ],
)
def test_links_that_do_not_match_are_rejected(links):
    with pytest.raises(BadMessage, match="its links have different lengths"):
        page_of(payload(Page(URL, links=links)), URL)


def test_dates_that_do_not_match_are_rejected():
    with pytest.raises(BadMessage, match="dates do not match"):
        page_of(payload(Page(URL, links=FULL.links, modified=bytes(8))), URL)


@pytest.mark.parametrize("field", ["canonical", "refresh", "feeds", "alternates"])
def test_invalid_urls_are_rejected(field):
    bad = Url("no address", "http", "a", 80, "/")
    value = {"feeds": (bad,), "alternates": (("de", bad),)}.get(field, bad)
    with pytest.raises(BadMessage):
        page_of(payload(Page(URL, **{field: value})), URL)


def test_tasks_are_sent_as_pickles_and_lines_as_text():
    message = framed(Task(("file", 1), URL.text, 2.0))
    assert HEADER.unpack_from(message) == (len(message) - HEADER.size,)
    assert pickle.loads(message[HEADER.size :]) == Task(("file", 1), URL.text, 2.0)
    assert framed_text("é\ud800") == HEADER.pack(3) + "é?".encode()
