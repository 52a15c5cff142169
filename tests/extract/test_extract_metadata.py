import json
import re

import pytest
from guarding import no_hanging
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.html import metadata
from gossamer.extract.html.parser import read_html
from gossamer.extract.http_headers import Robots, from_meta
from gossamer.extract.http_headers import robots_from_headers as from_headers
from gossamer.web.dates import first_believable, timestamp
from gossamer.web.url import canonical

URL = canonical("http://cats.example/big/jaguar.html")
MAY_2024 = 1714557600.0  # 2024-05-01 10:00 UTC


def read(html, **more):
    return read_html(html.encode(), URL, **more)


@pytest.mark.parametrize(
    ("html", "description"),
    [
        ("<meta name=description content=' About \n cats '>", "About cats"),
        ("<META NAME=Description CONTENT=Upper>", "Upper"),
        ("<meta property=og:description content=Social>", "Social"),
        ("<meta name=description content=''><meta property=og:description content=Social>", "Social"),
        ("<p>x", ""),
    ],
)
def test_description(html, description):
    assert read(html).description == description


@pytest.mark.parametrize(
    ("html", "author"),
    [
        ("<meta name=author content=' Ada \n Lovelace '>", "Ada Lovelace"),
        ("<meta name=citation_author content=Ada><meta name=citation_author content=Ben>", "Ada, Ben"),
        (
            "<meta property=article:author content='https://a.example'><meta name=DC.creator content=Ada>",
            "Ada",
        ),
        (
            '<script type="application/ld+json">{"author": [{"@type": "Person", "name": "Ada"}]}</script>',
            "Ada",
        ),
        ('<script type="application/ld+json">{"author": "Ada"}</script>', "Ada"),
        (
            '<script type="application/ld+json">{"author": [{"name": "Ada", "url": "/ada"}]}</script>',
            "Ada",
        ),
        (
            '<script type="application/ld+json">{"author":[{"name":"Jane Ld"},{"name":"Joe Ld"}]}</script>',
            "Jane Ld, Joe Ld",
        ),
        (
            '<script type="application/ld+json">{"author": [{"name": "Ada", "sameAs": ["x", "y"], '
            '"image": {"a": 1}}, {"@type": "Person", "name": "Ben"}, "Cy"], '
            '"publisher": {"name": "Herald"}}</script>',
            "Ada, Ben, Cy",
        ),
        (
            '<script type="application/ld+json">{"author": ["Ada", "Ben", "Ada"], "about": ["Cy"]}</script>',
            "Ada, Ben",
        ),
        (
            '<script type="application/ld+json">{"author": {"name": "Ada"}, "by": {"name": "Ben"}}</script>',
            "Ada",
        ),
        ('<script type="application/ld+json">{"author": {"url": "x"}, "name": "Herald"}</script>', ""),
        ("<p>x", ""),
    ],
)
def test_author(html, author):
    assert read(html).author == author


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=en-GB>", "en"),
        ("<html lang=PT_br>", "pt"),
        ("<html xml:lang=ro>", "ro"),
        ("<html lang=''><meta http-equiv=Content-Language content='da, en'>", "da"),
        ("<html><meta property=og:locale content=el_GR>", "el"),
        ("<html lang=fil>", "fil"),
        ("<html lang=english>", ""),
        ("<html lang='*'>", ""),
        ("<p>x", ""),
    ],
)
def test_language(html, language):
    assert read(html).language == language


@pytest.mark.parametrize(
    "html",
    [
        '<meta property="article:published_time" content="2024-05-01T12:00:00+02:00">',
        '<script type="application/ld+json">{"@graph": [{"datePublished": "2024-05-01T10:00:00Z"}]}</script>',
        '<script type="application/ld+json">{"datePublished" :"2024-05-01T10:00:00Z", broken</script>',
        '<meta itemprop="datePublished" content="2024-05-01T10:00">',
        '<meta name="DC.date" content="2024-05-01 10:00">',
        '<meta name="date" content="Wed, 01 May 2024 10:00:00 GMT">',
        '<p><time datetime="2024-05-01T10:00:00.000Z">May</time> <time datetime="2020-01-01">then</time>',
        '<meta name="date" content="soon"><time datetime="2024-05-01T10:00Z">May</time>',
        '<meta property="article:published_time" content="0001-01-01"><time datetime="20240501T1000">',
    ],
)
def test_published(html):
    assert read(html).published == MAY_2024


@pytest.mark.parametrize(
    "html", ["<time datetime='PT1H'>", "<time datetime='12:00'>", "<meta name=date content='5/6'>"]
)
def test_no_date(html):
    assert read(html).published is None


