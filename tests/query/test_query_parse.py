import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import (
    After,
    And,
    BadQuery,
    Before,
    ByPlace,
    FileType,
    Fuzzy,
    Group,
    In,
    Language,
    Near,
    Not,
    Or,
    Phrase,
    Prefix,
    Site,
    Sounding,
    Word,
)
from gossamer.query.rewrite import side_by_side
from gossamer.query.syntax import parse


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
        ("title:cat 12:30 c++", (Word("title:cat"), Word("12:30"), Word("c++"))),
        ('old"new world"', (Word("old"), Phrase("new world"))),
        ('"new world"-old', (Phrase("new world"), Word("-old"))),
        ("don't", (Word("don't"),)),
        ("!!!", (Word("!!!"),)),
    ],
)
def test_reads_clauses(text, expected):
    assert clauses(text) == expected


A, B, C, D = map(Word, "abcd")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a AND b AND c", (And((A, B, C)),)),
        ("a AND b OR c", (Or((And((A, B)), C)),)),
        ("a OR b AND c", (Or((A, And((B, C)))),)),
        ("(a OR b) AND c", (And((Or((A, B)), C)),)),
        ("a OR b c", (Or((A, B)), C)),
        ("a b OR c", (A, Or((B, C)))),
        ("a AND NOT b", (And((A, Not(B))),)),
        ("a AND -b", (And((A, Not(B))),)),
        ("NOT a AND b", (And((Not(A), B)),)),
        ("a NOT b c", (A, Not(B), C)),
        ("a -(b OR c)", (A, Not(Or((B, C))))),
        ("a NOT NOT b", (A, Not(Not(B)))),
        ("a NOT (b c)", (A, Not(Group((B, C))))),
        ("a AND (b c)", (And((A, Group((B, C)))),)),
        ("a (b c) (d)", (A, B, C, D)),
        ("((a))", (A,)),
        ("(a)AND(b)", (A, Word("AND(b)"))),
        ("(-a b)", (Not(A), B)),
        ("a NEAR/3 b", (Near((A, B), 3),)),
        ("a NEAR b NEAR c", (Near((A, B, C), 10),)),
        ('"a b" NEAR c AND d', (And((Near((Phrase("a b"), C), 10), D)),)),
        ("a NOT b NEAR c", (A, Not(Near((B, C), 10)))),
        ("sounds:Meyer -soundex:robert", (Sounding("Meyer"), Not(Sounding("robert", "soundex")))),
        ("a NEAR/3 sounds:b", (Near((A, Sounding("b")), 3),)),
        ("ja* NEAR (ja~)", (Near((Prefix("ja"), Fuzzy("ja")), 10),)),
        (
            "jag* -ja* jag~ jag~1 jag~2",
            (Prefix("jag"), Not(Prefix("ja")), Fuzzy("jag"), Fuzzy("jag", 1), Fuzzy("jag", 2)),
        ),
        (
            "intitle:a inurl:b* inbody:c~1",
            (In("title", A), In("url", Prefix("b")), In("body", Fuzzy("c", 1))),
        ),
        ('InTitle:"a  b" -inanchor:“c d”', (In("title", Phrase("a b")), Not(In("anchor", Phrase("c d"))))),
        ("a AND site:x.org OR lang:de", (Or((And((A, Site("x.org"))), Language("de"))),)),
        (
            'filetype:PDF filetype:.md filetype:"text/plain"',
            (FileType("pdf"), FileType("md"), FileType("text/plain")),
        ),
        (
            "lang:EN lang:german lang:română lang:pt-BR lang:mi",
            tuple(map(Language, "en de ro pt mi".split())),
        ),
        ('lang:"Bahasa Indonesia"', (Language("id"),)),
        ('country:dk near:"Paris, Texas"', (ByPlace("country", "dk"), ByPlace("near", "Paris, Texas"))),
        ("NEAR:Saint-Denis -country:日本", (ByPlace("near", "Saint-Denis"), Not(ByPlace("country", "日本")))),
        ("before:2024 after:2024-05 after:2024-5-1", (Before("2024"), After("2024-05"), After("2024-5-1"))),
        ("and or not near a", (*map(Word, "and or not near a".split()),)),
        ('"AND" a', (Phrase("AND"), A)),
        ("a -AND -NEAR", (A, Not(Word("AND")), Not(Word("NEAR")))),
    ],
)
def test_reads_trees(text, expected):
    assert clauses(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "https://en.wikipedia.org/wiki/Jaguar_(car)",
        "https://example.org/?q=a:b&x=(1)#top",
        "print(x)",
        "main()",
        "f(g(x))",
        "C++",
        "a:b",
        "std::vector<int>",
        "foo:bar",
        "title:cat",
        "NEAR/far",
        "HEAD~3",
        "~/notes",
        "**bold**",
        "*",
        "a*b",
        "R&D",
        "don’t",
        "AND/OR",
        "12:30",
        "and",
    ],
)
def test_what_is_pasted_is_a_word(text):
    assert clauses(text) == (Word(text),)
    assert clauses(f"({text} OR y)") == (Or((Word(text), Word("y"))),)


