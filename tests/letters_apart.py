"""How many mistakes make one word of another, by the book: for comparison with what is quicker."""

from __future__ import annotations


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
