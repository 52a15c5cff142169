"""Which results are on which page, and how deep may one go?"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

PER_PAGE = 10
DEEPEST = 1_000  # results: whoever wants the 1,001st is not reading
LAST_PAGE = DEEPEST // PER_PAGE


@dataclass(frozen=True, slots=True)
class Paging:
    """Where a page stands among the pages of an answer."""

    number: int
    last: int  # at least 1
    cut: bool  # there are more results than can be paged through

    @property
    def previous(self) -> int | None:
        """The page before, or the last that exists when this one is behind it."""
        return min(self.number - 1, self.last) if self.number > 1 else None

    @property
    def next(self) -> int | None:
        return self.number + 1 if self.number < self.last else None


def paging(number: int, total: int) -> Paging:
    """
    >>> paging(2, 34).last, paging(2, 34).next, paging(4, 34).next
    (4, 3, None)
    """
    last = max(1, -(-min(total, DEEPEST) // PER_PAGE))
    return Paging(number, last, cut=total > DEEPEST)


def offset_of(number: int) -> int:
    """How many results stand before this page."""
    return (number - 1) * PER_PAGE


def links_to_others(request: Request, offset: int, k: int, total: int) -> dict[str, str | None]:
    """The addresses of the results behind these and before them, None where there are none.

    Before a place behind the end stand the last ones.
    """
    reached = min(total, DEEPEST)
    last = max(reached - 1, 0) // k * k

    def at(place: int) -> str:
        url = request.url.include_query_params(offset=place)
        return f"{url.path}?{url.query}"

    return {
        "next": at(offset + k) if offset + k < reached else None,
        "previous": at(max(min(offset - k, last), 0)) if offset else None,
    }
