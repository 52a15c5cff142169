"""Synonyms of the owner's list: found, counted less, shown, and never in phrases."""

from __future__ import annotations

import os

import numpy as np
import pytest
from pages import page

from gossamer import Engine
from gossamer.answer.pipeline import AnswerPipeline
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import BadSetting
from gossamer.query.synonyms import NAME, NO_SYNONYMS, read_synonyms, starter_list
from gossamer.search.settings import SearchSettings
from gossamer.storage.files import WatchedFile

TEXTS = [
    ("en", "a tv stands in the room of the museum"),
    ("en", "television stands in the room of the museum"),
    ("en", "the lights of nyc at night"),
    ("en", "the lights of new york city at night"),
    ("en", "a new book on the history of york, a minster"),
    ("de", "der tv steht im zimmer"),
]
LIST = "[en]\ntv, television\nnyc, new york city\n"


def watched(path):
    """The list in a file, as it is now."""
    return WatchedFile(path, read_synonyms, NO_SYNONYMS)


def search_of(folder, texts, entries, partitions=1):
    """What searches pages, each of a language and a text, with a list of synonyms."""
    indexes = [Index(folder / str(number)) for number in range(partitions)]
    for number, (language, text) in enumerate(texts):
        writer = SegmentWriter("en")
        writer.add(page(f"http://h{number}.test/", text, language=language))
        own = indexes[number % partitions]
        own.commit(writer, np.empty(0, np.uint64), Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0)))
    (folder / NAME).write_text(entries, encoding="utf-8")
    return AnswerPipeline(indexes, None, SearchSettings(), thesaurus=watched(folder / NAME)).search


@pytest.fixture(params=[1, 3])
def search(request, tmp_path):
    return search_of(tmp_path, TEXTS, LIST, request.param)


def places(answer):
    return [int(hit.url[8]) for hit in answer.hits]


@pytest.mark.parametrize("algorithm", ["blockmax", "exhaustive", "maxscore"])
def test_what_was_typed_comes_first(search, algorithm):
    assert places(search("tv", algorithm=algorithm)) in ([5, 0, 1], [0, 5, 1])
    assert places(search("televisions", algorithm=algorithm)) == [1, 0]


def test_entries_of_several_words(search):
    assert places(search("nyc")) == [2, 3]
    assert search("nyc").total == 2
    assert places(search("nyc lang:en")) == [2, 3]
    assert places(search("new york city lights"))[:2] == [3, 2]
    assert 2 not in places(search("york city"))
    assert 2 not in places(search("city new york"))
    assert places(search("nyc minster")) == [2, 4, 3]


def test_words_of_a_synonym_count_only_in_a_row(search):
    apart = search("nyc minster", explain=True).hits[1]
    assert [one.term for one in apart.explanation.contributions] == ["minster", "(as typed)"]


@pytest.mark.parametrize(
    "typed", ['"tv"', "tv AND museum", "tv OR nothing", "intitle:tv", "tv NEAR museum", "tv~1"]
)
def test_what_is_more_than_a_plain_word_is_looked_for_as_typed(search, typed):
    assert 1 not in places(search(typed, correct=False))


def test_filters_beside_plain_words_change_nothing(search):
    assert places(search("television lang:en")) == [1, 0]
    assert places(search("television -room")) == []


def test_explanations_show_synonyms_and_sum_up(search):
    first, second = search("television", explain=True).hits
    (only,) = second.explanation.contributions
    assert only.term.endswith(" or tv * 0.5")
    assert 0 < second.score < first.score
    assert second.score == pytest.approx(sum(one.score for one in second.explanation.contributions), abs=1e-3)


