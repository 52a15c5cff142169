"""Anchor texts that name one page, for completion.

Texts such as "next" and "home" lead to many pages and name none. A text names a page if most links with the
text lead to that page. A majority vote finds this page without a count for each page (R. S. Boyer,
J S. Moore, "MJRTY: a fast majority vote algorithm", 1981). For each text it keeps one page and its lead:

    another link to that page    lead + 1
    a link to another page       lead - 1; if the lead was 0, the other page replaces it, with a lead of 1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.anchor_text.select import AnchorColumns

SHORTEST, LONGEST = 3, 80  # characters of a text that can name a page
MOST_KEPT = 200_000  # texts while they are counted: beyond it the rarest half is forgotten
MOST = 100_000  # texts in the result
LEAD = 0.5  # the least lead of the winning page, as a share of all links with the text


@dataclass(frozen=True, slots=True)
class NameVotes:
    """Texts that name pages: how often each is used (once per host and page), and the page that it names."""

    texts: list[str]
    counts: NDArray[np.uint32]
    targets: NDArray[np.uint64]

    def as_arrays(self) -> dict[str, NDArray[np.generic]]:
        """The arrays that a generation of the graph stores."""
        lines = np.frombuffer("\n".join(self.texts).encode("utf-8", "replace"), np.uint8)
        return {"naming-texts": lines, "naming-counts": self.counts, "naming-targets": self.targets}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> NameVotes:
        lines = arrays["naming-texts"].tobytes().decode()
        texts = lines.split("\n") if lines else []
        return cls(
            texts, arrays["naming-counts"].astype(np.uint32), arrays["naming-targets"].astype(np.uint64)
        )


NAMES = tuple(NameVotes([], np.empty(0, np.uint32), np.empty(0, np.uint64)).as_arrays())


class PageNameCounter:
    """Count anchor texts in bounded memory."""

    def __init__(self) -> None:
        self._votes: dict[str, tuple[int, int, int]] = {}  # page, lead, count

    def note(self, anchors: AnchorColumns) -> None:
        votes = self._votes
        for text, target in zip(anchors.texts, anchors.targets.tolist(), strict=True):
            if SHORTEST <= len(text) <= LONGEST:
                page, lead, count = votes.get(text, (target, 0, 0))
                if page == target:
                    votes[text] = (page, lead + 1, count + 1)
                else:
                    votes[text] = (page, lead - 1, count + 1) if lead else (target, 1, count + 1)
        if len(votes) > MOST_KEPT:
            self._forget()

    def _forget(self) -> None:
        best = sorted(self._votes.items(), key=lambda one: (-one[1][2], len(one[0]), one[0]))
        self._votes = dict(best[: MOST_KEPT // 2])

    def naming(self) -> NameVotes:
        """The texts that name a page, the most used first."""
        named = [
            (-count, text, page) for text, (page, lead, count) in self._votes.items() if lead >= LEAD * count
        ]
        best = sorted(named)[:MOST]
        return NameVotes(
            [text for _, text, _ in best],
            np.array([-count for count, _, _ in best], np.uint32),
            np.array([page for _, _, page in best], np.uint64),
        )
