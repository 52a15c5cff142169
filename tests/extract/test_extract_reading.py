"""Main text and surroundings: the kernel against the same rules in plain Python."""

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.reading_kernel import ARTICLE_SHARE, ENOUGH, LINK_RUN, choose, gather, gather_headings
from gossamer.extract.writing_kernel import HEADING_SHIFT, IN_CHROME, LANDMARK

ROWS = st.lists(
    st.tuples(st.integers(1, 150), st.integers(0, 150), st.integers(0, 2), st.booleans(), st.integers(0, 3)),
    max_size=14,
)


def lines_of(rows):
    """Lines of letters as the scanner keeps them, and their text."""
    text, lines = "", []
    for number, (length, linked, landmark, chrome, heading) in enumerate(rows):
        text += chr(97 + number) * length + "\n"
        region = landmark | IN_CHROME * chrome | heading << HEADING_SHIFT
        lines.append((len(text) - 1, length, linked, region))
    return np.frombuffer(text.encode(), np.uint8), np.array(lines, np.int32).reshape(-1, 4)


def plain_choice(lines):
    plain = [k for k, line in enumerate(lines) if not line[3] & IN_CHROME]

    def size(chosen):
        return sum(int(lines[k][1]) for k in chosen)

    landmark = 0
    for level, share in ((2, 0), (1, ARTICLE_SHARE)):
        inside = size(k for k in plain if lines[k][3] & LANDMARK >= level)
        if inside and (
            2 * inside >= size(plain) or (inside >= ENOUGH and share * inside >= (share and size(plain)))
        ):
            landmark = level
            break
    chosen = [k for k in plain if lines[k][3] & LANDMARK >= landmark]
    kept = []
    for only_links, run in groupby(chosen, key=lambda k: bool(5 * lines[k][2] >= 4 * lines[k][1])):
        members = list(run)
        if not only_links or len(members) < LINK_RUN:
            kept += members
    return kept if 2 * size(kept) >= size(chosen) else chosen


@given(ROWS)
def test_the_choice_is_that_of_the_plain_twin(rows):
    _, lines = lines_of(rows)
    assert np.flatnonzero(choose(lines)).tolist() == plain_choice(lines.tolist())


@given(ROWS)
def test_no_line_is_lost_or_doubled(rows):
    text, lines = lines_of(rows)
    main = choose(lines)
    parts = [gather(text, lines, main, np.int64(side)).tobytes().decode() for side in (1, 0)]
    assert (
        sorted("\n".join(part for part in parts if part).split("\n"))
        == sorted(text.tobytes().decode().split("\n")[:-1])
        or not rows
    )
    assert not any(
        chrome and chr(97 + number) in parts[0] for number, (_, _, _, chrome, _) in enumerate(rows)
    )


@given(ROWS)
def test_headings_are_those_of_the_main_text_and_every_h1(rows):
    text, lines = lines_of(rows)
    main = choose(lines)
    headings, first = gather_headings(text, lines, main)
    found = headings.tobytes().decode().split("\n") if len(headings) else []
    told = [k for k, row in enumerate(rows) if row[4] == 1 or (row[4] and main[k])]
    assert [heading[0] for heading in found] == [chr(97 + k) for k in told]
    levels = [rows[k][4] for k in told]
    assert first == (levels.index(1) if 1 in levels else -1)
