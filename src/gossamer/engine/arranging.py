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

from gossamer.model import UNFETCHED, Candidate
from gossamer.results.crowding import Listing, listing
from gossamer.results.folding import folded
from gossamer.search.anchors import AnchorIndex
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
    shown = [place for place in range(len(window)) if place not in copies]
    spread = Listing(tuple(range(len(shown))), ())
    if settings.per_host and not of_one_site:
        hosts = _hosts([window[place] for place in shown], searchers, anchors)
        scores = [found.scores[place] for place in shown]
        spread = listing(hosts, scores, settings.per_host, until)
    behind = defaultdict(list)
    for place, original in copies.items():
        behind[original].append(place)
    rest = range(len(window), len(found.candidates))
    return Arranged((*(shown[place] for place in spread.order), *rest), spread.more, dict(behind))


def without(found: Ranked, gone: set[Candidate]) -> Ranked:
    """What was found, but for some candidates."""
    if not gone:
        return found
    left = [place for place, candidate in enumerate(found.candidates) if candidate not in gone]
    end = len(found.candidates) - found.last
    return replace(
        found,
        total=found.total - len(gone),
        candidates=tuple(found.candidates[place] for place in left),
        scores=tuple(found.scores[place] for place in left),
        refined=sum(place < found.refined for place in left),
        last=sum(place >= end for place in left),
    )


def _by_segment(candidates: Sequence[Candidate]) -> dict[tuple[int, int], list[int]]:
    """The places of candidates, by partition and segment."""
    places: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, candidate in enumerate(candidates):
        address = candidate.address
        places[address.partition, address.segment].append(place)
    return places


def _hosts(
    candidates: Sequence[Candidate], searchers: Sequence[Searcher], anchors: Sequence[AnchorIndex]
) -> list[str]:
    """The host of each candidate; each name is made once."""
    found = [""] * len(candidates)
    for (partition, number), own in _by_segment(candidates).items():
        docs = [candidates[place].address.doc for place in own]
        if number == UNFETCHED:
            name, ids = anchors[partition].unfetched.host, anchors[partition].unfetched.host_ids
        else:
            segment = searchers[partition].snapshot.views[number].segment
            name, ids = segment.host, segment.columns.host_ids
        numbers = ids[docs].tolist()
        names = {number: name(number) for number in set(numbers)}
        for place, host in zip(own, numbers, strict=True):
            found[place] = names[host]
    return found


def _sketches(candidates: Sequence[Candidate], searchers: Sequence[Searcher]) -> NDArray[np.uint8]:
    """A row a candidate; zeros for pages that were not fetched."""
    sketches = np.zeros((len(candidates), SKETCH_BYTES), np.uint8)
    for (partition, segment), own in _by_segment(candidates).items():
        if segment != UNFETCHED:
            known = searchers[partition].snapshot.views[segment].segment.columns.sketches
            docs = [candidates[place].address.doc for place in own]
            sketches[own, : known.shape[1]] = known[docs]
    return sketches
