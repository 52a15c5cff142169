"""The default language is used only for pages in one of its scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.text.language_id import likely_language
from gossamer.text.terms import SNOWBALL

HELLO = {
    "ar": "مرحبا بالعالم", "de": "Grüß dich", "el": "Γειά σου κόσμε", "en": "Hello", "fa": "سلام دنیا",
    "he": "שלום", "hi": "नमस्ते दुनिया", "hy": "Բարև", "ja": "こんにちは世界", "ka": "გამარჯობა",
    "ko": "안녕하세요", "ne": "नमस्ते", "ru": "Привет мир", "sr": "Здраво", "ta": "வணக்கம்", "th": "สวัสดี",
    "uk": "Привіт",
    "vi": "Xin chào thế giới", "yi": "שלום", "zh": "你好世界",
}  # fmt: skip

ONLY = "el hy he pa gu or ta te kn ml si th lo ka km ko ja".split()


@pytest.mark.parametrize(("language", "text"), HELLO.items())
def test_texts_in_a_script_of_the_default_language(language, text):
    assert likely_language([text], language) == language


@pytest.mark.parametrize(
    ("text", "default", "expected"),
    [
        ("Привет мир", "en", ""),
        ("Привет мир", "sr", "sr"),
        ("Zdravo svete", "sr", "sr"),
        ("Hello world", "ru", ""),
        ("Hello world", "el", ""),
        ("你好世界", "en", ""),
        ("你好世界", "ja", "ja"),
        ("こんにちは", "zh", "ja"),
        ("日本語のページ", "en", "ja"),
        ("안녕하세요", "en", "ko"),
        ("Γειά σου", "en", "el"),
        ("שלום", "en", "he"),
        ("สวัสดี", "de", "th"),
        ("Привет, Γειά", "en", ""),
        ("Привет hello", "en", "en"),
        ("Приветствую всех, x", "en", ""),
        ("Hello Привет", "ru", "ru"),
        ("Łódź – Straße", "en", "en"),
        ("Ελλάδα", "ru", "el"),
        ("2024 – 17 %", "en", "en"),
        ("2024", "ru", "ru"),
        ("", "en", "en"),
        ("ሰላም", "am", "am"),
        ("ሰላም", "en", "en"),  # a script of which nothing is known
    ],
)
def test_by_script(text, default, expected):
    assert likely_language([text], default) == expected


@given(st.lists(st.text()), st.sampled_from([*SNOWBALL, "zh", "qq", ""]))
def test_any_text_has_some_or_none(texts, default):
    assert likely_language(texts, default) in {default, "", *ONLY}
