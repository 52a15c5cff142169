"""Country and earlier queries of the user: sent to the engine, shown on the page, removed by a click."""

from __future__ import annotations

import re

import pytest
from address_files import database
from fake_engine import FakeEngine

from gossamer.model import Explanation, Hit, Snippet
from gossamer.serve.i18n import translations
from gossamer.serve.search_page.result_list import explain_score

HITS = [Hit(1, "https://a.dk/", "A page", Snippet("Some words"), 1.0, 1)]
SAID = {"country": "DK", "context": ("big <cats>",), "preferred_topic": "ships"}


def client_and_engine(client_of, **settings):
    engine = FakeEngine(HITS, said=SAID)
    return client_of(engine, **settings), engine


@pytest.mark.parametrize("path", ["/search", "/api/search"])
@pytest.mark.parametrize(
    ("header", "parameters", "country"),
    [
        ("de-AT,de;q=0.9", {}, "AT"),
        ("de;q=0.5,en-GB", {}, "GB"),
        ("de", {}, None),
        ("en-XX", {}, None),
        ("de-AT", {"country": "none"}, ""),
        ("de-AT", {"country": "dk"}, "DK"),
        ("de-AT", {"country": "auto"}, "AT"),
    ],
)
def test_the_country_is_found_out_or_named(client_of, path, header, parameters, country):
    client, engine = client_and_engine(client_of)
    answer = client.get(path, params={"q": "cats", **parameters}, headers={"accept-language": header})
    assert answer.status_code == 200
    assert engine.asked[0].country == country


def test_an_address_knows_better_than_a_browser(client_of, tmp_path):
    (tmp_path / "a.mmdb").write_bytes(database({"192.0.2.0/24": "GR"}))
    client, engine = client_and_engine(
        client_of, visitor="192.0.2.9", address_database=str(tmp_path / "a.mmdb")
    )
    client.get("/search?q=cats", headers={"accept-language": "en-US"})
    client.get("/search?q=cats&country=none", headers={"accept-language": "en-US"})
    assert [one.country for one in engine.asked] == ["GR", ""]


def test_geolocation_can_be_disabled(client_of):
    client, engine = client_and_engine(client_of, geolocate_visitors=False)
    client.get("/search?q=cats", headers={"accept-language": "en-US"})
    client.get("/search?q=cats&country=dk", headers={"accept-language": "en-US"})
    assert [one.country for one in engine.asked] == [None, "DK"]


def test_personal_parameters_reach_the_engine(client_of):
    client, engine = client_and_engine(client_of)
    client.get("/search?q=cats&context=big+cats&context=&context=lions&prefer=a.test&languages=el,de")
    client.get(f"/api/search?q=cats&context={'x' * 500}&prefer=a.test")
    page, api = engine.asked
    assert (page.context, page.sites, page.languages) == (("big cats", "lions"), ("a.test",), ("el", "de"))
    assert (api.context, api.sites) == (("x" * 200,), ("a.test",))


@pytest.mark.parametrize("path", ["/search", "/api/search"])
def test_the_preferred_topic_goes_along(client_of, path):
    client, engine = client_and_engine(client_of)
    client.get(f"{path}?q=cats&prefer_topic=ships")
    client.get(f"{path}?q=cats")
    assert [one.preferred_topic for one in engine.asked] == ["ships", ""]
    assert client.get(f"{path}?q=cats&prefer_topic={'x' * 201}").status_code == 422


def test_the_preferred_topic_is_said_and_off_by_a_click(client_of):
    client, _ = client_and_engine(client_of)
    text = client.get("/search?q=cats&prefer_topic=ships&prefer=a.test&ui=en").text
    assert "Your preferred topic affects these results: <bdi>ships</bdi>." in text
    assert (
        'href="/search?q=cats&amp;ui=en&amp;prefer=a.test" rel="nofollow">Ignore my preferred topic' in text
    )


