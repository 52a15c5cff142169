"""Words and terms."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gossamer.text import words as patterns
from gossamer.text.terms import (
    SNOWBALL,
    Analyser,
    MultilingualAnalyser,
    analyser,
    fold,
    in_language,
    without_language,
)
from gossamer.text.words import LONGEST_WORD, occurrences, pieces, words, written_forms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mac OS X at US $199", ["mac", "os", "x", "at", "us", "199"]),
        ("Apple's and Apple\u2019s", ["apple", "and", "apple"]),
        ("host-name a_b", ["host", "name", "a", "b"]),
        ("ΑΘΗΝΑΣ Straße", ["αθηνασ", "strasse"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("京都市 2024年", ["京都", "都市", "2024", "年"]),
        ("\uff28\uff25\uff2c\uff2c\uff2f \ufb01ne", ["hello", "fine"]),
        # Acronyms; what only looks like one
        ("U.S.A., USA and U.S.-based", ["usa", "usa", "and", "us", "based"]),
        ("С.Ш.А. e.g. É.N.A", ["сша", "eg", "éna"]),
        ("x.y.com a.b.1 J. R. Smith", ["x", "y", "com", "a", "b", "1", "j", "r", "smith"]),
        # Elisions part
        ("l'avion d\u2019Artagnan dell'arte", ["l", "avion", "d", "artagnan", "dell", "arte"]),
        # Numbers and units
        ("1,000 1.000 1000", ["1000", "1000", "1000"]),
        ("3.14 3,14 1,234.5 1.234,5 0.125", ["3.14", "3.14", "1234.5", "1234.5", "0.125"]),
        ("1,2,3 in 1999,", ["1", "2", "3", "in", "1999"]),
        ("10km 10 km 1.5km", ["10", "km", "10", "km", "1.5", "km"]),
        ("3D 5g 90s 2nd mp3 h2o", ["3d", "5g", "90s", "2nd", "mp3", "h2o"]),
        ("3.11.2 v3.11.2", ["3.11.2", "3.11", "v", "3.11.2", "3.11"]),
        ("12.05.2024", ["12.05.2024", "12", "05", "2024"]),
        # The web's own words
        ("C++ C# F#, c++17", ["c++", "c#", "f#", "c++", "17"]),
        ("Notepad++ Disney+ a+b 2+2", ["notepad++", "notepad", "disney+", "disney", "a", "b", "2", "2"]),
        (".NET and ASP.NET on x.net", [".net", "net", "and", "asp", "net", "on", "x", "net"]),
        ("#tag @some_name's #1 a#b", ["#tag", "tag", "@some_name", "some", "name", "1", "a", "b"]),
        ("joe@mail.example main.py", ["joe", "mail", "example", "main", "py"]),
        # What no reader sees
        (
            "in\u00advi\u200bsi\u2060ble \ufeffmark \u0645\u06cc\u200c\u0631\u0648\u062f",
            ["invisible", "mark", "\u0645\u06cc\u0631\u0648\u062f"],
        ),
        # Turkish
        ("\u0130stanbul I\u0307zmir", ["istanbul", "izmir"]),
        # Korean, and scripts side by side
        ("학교에서 iPhone用ケース", ["학교", "교에", "에서", "iphone", "用ケ", "ケー", "ース"]),
        ("ภาษาไทย中国", ["ภาษา", "าษาไ", "ษาไท", "าไทย", "中国"]),
        # Digits of all scripts
        ("١٢٣ ۱۲۳ १,००० ปี๒๕๖๗", ["123", "123", "1000", "ปี", "2567"]),
        # What only lengthens a letter belongs to its word and makes none
        (
            "\u0640 \u0643\u062a\u0640\u0627\u0628 \u0640\u0647",
            ["\u0643\u062a\u0640\u0627\u0628", "\u0640\u0647"],
        ),
        ("\u0640\u0640 10\u0640 \ufe7d", ["10\u0640"]),
        ("", []),
        ("-- ?! --", []),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


def test_no_word_folds_to_nothing():
    """Whatever code point it is of: alone, repeated, and where it could be taken for a part of another."""
    everything = [chr(point) for point in range(sys.maxunicode + 1)]
    assert all(map(fold, words(" ".join(everything))))
    for c in everything:
        if unicodedata.category(c) not in {"Cn", "Co", "Cs"}:  # those belong to no word
            assert all(map(fold, words(f"{c}{c} 1{c} a.{c} #{c} {c}++"))), ascii(c)


def test_pieces_cover_every_neighbourhood():
    assert pieces("東京都") == ["東京", "京都"]
    assert pieces("猫") == ["猫"]
    assert pieces("ภาษาไทย") == ["ภาษา", "าษาไ", "ษาไท", "าไทย"]
    assert pieces("ปลา") == ["ปลา"]


def test_written_forms_are_found_where_they_stand():
    text = "1,000 and 1,000,000 are no 000; C++ is, U.S.A. too, so\u00adft"
    assert {"1,000", "1,000,000", "000", "C++", "U.S.A", "so\u00adft"} <= written_forms(text)
    assert list(occurrences(text, "1,000")) == [0]
    assert list(occurrences(text, "000")) == [text.index("000;")]
    assert list(occurrences(text, "C++")) == [text.index("C++")]


@pytest.mark.parametrize("form", ["İZMİR Izmir", "Łódź Lodz", "ISPARTA ısparta", "Ærø aero"])
def test_letters_that_have_no_decomposition_are_folded_too(form):
    one, other = words(form)
    assert fold(one) == fold(other)


@given(st.text(st.sampled_from("aA1.,+#@_'-\u00ad é京가 "), max_size=20))
def test_every_word_stands_somewhere_in_the_text(text):
    assert {word for form in written_forms(text) for word in words(form)} == set(words(text))


@given(st.text())
def test_any_text_gives_folded_words(text):
    for word in words(text):
        assert word
        assert not any(character.isspace() for character in word)


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("ar", "الكِتَاب كتاب الكتاب كـتاب"),
        ("ar", "أحمد احمد إحمد"),
        ("fa", "كتاب کتاب"),
        ("fa", "علي علی على"),
        ("ur", "ہے هے"),
        ("he", "שָׁלוֹם שלום"),
        ("hi", "हिन्दी हिंदी"),
        ("hi", "सम्बन्ध संबंध"),
        ("hi", "क़लम क\u093cलम कलम"),
        ("hi", "चाँद चांद"),
        ("el", "ΑΘΉΝΑ Αθήνα αθηνα"),
        ("vi", "hòa hoà HÒA"),
    ],
)
def test_writings_of_one_word_are_one_term(language, written):
    assert len(set(analyser(language).terms(written))) == 1


def test_letters_of_their_own_are_not_folded():
    assert fold("آب") != fold("اب")
    assert fold("बड़ा") != fold("बडा")


def test_marks_tell_words_apart_in_vietnamese():
    assert len(set(analyser("vi").terms("ma má mà mả mã mạ"))) == 6
    assert analyser("vi")["má"] != analyser("xx")["má"] == analyser("xx")["ma"]


def test_diacritics_are_folded_but_not_the_vowels_of_hindi():
    assert fold("dimineață") == "dimineata"
    assert fold("Ελλάδα") == "Ελλαδα"
    assert fold("किताब") == "किताब"
    assert fold("السَّلَام") == fold("السلام")


def stems(language, text):
    return [without_language(term) for term in analyser(language).terms(text)]


def test_stems_follow_the_language():
    assert stems("en", "ruling families") == ["rule", "famili"]
    assert stems("de", "Häuser Haus") == ["haus", "haus"]
    assert stems("xx", "ruling families") == ["ruling", "families"]
    assert analyser("en")["haus"] != analyser("de")["haus"]
    assert stems("en", "brûlée naïve cafés") == stems("en", "brulee naive cafes")


def test_a_query_is_read_in_every_language_once():
    english, other = in_language("famili", "en"), in_language("families", "xx")
    assert MultilingualAnalyser.of(["en", "xx", "en"]).read("families") == (english, other)
    assert analyser("en").terms("?!") == []


@pytest.mark.parametrize("language", sorted(SNOWBALL))
def test_every_listed_stemmer_exists(language):
    assert Analyser(language)["internationalisation"]


def test_terms_have_a_longest_length():
    assert len(without_language(analyser("en")["x" * 500])) == LONGEST_WORD


def test_the_memory_of_an_analyser_is_bounded(monkeypatch):
    monkeypatch.setattr(Analyser, "LARGEST", 3)
    small = Analyser("en")
    for word in ["a", "b", "c", "d", "e"]:
        assert small[word]
    assert len(small) <= 3


WORDS = ["families", "went", "Straße", "ngoài", "hoà", "hoa", "x" * 70, "internationalisation", "families"]


@pytest.mark.parametrize("chosen", [WORDS, [word for word in WORDS if word.isascii()][:3], []])
def test_reading_all_languages_at_once_equals_one_by_one(chosen):
    readers = MultilingualAnalyser.of([*sorted(SNOWBALL), "vi", "xx", "la"])
    one_by_one = [tuple(Analyser(reader.language)[word] for reader in readers) for word in chosen]
    assert readers.read_all(chosen, remembered=False) == one_by_one
    assert readers.read_all(chosen) == one_by_one == [readers.read(word) for word in chosen]


def test_the_memory_of_readings_is_bounded(monkeypatch):
    monkeypatch.setattr("gossamer.text.terms.REMEMBERED", 3)
    readers = MultilingualAnalyser.of(["en", "de"])
    for word in ["a", "b", "c", "d", "e"]:
        assert readers.read(word)
    assert len(readers._known) <= 3
    assert MultilingualAnalyser.of([]).read("a") == ()


LATIN = st.text(
    "abc019+#.,'@_- NneEtT\u00ad\u00e9\u00fc\u00df\u00c6\u00b5\u00f1\u00b2\u00aa\u02b0\u00b4",
    max_size=30,
)


@given(LATIN)
def test_the_short_pattern_finds_the_words_of_the_whole_pattern(text):
    """Latin text has a pattern of its own, which takes less time to compile."""

    def found(pattern):
        return [(match.lastgroup, match.span()) for match in pattern.finditer(text)]

    assume(max(text, default="") < "\u0300")
    assert found(patterns._IN_LATIN) == found(patterns._in_unicode())
