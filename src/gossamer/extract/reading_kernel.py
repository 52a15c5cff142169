# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""Which lines of a page are its main text, and which stand around it?

Decided when all lines are known, in the blocks that they stand in (`outline_kernel.py`). A page whose author
marks one article (<article>, itemprop="articleBody", class="entry-content") and that holds most of the long
lines has its main text there, without captions, labels, menus and whatever else stands beside it
(`clutter_kernel.py`, `article_kernel.py`). On any other page everything is main text that is not plainly
something else: chrome, outside of <main>, menus, comments. Nothing is lost: what is not main text is kept as
surroundings.

Figures, and how the thresholds were chosen: docs/decisions/0022-main-text.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.article_kernel import LINK_SHARE, find_article, find_landmark, find_trunk
from gossamer.extract.clutter_kernel import put_aside
from gossamer.extract.outline_kernel import (
    HINTED,
    LAST,
    LEFT,
    MARKED,
    OUTLINE_WIDTH,
    WORTH,
    add_what_is_left,
    fill_outline,
    weigh,
)
from gossamer.extract.reference_kernel import copy_bytes, numbers
from gossamer.extract.tree_kernel import CODE_OF, H1, H4, NOFOLLOW
from gossamer.extract.writing_kernel import (
    END,
    HEADING,
    HEADING_SHIFT,
    IN_CHROME,
    IN_PICTURE,
    LANDMARK,
    LENGTH,
    LINKED_LENGTH,
    NODE_OF,
    REGION_OF,
)
from gossamer.kernel import kernel, kernel_part

AROUND, IN_TEXT = numbers(0, 2)
TITLE_REACH = 12  # lines between a title and the text: author, date, what can be shared
LINK_RUN = 2  # so many lines of nothing but links in a row are a menu; in an article one is enough
TOO_LITTLE = (200, 10)  # characters left of ten times as many: the names of the blocks misled


@kernel_part
def _without_menus(lines: NDArray[np.int32], chosen: NDArray[np.uint8], run_length: int) -> None:
    """Takes out runs of lines that are only links, unless they are most of it, as in a directory."""
    whole = np.int64(0)
    menus = np.int64(0)
    for turn in range(2):
        if turn and 2 * menus > whole:
            return
        run = np.int64(0)  # lines of links since the last other line
        run_size = np.int64(0)
        for k in range(len(lines) + 1):
            if k < len(lines) and not chosen[k]:
                continue
            is_links = k < len(lines) and (
                lines[k, LINKED_LENGTH] * LINK_SHARE[1] >= lines[k, LENGTH] * LINK_SHARE[0]
            )
            if not is_links and run >= run_length:
                menus += run_size
                m = k - 1
                while turn and run:
                    run -= chosen[m]
                    chosen[m] = 0
                    m -= 1
            if k < len(lines) and not turn:
                whole += lines[k, LENGTH]
            run = run + 1 if is_links else np.int64(0)
            run_size = run_size + lines[k, LENGTH] if is_links else np.int64(0)


@kernel_part
def _without_titles(
    lines: NDArray[np.int32], nodes: NDArray[np.int32], worth: NDArray[np.int64], chosen: NDArray[np.uint8]
) -> None:
    """Takes out of an article the title with what stands above it, and headings at its end."""
    for k in range(len(lines)):
        if chosen[k] and worth[k] > 0:
            break
        if chosen[k] and (lines[k, REGION_OF] & HEADING) >> HEADING_SHIFT == 1:
            for m in range(k + 1):
                chosen[m] = 0
            break
    for k in range(len(lines) - 1, -1, -1):
        if chosen[k]:
            if not (lines[k, REGION_OF] & HEADING or H1 <= nodes[lines[k, NODE_OF], CODE_OF] <= H4):
                break
            chosen[k] = 0


@kernel_part
def _choose_within(
    lines: NDArray[np.int32],
    outline: NDArray[np.int64],
    aside: NDArray[np.uint8],
    block: int,
    unwanted: int,
    landmark: int,
    chosen: NDArray[np.uint8],
) -> None:
    """The lines of a block that were not put aside, and stand in no unwanted region."""
    for k in range(len(lines)):
        v = lines[k, NODE_OF]
        region = lines[k, REGION_OF]
        chosen[k] = (
            block <= v <= outline[block, LAST]
            and not aside[v]
            and region & unwanted == 0
            and region & LANDMARK >= landmark
        )


