"""Passages in another language than the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.text.language_id import LONG, _long_blocks, passages
from gossamer.text.language_id import MOST_BLOCKS as MOST

ENGLISH = (
    "The ruling families of the island built their houses near the harbour, where ships from the mainland "
    "brought salt and grain. When the harbour silted up they moved to the hills, and the old houses were "
    "used as stables by the shepherds who came down in winter with their flocks."
)
GERMAN = (
    "Die herrschenden Familien der Insel bauten ihre Häuser in der Nähe des Hafens, wohin die Schiffe vom "
    "Festland Salz und Getreide brachten. Als der Hafen versandete, zogen sie in die Hügel, und die alten "
    "Häuser dienten den Hirten, die im Winter mit ihren Herden herabkamen, als Ställe."
)
RUSSIAN = (
    "Правящие семьи острова строили свои дома около гавани, куда корабли с материка привозили соль и зерно. "
    "Когда гавань занесло песком, они переселились на холмы, а в старых домах пастухи, приходившие зимой со "
    "своими стадами, устроили хлева для овец и коз. Летом там никто не жил, и двери стояли открытыми."
)
JAPANESE = "島を治める一族は、本土からの船が塩と穀物を運んでくる港の近くに家を建てた。" * 8


def found(blocks, language):
    text = "\n".join(blocks)
    return [(one.language, text[one.begin : one.end]) for one in passages(text, language)]


def test_passages_stand_where_they_begin_and_end():
    assert found([ENGLISH, GERMAN, ENGLISH, RUSSIAN], "en") == [("de", GERMAN), ("ru", RUSSIAN)]
    assert found([GERMAN, ENGLISH], "de") == [("en", ENGLISH)]


def test_blocks_side_by_side_are_one_passage():
    assert found([ENGLISH, GERMAN, GERMAN], "en") == [("de", f"{GERMAN}\n{GERMAN}")]
    assert found([ENGLISH, GERMAN, "***", GERMAN], "en") == [("de", f"{GERMAN}\n***\n{GERMAN}")]
    assert found([ENGLISH, GERMAN, ENGLISH, GERMAN], "en") == [("de", GERMAN), ("de", GERMAN)]
    assert found([ENGLISH, GERMAN, RUSSIAN], "en") == [("de", GERMAN), ("ru", RUSSIAN)]


@pytest.mark.parametrize("blocks", [[ENGLISH, ENGLISH], [ENGLISH, GERMAN[: LONG - 1]], [GERMAN], [""]])
def test_short_blocks_are_not_passages(blocks):
    assert found(blocks, "en") == []


def test_languages_whose_words_become_the_same_terms_need_no_passages():
    assert found([JAPANESE, ENGLISH], "ja") == [("en", ENGLISH)]
    assert found([ENGLISH, JAPANESE], "") == []
    korean = "섬을 다스리는 가문들은 본토에서 온 배가 소금과 곡식을 싣고 오는 항구 가까이에 집을 지었다. " * 6
    assert found([JAPANESE, korean], "ja") == []


def test_numbers_and_signs_are_in_no_language():
    assert found([ENGLISH, "1.25 3.14 2.71 | " * 30, "x = y + z; " * 40], "en") == []


def test_only_so_many_blocks_are_looked_at():
    assert found([ENGLISH] * MOST + [GERMAN], "en") == []


@given(st.lists(st.sampled_from([ENGLISH, GERMAN, RUSSIAN, "short", ""]), max_size=8))
def test_passages_rise_and_end_with_blocks(blocks):
    text = "\n".join(blocks)
    places = [place for one in passages(text, "en") for place in (one.begin, one.end)]
    assert places == sorted(places)
    assert all(place in (0, len(text)) or "\n" in text[place - 1 : place + 1] for place in places)


@given(st.lists(st.sampled_from([0, 1, LONG - 1, LONG, LONG + 1, 2 * LONG]) | st.integers(0, 2 * LONG)))
def test_long_blocks_are_the_lines_that_are_long(lengths):
    lines = ["x" * length for length in lengths]
    text = "\n".join(lines)
    assert [text[begin:end] for begin, end in _long_blocks(text)] == [
        one for one in lines if len(one) >= LONG
    ]
