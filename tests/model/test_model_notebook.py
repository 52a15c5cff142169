"""Notebook display: readable, and safe for any page."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.page_info import PageInfo
from gossamer.collection.site_rules import SiteRule
from gossamer.crawl.control import LiveCrawl, Trap
from gossamer.graph.reader import RankPosition
from gossamer.model import CachedPage, Cluster, Hit, InstantAnswer, ResultPage, Snippet
from gossamer.model.notebook import MOST_ROWS, NotebookTable, day, link, marked, safe
from gossamer.model.progress import CrawlProgress
from gossamer.owner.health import GraphHealth, Health, SegmentHealth
from gossamer.owner.visitor_messages import Report, Submission

ELEMENTS = {"div", "span", "a", "b", "bdi", "mark", "table", "tr", "th", "td"}
ATTRIBUTES = {"style", "dir", "href", "target", "rel"}
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "</div></table><style>*{display:none}</style>",
    "' onmouseover='alert(1)",
    "\ud800 half a character",
    "\u202e turned round",
    "]]><!--",
]


class Seen(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, markup):
        super().__init__()
        self.elements, self.attributes, self.text, self.open = set(), [], "", []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.attributes += attributes
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        raise AssertionError("no comment is written")


def hit(text, rank=1):
    return Hit(rank, text, text, Snippet(text, ((0, min(3, len(text))),)), 1.5, 7, text, published=0.0)


def answer(text):
    return ResultPage(
        text,
        2,
        1.0,
        (hit(text), hit(text, 2)),
        did_you_mean=text,
        searched=text,
        notes=(text,),
        clusters=(Cluster(text, 1, (text,)),),
        answers=(InstantAnswer("units", text, text),),
    )


def everything(text):
    yield hit(text)
    yield hit(text).snippet
    yield answer(text)
    yield CachedPage(text, text, text, text, 0.0, text, html=text)
    yield PageInfo(text, text, text, text, standings=(RankPosition(text, 1.0, 2.0, 3),))
    progress = CrawlProgress(current=text, troubles=[text])
    progress.errors[text] = 3
    yield progress
    yield Health((SegmentHealth(0, text, 1, 0),), ((1.0, 2),), GraphHealth(1, 0.0, 2, 3, (text,)))
    yield LiveCrawl(True, 1, 0.0, 0.0, current=text, traps=(Trap(text, text, text),), slowest=((text, 0.5),))
    yield Report(text, text, text, text, text, 0.0, 1)
    yield Submission(text, text, 0.0, 1)
    yield SiteRule("block", text)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_pages_is_escaped(text):
    for one in everything(text):
        seen = Seen(one._repr_html_())
        assert seen.elements <= ELEMENTS
        assert {name for name, _ in seen.attributes} <= ATTRIBUTES
        assert not [value for name, value in seen.attributes if name == "href"]
        assert not seen.open
        one._repr_html_().encode()


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_shown_unchanged(text):
    seen = Seen(safe(text))
    assert seen.elements == set()
    assert seen.text.encode() == text.encode("utf-8", "replace")


def test_only_addresses_of_the_web_are_links():
    assert Seen(link("https://a.test/?a=1&b=2", "A")).attributes[0] == ("href", "https://a.test/?a=1&b=2")
    for address in ("", "ftp://a.test/", "data:text/html,x", " https://a.test/", "https://a.test/ x"):
        assert Seen(link(address, "A")).elements == {"bdi"}


def test_marks_stand_where_the_words_are():
    assert marked("a <b> c", [(2, 5)]) == "a <mark>&lt;b&gt;</mark> c"


def test_an_answer_shows_what_was_found():
    text = Seen(answer("cats")._repr_html_()).text
    assert text.startswith("cats 1 to 2 of 2")
    for part in (
        "Did you mean cats?",
        "Showing results for cats",
        "Groups: cats (1)",
        "1970-01-01",
        "score 1.5",
    ):
        assert part in text
    assert "nothing found" in ResultPage("cats", 0, 1.0)._repr_html_()
    assert "nothing of 3" in repr(ResultPage("cats", 3, 1.0, offset=10))


def test_short_representations():
    assert repr(hit("cats")) == "<Hit 1: 'cats' cats>"
    assert repr(answer("cats")) == "<ResultPage 'cats': 1 to 2 of 2>"
    assert repr(PageInfo("http://a.test/", "indexed", title="A", text="long" * 999)) == (
        "<PageInfo http://a.test/ 'A', indexed>"
    )
    assert repr(CachedPage("http://a.test/", "A", "en", "text/html", 0.0, "four", html="<p>four")) == (
        "<CachedPage http://a.test/ of 1970-01-01, 4 characters>"
    )


def test_days():
    assert day(None) == day(1e20) == day(float("nan")) == ""
    assert day(86400.0) == "1970-01-02"


@dataclass
class Row:
    url: str = "http://a.test/"
    count: int = 1234567


@dataclass
class Told(NotebookTable):
    pages: int = 1234567
    share: float = 0.123456789
    done: bool = True
    nothing: None = None
    empty: tuple[str, ...] = ()
    reasons: dict[str, int] = field(default_factory=lambda: {"dns": 1200})
    names: list[str] = field(default_factory=lambda: [f"n{number}" for number in range(MOST_ROWS + 5)])
    rows: list[Row] = field(default_factory=lambda: [Row() for _ in range(MOST_ROWS + 2)])
    pairs: tuple[tuple[str, float], ...] = (("a.test", 0.5), ("b.test", 2.0))
    one: Row = field(default_factory=Row)
    long: str = "x" * 1000


def test_a_table_of_fields():
    seen = Seen(Told()._repr_html_())
    for part in (
        "Told",
        "1,234,567",
        "0.1235",
        "yes",
        "dns: 1,200",
        "n9, … 5 more",
        "… 2 more",
        "a.test: 0.5, b.test: 2",
    ):
        assert part in seen.text
    assert "nothing" not in seen.text
    assert "empty" not in seen.text
    assert "x" * 301 not in seen.text
    assert [value for name, value in seen.attributes if name == "href"] == ["http://a.test/"] * (
        MOST_ROWS + 1
    )
