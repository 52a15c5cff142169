"""Lists of function words: complete and clean. A query of function words only keeps them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.text.stopwords import LANGUAGES, is_stop_word, stop_words, telling
from gossamer.text.terms import SNOWBALL
from gossamer.text.words import is_unspaced, words


def test_every_language_that_is_stemmed_has_a_list():
    assert set(SNOWBALL) <= LANGUAGES
    assert {"zh", "ja", "ko", "th", "vi"} <= LANGUAGES


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_words_of_a_list_are_words(language):
    """What is no single word in a text could never be met."""
    known = stop_words(language)
    assert len(known) >= 30
    assert [word for word in known if words(word) != [word] and not is_unspaced(word)] == []


def test_languages_without_a_list_have_no_stop_words():
    assert not is_stop_word("the", "xx")
    assert not is_stop_word("the", "")


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        ("ar", "ماذا متى كم أين كيف لماذا"),
        ("de", "was wer wann wo warum wie welche"),
        ("el", "τι ποιος πότε πού γιατί πώς"),
        ("en", "what who when where why how which"),
        ("es", "qué quién cuándo dónde cómo cuál"),
        ("hi", "क्या कौन कब कहाँ क्यों कैसे कितने"),
        ("ja", "なぜ いつ どこ どの"),
        ("ko", "무엇 누가 언제 어디 어떤"),
        ("ro", "ce cine când unde cum care"),
        ("ru", "что кто когда где почему как"),
        ("th", "อะไร ใคร ทำไม อย่างไร ที่ไหน"),
        ("tr", "ne kim nasıl neden hangi kaç"),
        ("vi", "gì ai nào đâu sao bao"),
        ("zh", "什么 多少 如何 何时 哪个 为什么"),
    ],
)
def test_questions_tell_little_in_every_language(language, asked):
    assert [word for word in words(asked) if not is_stop_word(word, language)] == []


def test_final_sigma_is_folded_as_in_texts():
    assert [is_stop_word(word, "el") for word in words("της ΤΟΥΣ")] == [True, True]


def test_a_query_of_nothing_but_stop_words_asks_for_all_of_them():
    assert telling(words("to be or not to be"), ["en", "de"]) == [True] * 6
    assert telling(words("the who"), ["en"]) == [True, True]


def test_all_function_words_belong_to_one_language():
    assert telling(words("die another day"), ["de", "en"]) == [True, True, True]
    assert telling(words("die another way to go"), ["de", "en"]) == [True, False, True, False, True]
    assert telling(words("die mauer und der wald"), ["de", "en"]) == [False, True, False, False, True]


@given(
    st.lists(st.sampled_from(["the", "who", "die", "jaguar", "und", ""])),
    st.sets(st.sampled_from(["en", "de", "xx"])),
)
def test_no_query_loses_all_its_words(query, spoken):
    told = telling(query, spoken)
    assert len(told) == len(query)
    assert any(told) or not query


def telling_by_lists(typed, spoken):
    """The rule, list by list."""
    lists = [known for language in spoken if (known := stop_words(language))]
    taken = [sum(word in known for word in typed) for known in lists]
    agreed = [known for known, count in zip(lists, taken, strict=True) if 0 < count == max(taken)]
    told = [not agreed or not all(word in known for known in agreed) for word in typed]
    return told if any(told) else [True] * len(typed)


@given(
    st.lists(st.sampled_from("the die another der was und et la jaguar é som de who".split()), max_size=6),
    st.lists(st.sampled_from(["en", "de", "fr", "pt", "da", "no", "nb", "nl", "xx", ""]), unique=True),
)
def test_meaningful_words_follow_the_lists(typed, spoken):
    assert telling(typed, spoken) == telling_by_lists(typed, spoken)
