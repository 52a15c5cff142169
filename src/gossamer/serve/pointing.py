"""Where in the query is the mistake? Cut in three, so that the caret finds its place in any script."""

from __future__ import annotations

from dataclasses import dataclass

AROUND = 40  # characters shown on each side


@dataclass(frozen=True, slots=True)
class Pointed:
    """A query around one of its characters; `at` is empty behind the end."""

    before: str
    at: str
    after: str


def pointed(query: str, position: int) -> Pointed:
    """
    >>> pointed('cat "dog', 4)
    Pointed(before='cat ', at='"', after='dog')
    """
    start, end = max(position - AROUND, 0), position + 1 + AROUND
    before = ("…" if start else "") + query[start:position]
    after = query[position + 1 : end] + ("…" if end < len(query) else "")
    return Pointed(before, query[position : position + 1], after)
