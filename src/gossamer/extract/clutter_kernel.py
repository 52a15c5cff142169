# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR1714, SIM109
"""Which blocks stand beside the main text, although no element of HTML says so?

Comments, lists of other articles, buttons for sharing, advertisements, subscriptions, notices, menus, the
foot of a page: by the names that their authors gave them. On a page that has an article also its captions,
labels and forms. A name alone puts nothing aside that holds much of an article: `class="no-sidebar"` may
stand anywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.hint_kernel import CAPTION, CLUTTER, COMMENT, EXTRA, LABEL, SIDE
from gossamer.extract.outline_kernel import AROUND_IT, BEST_MARKED, LINKED_SIZE, MARK, MARKED, SIZE, WORTH
from gossamer.extract.tree_kernel import (
    CODE_OF,
    FIGCAPTION,
    FIGURE,
    FORM,
    H1,
    H4,
    HEADER,
    HINTS_OF,
    PARENT,
    QUOTE,
)
from gossamer.kernel import kernel_part

MUCH = (2, 5)  # of the article around it: so much is no clutter in it, whatever its name
SIDE_LINKS = (3, 10)  # the part of its text in links that tells a side column from a box in the text


@kernel_part
def _holds_article(outline: NDArray[np.int64], v: int) -> bool:
    """Whether an article makes up half of the block."""
    return outline[v, BEST_MARKED] > 0 and 2 * outline[v, BEST_MARKED] >= outline[v, WORTH]


@kernel_part
def _is_text(nodes: NDArray[np.int32], outline: NDArray[np.int64], v: int) -> bool:
    """Whether the block is an article, holds one, or is much of one."""
    around = outline[nodes[v, PARENT], AROUND_IT]
    return (
        outline[v, MARK] == MARKED
        or _holds_article(outline, v)
        or (around > 0 and MUCH[1] * outline[v, WORTH] > MUCH[0] * outline[around, WORTH])
    )


@kernel_part
def _is_beside_article(nodes: NDArray[np.int32], outline: NDArray[np.int64], v: int) -> bool:
    """Whether a block is a caption, a label or a form of a page that has an article."""
    code = nodes[v, CODE_OF]
    hints = nodes[v, HINTS_OF]
    marked = outline[v, MARK] == MARKED or outline[v, BEST_MARKED] >= 0
    if code == FIGURE or code == FIGCAPTION:
        return True
    if code == FORM and not marked:
        return 2 * outline[v, WORTH] < outline[0, WORTH]  # some tools wrap the whole page into one
    if (hints & LABEL or code == HEADER) and outline[v, WORTH] == 0 and not marked:
        return True
    return hints & (CAPTION | EXTRA) != 0 and not _is_text(nodes, outline, v)


@kernel_part
def _is_clutter(nodes: NDArray[np.int32], outline: NDArray[np.int64], v: int, strict: bool) -> bool:
    """Whether a block stands beside the text of any page; `strict` for one that has an article."""
    hints = nodes[v, HINTS_OF] & (COMMENT | CLUTTER | SIDE)
    if hints == 0:
        return False
    if hints & COMMENT:
        return not _holds_article(outline, v)
    if (
        hints == SIDE
        and not strict
        and SIDE_LINKS[1] * outline[v, LINKED_SIZE] < SIDE_LINKS[0] * outline[v, SIZE]
    ):
        return False
    return not _is_text(nodes, outline, v)


@kernel_part
def put_aside(
    nodes: NDArray[np.int32], outline: NDArray[np.int64], strict: bool, aside: NDArray[np.uint8]
) -> None:
    """Of each block whether it stands beside the text; headings and quotations do so only in others."""
    for v in range(1, len(nodes)):
        code = nodes[v, CODE_OF]
        aside[v] = aside[nodes[v, PARENT]]
        if not aside[v] and code != QUOTE and not H1 <= code <= H4:
            aside[v] = _is_clutter(nodes, outline, v, strict) or (
                strict and _is_beside_article(nodes, outline, v)
            )
