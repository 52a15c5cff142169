"""Coordinate ascent: the best point by trying one parameter after the other.

From a start, each parameter in turn is moved a step up or down while the others stay, and further as long
as that gains enough. Then the steps are halved. Starts at random points tell whether the first led to a
poor summit.

The measures of retrieval are flat almost everywhere and jump elsewhere, so no gradient helps; one parameter
at a time is enough for the few that ranking has. Reference: Metzler, Croft, "Linear feature-based models
for information retrieval", Information Retrieval 10(3), 2007.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gossamer.evaluate.tunable import Parameter, Point

SHARES = (1 / 4, 1 / 8, 1 / 16, 1 / 32)  # of a parameter's range: the steps of the passes
LEAST_GAIN = 0.0005  # in the objective; less is noise, and a setting that was there before is kept

Objective = Callable[[Point], float]


@dataclass(frozen=True, slots=True)
class Summit:
    """The best point so far."""

    point: Point
    value: float


def climb(start: Point, chosen: Sequence[Parameter], objective: Objective) -> Iterator[Summit]:
    """Ascends from a start; gives the best so far after each parameter of each pass."""
    here = Summit(dict(start), objective(start))
    for share in SHARES:
        for parameter in chosen:
            here = _along(here, parameter, share, objective)
            yield here


def _along(here: Summit, parameter: Parameter, share: float, objective: Objective) -> Summit:
    """The best on the line of one parameter, as far as steps lead up."""
    key, moved = parameter.key, True
    while moved:
        tried = [{**here.point, key: other} for other in parameter.around(here.point[key], share)]
        found = [Summit(point, objective(point)) for point in tried]
        best = max(found, key=lambda summit: summit.value, default=here)
        moved = best.value >= here.value + LEAST_GAIN
        here = best if moved else here
    return here


def ascend(
    start: Point, chosen: Sequence[Parameter], objective: Objective, restarts: int = 0, seed: int = 0
) -> Iterator[Summit]:
    """Climbs from the start and from random points; gives the best so far, `steps` times in all."""
    chance = random.Random(seed)
    best: Summit | None = None
    for number in range(restarts + 1):
        begin = {one.key: one.at(chance.random()) for one in chosen} if number else start
        found: Summit | None = None
        for found in climb(begin, chosen, objective):
            yield best or found
        assert found is not None, "there is something to tune"
        if best is None or found.value >= best.value + LEAST_GAIN:
            best = found
    if best:
        yield best


def steps(chosen: Sequence[Parameter], restarts: int) -> int:
    """How many times `ascend` gives something."""
    return (restarts + 1) * len(SHARES) * len(chosen) + 1
