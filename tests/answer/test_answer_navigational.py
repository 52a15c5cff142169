"""What a search says at once, and which page it puts first because it is wanted."""

from __future__ import annotations

import re

import pytest

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html
from gossamer.model import BadQuery, BadSetting

SETTINGS = {
    "frontier": {"delay": 0.0},
    "extract": {"workers": 0},
    "crawl": {"sitemaps": False},
    "quality": {"near_duplicate_threshold": 1.0},
}
SECTIONS = ["Sport", "Culture", "Science", "Letters", "Weather", "Harbour", "Tides", "Archive"]
HERALD = "http://harbour-herald.test/"
SPAM = "http://best-cheap-lanterns.test/"
REPEATED = " ".join(f"what stands on both pages, sentence {number}" for number in range(40))


def page(title, text, *links):
    said = "".join(f'<p><a href="{href}">{words}</a></p>' for href, words in links)
    return html(f"<html lang=en><title>{title}</title><h1>{title}</h1><p>{text}</p>{said}")


def herald():
    own = [(f"/{name.lower()}", name) for name in SECTIONS]
    pages = {
        "/": page("The Harbour Herald", "All the news of the town and its people.", *own, ("/copy", "more"))
    }
    for name in SECTIONS:
        text = f"{name}: the harbour herald reports. " * (9 if name == "Sport" else 1)
        pages[f"/{name.lower()}"] = page(
            f"{name} - The Harbour Herald", text, ("/", "home"), ("/sport", "sport")
        )
    pages["/tides"] = page("Tides - The Harbour Herald", REPEATED, ("/", "home"))
    pages["/copy"] = page(
        "Tides again - The Harbour Herald", REPEATED + " harbour-herald.test/tides" * 5, ("/", "home")
    )
    return pages


def web():
    fans = {
        "/": page(
            "Fans",
            "We like the harbour herald, harbour herald, harbour herald!",
            (HERALD, "read it"),
            (SPAM, "lanterns"),
        ),
    }
    spam = {"/": page("Best cheap lanterns", "Cheap lanterns!"), "/a": page("Best cheap lanterns", "More.")}
    return ScriptedWeb(
        {
            "best-cheap-lanterns.test": ScriptedHost(spam),
            "harbour-herald.test": ScriptedHost(herald()),
            "fans.test": ScriptedHost(fans),
        }
    )


