"""Main text and surroundings of typical pages."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.html.main_text import CLUTTER, COMMENT, hint_words
from gossamer.extract.html.open_elements import MOST_NODES
from gossamer.extract.html.parser import read_html
from gossamer.web.url import canonical

URL = canonical("http://cats.example/jaguar.html")
LONG = "The jaguar is a large cat of the New World, and it swims better than others of its kind. "
STORY = "".join(f"<p>Part {n}. {LONG * 2}</p>" for n in range(6))
NOISE = f"<p>Noise. {LONG}</p>"


def read(html):
    return read_html(html.encode(), URL)


@pytest.mark.parametrize(
    "attributes",
    [
        'class="entry-content"',
        'class="x storyBody_3"',
        'id="article-body"',
        'itemprop="articleBody"',
        'class="ARTICLE__TEXT"',
        'class="post"',
    ],
)
def test_the_article_is_found_by_its_name(attributes):
    page = read(f"<div>{NOISE}</div><div><div {attributes}>{STORY}</div></div><div>{NOISE}</div>")
    assert page.text.count("Part") == 6
    assert "Noise" not in page.text
    assert page.surroundings.count("Noise") == 2


@pytest.mark.parametrize(
    "noise",
    [
        '<div class="comments">{}</div>',
        '<section id="comments"><article class="comment-body">{}</article></section>',
        '<div class="related-articles">{}</div>',
        '<div class="newsletterSignup">{}</div>',
        '<div class="cookie-banner">{}</div>',
        '<div class="right sidebar">{}</div>',
        '<div class="wp-caption">{}</div>',
        '<div class="author-bio">{}</div>',
        "<figure><figcaption>{}</figcaption></figure>",
        "<form>{}</form>",
        "<aside>{}</aside>",
    ],
)
def test_boilerplate_of_an_article_is_surroundings(noise):
    page = read(f"<article><h1>Jaguars</h1>{STORY}{noise.format(NOISE)}</article>")
    assert (page.text.count("Part"), page.text.count("Noise")) == (6, 0)
    assert "Noise" in page.surroundings


def test_the_title_of_an_article_is_a_heading_but_no_text():
    page = read(f"<article><h1>Jaguars</h1><p>{LONG}</p><h2>Food</h2>{STORY}</article>")
    assert page.headings == ("Jaguars", "Food")
    assert page.surroundings == "Jaguars"
    assert "Jaguars" not in page.text
    assert "\nFood\n" in page.text


@pytest.mark.parametrize("name", ["no-sidebar", "with-comments", "has-related", "photo post"])
def test_no_name_makes_an_article_boilerplate(name):
    page = read(f'<div class="{name}"><div class="entry-content">{STORY}</div></div>')
    assert page.text.count("Part") == 6


def test_a_large_part_of_an_article_is_not_boilerplate():
    page = read(f'<article><div class="social column">{STORY}</div>{NOISE}</article>')
    assert page.text.count("Part") == 6


def test_a_form_around_the_page_is_not_boilerplate():
    page = read(f'<form action="default.aspx"><article>{STORY}</article></form>')
    assert page.text.count("Part") == 6


def test_quotations_stay_whatever_their_class():
    page = read(f'<article>{STORY}<blockquote class="social share">{NOISE}</blockquote></article>')
    assert "Noise" in page.text


def test_a_page_of_comments_alone_keeps_them():
    page = read("".join(f'<div class="comment">{NOISE}</div>' for _ in range(9)))
    assert page.text.count("Noise") == 9


def test_several_articles_are_all_main_text():
    page = read("".join(f'<article class="post">{NOISE}</article>' for _ in range(4)))
    assert page.text.count("Noise") == 4


def test_a_manual_keeps_its_short_lines_tables_and_boxes():
    rows = "<table>" + "".join(f"<tr><td>-{n}<td>option {n}" for n in range(9)) + "</table>"
    box = f'<div class="sidebar"><p>A box. {LONG}</p></div>'
    page = read(f"<h1>Manual</h1><div><p>{LONG * 3}</p></div><div>{rows}{box}<pre>cat -n</pre></div>")
    assert all(words in page.text for words in ("Manual", "option 8", "A box.", "cat -n"))
    assert page.surroundings == ""


def test_an_id_made_of_a_heading_is_ignored():
    page = read(f'<article>{STORY}<section id="comments-in-source-files">{NOISE}</section></article>')
    assert "Noise" in page.text


def test_a_list_with_a_word_before_it_stays_main_text():
    links = "".join(f"<li><a href=/{n}>Chapter {n} of the whole book</a>" for n in range(99))
    page = read(f"<div><p>{LONG}</p></div><div><ul>{links}</ul></div>")
    assert page.text.count("Chapter") == 99


def test_a_menu_beside_much_text_does_not():
    links = "".join(f"<li><a href=/{n}>Chapter {n}</a>" for n in range(9))
    page = read(f"<div><ul>{links}</ul></div><div>{STORY}</div>")
    assert (page.text.count("Part"), page.text.count("Chapter")) == (6, 0)


def test_descriptions_of_pictures_in_an_article_are_surroundings():
    described = '<img alt="A jaguar that swims in a river">'
    page = read(f'<article>{STORY}<p>Go {described} <img alt="left"> now.</p></article>')
    assert "A jaguar that swims in a river" in page.surroundings
    assert "A jaguar that swims" not in page.text
    assert "left now." in page.text


def test_a_page_of_pictures_keeps_their_descriptions():
    page = read("".join(f'<p><img alt="Jaguar number {n}, swimming in a river">' for n in range(5)))
    assert page.text.count("swimming") == 5


def test_sentences_without_spaces_are_long_in_bytes():
    sentence = "美洲豹是新大陆的一种大型猫科动物，比同类的其他动物游得更好，也更喜欢靠近水的地方。"
    page = read(f'<div>{sentence}</div><div class="entry-content">{f"<p>{sentence}</p>" * 5}</div>')
    assert page.text.count("美洲豹") == 5


WORDS = st.sampled_from(
    ["share", "Share", "SHARE", "shares2", "post", "re", "lated", "related", "x", "comments"]
)


@given(st.lists(st.tuples(WORDS, st.sampled_from([" ", "-", "__", "", "3", "é"])), max_size=5))
def test_names_are_divided_into_words(parts):
    name = "".join(word + divider for word, divider in parts)
    words = re.findall("[A-Z]*[a-z]+|[A-Z]+", name)
    meanings = hint_words()
    expected = any(meanings.get(word.lower(), 0) & (CLUTTER | COMMENT) for word in words)
    page = read(f'<article>{STORY}<div class="{name}">{NOISE}</div></article>')
    assert ("Noise" not in page.text) == expected


def test_a_page_with_too_many_blocks_is_read():
    many = MOST_NODES + 1_000
    page = read("<title>t</title>" + "<p>a word" * many)
    assert page.text.count("a word") + page.surroundings.count("a word") == many
