"""How many mistakes make one word of another?"""

from __future__ import annotations


def within(first: str, second: str, mistakes: int) -> bool:
    """Whether the Damerau distance of two words is at most `mistakes`.

    >>> within("jagaur", "jaguar", 1), within("jaguar", "jackal", 2)
    (True, False)
    """
    if abs(len(first) - len(second)) > mistakes:
        return False
    # a mistake takes at most one letter away and brings one in; this alone decides most of a vocabulary
    if len(set(first).symmetric_difference(second)) > 2 * mistakes:
        return False
    first, second = _without_common_ends(first, second)
    if mistakes == 1:
        return max(len(first), len(second)) <= 1 or (len(first) == 2 and first == second[::-1])
    return distance(first, second) <= mistakes


def _without_common_ends(first: str, second: str) -> tuple[str, str]:
    """What is left where two words differ: most candidates are decided here, without a table."""
    shorter = min(len(first), len(second))
    start = next((i for i in range(shorter) if first[i] != second[i]), shorter)
    first, second = first[start:], second[start:]
    shorter -= start
    end = next((i for i in range(shorter) if first[-1 - i] != second[-1 - i]), shorter)
    return first[: len(first) - end], second[: len(second) - end]


def distance(first: str, second: str) -> int:
    """Insertions, deletions, substitutions and swaps of neighbours that make one word of the other.

    The optimal string alignment form, d(i,j) = min(d(i-1,j)+1, d(i,j-1)+1, d(i-1,j-1)+[a_i != b_j],
    d(i-2,j-2)+1 if a_i a_(i-1) = b_(j-1) b_j). F. J. Damerau, A technique for computer detection and
    correction of spelling errors, CACM 7(3), 1964.

    >>> distance("recieve", "receive"), distance("kitten", "sitting")
    (1, 3)
    """
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(second, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
