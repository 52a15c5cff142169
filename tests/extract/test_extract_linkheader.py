import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.html.link_targets import Resolver
from gossamer.extract.http_headers import NOTHING
from gossamer.extract.http_headers import links_from_headers as from_headers
from gossamer.web.url import canonical

URL = canonical("http://cats.example/big/jaguar.pdf")


def read(*values):
    return from_headers([("Server", "x"), *(("LINK", value) for value in values)], URL, Resolver())


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ('<http://cats.example/jaguar>; rel="canonical"', "http://cats.example/jaguar"),
        ("</jaguar>;rel=canonical", "http://cats.example/jaguar"),
        (
            '<a.css>; rel=preload; as=style, <b>; title="x, <y>; z"; rel="Shortlink CANONICAL"',
            "http://cats.example/big/b",
        ),
        ("<a>; rel=canonical, <b>; rel=canonical", "http://cats.example/big/a"),
        ("<a>; rel=canonical; rel=next", "http://cats.example/big/a"),
        ("<a>; rel=next; rel=canonical", None),
        ("<>; rel=canonical", None),
        ("<mailto:x>; rel=canonical", None),
        ("http://cats.example/; rel=canonical", None),
        ("", None),
    ],
)
def test_canonical(value, target):
    named = read(value).canonical
    assert (named.text if named else None) == target


def test_other_languages():
    pointed = read(
        '</de>; rel="alternate"; hreflang="de-AT"', "</fr>; rel=alternate; hreflang=FR, </x>; rel=alternate"
    )
    assert [(tag, url.path) for tag, url in pointed.alternates] == [("de-at", "/de"), ("fr", "/fr")]


def test_no_header():
    assert from_headers([("Content-Type", "text/html")], URL, Resolver()) is NOTHING


@given(st.text(alphabet='<>;,="\\ arelcnoi/', max_size=60))
def test_any_header(value):
    pointed = read(value, "<a>; rel=canonical " * 500)
    assert pointed.canonical is None or pointed.canonical.scheme in {"http", "https"}
