"""Into which groups do results fall, and which phrases tell these apart?

The steps are told elsewhere: terms are weighed and results compared (`likeness`), joined (`clustering`), and
what the large groups have in common is found (`phrases`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernels_are_loaded
from gossamer.results.clustering import LINKAGES, ONE, Group, groups, merged
from gossamer.results.grouping_kernel import group_and_name
from gossamer.results.likeness import (
    IDF_ONE,
    LOGS,
    MOST_SHARE,
    TITLE,
    Numbers,
    Shared,
    are_among,
    likenesses,
    weighed,
)
from gossamer.results.likeness_kernel import ALONE
from gossamer.results.phrases import FOUND, Phrase, listed, phrases, roles_of

MOST = 8  # groups that are worth a look
LEAST_SHARE = 0.05  # of the results that a group must hold, and two of them anyhow

Grouped = tuple[list[Group], list[list[Phrase]]]


def grouped(words: Shared, rarity: NDArray[np.float64], asked: Numbers, linkage: str) -> Grouped:
    """The largest groups, and of each the phrases that tell it best from the others.

    `rarity` is that of the words' terms, `asked` names the terms of the query.
    """
    if not (kernels_are_loaded() and len(words.terms)):
        return _without_kernel(words, rarity, asked, linkage)
    group_of = np.empty(len(words), np.int64)
    found, scores = np.empty((2, MOST, FOUND), np.int64), np.empty((MOST, FOUND))
    count = group_and_name(
        words.terms,
        words.starts,
        words.names,
        words.results,
        rarity,
        asked,
        LOGS,
        (TITLE, IDF_ONE, ONE),
        (MOST_SHARE * len(words), LINKAGES[linkage], least_of(len(words))),
        linkage == "average",
        group_of,
        found,
        scores,
    )
    members: list[list[int]] = [[] for _ in range(count)]
    for result, group in enumerate(group_of.tolist()):
        if group != ALONE:
            members[group].append(result)
    best = listed(words, found[0, :count], found[1, :count], scores[:count])
    return list(map(tuple, members)), best


def least_of(results: int) -> float:
    """How many of the results a group must hold."""
    return max(2.0, LEAST_SHARE * results)


def _without_kernel(words: Shared, rarity: NDArray[np.float64], asked: Numbers, linkage: str) -> Grouped:
    among = are_among(words.names, asked)
    weights = weighed(words, np.where(among, 0, rarity))
    joined = groups(merged(likenesses(words, weights), linkage, LINKAGES[linkage]))
    large = [group for group in joined if len(group) >= least_of(len(words))][:MOST]
    return large, phrases(words, roles_of(weights, among & (rarity > 0)), large)
