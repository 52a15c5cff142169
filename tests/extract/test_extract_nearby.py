"""The words near a link: in its line, on both sides, without those of other links."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.html.link_scanner import LONGEST_SIDE, REACH, find_nearby
from gossamer.extract.html.open_elements import LINK, USE
from gossamer.extract.html.scan import scan_html
from gossamer.extract.html.text_writer import LINE

FILL = "This sentence makes the page long enough to have a text of its own, with commas, and a full stop."


def near(body):
    found = scan_html(f"<main><p>{FILL}</p>{body}</main>".encode(), ())
    words = found.near.tobytes().decode().split("\n") if found.addresses else ()
    return dict(zip(found.addresses, words, strict=True))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>one two <a href=/a>link</a> three</p>", "one two three"),
        ("<p>1 2 3 4 5 6 7 8 9 <a href=/a>link</a> 1 2 3 4 5 6 7 8 9</p>", "2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8"),
        ("<p>before</p><p><a href=/a>link</a> after</p><p>later</p>", "after"),
        ("<p>big<a href=/a>link</a>(s), too</p>", "big (s), too"),
        ("<p>see <a href=/b>other words</a> and <a href=/a>link</a> – » | there</p>", "see and there"),
        ("<p>a <a href=/a><img src=x></a> b</p>", "a b"),
        ("<table><td>one <a href=/a>link<td>two</table>", "one"),
        ("<p><a href=/a><b>link</b></a><p>menu <a href=/a>link</a> later", "menu later"),
        ("<p>one <b hidden>two <a href=/a>link</a></b> three", ""),
        ("<p>one <a href=/a>link two", "one"),
        ("<a href=/a><div>block</div></a><p>another", ""),
        ("<p>on <a name=x>marked</a> <a href=/a>link</a>", "on marked"),
    ],
)
def test_words_around_a_link(body, expected):
    assert near(body)["/a"] == expected


def test_a_menu_has_none():
    items = "".join(f"<li><a href=/{n}>page {n}</a> | <a href=/{n}x>more</a></li>" for n in range(9))
    assert set(near(f"<ul>{items}</ul>").values()) == {""}


def test_what_is_no_main_text_has_none():
    assert near("<nav>words here <a href=/a>link</a> and there</nav>")["/a"] == ""


def test_scripts_without_spaces_are_cut_between_characters():
    found = near(f"<p>{'日本語' * 50}<a href=/a>リンク</a>{'文章' * 50}</p>")["/a"]
    before, after = found.split(" ")
    assert set(before) == set("日本語")
    assert set(after) == set("文章")
    assert LONGEST_SIDE - 3 < len(before.encode()) <= LONGEST_SIDE


@pytest.mark.parametrize("word", ["предложенный", "διαδικασία", "المستخدمين", "विश्वविद्यालय"])
def test_words_of_other_scripts_are_never_cut(word):
    for filler in ("", "x", "xy"):
        found = near(f"<p>{f'{word} ' * 30}{filler} <a href=/a>link</a> {filler} {f'{word} ' * 30}</p>")["/a"]
        assert set(found.split()) <= {word, filler}
        assert found.count(word) >= 2


def test_eight_words_of_russian_are_near():
    words = "предложенный метод позволяет быстро находить нужные документы пользователей".split()
    assert near(f"<p>{' '.join(words)} <a href=/a>link</a>")["/a"].split() == words


def test_thai_is_cut_between_characters():
    found = near(f"<p>{'ภาษาไทย' * 50}<a href=/a>link</a></p>")["/a"]
    assert LONGEST_SIDE - 3 < len(found.encode()) <= LONGEST_SIDE


def test_words_that_are_too_long_are_left_out():
    assert near(f"<p>{'x' * 400} y <a href=/a>link</a> z {'x' * 400}</p>")["/a"] == "y z"
    assert near(f"<p>{'x' * 400}<a href=/a>link</a></p>")["/a"] == ""


def test_a_link_that_surrounds_a_table_takes_no_words_of_its_cells():
    found = near("<p>one <a href=/a>x<table><td>y <a href=/b>z</a> w</table>v</a> two")
    assert not set("xyzvw") & set(found["/b"].split())


def test_many_links_without_words_at_one_place():
    """Comparing each one with all others would take quadratic time."""
    found = near("<p>! " + "".join(f"<a href={n}></a>" for n in range(100_000)) + " ! word</p>")
    assert set(found.values()) == {"word"}


WORDS = st.sampled_from(["cat", "dog", "|", "–", "é", "x1", "»", "京"])
LINES = st.lists(
    st.lists(st.tuples(st.integers(-3, 2), st.lists(WORDS, max_size=4)), max_size=8).map(
        lambda line: [(max(link, -2), words) for link, words in line]
    ),
    max_size=5,
)


def arrays(pages):
    """Make text, lines and uses as the scanner does; -2 means no link."""
    text, lines, uses = bytearray(), [], []
    for line in pages:
        if not any(words for _, words in line):
            continue
        begin = len(text)
        for link, words in line:
            start = len(text)
            for word in words:
                text += (b" " if len(text) > begin else b"") + word.encode()
            if link > -2:
                uses.append((start, len(text), link))
        lines.append([len(text), *[0] * (len(LINE) - 1)])
        text += b"\n"
    return (
        np.frombuffer(bytes(text) + b"\0", np.uint8).copy(),
        np.array(lines, np.int32).reshape(-1, len(LINE)),
        np.array(uses, np.int32).reshape(-1, len(USE)),
    )


def plain(pages, main):
    """The plain reference: lists of words."""
    found = {}
    lines = [line for line in pages if any(words for _, words in line)]
    for line, is_main in zip(lines, main, strict=False):
        tokens = [(word, place) for place, (_, words) in enumerate(line) for word in words]
        for place, (link, _) in enumerate(line):
            if link < 0 or not is_main:
                continue
            sides = (
                [own for own in tokens if own[1] < place][-REACH:],
                [own for own in tokens if own[1] > place][:REACH],
            )
            words = [w for side in sides for w, p in side if line[p][0] == -2 and w not in "|–»"]
            found[link] = found.get(link) or " ".join(words)
    return [found.get(link, "") for link in range(3)]


@given(LINES, st.lists(st.booleans(), min_size=5, max_size=5))
def test_the_kernel_agrees_with_the_plain_reference(pages, main):
    text, lines, uses = arrays(pages)
    links = np.zeros((3, len(LINK)), np.int64)
    chosen = np.array(main[: len(lines)], np.uint8)
    words = find_nearby(text, lines, chosen, uses, links)
    found = [
        words[start:end].tobytes().decode()
        for start, end in links[:, [LINK.near_start, LINK.near_end]].tolist()
    ]
    assert found == plain(pages, main)
