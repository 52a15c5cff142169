"""How does one read on, beyond the first page of results?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import overload

from gossamer.model import Hit, ResultPage, SearchRequest

FIRST = 10  # results that are asked for at once; each time twice as many as before
MOST = 160


class Results(Sequence[Hit]):
    """The results of a query, best first, asked for as they are needed.

    A query lists a thousand results at most. While somebody reads on, a crawl may commit and move them; none
    comes twice. `len`, and places counted from the end, ask for all of them.
    """

    def __init__(self, answer: Callable[[SearchRequest], ResultPage], request: SearchRequest) -> None:
        self._answer = answer
        self._request = replace(request, k=FIRST, offset=0)
        self._hits: list[Hit] = []
        self._known: set[int] = set()
        self._is_all = False
        self.first = self._next_page()

    @property
    def total(self) -> int:
        """How many pages match; more than are listed where there are copies, or thousands."""
        return self.first.total

    def more(self) -> list[Hit]:
        """Asks for the next results; an empty list when there are no more."""
        while not self._is_all:
            before = len(self._hits)
            self._next_page()
            if len(self._hits) > before:
                return self._hits[before:]
        return []

    def _next_page(self) -> ResultPage:
        page = self._answer(self._request)
        self._hits += [hit for hit in page.hits if hit.fingerprint not in self._known]
        self._known.update(hit.fingerprint for hit in page.hits)
        self._is_all = len(page.hits) < self._request.k
        reached = self._request.offset + self._request.k
        self._request = replace(self._request, offset=reached, k=min(2 * self._request.k, MOST))
        return page

    def __iter__(self) -> Iterator[Hit]:
        place = 0
        while place < len(self._hits) or self.more():
            yield self._hits[place]
            place += 1

    def __len__(self) -> int:
        while self.more():
            pass
        return len(self._hits)

    def __bool__(self) -> bool:
        return bool(self._hits)

    @overload
    def __getitem__(self, place: int) -> Hit: ...

    @overload
    def __getitem__(self, place: slice) -> list[Hit]: ...

    def __getitem__(self, place: int | slice) -> Hit | list[Hit]:
        if isinstance(place, slice):
            is_plain = place.stop is not None and min(place.start or 0, place.stop, place.step or 1) >= 0
            wanted = place.stop if is_plain else -1
        else:
            wanted = place + 1
        if wanted <= 0:
            len(self)
        while len(self._hits) < wanted and self.more():
            pass
        return self._hits[place]

    def __repr__(self) -> str:
        return f"<Results {self.first.query!r}: {self.total:,} pages match>"

    def _repr_html_(self) -> str:
        return self.first._repr_html_()
