"""Words written apart or as one, and single characters of scripts that are indexed in pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from gossamer.answer.pipeline import AnswerPipeline
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import Query, Word
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.query.vocabulary import (
    NO_COMPOUNDS,
    SHORTEST,
    SHORTEST_BESIDE,
    SHORTEST_JOINED,
    SHORTEST_SURE,
    known_compounds,
    split_word,
)
from gossamer.search.settings import SearchSettings

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))

TEXTS = {
    "one": "the hostname of a machine",
    "apart": "the host name of a machine",
    "hyphen": "the host-name of a machine",
    "away": "a host who has a name",
    "dots": "we use node.js here",
    "glued": "we use nodejs here",
    "camel": "call getUserName now",
    "usa": "made in the U.S.A. by hand",
    "thousand": "it has 1.000 parts of 10km each",
    "sharp": "written in C#, not in C++",
    "tag": "see #gossamer for more",
    "cats": "黒猫と白い犬",
    "cat": "猫がいる",
    "case": "iPhone用ケース",
    "school": "학교에서 공부한다",
    "high": "고등학교",
    "plane": "l'avion de d'Artagnan",
    "radio": "a Wi-Fi antenna for all",
    "aerial": "connect your wifi",
    "letter": "send an e-mail by hand",
    "chance": "look at one thing",
    "illness": "what COVID-19 does",
    "coding": "a text in UTF-8 is short",
}


@pytest.fixture(scope="module", params=[1, 3])
def searching(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("compounds")
    indexes = []
    for partition in range(request.param):
        index, writer = Index(folder / str(partition)), SegmentWriter("en")
        for number, (name, text) in enumerate(TEXTS.items()):
            if number % request.param == partition:
                writer.add(page(f"http://x.example/{name}", text, language="xx"))
        index.commit(writer, np.empty(0, np.uint64), PIVOTS)
        indexes.append(index)
    return AnswerPipeline(indexes, None, SearchSettings())


def found(searching, query):
    return [hit.url.rpartition("/")[2] for hit in searching.search(query).hits]


@pytest.mark.parametrize(
    ("query", "first", "others"),
    [
        ("hostname", {"one"}, {"apart", "hyphen"}),
        ("host-name", {"apart", "hyphen", "one", "away"}, set()),
        ("host name", {"apart", "hyphen", "one", "away"}, set()),
        ("hostname AND machine", {"one"}, {"apart", "hyphen"}),
        ("host-name AND machine", {"apart", "hyphen"}, {"one"}),
        ("nodejs", {"glued"}, {"dots"}),
        ("node.js", {"dots", "glued"}, set()),
        ('"node.js"', {"dots"}, set()),
        ("get user name", {"camel"}, {"apart", "hyphen", "away"}),
        ("USA", {"usa"}, set()),
        ("U.S.A.", {"usa"}, set()),
        ("1,000 AND parts", {"thousand"}, set()),
        ('"10 km"', {"thousand"}, set()),
        ("10km AND each", {"thousand"}, set()),
        ("C#", {"sharp"}, set()),
        ("C++", {"sharp"}, set()),
        ("#gossamer", {"tag"}, set()),
        ("gossamer", {"tag"}, set()),
        ("猫", {"cats", "cat"}, set()),
        ("黒", {"cats"}, set()),
        ("黒猫", {"cats"}, set()),
        ("iPhone用 AND iPhone", {"case"}, set()),
        ("ケース", {"case"}, set()),
        ("학교", {"school", "high"}, set()),
        ("학교에서", {"school", "high"}, set()),
        ("wifi", {"aerial"}, {"radio"}),
        ("WiFi antenna", {"radio", "aerial"}, set()),
        ("wi-fi", {"radio", "aerial"}, set()),
        ("wi fi", {"radio", "aerial"}, set()),
        ("email", {"letter"}, set()),
        ("covid19", {"illness"}, set()),
        ("covid 19", {"illness"}, set()),
        ("utf8", {"coding"}, set()),
        ("avion", {"plane"}, set()),
        ("artagnan", {"plane"}, set()),
    ],
)
def test_what_is_meant_is_found(searching, query, first, others):
    pages = found(searching, query)
    assert set(pages[: len(first)]) == first
    assert set(pages[len(first) :]) == others


def test_parts_that_meet_by_chance_are_not_looked_for(searching):
    assert not searching.search("atone", correct=False).hits


@pytest.mark.parametrize("query", ["hostname -host-name", "name -hostname"])
def test_exclusions_know_all_writings(searching, query):
    assert not {"one", "apart", "hyphen"}.intersection(found(searching, query))


def test_parts_are_highlighted(searching):
    hits = {hit.url.rpartition("/")[2]: hit for hit in searching.search("hostname").hits}
    shown = hits["apart"].snippet
    assert [shown.text[start:end] for start, end in shown.highlights] == ["host", "name"]


def never(parts):
    return False


def always(parts):
    return True


def known(*words):
    return lambda asked: [3 if word in words else 0 for word in asked]


class StubVocabulary:
    """A vocabulary without compounds, of words that so many pages hold each."""

    def __init__(self, counts, joined=never):
        self._counts = counts
        self._joined = joined

    def frequencies(self, words, languages):
        return self._counts(words)

    def longer(self, word, languages):
        return {}

    def parts(self, word, languages):
        return split_word(word, self._counts, self._joined)


def written_otherwise(text, frequencies, spoken=()):
    return known_compounds(parse(text), StubVocabulary(frequencies), spoken)


def test_only_what_the_collection_knows_is_proposed():
    assert written_otherwise("host name", known("host", "name")) == NO_COMPOUNDS
    assert written_otherwise("host name", known("hostname")).beside == ("hostname",)
    assert written_otherwise("hostname", known("host")) == NO_COMPOUNDS
    assert written_otherwise("hostname", known("host", "name")).parts == {"hostname": ("host", "name")}
    assert written_otherwise('"host name"', known("hostname")) == NO_COMPOUNDS
    assert written_otherwise("host OR name", known("hostname")).beside == ()


def test_short_words_are_made_of_what_was_typed_as_one():
    for size in range(3, 9):
        left, right = "ab", "c" * (size - 2)
        made = written_otherwise(f"{left}-{right}", known(left + right))
        assert bool(made.whole) == (size >= SHORTEST_JOINED)
        frequent = written_otherwise(f"{left} {right}", known(left + right, left, right))
        assert bool(frequent.beside) == (size >= SHORTEST_JOINED)


def test_short_words_are_not_made_of_more_frequent_ones():
    counts = {"be": 50, "at": 60, "beat": 20, "wi": 20, "fi": 30, "wifi": 20}

    def frequencies(asked):
        return [counts.get(word, 0) for word in asked]

    assert len("beat") < SHORTEST_BESIDE
    assert written_otherwise("be at", frequencies).beside == ()
    assert written_otherwise("wi fi", frequencies).beside == ("wifi",)


def test_short_words_are_parted_where_pages_join_their_parts():
    for size in range(3, 9):
        left, right = "ab", "c" * (size - 2)
        word, both = left + right, known(left, right)
        assert bool(split_word(word, both, never)) == (size >= SHORTEST_SURE)
        assert bool(split_word(word, both, always)) == (size >= SHORTEST)


def test_a_single_letter_is_parted_where_pages_join_it():
    both = known("e", "letters")
    assert split_word("eletters", both, never) is None
    assert split_word("eletters", both, always) == ("e", "letters")


def test_digits_are_parted_from_letters_and_from_nothing_else():
    counts = known("covid", "19", "covid1", "9", "c", "ovid19")
    assert split_word("covid19", counts, never) == ("covid", "19")
    assert split_word("1919", counts, never) is None


def test_frequent_words_are_not_parted():
    assert written_otherwise("hostname", lambda words: [1000] * len(words)) == NO_COMPOUNDS


@given(st.text(st.sampled_from("ab c-猫1"), min_size=1, max_size=30).filter(str.strip))
def test_any_query_has_compounds(text):
    def once(words):
        return [1] * len(words)

    query = Query(text, tuple(Word(word) for word in text.split()))
    made = known_compounds(query, StubVocabulary(once, always), ())
    for word, (left, right) in made.parts.items():
        assert left + right == word


@pytest.mark.parametrize(
    ("typed", "emphasis", "telling"), [("rye sourdough", (1, 0.5, 0.5), 2), ("sourdough", (1, 1), 1)]
)
def test_a_word_that_no_page_holds_counts_once_in_its_parts(typed, emphasis, telling):
    counts = known("rye", "sour", "dough")
    made = written_otherwise(typed, counts)
    wanted = plan(parse(typed), ["xx"], compounds=made)
    assert (wanted.emphasis, wanted.telling) == (emphasis, telling)


def test_kinds_of_a_frequent_word_come_behind_it(tmp_path):
    index, writer = Index(tmp_path), SegmentWriter("de")
    texts = [f"Die Versicherung zahlt nach dem Schaden Nummer {n}." for n in range(12)]
    texts += ["Eine Krankenversicherung zahlt für die Kranken.", "Der Versicherungsvertrag ist ein Vertrag."]
    for number, text in enumerate(texts):
        writer.add(page(f"http://x.example/{number}", text, language="de"))
    index.commit(writer, np.empty(0, np.uint64), PIVOTS)

    def urls(query, **settings):
        hits = (
            AnswerPipeline([index], None, SearchSettings(**settings)).search(query, 20, everything=True).hits
        )
        return [hit.url.rpartition("/")[2] for hit in hits]

    assert len(urls("Versicherung", compounds=0.0)) == 12
    assert urls("Versicherung")[12:] == ["12"]
    assert sorted(urls("Versicherungen zahlen")) == sorted(map(str, range(13)))
    for query in ('"Versicherung"', "Versicherung AND zahlt", "-Schaden Versicherung"):
        assert "13" not in urls(query)
    assert "12" not in urls("Versicherung AND zahlt")


def test_kinds_of_a_word_beside_one_that_can_be_parted(tmp_path):
    index, writer = Index(tmp_path), SegmentWriter("de")
    texts = [f"Die Versicherung zahlt nach dem Schaden Nummer {n}." for n in range(12)]
    texts += ["Eine Krankenversicherung zahlt für die Kranken.", "Ein Hostname.", "Der Host hat einen Name."]
    for number, text in enumerate(texts):
        writer.add(page(f"http://x.example/{number}", text, language="de"))
    index.commit(writer, np.empty(0, np.uint64), PIVOTS)
    hits = (
        AnswerPipeline([index], None, SearchSettings())
        .search("Versicherung Hostname", 20, everything=True)
        .hits
    )
    assert {hit.url.rpartition("/")[2] for hit in hits} == set(map(str, range(14)))


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_compounds_come_behind_pages_that_hold_a_rare_word(tmp_path, share):
    texts = [
        "Die Katze schläft auf dem Sofa und träumt von Mäusen, während der Regen an das Fenster schlägt.",
        "Die Hauskatze schläft auf dem Sofa.",
        "Das Haus ist groß und alt.",
    ]
    index, writer = Index(tmp_path), SegmentWriter("de")
    for number, text in enumerate(texts):
        writer.add(page(f"http://x.example/{number}", text, language="de"))
    index.commit(writer, np.empty(0, np.uint64), PIVOTS)
    searching = AnswerPipeline([index], None, SearchSettings(compounds=share))
    assert found(searching, "Katze") == ["0", "1"]
    assert found(searching, "Hauskatzen") == ["1"]


def test_function_words_make_no_word_and_repeated_ones_count():
    def made(text, spoken):
        return written_otherwise(text, known("notto", "tobe", "bank", "note"), spoken).beside

    assert made("not to", ["en", "it"]) == ()
    assert made("not to", ["it"]) == ("notto",)
    assert made("to be or not to be", ["it"]) == ()
