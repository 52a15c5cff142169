"""Every language has all phrases, and no page has text outside of the phrases."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from string import Formatter

import pytest
from fake_engine import FakeEngine, hit, hits
from markupsafe import Markup

from gossamer.model import Cluster, InstantAnswer
from gossamer.query import rewrite as easier
from gossamer.serve.i18n import chosen, day_written, plural, translations
from gossamer.serve.rendering import HERE

SPEECHES = translations()
OTHERS = [code for code in SPEECHES if code != "en"]
TEMPLATES = sorted((HERE / "templates").rglob("*.html"))
SAME = {"api"}  # said alike everywhere
SAID_ATTRIBUTES = re.compile(r'\b(?:aria-label|placeholder|title|alt)="([^"]*)"')
JINJA = re.compile(r"\{% block kind %\}.*?\{% endblock %\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
LETTER = re.compile("[A-Za-z]")
KEYS = re.compile(r'(?:say|count)\((?:translation\.)?"([a-z_0-9]+)"')


def gaps(phrase):
    return sorted(name for _, name, _, _ in Formatter().parse(phrase) if name is not None)


def test_the_languages_are_there_and_english_is_what_everybody_else_gets():
    assert set(SPEECHES) >= {"en", "de", "el", "da", "ro", "fr"}
    assert next(iter(SPEECHES)) == "en"


@pytest.mark.parametrize("code", OTHERS)
def test_every_language_has_every_phrase_with_the_same_gaps(code):
    ours, english = SPEECHES[code], SPEECHES["en"]
    assert set(ours.phrases) == set(english.phrases)
    assert {key: gaps(phrase) for key, phrase in ours.phrases.items()} == {
        key: gaps(phrase) for key, phrase in english.phrases.items()
    }
    assert set(ours.counts) == set(english.counts)
    for key, forms in ours.counts.items():
        assert set(forms) == {plural(code, number) for number in range(200)}, key
        assert {tuple(gaps(phrase)) for phrase in forms.values()} == {
            tuple(gaps(english.counts[key]["other"]))
        }
    assert len(set(ours.months)) == 12
    assert gaps(ours.written_day) == ["day", "month", "year"]


@pytest.mark.parametrize("code", OTHERS)
def test_phrases_are_translated(code):
    same = {key for key, phrase in SPEECHES[code].phrases.items() if phrase == SPEECHES["en"].phrases[key]}
    assert len(same - SAME) <= 6, same  # words that two languages share


def test_every_phrase_is_said_somewhere():
    sources = [*TEMPLATES, *HERE.rglob("*.py"), Path(easier.__file__)]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    named = set(re.findall(r'"([a-z_0-9]+)"', text))
    made = ("past_", "problem_", "because_", "room_", "done_", "crawl_", "live_", "list_", "reason_")
    made += ("state_", "age_", "part_", "graph_")  # whose ends are numbers, codes and names
    assert [key for key in SPEECHES["en"].phrases if key not in named and not key.startswith(made)] == []
    assert set(KEYS.findall(text)) <= set(SPEECHES["en"].phrases) | set(SPEECHES["en"].counts)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_say_nothing_themselves(path):
    text = JINJA.sub("", path.read_text(encoding="utf-8"))
    text = text.replace("Gossamer", "")
    assert [said for said in SAID_ATTRIBUTES.findall(text) if LETTER.search(said)] == []
    outside = re.sub(r"<code>.*?</code>|<[^>]*>|&\w+;", " ", text, flags=re.DOTALL)
    assert not LETTER.search(outside), outside.split()


def test_numbers_durations_and_days_are_written_as_the_language_does():
    english, german, french, greek = (SPEECHES[code] for code in ("en", "de", "fr", "el"))
    assert [one.number(1234567) for one in (english, german, french)] == [
        "1,234,567",
        "1.234.567",
        "1\u202f234\u202f567",
    ]
    assert [english.took(ms) for ms in (0.04, 3.21, 47.8, 1234.0)] == ["0.1 ms", "3.2 ms", "48 ms", "1.2 s"]
    assert german.took(3.21) == "3,2 ms"
    day = datetime(2024, 5, 1)
    assert [one.day(day) for one in (english, german, french, greek)] == [
        "1 May 2024",
        "1. Mai 2024",
        "1 mai 2024",
        "1 Μαΐου 2024",
    ]
    assert [day_written(typed, german) for typed in ("2024-05-01", "2024", "2024-13-01")] == [
        "1. Mai 2024",
        "2024",
        "2024-13-01",
    ]


def test_values_are_escaped_and_markup_is_not():
    english = SPEECHES["en"]
    assert english.say("nothing_found", query="<b>") == "No results for &lt;b&gt;"
    assert english.say("nothing_found", query=Markup("<b>x</b>")) == "No results for <b>x</b>"
    assert english.count("results", 1) == "1 result"
    assert SPEECHES["ro"].count("results", 21) == "21 de rezultate"


def test_the_language_named_wins_over_the_browser_s():
    assert chosen(SPEECHES, "", ("it", "da", "de")).language == "da"
    assert chosen(SPEECHES, "ro", ("da",)).language == "ro"
    assert chosen(SPEECHES, "tlh", ("it",)).language == "en"


def test_pages_come_in_the_reader_s_language_and_stay_in_one_that_was_named(client_of):
    engine = FakeEngine(hits(25), said={"folded": 2})
    client = client_of(engine)
    greek = client.get("/search?q=cat", headers={"Accept-Language": "el-GR, en;q=0.5"})
    assert '<html lang="el">' in greek.text
    assert "Επόμενη" in greek.text
    assert greek.headers["vary"] == "Accept-Language"
    assert "ui=" not in re.sub(r'<nav class="tongues".*?</nav>', "", greek.text, flags=re.DOTALL)
    named = client.get("/search?q=cat&ui=fr", headers={"Accept-Language": "el"}).text
    assert '<html lang="fr">' in named
    assert 'href="/search?q=cat&amp;page=2&amp;ui=fr"' in named
    assert '<input type="hidden" name="ui" value="fr">' in named
    assert 'href="/?ui=fr"' in named
    assert 'href="/search?q=cat&amp;ui=da"' in named
    assert "ui=tlh" not in client.get("/search?q=cat&ui=tlh").text.split('class="tongues"')[0]


@pytest.mark.parametrize("code", list(SPEECHES))
@pytest.mark.parametrize(
    "address",
    ["/", "/search?q=cat&page=2&explain=true", "/search?q=%22a+b%22&newest=true", "/x", "/cache?url=x"],
)
def test_every_page_can_be_said_in_every_language(client_of, code, address):
    found = [hit(more_from_host=3, similar=("https://a.test/",), unfetched=True)] * 25
    said = {
        "folded": 3,
        "searched": "cats",
        "searched_because": "relaxed",
        "clusters": (Cluster("big", 3),),
        "answers": (InstantAnswer("units", "1 km", "1000 m", "exactly", "https://a.test/"),),
        "related": ("dogs",),
    }
    client = client_of(FakeEngine(found, said=said))
    join = "&" if "?" in address else "?"
    answer = client.get(f"{address}{join}ui={code}")
    assert f'<html lang="{code}">' in answer.text
    assert answer.status_code in {200, 404}
