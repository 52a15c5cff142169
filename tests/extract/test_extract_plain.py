import pytest

from gossamer.extract.documents.plain_text import read_plain
from gossamer.web.url import canonical

URL = canonical("http://cats.example/list.txt")


def test_title_is_the_first_line():
    page = read_plain("\n\n Reading   list \r\n\r\nBooks\tand papers\r\n", URL, 5.0)
    assert (page.title, page.text) == ("Reading list", "Reading list\nBooks and papers")
    assert (page.url, page.fetched_at, page.media_type) == (URL, 5.0, "text/plain")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Reading list\n\ntext", "Reading list"),
        ("=====\nTitle\n=====\n", "Title"),
        ("#hashtag first", "#hashtag first"),
        ("", ""),
        (" \n\t\n", ""),
    ],
)
def test_titles_have_no_markdown_marks(text, title):
    assert read_plain(text, URL, 0.0, "text/markdown").title == title


def test_a_long_first_line_is_cut_at_a_word():
    title = read_plain("word " * 100, URL).title
    assert len(title) <= 201
    assert title.endswith("word…")


def test_null_characters_go():
    assert read_plain("a\x00b", URL).text == "ab"
