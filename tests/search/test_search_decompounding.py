"""Compounds of German and its neighbours, found by their parts."""

from __future__ import annotations

import numpy as np
import pytest
from pages import page

from gossamer.index.index import Index
from gossamer.index.weighting import Weighting
from gossamer.index.writer import SegmentWriter
from gossamer.search.decompounding import compounds_holding
from gossamer.text.analysis import analyser, without_language

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0))

# word, then compounds that hold it; all are looked for in one text that also holds what is no compound.
GERMAN = """
versicherung lebensversicherung versicherungsvertrag krankenversicherung
haus krankenhaus gartenhaus haustür hausordnung
schule hochschule grundschule
wasser trinkwasser wasserwerk hochwasser
zeitung tageszeitung zeitungsverlag
recht arbeitsrecht rechtsanwalt strafrecht
bahn eisenbahn bahnhof straßenbahn
kinder kindergarten kinderzimmer
arbeit hausarbeit arbeitszeit zusammenarbeit
buch wörterbuch tagebuch buchhandel
stadt hauptstadt stadtteil altstadt
kraftwerk wasserkraftwerk kernkraftwerk
geschichte kunstgeschichte literaturgeschichte
steuer umsatzsteuer steuererklärung
markt arbeitsmarkt marktplatz
""".split("\n")
PARTS = (
    "leben vertrag kranken garten tür ordnung hoch grund volk trinken werk tag verlag anwalt strafe eisen "
    "hof straße zimmer zeit zusammen wort wörter handel haupt teil alt kern kraft kunst literatur umsatz "
    "erklärung platz"
)
# They begin or end with one of the words above by chance.
OTHERS = "abbuchen aufrecht ausmarkten hausieren bahnen rechten erwässern karate anstatt bestatten verrecht"


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory):
    index, writer = Index(tmp_path_factory.mktemp("german")), SegmentWriter("de")
    for number, text in enumerate(["\n".join(GERMAN), PARTS, OTHERS]):
        writer.add(page(f"http://x.example/{number}", text, language="de"))
    index.commit(writer, np.empty(0, np.uint64), PIVOTS)
    return [index.snapshot()]


@pytest.mark.parametrize("line", list(filter(None, GERMAN)))
def test_compounds_are_found_by_their_parts(snapshots, line):
    word, *compounds = line.split()
    found = compounds_holding(snapshots, word, [analyser("de")])
    missing = {without_language(analyser("de")[one]) for one in compounds} - set(map(without_language, found))
    assert not missing


def test_other_words_are_no_compounds(snapshots):
    reader = analyser("de")
    others = {reader[word] for word in OTHERS.split()}
    words = [line.split()[0] for line in GERMAN if line]
    found = {term for word in words for term in compounds_holding(snapshots, word, [reader])}
    assert not found & others


def test_only_some_languages_write_compounds_as_one(snapshots):
    assert compounds_holding(snapshots, "versicherung", [analyser("en"), analyser("")]) == {}