def test_dates_in_the_future_are_ignored():
    html = '<meta name="date" content="2024-05-01T10:00Z">'
    assert read(html, fetched_at=MAY_2024 - 3600).published == MAY_2024
    assert read(html, fetched_at=MAY_2024 - 10 * 86_400).published is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05", 1714521600.0),
        ("2024-5-1", 1714521600.0),
        ("2024/05/01 noon", 1714521600.0),
        ("1 May 2024", 1714521600.0),
        ("1st of May", None),
        ("Wed, 1 May 2024", 1714521600.0),
        ("Wednesday, May 1st, 2024", 1714521600.0),
        ("may 1 2024", 1714521600.0),
        ("May 2024", 1714521600.0),
        ("01 SEP. 2024", 1725148800.0),
        ("1 May 2024 10:00", 1714557600.0),
        ("31 February 2024", None),
        ("1 Mai 2024", None),
        ("1 May 2 2024", None),
        ("", None),
    ],
)
def test_looser_dates(text, expected):
    assert timestamp(text) == expected


@given(st.text() | st.text(alphabet="0123456789-:+TZ ., MayWed", max_size=30), st.floats(0, 4e9))
def test_any_date(text, now):
    moment = first_believable([text], now)
    assert moment is None or isinstance(moment, float)


@pytest.mark.parametrize(
    ("html", "target"),
    [
        ("<link rel=canonical href=/jaguar>", "http://cats.example/jaguar"),
        (
            "<link rel='Canonical' href='https://www.cats.example/jaguar#x'>",
            "https://www.cats.example/jaguar",
        ),
        ("<link rel='shortlink canonical' href=/j>", "http://cats.example/j"),
        ("<link rel=canonical href=''>", None),
        ("<link rel=canonical href='mailto:x'>", None),
        ("<link rel=alternate href=/j>", None),
    ],
)
def test_canonical(html, target):
    named = read(html).canonical
    assert (named.text if named else None) == target


def test_other_languages():
    page = read(
        "<link rel=alternate hreflang=de-AT href=/de><link rel='ALTERNATE' hreflang=x-default href=/>"
        "<link rel=alternate hreflang=en href=jaguar.html><link rel=alternate hreflang='?' href=/x>"
        "<link rel=alternate hreflang=fr><link hreflang=es href=/es>"
        "<link rel=alternate hreflang=it href='mailto:x'>"
    )
    assert [(tag, url.path) for tag, url in page.alternates] == [("de-at", "/de"), ("x-default", "/")]


def test_feeds():
    page = read(
        "<base href=/news/><link rel=alternate type=application/rss+xml href=rss>"
        "<link rel='alternate home' type='Application/Atom+XML' href=/atom>"
        "<link rel=alternate type=text/css href=x><link rel=alternate type=application/feed+json href=rss>"
        "<a rel=alternate type=application/rss+xml href=y>"
    )
    assert [url.path for url in page.feeds] == ["/news/rss", "/atom"]


def test_noscript_and_template_are_ignored():
    page = read(
        "<noscript><meta http-equiv=refresh content='0;url=/x'><title>N</title></noscript>"
        "<template><meta name=robots content=noindex><title>T</title><base href=/y/></template>"
        "<title>Ours</title><a href=z>Z</a>"
    )
    assert (page.refresh, page.noindex, page.title) == (None, False, "Ours")
    assert page.links[0].target.path == "/big/z"


def test_the_first_value_is_used():
    page = read(
        "<base href=/a/><base href=/b/><link rel=canonical href=1><link rel=canonical href=2>"
        "<meta name=description content=First><meta name=description content=Second>"
        "<meta name=refresh property=description content=Both>"
        "<title></title><title>One</title><title>Two</title>"
    )
    assert (page.canonical.path, page.description, page.title) == ("/a/1", "First", "One")


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/new", "http://cats.example/new"),
        ("5;URL='http://dogs.example/a b'", "http://dogs.example/a%20b"),
        ('0; url="new.html" ', "http://cats.example/big/new.html"),
        ("0,url=/new", "http://cats.example/new"),
        ("0; /new", "http://cats.example/new"),
        ("10.9; url=/new", "http://cats.example/new"),
        ("11; url=/new", None),
        ("9" * 5_000 + "; url=/new", None),
        ("300", None),
        ("300; url=jaguar.html", None),
        ("0; url=", None),
        ("0; url=javascript:x()", None),
        ("soon", None),
    ],
)
def test_refresh(content, target):
    quoted = content.replace('"', "&quot;")
    refresh = read(f'<meta http-equiv="Refresh" content="{quoted}">').refresh
    assert (refresh.text if refresh else None) == target


