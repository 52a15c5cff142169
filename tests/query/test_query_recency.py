"""Queries that ask for what is new."""

from __future__ import annotations

import pytest

from gossamer.query.intent import LANGUAGES, NOT, asks_for_news
from gossamer.text.stopwords import section
from gossamer.text.words import words

YEAR = 2026


@pytest.mark.parametrize(
    ("typed", "language"),
    [
        ("latest python release", "en"),
        ("Nachrichten heute", "de"),
        ("kürzlich", "de"),
        ("actualités aujourd'hui", "fr"),
        ("últimas noticias", "es"),
        ("последние новости", "ru"),
        ("最新消息", "zh"),
        ("new york news", "en"),
    ],
)
def test_words_that_ask_for_news(typed, language):
    assert asks_for_news(words(typed), [language], YEAR)
    assert not asks_for_news(words(typed), ["xx"], YEAR)


@pytest.mark.parametrize(
    "typed", ["new york", "hotels in New Zealand", "history of rome", "", "1998", "20260"]
)
def test_words_that_do_not_ask_for_news(typed):
    assert not asks_for_news(words(typed), ["en", "de"], YEAR)


def test_the_current_year_asks_for_news_in_every_language():
    assert asks_for_news(["wahl", "2026"], [], YEAR)
    assert asks_for_news(["wahl", "2027"], [], YEAR)
    assert not asks_for_news(["wahl", "2025"], [], YEAR)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_what_stands_in_the_list_can_be_typed(language):
    for line in section("recent", language):
        typed = line.removeprefix(f"{NOT} ")
        assert len(words(typed)) == len(typed.split()), line
        assert asks_for_news(words(typed), [language], YEAR) != line.startswith(f"{NOT} ")
