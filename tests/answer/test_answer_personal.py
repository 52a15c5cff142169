"""Places in queries, and what counts because of who asks, over a collection that was really crawled."""

from __future__ import annotations

import pytest

from gossamer import Engine
from gossamer.answer.gazetteer import Gazetteer, Place
from gossamer.answer.instant.answer import InstantAnswers
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page
from gossamer.model import BadSetting

SETTINGS = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
PLACES = Gazetteer(
    [
        (Place("Odense", "DK", "Denmark", "", 55.40, 10.39, 180_000, "Europe/Copenhagen"), []),
        (Place("Aarhus", "DK", "Denmark", "", 56.16, 10.21, 285_000, "Europe/Copenhagen"), ["Århus"]),
        (Place("Nyborg", "DK", "Denmark", "", 55.31, 10.79, 17_000, "Europe/Copenhagen"), []),
        (Place("Athens", "GR", "Greece", "", 37.98, 23.73, 664_000, "Europe/Athens"), []),
    ],
    {"Denmark": "DK", "Greece": "GR"},
    {},
)
PAGES = {
    "boats.test/": "The ferry sails every morning, and the harbour has a café where people wait for it.",
    "boats.test/odense": "The ferry no longer sails to Odense in Denmark, where the harbour has flats.",
    "boats.test/nyborg": "The ferry sailed from Nyborg in Denmark until the bridge was there.",
    "boats.test/athens": "The ferry sails from Athens to the islands every morning of the year.",
    "boats.test/one": "Jaguar, the car: engine, speed, road and repair of the car in the works.",
    "boats.test/two": "Jaguar, the cat: the river, the forest and the prey of the largest cat there.",
    "baade.dk/": "The ferry sails from the small harbour when the weather lets it do so.",
}


def web():
    hosts = {}
    for address, text in PAGES.items():
        host, _, path = address.partition("/")
        others = {f"/{one.partition('/')[2]}": "more" for one in PAGES if one.startswith(f"{host}/")}
        hosts.setdefault(host, {})[f"/{path}"] = page(path.title() or "Ferries", text, others)
    return ScriptedWeb({host: ScriptedHost(routes) for host, routes in hosts.items()})


@pytest.fixture(scope="module", params=[1, 3])
def engine(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("personal")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InstantAnswers, "gazetteer", lambda self: PLACES)
        with Engine.open(folder, create=True, partitions=request.param, settings=SETTINGS) as engine:
            engine.crawl(["http://boats.test/", "http://baade.dk/"], transport=ScriptedTransport(web()))
            yield engine


def paths(answer):
    return [hit.url.removeprefix("http://") for hit in answer.hits]


def test_a_country_is_found_by_hosts_and_names(engine):
    found = engine.search("ferry country:dk")
    assert set(paths(found)) == {"boats.test/odense", "boats.test/nyborg", "baade.dk/"}
    assert set(paths(engine.search("ferry country:Greece"))) == {"boats.test/athens"}
    assert set(paths(engine.search("ferry -country:dk"))) == {"boats.test/", "boats.test/athens"}


def test_a_town_is_found_with_its_surroundings(engine):
    found = engine.search("ferry near:odense")
    assert set(paths(found)) == {"boats.test/odense", "boats.test/nyborg"}
    assert found.notes == ("near: pages that name Odense, Denmark, or a town within 50 km of it",)


def test_unknown_places_are_told(engine):
    nowhere = engine.search("ferry country:atlantis", correct=False)
    assert (nowhere.total, nowhere.notes) == (0, ("there is no country named atlantis",))
    assert paths(engine.search("near:bridge")) == ["boats.test/nyborg"]
    assert "searches for it as a word" in engine.search("near:bridge").notes[0]


def test_where_nothing_is_found_any_place_is_tried(engine):
    found = engine.search("athens country:dk")
    assert found.searched == "athens"
    assert paths(found) == ["boats.test/athens"]