def test_a_word_that_was_typed_too_counts_in_full(search):
    both = search("tv television", explain=True)
    assert all("*" not in one.term for hit in both.hits for one in hit.explanation.contributions)


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize(
    ("typed", "texts", "first", "others"),
    [
        ("aeroplane", ["an aero club", "by plane", "an airplane", "a bird"], {1, 2}, set()),
        ("aeroplane", ["an aeroplane", "an aero plane", "an airplane", "an aero"], {0}, {1, 2}),
        ("aeroplane", ["aero", "the aero plane", "an airplane"], {1}, {2}),
        ("aeroplane museum", ["an aero plane", "an airplane", "the museum", "aero"], {0, 1, 2}, set()),
        ("programme", ["the program", "ask me", "a program for me"], {0, 2}, set()),
        ("aeroplane -club", ["the aero club", "a plane", "an airplane club"], {1}, set()),
    ],
)
def test_synonyms_of_a_rare_word_that_can_be_parted(tmp_path, typed, texts, first, others, partitions):
    search = search_of(tmp_path, [("en", text) for text in texts], starter_list(), partitions)
    found = places(search(typed, explain=True))
    assert set(found[: len(first)]) == first
    assert set(found[len(first) :]) == others


@pytest.mark.parametrize(
    ("section", "language", "typed", "text"),
    [
        ("bg", "bg", "кола", "автомобил"),
        ("uk", "uk", "авто", "машина"),
        ("ja", "ja", "パソコン", "電脳"),
        ("he", "he", "רכב", "מכונית"),
        ("iw", "he", "רכב", "מכונית"),
        ("ko", "ko", "전화", "휴대폰"),
        ("zh", "zh", "电脑", "计算机"),
        ("no", "nb", "mobil", "telefon"),
        ("vi", "vi", "máy", "điện"),
    ],
)
def test_sections_of_languages(tmp_path, section, language, typed, text):
    pages = [(language, text), ("en", "a page of another kind")]
    search = search_of(tmp_path, pages, f"[{section}]\n{typed}, {text}")
    assert places(search(typed)) == [0]


def test_synonyms_of_a_single_character(tmp_path):
    search = search_of(tmp_path, [("ja", "黒猫がいる"), ("ja", "子ネコがいる"), ("ja", "犬")], "猫, ネコ")
    assert set(places(search("猫", explain=True))) == {0, 1}


def test_synonyms_can_be_switched_off(tmp_path):
    own = Index(tmp_path)
    writer = SegmentWriter("en")
    writer.add(page("http://h.test/", "a tv", language="en"))
    own.commit(writer, np.empty(0, np.uint64), Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0)))
    (tmp_path / NAME).write_text(LIST, encoding="utf-8")
    for share, total in ((0.0, 0), (1.0, 1)):
        searching = AnswerPipeline(
            [own], None, SearchSettings(synonyms=share), thesaurus=watched(tmp_path / NAME)
        )
        assert searching.search("television").total == total


def test_the_list_is_read_anew_when_it_changes(tmp_path):
    path = tmp_path / NAME
    thesaurus = watched(path)
    assert not thesaurus.content().rules
    path.write_text("a, b", encoding="utf-8")
    first = thesaurus.content()
    assert len(first.rules) == 2
    assert thesaurus.content() is first
    path.write_text("a -> bb", encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert len(thesaurus.content().rules) == 1
    path.write_text("a ->", encoding="utf-8")
    with pytest.raises(BadSetting, match=r"synonyms\.txt, line 1: "):
        thesaurus.content()
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadSetting, match=r"synonyms\.txt: it should be UTF-8"):
        thesaurus.content()
    path.unlink()
    path.mkdir()
    with pytest.raises(BadSetting, match=r"synonyms\.txt: it cannot be read"):
        thesaurus.content()


def test_a_new_collection_has_the_starter_list_and_keeps_what_is_there(tmp_path):
    Engine.open(tmp_path / "new", create=True).close()
    assert (tmp_path / "new" / NAME).read_text(encoding="utf-8") == starter_list()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / NAME).write_text("a, b", encoding="utf-8")
    Engine.open(tmp_path / "own", create=True).close()
    assert read_synonyms((tmp_path / "own" / NAME).read_text(encoding="utf-8"), "own").rules
