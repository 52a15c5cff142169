"""Which page do links mean when they say the words of a query?

Where several hosts say all of the words, and mostly of one page, the words are its name: "jacksonville
jaguars" may stand on no page of the team's site as often as links to it say so.
"""

from __future__ import annotations

import numpy as np

from gossamer.search.said import AllSaid

MOST_PAGES = 20_000  # of which links say one of the words; names are said of fewer
LEAST = 2.0  # by at least two hosts, as `search.said` counts
SHARE = 0.6  # of all that is said


def meant_by_links(said: AllSaid) -> int | None:
    """The fingerprint of the page of which links say all words; None where they mean several, or none."""
    best, most, total = None, 0.0, 0.0
    for part in said.parts:
        if len(part.pages) > MOST_PAGES:
            return None
        if len(part.pages):
            whole = part.frequencies.min(axis=1)  # all the words: the one that is said least
            place = int(np.argmax(whole))
            total += float(whole.sum())
            if whole[place] > most:
                best, most = int(part.pages[place]), float(whole[place])
    return best if most >= LEAST and most >= SHARE * total else None
