# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""How much text does each block of a page hold, and which blocks does their author call an article?

Blocks are numbered as they begin, so a block's parent comes before it, and what is in it are the numbers up
to that of its last one: one pass backwards adds everything up. Block 0 is the whole page.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.hint_kernel import ARTICLE, BODY, COMMENT
from gossamer.extract.reference_kernel import numbers
from gossamer.extract.tree_kernel import ARTICLE as ARTICLE_TAG
from gossamer.extract.tree_kernel import CODE_OF, HINTS_OF, PARENT
from gossamer.extract.writing_kernel import (
    END,
    HEADING,
    IN_CHROME,
    IN_PICTURE,
    LANDMARK,
    LENGTH,
    LINKED_LENGTH,
    NODE_OF,
    REGION_OF,
)
from gossamer.kernel import kernel_part

# Columns of `outline`, a row for each block, sums with all that is in it.
WORTH = 0  # of its lines
SIZE = 1  # characters outside of chrome
LINKED_SIZE = 2  # of these in links
LEFT = 3  # worth of what is not put aside
PLAIN = 4  # characters outside of links of what is not put aside
LAST = 5  # the last block in it
MARK = 6  # what its author calls it
AROUND_IT = 7  # the nearest block that is marked, itself or around it; 0 for none
BEST_MARKED = 8  # the largest worth of a marked block in it; -1 for none
HEAVIEST = 9  # the block directly in it of which most is left; 0 for none
OUTLINE_WIDTH = 10

UNMARKED, HINTED, MARKED = numbers(0, 3)

LONG = 80  # bytes of a line that can be a sentence, of which a Chinese one needs fewer characters
LINK_COST = 4  # a letter in a link takes away the worth of so many


@kernel_part
def weigh(lines: NDArray[np.int32], worth: NDArray[np.int64]) -> None:
    """The worth of each line: its characters when it is long, no chrome, no heading, and not linked."""
    start = np.int64(0)
    for k in range(len(lines)):
        length = np.int64(lines[k, LENGTH])
        is_long = lines[k, END] - start >= LONG
        if is_long and lines[k, REGION_OF] & (IN_CHROME | IN_PICTURE | HEADING) == 0:
            worth[k] = max(length - LINK_COST * lines[k, LINKED_LENGTH], 0)
        start = np.int64(lines[k, END]) + 1


@kernel_part
def _mark(nodes: NDArray[np.int32], v: int) -> int:
    """MARKED for <article> and for a body of an article, HINTED for one half of it."""
    hints = nodes[v, HINTS_OF]
    if hints & COMMENT:
        return UNMARKED
    if nodes[v, CODE_OF] == ARTICLE_TAG or (hints & ARTICLE and hints & BODY):
        return MARKED
    if hints & ARTICLE:
        return HINTED
    parent = nodes[v, PARENT]
    near = nodes[parent, HINTS_OF] | nodes[nodes[parent, PARENT], HINTS_OF]
    return HINTED if hints & BODY and near & ARTICLE else UNMARKED


@kernel_part
def fill_outline(
    lines: NDArray[np.int32], nodes: NDArray[np.int32], worth: NDArray[np.int64], outline: NDArray[np.int64]
) -> None:
    """All columns but those of what is left."""
    for k in range(len(lines)):
        v = lines[k, NODE_OF]
        outline[v, WORTH] += worth[k]
        if lines[k, REGION_OF] & IN_CHROME == 0:
            outline[v, SIZE] += lines[k, LENGTH]
            outline[v, LINKED_SIZE] += lines[k, LINKED_LENGTH]
    outline[0, BEST_MARKED] = -1
    for v in range(1, len(nodes)):
        outline[v, LAST] = v
        outline[v, MARK] = _mark(nodes, v)
        outline[v, AROUND_IT] = v if outline[v, MARK] == MARKED else outline[nodes[v, PARENT], AROUND_IT]
        outline[v, BEST_MARKED] = -1
    for v in range(len(nodes) - 1, 0, -1):
        p = nodes[v, PARENT]
        outline[p, WORTH] += outline[v, WORTH]
        outline[p, SIZE] += outline[v, SIZE]
        outline[p, LINKED_SIZE] += outline[v, LINKED_SIZE]
        outline[p, LAST] = max(outline[p, LAST], outline[v, LAST])
        best = max(outline[v, BEST_MARKED], outline[v, WORTH] if outline[v, MARK] == MARKED else np.int64(-1))
        outline[p, BEST_MARKED] = max(outline[p, BEST_MARKED], best)


@kernel_part
def add_what_is_left(
    lines: NDArray[np.int32],
    nodes: NDArray[np.int32],
    worth: NDArray[np.int64],
    aside: NDArray[np.uint8],
    landmark: int,
    outline: NDArray[np.int64],
) -> None:
    """The columns of what is left when blocks were put aside and only lines of a landmark count."""
    for v in range(len(nodes)):
        outline[v, LEFT] = outline[v, PLAIN] = outline[v, HEAVIEST] = 0
    for k in range(len(lines)):
        v = lines[k, NODE_OF]
        region = lines[k, REGION_OF]
        if not aside[v] and region & LANDMARK >= landmark:
            outline[v, LEFT] += worth[k]
            if region & (IN_CHROME | IN_PICTURE) == 0:
                outline[v, PLAIN] += lines[k, LENGTH] - lines[k, LINKED_LENGTH]
    for v in range(len(nodes) - 1, 0, -1):
        p = nodes[v, PARENT]
        outline[p, LEFT] += outline[v, LEFT]
        outline[p, PLAIN] += outline[v, PLAIN]
        heaviest = outline[p, HEAVIEST]
        if heaviest == 0 or outline[v, LEFT] >= outline[heaviest, LEFT]:
            outline[p, HEAVIEST] = v
