"""Compounds of German and its neighbours, found by their parts."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from pages import page

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.query.vocabulary import MOST_KINDS, compounds_ending_in, compounds_holding
from gossamer.text.stopwords import is_stop_word
from gossamer.text.terms import analyser, without_language

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))

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


def snapshot_of(folder, texts):
    index, writer = Index(folder), SegmentWriter("de")
    for number, text in enumerate(texts):
        writer.add(page(f"http://x.example/{number}", text, language="de"))
    index.commit(writer, np.empty(0, np.uint64), PIVOTS)
    return index.snapshot()


def kinds(folder, text, word):
    return shown(compounds_ending_in([snapshot_of(folder, [text])], word, [analyser("de")]))


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory):
    return [snapshot_of(tmp_path_factory.mktemp("german"), ["\n".join(GERMAN), PARTS, OTHERS])]


@pytest.mark.parametrize("line", list(filter(None, GERMAN)))
def test_compounds_are_found_by_their_parts(snapshots, line):
    word, *compounds = line.split()
    found = compounds_holding(snapshots, word, [analyser("de")])
    missing = {without_language(analyser("de")[one]) for one in compounds} - set(map(without_language, found))
    assert not missing


@pytest.mark.parametrize(
    ("language", "text", "word", "found"),
    [
        ("de", "Die Donaudampfschifffahrtsgesellschaft ruht.", "gesellschaft", True),
        ("de", "Die Autobahnraststätten schließen.", "raststätte", True),
        ("de", "Eine Unterhaltung begann.", "haltung", False),  # "unter" is a function word
        ("de", "Die Behandlung begann.", "handlung", False),  # too little stands before it
        ("de", "Im Garten ruht er.", "arten", False),
        ("sv", "Järnvägsstationen ligger där.", "station", True),
        ("nl", "De ziektekostenverzekering wordt betaald.", "verzekering", True),
    ],
)
def test_a_long_word_needs_no_other_that_is_known(tmp_path, language, text, word, found):
    index, writer = Index(tmp_path), SegmentWriter(language)
    writer.add(page("http://x.example/", text, language=language))
    index.commit(writer, np.empty(0, np.uint64), PIVOTS)
    assert bool(compounds_holding([index.snapshot()], word, [analyser(language)])) == found


def test_other_words_are_no_compounds(snapshots):
    reader = analyser("de")
    others = {reader[word] for word in OTHERS.split()}
    words = [line.split()[0] for line in GERMAN if line]
    found = {term for word in words for term in compounds_holding(snapshots, word, [reader])}
    assert not found & others


def shown(terms):
    return set(map(without_language, terms))


@pytest.mark.parametrize("line", list(filter(None, GERMAN)))
def test_kinds_end_with_the_word(snapshots, line):
    word, *compounds = line.split()
    reader = analyser("de")
    found = shown(compounds_ending_in(snapshots, word, [reader]))
    ending = [one for own in GERMAN for one in own.split() if one.endswith(word) and one != word]
    assert shown(reader[one] for one in compounds if one in ending) <= found
    assert found <= shown(reader[one] for one in ending)


def test_what_begins_with_a_function_word_is_no_kind(tmp_path):
    found = kinds(tmp_path, "vor teil vorteil nachteil nach bau bauteil ersatz ersatzteil", "teil")
    assert found == {"bauteil", "ersatzteil"}


def test_what_begins_with_a_function_word_is_no_compound(tmp_path):
    texts = ["vor teil vorteil nachteil nach bau bauteil", "teilnach"]
    found = compounds_holding([snapshot_of(tmp_path, texts)], "teil", [analyser("de")])
    assert shown(found) == {"bauteil", "teilnach"}


def test_the_most_frequent_kinds_of_all_partitions_are_taken(tmp_path):
    firsts = [f"{a}{b}{c}" for a in "bdfk" for b in "aeo" for c in "lmr"]
    texts = [" ".join(["wasser", *firsts, *(f"{one}wasser" for one in firsts[:n])]) for n in (30, 25, 22)]
    made = [snapshot_of(tmp_path / str(n), [text]) for n, text in enumerate(texts)]
    found = compounds_ending_in(made, "wasser", [analyser("de")])
    assert len(found) == MOST_KINDS
    together = snapshot_of(tmp_path / "all", texts)
    assert compounds_ending_in([together], "wasser", [analyser("de")]) == found
    assert shown(found) <= {without_language(analyser("de")[f"{one}wasser"]) for one in firsts[:22]}


@pytest.mark.parametrize("partitions", [1, 2, 5])
def test_the_number_of_partitions_changes_no_kinds(tmp_path, partitions):
    names = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "lmr"]
    others, firsts, rare = names[:70], names[70:76], names[76:130]
    texts = [" ".join(["haus", *(f"{one}haus" for one in others)]) for _ in range(6)]
    texts += [" ".join(["haus", *firsts, *(f"{one}haus" for one in firsts)]) for _ in range(3)]
    # As many of one frequency that their order must say which are taken.
    texts += [" ".join(["haus", one, f"{one}haus"]) for one in rare]
    made = [snapshot_of(tmp_path / str(n), texts[n::partitions]) for n in range(partitions)]
    reader = analyser("de")
    expected = [reader[f"{one}haus"] for one in [*sorted(firsts), *sorted(rare)]]
    assert compounds_ending_in(made, "haus", [reader]) == tuple(expected[:MOST_KINDS])


def plain_kinds(texts, word, reader):
    """All at once, from the texts."""
    pages = [set(reader.terms(text)) for text in texts]
    held = Counter(term for page in pages for term in page)
    stem = without_language(reader[word])
    ending = [term for term in held if without_language(term).endswith(stem)]
    kinds = [term for term in ending if reader[without_language(term).removesuffix(stem)] in held]
    longer = [term for term in kinds if term != reader[word]]
    return tuple(sorted(longer, key=lambda term: (-held[term], term))[:MOST_KINDS])


@pytest.mark.parametrize("seed", range(6))
def test_kinds_are_those_of_all_texts(tmp_path, seed):
    random, partitions = Random(seed), seed % 3 + 1
    names = [f"{a}{b}{c}" for a in "bdfgklmp" for b in "aiou" for c in "lmr"]
    names = [name for name in names if not is_stop_word(name, "de")]
    known = random.sample(names, random.choice([3, 15, 30]))
    texts = []
    for _ in range(random.randint(partitions, 12)):
        used = random.sample(names, random.randint(0, 80))
        texts.append(" ".join(["haus", *known, *(f"{one}haus" for one in used)]))
    made = [snapshot_of(tmp_path / str(n), texts[n::partitions]) for n in range(partitions)]
    reader = analyser("de")
    assert compounds_ending_in(made, "haus", [reader]) == plain_kinds(texts, "haus", reader)


def test_only_some_languages_write_compounds_as_one(snapshots):
    assert compounds_holding(snapshots, "versicherung", [analyser("en"), analyser("")]) == {}
    assert compounds_ending_in(snapshots, "versicherung", [analyser("en"), analyser("")]) == ()
    assert compounds_ending_in(snapshots, "xyz", [analyser("de")]) == ()
