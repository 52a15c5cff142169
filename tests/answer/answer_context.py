"""What the examples of docs/answers.md were asked with."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from gossamer.answer.gazetteer import Gazetteer, Place
from gossamer.answer.instant.answer import answers
from gossamer.answer.instant.context import Context, read_rates

RATES = read_rates(
    'base = "EUR"\ndate = 2026-11-16\n[rates]\nUSD = 1.0834\nGBP = 0.85\nJPY = 163.2\n', "rates"
)
ATHENS = "Europe/Athens"
CITIES = [
    (Place("Athens", "GR", "Greece", "", 37.98376, 23.72784, 664_046, ATHENS), ["Αθήνα", "Atene"]),
    (Place("Irákleion", "GR", "Greece", "", 35.32787, 25.14341, 137_154, ATHENS), ["Heraklion"]),
    (Place("Nice", "FR", "France", "", 43.70313, 7.26608, 342_669, "Europe/Paris"), ["Nizza"]),
    (Place("Van", "TR", "Turkey", "", 38.49457, 43.38323, 525_016, "Europe/Istanbul"), []),
    (Place("Lima", "PE", "Peru", "", -12.04318, -77.02824, 7_737_002, "America/Lima"), ["Lime"]),
    (
        Place("Portland", "US", "United States", "OR", 45.52345, -122.67621, 652_503, "America/Los_Angeles"),
        [],
    ),
    (Place("Portland", "US", "United States", "ME", 43.65737, -70.2589, 66_881, "America/New_York"), []),
]
PLACES = Gazetteer(
    CITIES,
    {"Greece": "GR", "France": "FR", "Turkey": "TR", "Peru": "PE", "United States": "US"},
    {"Oregon": "OR", "Maine": "ME"},
)
CONTEXT = Context(datetime(2026, 11, 16, 12, 0, tzinfo=ZoneInfo("Europe/Berlin")), RATES, places=PLACES)


def said(query, context=CONTEXT):
    """The answers to a query, as the documentation writes them."""
    found = answers(query, context)
    return [f"{one.answer} ({one.detail})" if one.detail else one.answer for one in found]


def only(query, context=CONTEXT):
    """The one answer to a query."""
    (found,) = answers(query, context)
    return found