@kernel
def choose(lines: NDArray[np.int32], nodes: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Of each line whether it belongs to the main text; `nodes` are the blocks that lines stand in."""
    chosen = np.zeros(len(lines), np.uint8)
    worth = np.zeros(len(lines), np.int64)
    outline = np.zeros((len(nodes), OUTLINE_WIDTH), np.int64)
    aside = np.zeros(len(nodes), np.uint8)
    weigh(lines, worth)
    fill_outline(lines, nodes, worth, outline)
    put_aside(nodes, outline, True, aside)
    add_what_is_left(lines, nodes, worth, aside, 0, outline)
    article = find_article(outline, aside, MARKED)
    if article == 0:
        article = find_article(outline, aside, HINTED)
    if article:
        _choose_within(lines, outline, aside, article, IN_CHROME | IN_PICTURE, 0, chosen)
        _without_menus(lines, chosen, 1)
        _without_titles(lines, nodes, worth, chosen)
        return chosen
    landmark = find_landmark(lines)
    put_aside(nodes, outline, False, aside)
    add_what_is_left(lines, nodes, worth, aside, 0, outline)
    if outline[0, LEFT] < TOO_LITTLE[0] and TOO_LITTLE[1] * outline[0, LEFT] < outline[0, WORTH]:
        aside[:] = 0
    add_what_is_left(lines, nodes, worth, aside, landmark, outline)
    trunk = find_trunk(lines, nodes, outline)
    _choose_within(lines, outline, aside, trunk, IN_CHROME, landmark, chosen)
    _without_menus(lines, chosen, LINK_RUN)
    return chosen


@kernel
def gather(
    text: NDArray[np.uint8], lines: NDArray[np.int32], main: NDArray[np.uint8], wanted: int
) -> NDArray[np.uint8]:
    """The lines of the main text (1) or of the surroundings (0), divided by line feeds."""
    size = 0
    start = 0
    for k in range(len(lines)):
        if main[k] == wanted:
            size += lines[k, END] + 1 - start
        start = lines[k, END] + 1
    out = np.empty(size, np.uint8)
    p = np.int64(0)
    start = np.int64(0)
    for k in range(len(lines)):
        end = np.int64(lines[k, END]) + 1
        if main[k] == wanted:
            p = copy_bytes(text, start, end, out, p)
        start = end
    return out[: max(p - 1, 0)]


@kernel_part
def _title_above(lines: NDArray[np.int32], main: NDArray[np.uint8]) -> int:
    """The heading nearest above the main text, which may be its title; -1 for none."""
    begin = 0
    while begin < len(lines) and not main[begin]:
        begin += 1
    if begin < len(lines):
        for k in range(begin - 1, max(begin - TITLE_REACH, 0) - 1, -1):
            if lines[k, REGION_OF] & HEADING and lines[k, REGION_OF] & IN_CHROME == 0:
                return k
    return -1


@kernel
def gather_headings(
    text: NDArray[np.uint8], lines: NDArray[np.int32], main: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], int]:
    """Every h1, for the title often stands in the header; the other headings of the main text; its title."""
    first = -1
    count = 0
    told = np.zeros(len(lines), np.uint8)
    title = _title_above(lines, main)
    for k in range(len(lines)):
        level = (lines[k, REGION_OF] & HEADING) >> HEADING_SHIFT
        if level == 1 or (level and main[k]) or k == title:
            told[k] = 1
            if level == 1 and first < 0:
                first = count
            count += 1
    return gather(text, lines, told, IN_TEXT), first


@kernel
def gather_words(words: NDArray[np.uint8], links: NDArray[np.int64], column: int) -> NDArray[np.uint8]:
    """The words of all links, divided by line feeds; where they begin and end stands in two columns."""
    size = 0
    for k in range(len(links)):
        size += links[k, column + 1] - links[k, column] + 1
    out = np.empty(size, np.uint8)
    p = np.int64(0)
    for k in range(len(links)):
        p = copy_bytes(words, links[k, column], links[k, column + 1], out, p)
        out[p] = 10
        p += 1
    return out[: max(p - 1, 0)]


@kernel
def gather_flags(links: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Of each link whether it is nofollow."""
    flags = np.empty(len(links), np.uint8)
    for k in range(len(links)):
        flags[k] = links[k, NOFOLLOW]
    return flags
