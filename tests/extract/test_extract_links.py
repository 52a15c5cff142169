import pytest

from gossamer.extract.html.link_targets import MOST_LINKS
from gossamer.extract.html.open_elements import LONGEST_ANCHOR
from gossamer.extract.html.parser import read_html
from gossamer.extract.http_headers import Robots
from gossamer.web.url import canonical

URL = canonical("http://cats.example/big/jaguar.html")


def links(html, **more):
    return read_html(html.encode(), URL, **more).links


def found(html):
    return [(link.target.text, link.anchor) for link in links(html)]


@pytest.mark.parametrize(
    ("html", "target", "anchor"),
    [
        ("<a href=puma.html>The puma</a>", "http://cats.example/big/puma.html", "The puma"),
        ("<a href=/puma.html> The \n<b>pu</b>ma </a>", "http://cats.example/puma.html", "The puma"),
        ("<a href='//dogs.example'>Dogs</a>", "http://dogs.example/", "Dogs"),
        ("<a href=' https://dogs.example/#top '>Dogs</a>", "https://dogs.example/", "Dogs"),
        ("<a href=x><img src=i.png alt='A picture'></a>", "http://cats.example/big/x", "A picture"),
        ("<a href=x><div>Two</div><div>lines</div></a>", "http://cats.example/big/x", "Two lines"),
        ("<a href=x><script>no()</script></a>", "http://cats.example/big/x", ""),
        ("<map><area href=x alt='South'></map>", "http://cats.example/big/x", "South"),
        ("<iframe src=x title='Map'></iframe>", "http://cats.example/big/x", "Map"),
        ("<base href=/other/><a href=x>X</a>", "http://cats.example/other/x", "X"),
        ("<base href='http://dogs.example/a/'><a href=x>X</a>", "http://dogs.example/a/x", "X"),
        ("<base href='mailto:x'><a href=x>X</a>", "http://cats.example/big/x", "X"),
        ("<p hidden><a href=x>X</a>", "http://cats.example/big/x", "X"),
    ],
)
def test_resolves(html, target, anchor):
    assert found(html) == [(target, anchor)]


@pytest.mark.parametrize(
    "html",
    [
        "<a href=''>X</a>",
        "<a href>X</a>",
        "<a name=x>X</a>",
        "<a href='#part'>X</a>",
        "<a href=jaguar.html#part>itself</a>",
        "<a href='JavaScript:go()'>X</a>",
        "<a href='mailto:a@b.c'>X</a>",
        "<a href='ftp://a.example/'>X</a>",
        "<a href='http://[bad'>X</a>",
        "<body><noscript><iframe src='http://counter.example/'></iframe></noscript>",
    ],
)
def test_addresses_that_are_not_links(html):
    assert found(html) == []


def test_each_target_once_with_the_first_words():
    html = "<a href=x><img></a><a href=y>Y</a><a href='x#part'>Words</a><a href=x>More</a>"
    assert found(html) == [("http://cats.example/big/x", "Words"), ("http://cats.example/big/y", "Y")]


@pytest.mark.parametrize("rel", ["nofollow", "UGC", "noopener sponsored", "external NoFollow"])
def test_rel_nofollow(rel):
    assert [link.nofollow for link in links(f"<a href=x rel='{rel}'>X</a>")] == [True]


def test_one_real_link_is_enough():
    assert [link.nofollow for link in links("<a href=x rel=nofollow>X</a><a href=x>X</a>")] == [False]
    assert [link.nofollow for link in links("<a href=x>X</a><a href=x rel=nofollow>X</a>")] == [False]
    assert [link.nofollow for link in links("<a href=x rel=me>X</a>")] == [False]


@pytest.mark.parametrize("address", ["x", "/big/x", "http://cats.example/big/x"])
def test_anchors_of_nofollow_links_are_ignored_beside_others(address):
    paid, own = (
        "<p>Paid for: <a href=x rel=nofollow>buy</a>.</p>",
        f"<p>Own: <a href='{address}'>read</a>.</p>",
    )
    for html in (paid + own, own + paid):
        (link,) = links(html)
        assert (link.anchor, link.nofollow) == ("read", False)
    silent = f"<a href='{address}'><img src=y></a>"
    for html in (paid + silent, silent + paid):
        (link,) = links(html)
        assert (link.anchor, link.nofollow) == ("", False)
    (link,) = links(paid + paid.replace("buy", "buy more"))
    assert (link.anchor, link.nofollow) == ("buy", True)


def test_a_nofollow_page():
    html = "<meta name=robots content=nofollow><a href=x>X</a><a href=x>again</a><a href=y>Y</a>"
    page = read_html(html.encode(), URL)
    assert page.nofollow
    assert [link.nofollow for link in page.links] == [True, True]
    assert [link.nofollow for link in links("<a href=x>X</a>", from_headers=Robots(nofollow=True))] == [True]


def test_links_and_anchors_are_limited():
    html = "".join(f"<a href=/{number}>n</a>" for number in range(MOST_LINKS + 10)) + "<a href=/0>again</a>"
    assert len(links(html)) == MOST_LINKS
    (link,) = links(f"<a href=x>{'word ' * 1000}</a>")
    assert len(link.anchor) <= LONGEST_ANCHOR


def test_links_in_links_do_not_cost_quadratic_time():
    html = "".join(f"<object><a href=/{number}>n" for number in range(1000))
    assert len(links(html)) == 1000