@pytest.fixture(scope="module", params=[1, 3])
def folder(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("wanting") / "c"
    with Engine.open(folder, create=True, partitions=request.param, settings=SETTINGS) as engine:
        engine.crawl(["http://fans.test/"], transport=ScriptedTransport(web()))
        engine.rank()
    return folder


@pytest.fixture
def engine(folder):
    with Engine.open(folder, settings=SETTINGS) as engine:
        yield engine


def urls(page):
    return [hit.url for hit in page.hits]


def test_the_home_page_of_a_site_that_is_named_comes_first(engine):
    found = engine.search("harbour herald", k=5)
    assert found.intent == "navigational"
    assert found.hits[0].url == HERALD
    by_score = urls(engine.search("harbour herald", k=20, everything=True))
    assert by_score[0] != HERALD
    listed = urls(engine.search("harbour herald", k=20))
    assert set(by_score) - set(listed) <= {f"{HERALD}copy", f"{HERALD}tides"}  # which are folded


def test_pages_of_results_are_cut_from_one_list(engine):
    whole = urls(engine.search("harbour herald", k=9))
    assert whole == [url for first in (0, 3, 6) for url in urls(engine.search("harbour herald", 3, first))]
    assert engine.search("harbour herald", 3, 3).sitelinks == ()


def test_sitelinks(engine):
    links = engine.search("harbour herald").sitelinks
    assert len(links) == 6
    assert {link.title for link in links} <= {*SECTIONS, "Tides again"}
    assert not {"Tides", "Tides again"} <= {link.title for link in links}  # they say nearly the same
    assert links[0].title == "Sport"  # every page links to it
    assert all(link.url.startswith(HERALD) for link in links)
    assert engine.search("harbour weather").sitelinks == ()


def test_other_intents(engine):
    assert engine.search("buy weather").intent == "transactional"
    assert engine.search("harbour herald sport").intent == "navigational"
    assert engine.search("weather").intent == "informational"
    assert (
        engine.search("best cheap lanterns").intent == "transactional"
    )  # the name of a host, as spam has it
    assert engine.search('"harbour herald" -tides').intent == "informational"
    assert engine.search("site:fans.test").intent == ""


@pytest.mark.parametrize("typed", ["harbour-herald.test/weather", "HTTPS://www.harbour-herald.test/weather/"])
def test_a_typed_address_leads_to_its_page(engine, typed):
    found = engine.search(typed)
    assert found.intent == "navigational"
    assert found.hits[0].url == f"{HERALD}weather"
    assert any(re.search("links? to it", note) for note in found.notes)
    assert found.sitelinks == ()


def test_a_typed_host_leads_to_its_home_page(engine):
    found = engine.search("harbour-herald.test")
    assert found.hits[0].url == HERALD
    assert found.sitelinks
    assert found.total >= len(found.hits)


def test_an_address_that_nobody_knows_is_told(engine):
    found = engine.search("https://nowhere.test/weather")
    assert found.notes == ("the page https://nowhere.test/weather is not indexed here",)
    assert engine.search("setup.py").notes == ()
    assert engine.search("setup.py").intent == "informational"


def test_a_page_that_does_not_hold_the_words_can_come_first(engine):
    explained = engine.search("harbour-herald.test/tides", explain=True)
    assert explained.hits[0].url == f"{HERALD}tides"
    assert explained.hits[0].explanation is not None


@pytest.mark.parametrize(("typed", "copy"), [("tides", "copy"), ("copy", "tides")])
def test_copies_of_the_page_that_is_wanted_stand_behind_it(engine, typed, copy):
    found = engine.search(f"harbour-herald.test/{typed}", k=20)
    assert found.hits[0].url == f"{HERALD}{typed}"
    assert f"{HERALD}{copy}" not in urls(found)
    assert found.folded == 1
    assert len(set(urls(found))) == len(found.hits)


def test_answers_stand_on_the_first_page_only(engine):
    assert [one.answer for one in engine.search("2+2").answers] == ["4"]
    assert engine.search("2+2", offset=10).answers == ()
    assert engine.search("weather").answers == ()


def test_a_query_that_cannot_be_read_may_have_an_answer(engine):
    found = engine.search("5'11 \" in cm")
    assert [one.answer for one in found.answers] == ["180.34 cm"]
    assert found.hits == ()
    assert found.notes == ()
    with pytest.raises(BadQuery):
        engine.search("5'11 \" in weather")


@pytest.mark.parametrize("query", ["-2^2", "2 * (3 + 4)", "1 + 1 =", "date + 90 days", "192.168.0.1"])
def test_of_a_query_with_an_answer_nothing_is_said_on_how_it_was_read(engine, query):
    found = engine.search(query)
    assert len(found.answers) == 1
    assert found.notes == ()


def test_of_a_query_with_an_answer_it_is_said_how_well_it_was_looked_for(engine):
    assert "is not exact" in engine.search("2 * (3 + 4)", algorithm="champion").notes[0]


def test_rates_are_the_owners(folder, engine):
    assert engine.search("10 eur in usd").answers == ()
    rates = folder / "rates.toml"
    try:
        rates.write_text('base = "EUR"\n[rates]\nUSD = 2\n')
        assert engine.search("10 eur in usd").answers[0].answer == "20 USD"
        rates.write_text('base = "EUR"\n[rates]\nUSD = 2.50\n')
        assert engine.search("10 eur in usd").answers[0].answer == "25 USD"
        rates.write_text("nonsense")
        with pytest.raises(BadSetting, match=r"rates\.toml"):
            engine.search("10 eur in usd")
        rates.write_bytes(b"\xff")
        with pytest.raises(BadSetting, match="should be UTF-8"):
            engine.search("10 eur in usd")
    finally:
        rates.unlink()


def test_settings(folder):
    def answers(text, **own):
        with Engine.open(folder, settings={**SETTINGS, "answers": own}) as engine:
            return engine.search(text).answers

    assert answers("2+2", enabled=False) == ()
    assert answers("2+2", without=["arithmetic"]) == ()
    assert answers("time in utc", time_zone="Asia/Tokyo")
    template = {"to": "map", "address": "https://map.test/{latitude}/{longitude}"}
    assert answers("1.00, 2.00", links=[template])[0].link == "https://map.test/1.00000/2.00000"
    with pytest.raises(BadSetting, match="is no time zone"):
        answers("2+2", time_zone="Mars/Olympus")
    with pytest.raises(BadSetting, match="there is no kind 'poetry'"):
        answers("2+2", without=["poetry"])
    with pytest.raises(BadSetting, match="should begin with https"):
        answers("2+2", links=[{"to": "ups", "address": "ftp://x/{value}"}])
