"""In which order are ranked documents listed, and which stand behind others?

What is known together whatever is asked for (`Ranked.window`) may change places: first what says nearly the
same is folded behind the best that says it, then hosts make room for each other. The rest follows as it is.
So every page of results is cut from the same list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gossamer.model import UNFETCHED
from gossamer.results.crowding import NOT_SPREAD, listing
from gossamer.results.folding import folded
from gossamer.search.anchors import AnchorIndex
from gossamer.search.candidates import Candidates, Numbers
from gossamer.search.phases import Ranked
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.shingles import SKETCH_BYTES


@dataclass(frozen=True, slots=True)
class Arranged:
    """Places of candidates in the order in which they are listed."""

    places: Sequence[int]
    more: Sequence[int] = ()  # of each of the first: how many of its host were put off
    behind: dict[int, list[int]] = field(default_factory=dict)  # the places that are folded behind another

    @property
    def folded(self) -> int:
        return sum(map(len, self.behind.values()))


def as_ranked(found: Ranked) -> Arranged:
    return Arranged(range(len(found.candidates)))


def arranged(
    found: Ranked,
    searchers: Sequence[Searcher],
    anchors: Sequence[AnchorIndex],
    settings: SearchSettings,
    of_one_site: bool,
    until: int,
) -> Arranged:
    """The list as far as `until` at least; where one site is asked for, its host may fill it."""
    window = found.candidates[: found.window]
    copies = folded(_sketches(window, searchers), settings.fold) if settings.fold else {}
    shown = np.delete(np.arange(len(window)), list(copies)) if copies else np.arange(len(window))
    places: Sequence[int] = shown.tolist()
    spread = NOT_SPREAD
    if settings.per_host and not of_one_site:
        hosts, scores = _hosts(window, searchers, anchors)[shown], found.scores[shown]
        spread = listing(hosts.tolist(), scores.tolist(), settings.per_host, until)
        places = [places[place] for place in spread.order]
    behind = defaultdict(list)
    for place, original in copies.items():
        behind[original].append(place)
    rest = range(len(window), len(found.candidates))
    return Arranged((*places, *rest), spread.more, dict(behind))


def without(found: Ranked, gone: Numbers) -> Ranked:
    """What was found, but for the candidates at some places."""
    if not len(gone):
        return found
    left = np.delete(np.arange(len(found.candidates)), gone)
    end = len(found.candidates) - found.last
    return replace(
        found,
        total=found.total - len(gone),
        candidates=found.candidates.taken(left),
        scores=found.scores[left],
        refined=int(np.count_nonzero(left < found.refined)),
        last=int(np.count_nonzero(left >= end)),
        read=int(np.count_nonzero(left < found.read)),
    )


def _hosts(
    candidates: Candidates, searchers: Sequence[Searcher], anchors: Sequence[AnchorIndex]
) -> NDArray[np.int64]:
    """Numbers of the hosts of candidates: the same for the same name, in whichever segment it stands."""
    found = np.empty(len(candidates), np.int64)
    parts = candidates.by_segment()
    numbers: dict[str, int] = {}
    for partition, number, rows in parts:
        if number == UNFETCHED:
            name, ids = anchors[partition].unfetched.host, anchors[partition].unfetched.host_ids
        else:
            segment = searchers[partition].snapshot.views[number].segment
            name, ids = segment.host, segment.columns.host_ids
        own = ids[candidates.docs[rows]]
        found[rows] = own
        if len(parts) > 1:
            known, places = np.unique(own, return_inverse=True)
            names = [name(host) for host in known.tolist()]
            found[rows] = np.array([numbers.setdefault(host, len(numbers)) for host in names])[places]
    return found


def _sketches(candidates: Candidates, searchers: Sequence[Searcher]) -> NDArray[np.uint8]:
    """A row a candidate; zeros for pages that were not fetched."""
    sketches = np.zeros((len(candidates), SKETCH_BYTES), np.uint8)
    for partition, segment, rows in candidates.by_segment():
        if segment != UNFETCHED:
            known = searchers[partition].snapshot.views[segment].segment.columns.sketches
            sketches[rows, : known.shape[1]] = known[candidates.docs[rows]]
    return sketches


def only(found: Ranked, listed: Arranged, places: Sequence[int]) -> Ranked:
    """What was found at these places, and what is folded behind it."""
    kept = [*places, *(place for one in places for place in listed.behind.get(one, ()))]
    gone = np.setdiff1d(np.arange(len(found.candidates)), kept)
    return replace(without(found, gone), total=len(kept))
