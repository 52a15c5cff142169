import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import BadQuery, Not, Phrase, Site, Word
from gossamer.query.parse import parse


def clauses(text):
    return parse(text).clauses


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jaguar", (Word("jaguar"),)),
        ("  new   world\tcat ", (Word("new"), Word("world"), Word("cat"))),
        ('"new world" cat', (Phrase("new world"), Word("cat"))),
        ("“new world”", (Phrase("new world"),)),
        ("„neue Welt“ «nouveau monde»", (Phrase("neue Welt"), Phrase("nouveau monde"))),
        ('"  new   world "', (Phrase("new world"),)),
        ("jaguar -car", (Word("jaguar"), Not(Word("car")))),
        ('jaguar -"sports car"', (Word("jaguar"), Not(Phrase("sports car")))),
        ("jaguar -“sports car”", (Word("jaguar"), Not(Phrase("sports car")))),
        ("jaguar site:example.com", (Word("jaguar"), Site("example.com"))),
        ("jaguar -site:example.com", (Word("jaguar"), Not(Site("example.com")))),
        ("site:example.com", (Site("example.com"),)),
        ("foo-bar well-known", (Word("foo-bar"), Word("well-known"))),
        ("rise - fall", (Word("rise"), Word("fall"))),
        ("rise – fall -", (Word("rise"), Word("–"), Word("fall"))),
        ("tar --help", (Word("tar"), Word("--help"))),
        ("intitle:cat 12:30 c++", (Word("intitle:cat"), Word("12:30"), Word("c++"))),
        ('old"new world"', (Word("old"), Phrase("new world"))),
        ('"new world"-old', (Phrase("new world"), Word("-old"))),
        ("don't", (Word("don't"),)),
        ("!!!", (Word("!!!"),)),
    ],
)
def test_reads_clauses(text, expected):
    assert clauses(text) == expected


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("site:Example.COM", "example.com"),
        ("SITE:example.com", "example.com"),
        ("site:https://example.com/page?x=1", "example.com"),
        ("site:*.example.com", "example.com"),
        ("site:.gov", "gov"),
        ("site:münchen.de", "xn--mnchen-3ya.de"),
        ("site:wildcats.localhost:8808", "wildcats.localhost"),
    ],
)
def test_site_takes_hosts_as_people_write_them(typed, host):
    assert clauses(typed) == (Site(host),)


@pytest.mark.parametrize(
    ("text", "position", "why"),
    [
        ('cat "new world', 4, "never closed"),
        ("cat “new world", 4, "never closed"),
        ('5" screen', 1, "never closed"),
        ("cat site:", 4, "site:"),
        ("cat -site:", 5, "site:"),
        ("site: example.com", 0, "site:"),
        ("site:x@y", 0, "site:"),
        ('cat ""', 4, "nothing between"),
        ('cat -"  "', 5, "nothing between"),
        ("-cat", 0, "only exclusions"),
        ("-cat -site:a.org", 0, "only exclusions"),
        ("", 0, "nothing to look for"),
        ("   ", 0, "nothing to look for"),
        ("-", 0, "nothing to look for"),
    ],
)
def test_says_what_is_wrong_and_where(text, position, why):
    with pytest.raises(BadQuery) as caught:
        parse(text)
    assert caught.value.position == position
    assert why in caught.value.why


def test_keeps_the_text_as_typed():
    assert parse(" Jaguar  XK ").text == " Jaguar  XK "


def test_limits_clauses():
    assert len(clauses("w " * 64)) == 64
    with pytest.raises(BadQuery) as caught:
        parse("w " * 65)
    assert caught.value.position == 128


def test_separators_are_no_clauses():
    assert len(clauses("w - " * 64)) == 64


def test_limits_length():
    assert clauses("x" * 2000) == (Word("x" * 2000),)
    with pytest.raises(BadQuery) as caught:
        parse("x" * 2001)
    assert caught.value.position == 2000


def attempt(text):
    try:
        return parse(text)
    except BadQuery as error:
        return error


@given(st.text() | st.text(alphabet='ab -"“”site:.\t«»@/[]%', max_size=60))
def test_gives_a_query_or_a_position_in_the_text(text):
    outcome = attempt(text)
    if isinstance(outcome, BadQuery):
        assert 0 <= outcome.position <= max(len(text) - 1, 0)
        assert outcome.pointer().startswith(text)
    else:
        assert outcome.text == text
        assert any(not isinstance(clause, Not) for clause in outcome.clauses)


_WORDS = st.text(alphabet="abcdefghij", min_size=1, max_size=8)
_BARE = st.one_of(
    _WORDS.map(Word),
    st.lists(_WORDS, min_size=1, max_size=3).map(" ".join).map(Phrase),
    _WORDS.map(lambda name: Site(f"{name}.example")),
)


def _typed(clause):
    match clause:
        case Not(inner):
            return "-" + _typed(inner)
        case Phrase(text):
            return f'"{text}"'
        case Site(host):
            return f"site:{host}"
    return clause.text


@given(_BARE, st.lists(_BARE | _BARE.map(Not), max_size=8))
def test_reads_back_what_was_written(first, rest):
    expected = (first, *rest)
    assert clauses(" ".join(map(_typed, expected))) == expected