def test_parentheses_of_pasted_code_belong_to_its_words():
    assert clauses("x( y") == (Word("x("), Word("y"))
    assert clauses("f(a, b) c") == (Word("f(a,"), Word("b)"), Word("c"))
    assert clauses("(f(a, b) c)") == (Word("f(a,"), Word("b)"), Word("c"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('צה"ל', (Word('צה"ל'),)),
        ('צה"ל ומד"א', (Word('צה"ל'), Word('ומד"א'))),
        ('צה"ל "new world"', (Word('צה"ל'), Phrase("new world"))),
        ('"צה"ל בעזה"', (Phrase('צה"ל בעזה'),)),
        ('15" monitor', (Word("15"), Word("monitor"))),
        ("15” monitor", (Word("15"), Word("monitor"))),
        ('monitor 15"', (Word("monitor"), Word("15"))),
        ('15" or 17" "new world"', (Word("15"), Word("or"), Word("17"), Phrase("new world"))),
        ('(15" OR 17")', (Or((Word("15"), Word("17"))),)),
        ('intitle:15" -a"b', (In("title", Word("15")), Not(Word('a"b')))),
        ('"new world"cat"', (Phrase("new world"), Word("cat"))),
        ('old"new world "', (Word("old"), Phrase("new world"))),
        ('东京" 我说"你好"他', (Word("东京"), Phrase("我说"), Word("你好"), Word("他"))),
        ('我说"你好"他', (Word("我说"), Phrase("你好"), Word("他"))),
    ],
)
def test_a_mark_behind_a_letter_without_a_partner_opens_no_phrase(text, expected):
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
        ("site:wildcats.localhost:8808", "wildcats.localhost:8808"),
        ("site:http://[::1]:8080/x", "[::1]:8080"),
    ],
)
def test_site_takes_hosts_as_people_write_them(typed, host):
    assert clauses(typed) == (Site(host),)


