"""Units: there and back is where one was; money by the owner's rates."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from answer_context import CONTEXT, RATES, only, said
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.instant.context import read_rates
from gossamer.answer.instant.lists import lines
from gossamer.answer.instant.units import ALSO, by_symbol, unit
from gossamer.answer.instant.units import known_units as units
from gossamer.model import BadSetting

ALL = sorted(set(units().values()), key=lambda one: (one.quantity, one.symbol))
PAIRS = [(one, other) for one in ALL for other in ALL if one.quantity == other.quantity]


@given(st.sampled_from(PAIRS), st.fractions(min_value=Fraction(1, 1000), max_value=10**6))
def test_there_and_back_is_exact(pair, amount):
    one, other = pair
    there = other.amount(one.base(amount))
    assert one.amount(other.base(there)) == amount if there else there == 0


def test_every_name_means_one_unit():
    named = [name for _, line in lines("units") for name in line.split(" | ")[2].split(", ")]
    assert len(named) == len(set(named))
    assert all(unit(name) for name in named)
    assert all(by_symbol(symbol).quantity == by_symbol(other).quantity for symbol, other in ALSO.items())


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("0 c in f", "32 °F"),
        ("-40 c to f", "−40 °F"),
        ("0 k to celsius", "−273.15 °C"),
        ("1 nautical mile in metres", "1,852 m"),
        ("10 000 km in miles", "6,213.712 mi"),
        ("2,5 kg in lbs", "5.511557 lb"),
        ("5 ft 11 in in cm", "180.34 cm"),
        ("11 st 4 lb in kg", "71.66759 kg"),
        ("50 m² in sq ft", "538.1955 ft²"),
        ("90 minutes in hours", "1.5 h"),
        ("1/2 inch in mm", "12.7 mm"),
        ("½ cup in ml", "118.2941 ml"),
        ("2 1/2 feet in cm", "76.2 cm"),
        ("2½ft in cm", "76.2 cm"),
        ("1 hectare in acres", "2.471054 acres"),
        ("how many cups in a gallon", "16 US cups"),
        ("100 years in centuries", "1 century"),
        ("1000 years in centuries", "10 centuries"),
        ("1 light year in km", "9,460,730,472,581 km"),
        ("1 au in km", "149,597,871 km"),
        ("1 GiB in MiB", "1,024 MiB"),
        ("1 bar in psi", "14.50377 psi"),
        ("1 kwh in MJ", "3.6 MJ"),
        ("180 degrees to radians", "3.141593 rad"),
        ("miles to km", "1.609344 km"),
        ("convert 100 km/h to mph", "62.13712 mph"),
        ("How many ML in a cup?", "236.5882 ml"),
        ("wie viele meter sind eine meile", "1,609.344 m"),
    ],
)
def test_conversions(query, answer):
    assert [one.partition(" (")[0] for one in said(query)] == [answer]


def test_the_other_side_of_the_atlantic_is_told():
    assert only("20 litres in gallons").detail == "or 4.399385 imperial gallons"
    assert only("1 year in days").detail == "a year of 365.2425 days, on average"


@pytest.mark.parametrize(
    "query", ["0 mpg in l/100km", "5 ft 13 in in cm", "3 km in km", "1 mb in gb", "5 m in kg"]
)
def test_what_cannot_be_is_not_said(query):
    assert said(query) == []


def test_money():
    assert said("1 eur in usd")[0].startswith("1.08 USD")
    assert said("1000000000000000000 usd in eur")[0].startswith("9.2")
    assert said("100 usd in chf") == []
    assert said("100 usd in eur", replace(CONTEXT, rates=None)) == []
    assert only("10 yen in euros").answer == "0.061 EUR"
    assert only("1 yen in gbp", replace(CONTEXT, rates=replace(RATES, day=None))).detail.endswith(
        "owner's rates"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it needs a base"),
        ('base = "euro"', "it needs a base"),
        ('base = "EUR"', "it needs a table"),
        ('base = "EUR"\n[rates]\nusd = 1', "'usd' is no currency"),
        ('base = "EUR"\n[rates]\nUSD = 0', "must be a number above 0"),
        ('base = "EUR"\n[rates]\nUSD = "1.1"', "must be a number above 0"),
        ('base = "EUR"\n[rates]\nUSD = inf', "rates.toml"),
        ('base = "EUR"\ndate = "today"\n[rates]\nUSD = 1', "date must be a day"),
        ("base = ", "rates.toml: "),
    ],
)
def test_wrong_rates_are_told(text, problem):
    with pytest.raises(BadSetting, match=problem):
        read_rates(text, "rates.toml")