def test_a_refresh_after_a_while_is_a_link():
    later = '<meta http-equiv=refresh content="60; url=/news?page=2"><a href=/dogs>dogs</a>'
    page = read(later)
    assert page.refresh is None
    assert [link.target.path for link in page.links] == ["/dogs", "/news?page=2"]
    assert [link.target.path for link in read(f"{later}<a href='/news?page=2'>on</a>").links] == [
        "/dogs",
        "/news?page=2",
    ]
    assert all(link.nofollow for link in read(f"<meta name=robots content=nofollow>{later}").links)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("noindex", Robots(True, False)),
        ("NOINDEX, NoFollow", Robots(True, True)),
        ("none", Robots(True, True)),
        ("index, follow, max-snippet:20", Robots()),
        ("", Robots()),
    ],
)
def test_meta_robots(content, expected):
    assert from_meta([content]) == expected
    page = read(f"<meta name=ROBOTS content='{content}'>")
    assert (page.noindex, page.nofollow) == expected


def test_meta_for_us_and_for_others():
    assert read("<meta name=Gossamer content=noindex>").noindex
    assert not read("<meta name=otherbot content=noindex>").noindex
    assert read("<meta name=robots content=all><meta name=robots content=noindex>").noindex


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["noindex"], Robots(True, False)),
        (["noindex", "nofollow"], Robots(True, True)),
        (["gossamer: noindex, nofollow"], Robots(True, True)),
        (["otherbot: noindex, nofollow"], Robots()),
        (["otherbot: noindex", "Gossamer: nofollow"], Robots(False, True)),
        (["*: none"], Robots(True, True)),
        (["unavailable_after: 25 Jun 2030 15:00:00 PST, noindex"], Robots(True, False)),
        ([], Robots()),
    ],
)
def test_robots_header(values, expected):
    assert from_headers([("X-ROBOTS-Tag", value) for value in values] + [("Other", "noindex")]) == expected


NAMES = st.text("ABCdef ,:.", min_size=2, max_size=6)
VALUES = st.one_of(NAMES, st.integers(0, 9), st.lists(NAMES, max_size=2), st.fixed_dictionaries({"a": NAMES}))
OTHERS = st.dictionaries(st.sampled_from(["url", "jobTitle", "sameAs"]), VALUES, max_size=2)
PERSONS = st.builds(lambda name, rest: {"@type": "Person", "name": name, **rest}, NAMES, OTHERS)
AUTHORS = st.one_of(NAMES, PERSONS)


@given(st.one_of(AUTHORS, st.lists(AUTHORS, min_size=1, max_size=4)), OTHERS, st.sampled_from([None, 1]))
def test_all_authors_of_structured_data(author, others, indent):
    script = json.dumps({"author": author, **others, "publisher": {"name": "Herald"}}, indent=indent)
    several = author if isinstance(author, list) else [author]
    expected = [one if isinstance(one, str) else one["name"] for one in several]
    assert list(metadata._ld_authors(script)) == expected


PIECES = ['"author"', '"name"', '"Ada"', '"B"', ":", " ", "\n", "[", "]", "{", "}", ",", "x"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_the_first_author_of_broken_structured_data(rest):
    """The result is that of a simpler pattern, whose number of steps is not bounded."""
    script = f'"author"{rest}'
    plain = re.search(r'"author"\s*:\s*(\[?)\s*(?:\{[^{}]*?"name"\s*:\s*)?"([^"\\]{2,100})"', script)
    assert next(metadata._ld_authors(script), None) == (plain[2] if plain else None)


@pytest.mark.parametrize(
    "script",
    [
        '"author":' + " " * 3_000_000,
        '"author":[' + " " * 3_000_000 + "[",
        '"author":["Ada"' + ',"Bo"' * 600_000,
        '"author":[{"name":"Ada"' + ',"Bo"' * 600_000 + "}",
        '"author":[{"name":"Ada"' + ',"x":{"y":[]}' * 200_000,
        '"author":[' + '{"name":"Ada"},' * 200_000 + " " * 100_000,
        '"author":{' * 300_000,
        '"author":{' + '"name" ' * 400_000,
        '"datePublished"' + " " * 3_000_000,
    ],
)
def test_hostile_structured_data_is_read_fast(script):
    with no_hanging():
        read(f'<script type="application/ld+json">{script}</script>')
        assert set(metadata._ld_authors(script)) <= {"Ada", "Bo"}
