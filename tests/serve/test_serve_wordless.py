"""Queries of characters that fold to nothing: they have no words, and nothing is looked up."""

from __future__ import annotations

import sys
from unicodedata import category, name
from urllib.parse import quote

import pytest

from gossamer import Engine
from gossamer.cli.main import run
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page
from gossamer.index.dictionary import Dictionary
from gossamer.model import BadQuery
from gossamer.query.syntax import LONGEST
from gossamer.text.terms import fold
from gossamer.text.words import folded

TATWEEL = "\u0640"
PAGES = {
    "/": page("Jaguars", "The jaguar is a cat of the new world.", ["/de", "/ar", "/cars"]),
    "/de": page("Wildkatzen", "Der Jaguar ist die einzige Wildkatze, und eine Hauskatze ist er nicht."),
    "/ar": page("كتاب", "هذا كتـــاب عن الحيوانات ـ وعن القطط"),
    "/cars": page("Jaguar cars", "A jaguar that drives and no cat."),
}
SETTINGS = {"frontier": {"delay": 0}, "extract": {"workers": 0}}
# "{}" is what folds to nothing: alone, with each operator, in each field and filter.
ALONE = (
    "{}", "{} {}", '"{}"', '"{} {}"', "{}*", "{}~", "{}~2", "({})", "{} AND {}", "{} OR {}", "{} NEAR {}",
    "{} NEAR/3 {}", "intitle:{}", 'intitle:"{}"', "inurl:{}", "inbody:{}", "inanchor:{}", "intitle:{}*",
    "inbody:{}~", "sounds:{}", "soundex:{}", "{}-{}", "{}.{}", "#{}", "@{}", "{}++", "{}'s",
)  # fmt: skip
BESIDE = (
    "jaguar {}", "{} jaguar", "jaguar -{}", 'jaguar "{}"', "jaguar AND {}", "jaguar NOT {}", "jaguar {}*",
    "jaguar {}~", "jaguar NEAR {}", "(jaguar OR {})", "jaguar intitle:{}", "jaguar -intitle:{}",
    '"jaguar {}"',
)  # fmt: skip
FILTERS = ("site:{}", "filetype:{}", "lang:{}", "before:{}", "after:{}", "link:{}", "related:{}", "info:{}",
           "country:{}", "near:{}", 'near:"{}"')  # fmt: skip
NOTHING = [c for c in map(chr, range(sys.maxunicode + 1)) if not fold(folded(c)).strip() and c.strip()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wordless") / "c"
    with Engine.open(folder, create=True, settings=SETTINGS) as opened:
        web = ScriptedWeb({"a.test": ScriptedHost(PAGES)})
        opened.crawl("http://a.test/", transport=ScriptedTransport(web))
        opened.rank()
    return folder


@pytest.fixture(scope="module")
def engine(folder):
    with Engine.open(folder) as opened:
        opened.suggest("jag")  # related searches are made of phrases that are gathered by then
        yield opened


@pytest.fixture
def asked(engine):
    """Ask the engine."""
    return lambda text, **how: answered(engine, text, **how)


@pytest.fixture
def walked(monkeypatch):
    """The prefixes that were looked up in a dictionary."""
    prefixes = []
    prefixed = Dictionary.prefixed
    monkeypatch.setattr(Dictionary, "prefixed", lambda self, one: prefixes.append(one) or prefixed(self, one))
    return prefixes


def answered(engine, text, **how):
    """How many pages a query finds, and suggestions; 0 where it cannot be read."""
    engine.suggest(text)
    try:
        return engine.search(text, **how).total
    except BadQuery:
        return 0


@pytest.mark.parametrize("form", ALONE)
@pytest.mark.parametrize("nothing", [TATWEEL, TATWEEL * 50, "\ufe7d", "\u06e5", "\u0301", "\u200d", "\u00ad"])
def test_queries_that_fold_to_nothing_find_nothing(asked, walked, form, nothing):
    assert asked(form.replace("{}", nothing)) == 0
    assert not walked


@pytest.mark.parametrize("form", BESIDE)
def test_beside_a_word_it_changes_nothing(asked, walked, form):
    found = asked("jaguar")
    assert found == 3
    assert asked(form.replace("{}", TATWEEL)) == found
    assert asked(form.replace("{}", TATWEEL * 50)) == found
    assert "" not in walked


@pytest.mark.parametrize("form", FILTERS)
def test_filters_by_nothing_are_answered(asked, form):
    asked(form.replace("{}", TATWEEL))
    asked("jaguar " + form.replace("{}", TATWEEL))


def test_every_character_that_folds_to_nothing_is_answered(engine):
    assert {TATWEEL, "\u0301", "\u200d", "\u00ad", "\ufe0f", "\u06e5", "\ufe7d"} < set(NOTHING)
    for c in NOTHING:
        if c < "\U000e0080" or c.endswith("0"):  # a block of 4,096 that are all alike
            for form in ("{}", '"{}"', "{}*", "{}~"):
                assert answered(engine, form.replace("{}", c)) == 0, ascii(c)
            assert answered(engine, c * 50) == 0, ascii(c)


@pytest.mark.long
def test_every_character_is_answered(engine):
    for point in range(sys.maxunicode + 1):
        c = chr(point)
        alike = category(c) in {"Cn", "Co"} or name(c, "").startswith(("CJK UNIFIED", "HANGUL SYLLABLE"))
        if not alike or point % 100 == 0:
            answered(engine, c)
            answered(engine, c * 50)


@pytest.mark.parametrize("nothing", [TATWEEL, TATWEEL * LONGEST])
def test_pages_and_programs_get_an_answer(engine, client_of, walked, nothing):
    client = client_of(engine)
    assert client.get(f"/search?q={quote(nothing)}").status_code == 200
    assert client.get(f"/api/search?q={quote(nothing)}").json()["total"] == 0
    assert client.get(f"/api/suggest?q={quote(nothing)}").json()["suggestions"] == []
    assert client.get(f"/search?q=jaguar&lang={quote(nothing[:1])}").status_code < 500
    assert "" not in walked


def test_the_command_answers(folder, capsys):
    assert run(["-C", str(folder), "search", TATWEEL]) == 0
    assert "nothing found" in capsys.readouterr().out
    assert run(["-C", str(folder), "suggest", TATWEEL]) == 0
