"""Misspelt words over segments and partitions: what is suggested, and what is searched for unasked."""

from __future__ import annotations

import numpy as np
import pytest
from pages import page

from gossamer.answer.pipeline import AnswerPipeline
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.search.settings import SearchSettings

TEXTS = [
    ("en", "Jaguars swim; a jaguar is a relational animal, happily of many families and nationalities"),
    ("en", "jaguar running, families running, nationality, generalizations, connected search engine"),
    ("de", "Der Jaguar schwimmt; Verbindungen und Geschwindigkeiten der Familien"),
    ("xx", "jaguarete zebra lantern, the quick lantern of a new world"),
    ("el", "Η φιλοσοφία και ο πολιτισμός"),
    ("ru", "Сегодня философия и литература"),
    ("ja", "日本語のテキスト"),
]


@pytest.fixture(scope="module")
def searching(tmp_path_factory):
    indexes = [Index(tmp_path_factory.mktemp("index")) for _ in range(2)]
    for number, (language, text) in enumerate(TEXTS):
        writer = SegmentWriter("xx")
        writer.add(page(f"http://h{number}.test/", text, language=language))
        indexes[number % 2].commit(
            writer, np.empty(0, np.uint64), Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
        )
    return AnswerPipeline(indexes, None, SearchSettings())


MISSPELT = [
    ("jagaur", "jaguar"),
    ("familes jaguar", "families jaguar"),
    ("relatoinal", "relational"),
    ("runnign", "running"),
    ("happilly", "happily"),
    ("natoinalitty", "nationality"),
    ("generalizatoins", "generalizations"),
    ("geschwindigkietne", "geschwindigkeiten"),
    ("lantren", "lantern"),
    ("zebar", "zebra"),
    ("phamilies", "families"),
    ("konnected", "connected"),
    ("thequick", "the quick"),
    ("sear chengine", "search engine"),
    ("φηλοσοφία", "φιλοσοφία"),
    ("πολητισμός", "πολιτισμός"),
    ("летература", "литература"),
    ("Jagaur OR xyzzy", "Jaguar OR xyzzy"),
    ("jagaur -xyzzy site:test", "jaguar -xyzzy site:test"),
]


NOT_SURE = ("familes jaguar", "thequick", "happilly")  # something is found, or it is only likely


@pytest.mark.parametrize(("typed", "meant"), MISSPELT)
def test_what_may_have_been_meant(searching, typed, meant):
    found = searching.search(typed, correct=False)
    assert found.did_you_mean == meant
    assert (found.searched, found.searched_because) == ("", "")


@pytest.mark.parametrize(
    "typed",
    [
        "jaguar",
        "xylophone",
        "tiger",
        "jgr",
        '"jagaur"',
        "intitle:jagaur",
        "jagaur~",
        "2o24",
        "JAGAR",
        "日木語",
    ],
)
def test_what_is_left_alone(searching, typed):
    assert searching.search(typed, correct=False).did_you_mean is None


@pytest.mark.parametrize(("typed", "meant"), [pair for pair in MISSPELT if pair[0] not in NOT_SURE])
def test_where_nothing_is_found_the_better_spelling_is_searched_for(searching, typed, meant):
    found, expected = searching.search(typed), searching.search(meant)
    assert found.total == expected.total > 0
    assert [hit.url for hit in found.hits] == [hit.url for hit in expected.hits]
    assert (found.query, found.searched, found.searched_because) == (typed, meant, "corrected")
    assert found.did_you_mean is None


def test_where_something_is_found_it_stays(searching):
    found = searching.search("familes jaguar")
    assert (found.searched, found.did_you_mean) == ("", "families jaguar")
    assert found.total


def test_every_page_of_results_is_of_the_same_query(searching):
    found = [searching.search("jagaur", 1, offset) for offset in range(4)]
    assert {one.searched for one in found} == {"jaguar"}
    hits = [hit.url for one in found for hit in one.hits]
    assert hits == [hit.url for hit in searching.search("jaguar").hits]


@pytest.mark.parametrize(
    ("typed", "searched", "said"),
    [
        ('"world new"', "world new", "without the quotation marks"),
        ("jaguar AND xylophone", "jaguar", "without xylophone"),
        ("zebra AND families", "zebra families", "with any of the words"),
        ("jaguar site:example.org", "jaguar", "on all sites"),
        ("jaguar after:2031", "jaguar", "of any time"),
        ("jaguar filetype:pdf", "jaguar", "of any kind"),
        ("zebra lang:de", "zebra", "in any language"),
        ("intitle:zebra", "zebra", "anywhere on the pages"),
        ('"zebra jaguar" site:example.org', "zebra jaguar", "with any of the words, without the conditions"),
        ('jagaur AND "xylophone zebra"', "jaguar", "without xylophone"),
    ],
)
def test_else_an_easier_query_is(searching, typed, searched, said):
    found = searching.search(typed)
    assert (found.searched, found.searched_because) == (searched, "relaxed")
    assert found.total == searching.search(searched).total > 0
    assert found.query == typed
    assert any(said in note for note in found.notes)
    assert searching.search(typed, correct=False).total == 0


@pytest.mark.parametrize(
    "typed",
    ["xylophone", '"xylophone"', "xylophone site:example.org", "link:http://x.test/", "zebra -lantern"],
)
def test_else_nothing(searching, typed):
    found = searching.search(typed)
    assert (found.total, found.hits, found.searched, found.searched_because) == (0, (), "", "")


def test_what_was_deleted_is_not_suggested(tmp_path):
    index = Index(tmp_path)
    weighting = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
    for number, text in enumerate(["zebra lantern", "jaguar"]):
        writer = SegmentWriter("xx")
        writer.add(page(f"http://h{number}.test/", text))
        index.commit(writer, np.empty(0, np.uint64), weighting)
    searching = AnswerPipeline([index], None, SearchSettings())
    assert searching.search("lantren").did_you_mean == "lantern"
    gone = np.array([page("http://h0.test/", "").url.fingerprint], np.uint64)
    index.commit(SegmentWriter("xx"), gone, weighting)
    index.merge_all()
    assert searching.search("lantren").did_you_mean is None
