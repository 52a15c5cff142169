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

from gossamer.engine.host_numbers import host_numbers
from gossamer.model import UNFETCHED
from gossamer.results.crowding import NOT_SPREAD, listing
from gossamer.results.folding import folded
from gossamer.search.anchors import AnchorIndex
from gossamer.search.candidates import Candidates, Numbers, Part
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
    parts = window.by_segment()
    copies = folded(_sketches(window, parts, searchers), settings.fold) if settings.fold else {}
    spread = NOT_SPREAD
    if settings.per_host and not of_one_site:
        hosts, scores = _hosts(window, parts, searchers, anchors), found.scores[: len(window)]
        spread = listing(hosts.tolist(), scores.tolist(), settings.per_host, until, copies)
        places: Sequence[int] = spread.order
    else:
        places = [place for place in range(len(window)) if place not in copies]
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
    candidates: Candidates,
    parts: Sequence[Part],
    searchers: Sequence[Searcher],
    anchors: Sequence[AnchorIndex],
) -> NDArray[np.int64]:
    """Numbers of the hosts of candidates: the same for the same name, in whichever segment it stands."""
    found, numbers = np.empty(len(candidates), np.int64), host_numbers()
    for partition, number, rows in parts:
        docs = candidates.docs[rows]
        if number == UNFETCHED:
            unfetched = anchors[partition].unfetched
            names = map(unfetched.host, unfetched.host_ids[docs].tolist())
            found[rows] = [numbers.number(name) for name in names]
        else:
            segment = searchers[partition].snapshot.views[number].segment
            own = segment.columns.host_ids[docs]
            found[rows] = own if len(parts) == 1 else numbers.of(segment, own)
    return found


def _sketches(
    candidates: Candidates, parts: Sequence[Part], searchers: Sequence[Searcher]
) -> NDArray[np.uint8]:
    """A row a candidate; zeros for pages that were not fetched."""
    if len(parts) == 1 and parts[0][1] != UNFETCHED:
        own = searchers[parts[0][0]].snapshot.views[parts[0][1]].segment.columns.sketches
        if own.shape[1] == SKETCH_BYTES:
            return own[candidates.docs]
    sketches = np.zeros((len(candidates), SKETCH_BYTES), np.uint8)
    for partition, segment, rows in parts:
        if segment != UNFETCHED:
            known = searchers[partition].snapshot.views[segment].segment.columns.sketches
            sketches[rows, : known.shape[1]] = known[candidates.docs[rows]]
    return sketches


def only(found: Ranked, listed: Arranged, places: Sequence[int]) -> Ranked:
    """What was found at these places, which alone are counted, and what is folded behind it."""
    kept = [*places, *(place for one in places for place in listed.behind.get(one, ()))]
    gone = np.setdiff1d(np.arange(len(found.candidates)), kept)
    return replace(without(found, gone), total=len(places))