def test_pages_of_the_persons_country_come_first(engine):
    before, after = (engine.search("ferry", country=country, explain=True) for country in ("", "gr"))
    assert set(paths(before)) == set(paths(after))
    assert (before.country, after.country) == ("", "GR")
    lifted = {hit.url: hit.explanation.country for hit in after.hits if hit.explanation.country != 1}
    assert set(lifted) == {"http://boats.test/athens"}
    place = [paths(one).index("boats.test/athens") for one in (before, after)]
    assert place[1] <= place[0]
    scores = [{hit.url: hit.score for hit in one.hits} for one in (before, after)]
    assert scores[1]["http://boats.test/athens"] > scores[0]["http://boats.test/athens"]
    assert all(scores[1][url] == own for url, own in scores[0].items() if url not in lifted)


def test_nothing_known_is_nothing_changed(engine):
    plain = engine.search("ferry")
    assert plain.hits == engine.search("ferry", country="").hits == engine.search("ferry", country="fr").hits
    assert engine.search("ferry", country="fr").country == ""


def test_who_asks_for_a_place_means_that_one(engine):
    assert engine.search("ferry country:dk", country="gr").country == ""
    assert engine.search("ferry near:odense", country="dk").country == ""


def test_the_setting_is_what_nobody_told(engine):
    with Engine.open(engine.directory, settings={"search": {"country": "gr"}}) as other:
        assert other.search("ferry").country == "GR"
        assert other.search("ferry", country="").country == ""
        assert other.search("ferry", country="dk").country == "DK"


@pytest.mark.parametrize("code", ["xx", "denmark"])
def test_no_such_country(engine, code):
    with pytest.raises(BadSetting, match="there is no country"):
        engine.search("ferry", country=code)


def test_the_last_queries_decide_between_meanings(engine):
    for context, first in (("big cats of the forest", "two"), ("repair of an engine", "one")):
        found = engine.search("jaguar", context=[context], explain=True)
        assert paths(found)[0] == f"boats.test/{first}"
        assert found.context == (context,)
        assert found.hits[0].explanation.context > 1


def test_context_that_says_nothing_new_is_not_counted(engine):
    plain = engine.search("jaguar")
    for context in (["jaguar"], ["xylophone"], ['"never closed'], [""], ["-cat"], []):
        found = engine.search("jaguar", context=context)
        assert found.context == ()
        assert found.hits == plain.hits, context


@pytest.mark.parametrize("other", ["jaguar", "xylophone", '"never closed', "-cat"])
def test_only_queries_that_counted_are_told(engine, other):
    found = engine.search("jaguar", context=[other, " Forest", "engine"])
    assert found.context == (" Forest", "engine")
    assert paths(found)[0] == "boats.test/two"


def test_of_many_queries_the_last_few_count(engine):
    found = engine.search("jaguar", context=["forest", *map(str, range(10)), "engine"])
    assert found.context == ("forest",)
    assert paths(found)[0] == "boats.test/two"


def test_preferred_sites_come_first(engine):
    found = engine.search("ferry", sites=["baade.dk"], explain=True)
    preferred = {hit.url: hit.explanation.preferred for hit in found.hits}
    assert {url for url, factor in preferred.items() if factor != 1} == {"http://baade.dk/"}
    assert preferred["http://baade.dk/"] == pytest.approx(1.15)
    place, before = (paths(one).index("baade.dk/") for one in (found, engine.search("ferry")))
    assert place <= before


@pytest.mark.parametrize(
    "typed", ["https://baade.dk/ferries?x=1", "http://baade.dk", "baade.dk/", "*.BAADE.dk", " baade.dk "]
)
def test_preferred_sites_may_be_pasted_addresses(engine, typed):
    found = engine.search("ferry", sites=["no host at all", "https://", typed], explain=True)
    factors = {hit.url: hit.explanation.preferred for hit in found.hits}
    assert {url for url, factor in factors.items() if factor != 1} == {"http://baade.dk/"}


def test_other_schemes_are_their_formulas(engine):
    found = engine.search("ferry", scheme="bm25", country="gr", context=["athens"], sites=["baade.dk"])
    assert (found.country, found.context) == ("", ())
    assert found.hits == engine.search("ferry", scheme="bm25").hits