@pytest.mark.parametrize(
    ("text", "position", "why"),
    [
        ('cat "new world', 4, "never closed"),
        ("cat “new world", 4, "never closed"),
        ('5 " screen', 2, "never closed"),
        ('a "new 5" "b', 10, "never closed"),
        ("cat site:", 4, "site:"),
        ("cat -site:", 5, "site:"),
        ("site: example.com", 0, "site:"),
        ("site:x@y", 0, "site:"),
        ('cat ""', 4, "nothing between"),
        ('cat -"  "', 5, "nothing between"),
        ("-cat", 0, "only exclusions"),
        ("-cat -site:a.org", 0, "only exclusions"),
        ("", 0, "nothing to search for"),
        ("   ", 0, "nothing to search for"),
        ("-", 0, "nothing to search for"),
        ("NOT a", 0, "only exclusions"),
        ("a AND", 2, "search for after AND"),
        ("AND a", 0, "search for before AND"),
        ("a (OR b)", 3, "search for before OR"),
        ("a AND OR b", 2, "search for after AND"),
        ("a NOT", 2, "search for after NOT"),
        ("a (b NEAR) c", 5, "search for after NEAR"),
        ("cat OR", 4, "lower case"),
        ("a (b", 2, "never closed"),
        ("((a)", 0, "never closed"),
        ("a) b", 1, "never opened"),
        ("a ()", 2, "nothing between the parentheses"),
        ("a NEAR/0 b", 2, "must be 1 to 1,000"),
        ("a NEAR/4000 b", 2, "must be 1 to 1,000"),
        ("a NEAR/4 b NEAR c", 11, "NEAR/4 here"),
        ("a NEAR site:x.org", 7, "on both sides"),
        ("(a OR b) NEAR c", 0, "on both sides"),
        ("a NEAR intitle:c", 7, "intitle: outside"),
        ("a intitle: b", 2, "intitle: needs a word or a phrase right after it"),
        ("a intitle:(b c)", 2, 'intitle:"big cat"'),
        ('a inbody:"b', 9, "never closed"),
        ('a inbody:""', 9, "nothing between"),
        ("a lang:klingon", 2, "lang: needs a language"),
        ("a country:", 2, "country: needs a country"),
        ("a near:12", 2, "near: needs a town"),
        ("a near:(paris)", 2, "near: needs a town"),
        ("a filetype:?", 2, "filetype: needs a type"),
        ("a before:yesterday", 2, "before: needs a day"),
        ("a after:2023-02-30", 2, "after: needs a day"),
        ("a after:0000", 2, "after: needs a day"),
        ("(" * 21 + "a" + ")" * 21, 20, "more than 20"),
        ("a " + "NOT " * 21 + "b", 82, "more than 20"),
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


PIECES = [*"ab  (\")-*~:“«/@é", "~1", " AND ", " OR ", " NOT ", " NEAR ", " NEAR/3 ", "site:", "intitle:",
          "lang:", "filetype:", "before:", "2024", "x.org", "\t", "京都"]  # fmt: skip


@given(
    st.text()
    | st.text(alphabet='ab -"“”site:.\t«»@/[]%', max_size=60)
    | st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
)
def test_gives_a_query_or_a_position_in_the_text(text):
    outcome = attempt(text)
    if isinstance(outcome, BadQuery):
        assert 0 <= outcome.position <= max(len(text) - 1, 0)
        assert outcome.pointer().startswith(text)
    else:
        assert outcome.text == text
        assert any(wanted for _, wanted in outcome.leaves())


PLAIN = st.lists(st.sampled_from(["a", "Bc", "c++", "京都", "and", "x-y"]), min_size=1, max_size=8)


@given(PLAIN, st.sampled_from([" ", "  ", "\t"]))
def test_plain_words_are_read_as_they_stand(typed, blank):
    assert parse(blank.join(typed)).clauses == tuple(map(Word, typed))
    assert parse(f'"{blank.join(typed)}"').clauses == (Phrase(" ".join(typed)),)
    joined = parse(f"{blank}AND{blank}".join(typed)).clauses
    assert joined == (And(tuple(map(Word, typed))),) if len(typed) > 1 else (Word(typed[0]),)


_WORDS = st.text(alphabet="abcdefghij", min_size=1, max_size=8)
_TEXTS = st.one_of(
    _WORDS.map(Word),
    _WORDS.map(Prefix),
    st.builds(Fuzzy, _WORDS, st.sampled_from([None, 1, 2])),
    st.lists(_WORDS, min_size=1, max_size=3).map(" ".join).map(Phrase),
)
_SOUNDS = st.builds(
    Sounding, st.sampled_from(["meyer", "Straße", "o"]), st.sampled_from(["sounds", "soundex"])
)
_LEAVES = st.one_of(
    _TEXTS,
    _SOUNDS,
    st.builds(In, st.sampled_from(["title", "url", "body", "anchor"]), _TEXTS),
    st.builds(Near, st.lists(_TEXTS | _SOUNDS, min_size=2, max_size=3).map(tuple), st.integers(1, 1000)),
    _WORDS.map(lambda name: Site(f"{name}.example")),
    st.sampled_from(["pdf", "text/html"]).map(FileType),
    st.sampled_from(["en", "ro", "xyz"]).map(Language),
    st.builds(ByPlace, st.sampled_from(["country", "near"]), st.sampled_from(["dk", "Paris, Texas", "日本"])),
    st.sampled_from([Before("2024"), After("2024-05"), After("2024-05-01")]),
)


def _flat(parts):
    """A group right within a group is the same as its parts."""
    return Group(
        tuple(one for part in parts for one in (part.clauses if isinstance(part, Group) else (part,)))
    )


_SEVERAL = lambda inner: st.lists(inner, min_size=2, max_size=3).map(tuple)  # noqa: E731
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        inner.map(Not), _SEVERAL(inner).map(And), _SEVERAL(inner).map(Or), _SEVERAL(inner).map(_flat)
    ),
    max_leaves=12,
)


@given(_LEAVES, st.lists(_TREES.filter(lambda tree: not isinstance(tree, Group)), max_size=4))
def test_reads_back_what_was_written(first, rest):
    expected = (first, *rest)
    assert clauses(side_by_side(expected)) == expected
