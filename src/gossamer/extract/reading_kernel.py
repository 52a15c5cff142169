# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""Which lines of a page are its main text, and which stand around it?

Decided when all lines are known, with their lengths: a page whose <main> is almost empty must not lose its
words. On 181 news pages with the text as judged by people (4-word shingles, mean over pages): precision .75,
recall .99; without the rule for runs of links .69, .99; all visible text .50, .99. The thresholds were chosen
on these same pages, so other pages may do worse.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.reference_kernel import copy_bytes, numbers
from gossamer.extract.tree_kernel import ANCHOR_END, ANCHOR_START, NOFOLLOW
from gossamer.extract.writing_kernel import (
    END,
    HEADING,
    HEADING_SHIFT,
    IN_ARTICLE,
    IN_CHROME,
    IN_MAIN,
    LANDMARK,
    LENGTH,
    LINKED_LENGTH,
    REGION_OF,
)
from gossamer.kernel import kernel, kernel_part

ENOUGH = 200  # characters: a shorter landmark is believed only when it holds half of the page's text
ARTICLE_SHARE = 3  # articles that hold less than a third of the text are teasers or comments
LINK_SHARE = (4, 5)  # a line with a larger part of its characters in links is nothing but links
AROUND, IN_TEXT = numbers(0, 2)
LINK_RUN = 2  # so many such lines in a row are a menu or "related stories"


@kernel_part
def _landmark(lines: NDArray[np.int32]) -> int:
    """The least landmark of the main text: <main> when there is one and not tiny, else articles, else any."""
    whole = np.int64(0)
    in_main = np.int64(0)
    in_article = np.int64(0)
    for k in range(len(lines)):
        if lines[k, REGION_OF] & IN_CHROME == 0:
            length = lines[k, LENGTH]
            landmark = lines[k, REGION_OF] & LANDMARK
            whole += length
            in_article += length if landmark >= IN_ARTICLE else 0
            in_main += length if landmark >= IN_MAIN else 0
    if in_main and (2 * in_main >= whole or in_main >= ENOUGH):
        return IN_MAIN
    if in_article and (
        2 * in_article >= whole or (in_article >= ENOUGH and ARTICLE_SHARE * in_article >= whole)
    ):
        return IN_ARTICLE
    return 0


@kernel
def choose(lines: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Of each line whether it belongs to the main text: in the landmark, neither chrome nor a menu.

    A menu is a run of lines that are only links; it stays where links are most of a page, as in a directory.
    """
    count = len(lines)
    landmark = _landmark(lines)
    chosen = np.zeros(count, np.uint8)
    kept = np.zeros(count, np.uint8)
    run = 0  # lines of links since the last other line
    run_start = 0
    chosen_size = np.int64(0)
    kept_size = np.int64(0)
    for k in range(count):
        region = lines[k, REGION_OF]
        if region & IN_CHROME or region & LANDMARK < landmark:
            continue
        length = np.int64(lines[k, LENGTH])
        chosen[k] = 1
        kept[k] = 1
        chosen_size += length
        kept_size += length
        if lines[k, LINKED_LENGTH] * LINK_SHARE[1] < length * LINK_SHARE[0]:
            run = 0
            continue
        if run == 0:
            run_start = k
        run += 1
        first = run_start if run == LINK_RUN else k
        for m in range(first, k + 1 if run >= LINK_RUN else first):
            if chosen[m]:
                kept[m] = 0
                kept_size -= lines[m, LENGTH]
    return kept if 2 * kept_size >= chosen_size else chosen


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


@kernel
def gather_headings(
    text: NDArray[np.uint8], lines: NDArray[np.int32], main: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], int]:
    """Every h1, for the title often stands in the header, and the other headings of the main text."""
    first = -1
    count = 0
    told = np.zeros(len(lines), np.uint8)
    for k in range(len(lines)):
        level = (lines[k, REGION_OF] & HEADING) >> HEADING_SHIFT
        if level == 1 or (level and main[k]):
            told[k] = 1
            if level == 1 and first < 0:
                first = count
            count += 1
    return gather(text, lines, told, IN_TEXT), first


@kernel
def gather_anchors(
    anchors: NDArray[np.uint8], links: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The anchors of all links, divided by line feeds, and whether each is nofollow."""
    size = 0
    for k in range(len(links)):
        size += links[k, ANCHOR_END] - links[k, ANCHOR_START] + 1
    out = np.empty(size, np.uint8)
    flags = np.empty(len(links), np.uint8)
    p = np.int64(0)
    for k in range(len(links)):
        p = copy_bytes(anchors, links[k, ANCHOR_START], links[k, ANCHOR_END], out, p)
        out[p] = 10
        p += 1
        flags[k] = links[k, NOFOLLOW]
    return out[: max(p - 1, 0)], flags
