"""Main text and surroundings: the kernel against the same rules in plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from plain_reading import plain_choice

from gossamer.extract.html.main_text import TITLE_REACH, choose, gather, gather_headings
from gossamer.extract.html.open_elements import ELEMENT
from gossamer.extract.html.text_writer import CONTEXT, HEADING_SHIFT

CODES = [
    *(
        ELEMENT.div,
        ELEMENT.div,
        ELEMENT.div,
        ELEMENT.p,
        ELEMENT.article,
        ELEMENT.figure,
        ELEMENT.figcaption,
        ELEMENT.form,
        ELEMENT.header,
    ),
    *(ELEMENT.blockquote, ELEMENT.h1, ELEMENT.h4),
]
HINTS = st.sampled_from([0, 0, 0, 1, 2, 3, 3, 4, 8, 16, 32, 64, 128, 3 | 16, 1 | 4, 2 | 8])
NODES = st.lists(st.tuples(st.integers(0, 20), st.sampled_from(CODES), HINTS), max_size=12)
ROWS = st.lists(
    st.tuples(
        st.one_of(st.integers(1, 150), st.integers(80, 1_000)),
        st.one_of(st.just(0), st.integers(0, 150)),
        st.integers(0, 2),
        st.sampled_from([0, 0, 0, CONTEXT.chrome, CONTEXT.picture]),
        st.sampled_from([0, 0, 0, 1, 2, 3]),
        st.integers(0, 20),
    ),
    max_size=14,
)


def lines_of(rows, nodes=()):
    """Make lines of letters as the scanner does, with their text and blocks."""
    text, lines = "", []
    for number, (length, linked, landmark, region, heading, block) in enumerate(rows):
        text += chr(97 + number) * length + "\n"
        place = landmark | region | heading << HEADING_SHIFT
        lines.append((len(text) - 1, length, min(linked, length), place, block % (len(nodes) + 1)))
    blocks = [(0, 0, 0)] + [
        (parent % (k + 1), int(code), hints) for k, (parent, code, hints) in enumerate(nodes)
    ]
    return (
        np.frombuffer(text.encode(), np.uint8),
        np.array(lines, np.int32).reshape(-1, 5),
        in_order(blocks),
    )


def in_order(blocks):
    """Number blocks in the order in which they begin: a parent, then everything in its first child."""
    found = []

    def walk(v, parent):
        number = len(found)
        found.append((parent, *blocks[v][1:]))
        for child in range(v + 1, len(blocks)):
            if blocks[child][0] == v:
                walk(child, number)

    walk(0, 0)
    return np.array(found, np.int32)


@given(ROWS, NODES)
def test_the_choice_agrees_with_the_plain_reference(rows, nodes):
    _, lines, blocks = lines_of(rows, nodes)
    assert np.flatnonzero(choose(lines, blocks)).tolist() == plain_choice(lines.tolist(), blocks.tolist())


@given(ROWS, NODES)
def test_no_line_is_lost_or_doubled(rows, nodes):
    text, lines, blocks = lines_of(rows, nodes)
    main = choose(lines, blocks)
    parts = [gather(text, lines, main, np.int64(side)).tobytes().decode() for side in (1, 0)]
    assert (
        sorted("\n".join(part for part in parts if part).split("\n"))
        == sorted(text.tobytes().decode().split("\n")[:-1])
        or not rows
    )
    assert not any(
        row[3] == CONTEXT.chrome and chr(97 + number) in parts[0] for number, row in enumerate(rows)
    )


@given(ROWS, NODES)
def test_headings_are_those_of_the_main_text_every_h1_and_the_one_above(rows, nodes):
    text, lines, blocks = lines_of(rows, nodes)
    main = choose(lines, blocks)
    headings, first = gather_headings(text, lines, main)
    found = headings.tobytes().decode().split("\n") if len(headings) else []
    begin = int(np.argmax(main)) if main.any() else 0
    above = [
        k for k in range(max(begin - TITLE_REACH, 0), begin) if rows[k][4] and rows[k][3] != CONTEXT.chrome
    ]
    told = [k for k, row in enumerate(rows) if row[4] == 1 or (row[4] and main[k]) or k in above[-1:]]
    assert [heading[0] for heading in found] == [chr(97 + k) for k in told]
    levels = [rows[k][4] for k in told]
    assert first == (levels.index(1) if 1 in levels else -1)