def test_the_profile_offers_countries_and_the_topics_there_are(client_of):
    engine = FakeEngine(HITS)
    text = client_of(engine).get("/you").text
    assert '<option value="dk" lang="en">Denmark</option>' in text
    assert 'name="topic"' not in text
    engine.known_topics = ("cats", "old <ships>")
    text = client_of(engine).get("/you").text
    assert "<option>cats</option>" in text
    assert "<option>old &lt;ships&gt;</option>" in text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("country=denmark", "country must be the two-letter code of a country, none or auto"),
        ("context=a" + "&context=b" * 3, "context must be given at most 3 times"),
        ("prefer=a" + "&prefer=b" * 10, "prefer must be given at most 10 times"),
    ],
)
def test_wrong_personal_parameters_are_refused(client_of, given, message):
    client, _ = client_and_engine(client_of)
    answer = client.get(f"/api/search?q=cats&{given}")
    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == message


def test_the_page_shows_personal_factors_and_how_to_remove_them(client_of):
    client, _ = client_and_engine(client_of)
    text = client.get("/search?q=cats&context=big+%3Ccats%3E&ui=en").text
    denmark = '<bdi lang="en" data-country="DK">Denmark</bdi>'
    assert f"You seem to be in this country: {denmark}. Its pages rank slightly higher." in text
    assert f">Only this country: {denmark}</a>" in text
    assert 'href="/search?q=cats%20country%3Adk&amp;ui=en&amp;context=big%20%3Ccats%3E"' in text
    assert 'href="/search?q=cats&amp;ui=en&amp;country=none&amp;context=big%20%3Ccats%3E"' in text
    assert "Your recent searches affect these results: <bdi>big &lt;cats&gt;</bdi>." in text
    assert 'href="/search?q=cats&amp;ui=en" rel="nofollow">Ignore my recent searches' in text


def test_a_country_that_was_named_is_not_guessed(client_of):
    client, _ = client_and_engine(client_of)
    text = client.get("/search?q=cats&country=dk").text
    assert "You chose this country: <bdi" in text
    assert "seem" not in text
    assert "You seem to be in this country" in client.get("/search?q=cats&country=auto").text


@pytest.mark.parametrize("country", ["", "dk"])
@pytest.mark.parametrize("language", ["en", "de", "el", "fr", "ro"])
def test_the_name_of_a_country_is_part_of_no_sentence(client_of, language, country):
    """It may need an article or another case: the United States, die Schweiz."""
    client, _ = client_and_engine(client_of)
    text = client.get(f"/search?q=cats&ui={language}&country={country}").text
    assert len(re.findall(r":\s<bdi lang=\"en\" data-country=", text)) == 2


def test_no_country_is_kept_in_links_and_can_be_undone(client_of):
    engine = FakeEngine(HITS)
    text = client_of(engine).get("/search?q=cats&country=none&ui=en").text
    assert "Your location is not used." in text
    assert 'href="/search?q=cats&amp;ui=en&amp;country=auto"' in text
    assert text.count('<input type="hidden" name="country" value="none">') == 2
    assert 'href="/?ui=en&amp;country=none"' in text


def test_without_personal_factors_nothing_is_shown(client_of):
    text = client_of(FakeEngine(HITS)).get("/search?q=cats&country=dk").text
    assert 'class="personal"' not in text


def test_the_api_says_what_counted(client_of):
    client, _ = client_and_engine(client_of)
    answer = client.get("/api/search?q=cats").json()
    assert (answer["country"], answer["context"]) == ("DK", ["big <cats>"])
    assert answer["preferred_topic"] == "ships"


def test_the_profile_is_the_same_page_for_everybody(client_of):
    client, engine = client_and_engine(client_of)
    answer = client.get("/you?ui=de")
    assert answer.status_code == 200
    assert "Ihr Profil in diesem Browser" in answer.text
    assert "data-no-script>Dafür werden JavaScript" in answer.text
    assert 'id="profile" data-needs-script hidden' in answer.text
    assert "set-cookie" not in answer.headers
    assert not engine.asked


@pytest.mark.parametrize("code", ["da", "de", "el", "en", "fr", "ro"])
def test_explanations_name_personal_factors(code):
    translation = translations()[code]
    shown = explain_score(Explanation((), 1.0, country=1.1, preferred=1.15, context=1.2), 1.0, translation)
    assert [key for key, _ in shown.factors] == ["by_country", "by_preference", "by_context"]
    assert all(translation.say(key) for key, _ in shown.factors)
