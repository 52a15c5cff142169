# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""Which block of a page is its article, and where is the text of a page that has none?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.outline_kernel import HEAVIEST, LAST, LEFT, MARK, PLAIN, SIZE
from gossamer.extract.tree_kernel import CODE_OF, PARENT, P
from gossamer.extract.writing_kernel import (
    HEADING,
    HEADING_SHIFT,
    IN_ARTICLE,
    IN_CHROME,
    IN_MAIN,
    LANDMARK,
    LENGTH,
    LINKED_LENGTH,
    NODE_OF,
    REGION_OF,
)
from gossamer.kernel import kernel_part

ENOUGH = 200  # characters: a shorter landmark is believed only when it holds half of the page's text
ARTICLE_SHARE = 3  # articles that hold less than a third of the text are teasers or comments
LINK_SHARE = (4, 5)  # a line with a larger part of its characters in links is nothing but links

WINNING = (2, 5)  # of the page's worth: what an article has at least
INNER = (3, 4)  # of an article's worth: a marked block in it that has so much is the article
RIVAL = 3  # a page with another article of a third of its worth has no one article

DIRECTORY = 8  # a page whose worth is less than an eighth of its text is a list: all of it is main
TRUNK = (3, 4)  # of the worth around it: what a block has that holds the text
TITLED_TRUNK = (1, 2)  # the same, for the one with the title of the page
TRUNK_PLAIN = (9, 10)  # and of the text outside of links: paragraphs are short in manuals


@kernel_part
def find_landmark(lines: NDArray[np.int32]) -> int:
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


@kernel_part
def _candidate(outline: NDArray[np.int64], aside: NDArray[np.uint8], least: int) -> int:
    """The block with this mark of which most is left, or the innermost one in it that has almost as much."""
    best = np.int64(0)
    for v in range(1, len(outline)):
        if outline[v, MARK] >= least and not aside[v] and outline[v, LEFT] > 0:
            left = outline[v, LEFT]
            if WINNING[1] * left < WINNING[0] * outline[0, LEFT]:
                continue
            is_inner = (
                best > 0 and v <= outline[best, LAST] and INNER[1] * left >= INNER[0] * outline[best, LEFT]
            )
            if best == 0 or left > outline[best, LEFT] or is_inner:
                best = v
    return best


@kernel_part
def find_article(outline: NDArray[np.int64], aside: NDArray[np.uint8], least: int) -> int:
    """The one block with this mark that is the page's article; 0 for none, and where there are several."""
    best = _candidate(outline, aside, least)
    if best == 0:
        return 0
    others = np.int64(0)
    v = np.int64(1)
    while v < len(outline):
        if v == best:
            v = outline[v, LAST] + 1
        elif outline[v, MARK] < least or aside[v] or v < best <= outline[v, LAST]:
            v += 1
        else:
            if RIVAL * outline[v, LEFT] > outline[best, LEFT]:
                return 0
            others += outline[v, PLAIN]
            v = outline[v, LAST] + 1  # what is in it was counted with it
    return best if others <= outline[best, PLAIN] else 0


@kernel_part
def _title_block(lines: NDArray[np.int32]) -> int:
    """The block of the first h1 that is neither chrome nor a link; -1 for none."""
    for k in range(len(lines)):
        region = lines[k, REGION_OF]
        if (
            (region & HEADING) >> HEADING_SHIFT == 1
            and region & IN_CHROME == 0
            and LINK_SHARE[1] * lines[k, LINKED_LENGTH] < LINK_SHARE[0] * lines[k, LENGTH]
        ):
            return lines[k, NODE_OF]
    return -1


@kernel_part
def find_trunk(lines: NDArray[np.int32], nodes: NDArray[np.int32], outline: NDArray[np.int64]) -> int:
    """The innermost block that still holds almost all text of a page without an article."""
    title = _title_block(lines)
    v = np.int64(0)
    while outline[v, LEFT] * DIRECTORY > outline[0, SIZE]:
        inner = outline[v, HEAVIEST]
        titled = inner <= title <= outline[inner, LAST]
        part = TITLED_TRUNK if titled else TRUNK
        if (
            inner == 0
            or part[1] * outline[inner, LEFT] < part[0] * outline[v, LEFT]
            or TRUNK_PLAIN[1] * outline[inner, PLAIN] < TRUNK_PLAIN[0] * outline[v, PLAIN]
        ):
            break
        v = inner
    return np.int64(nodes[v, PARENT]) if nodes[v, CODE_OF] == P else v
