"""Coordinate ascent: the best point by trying one parameter after the other.

From a start, each parameter in turn is moved a step up or down while the others stay, and further as long
as that gains enough. Then the steps are halved. A parameter that changes nothing in the first pass
is left alone. Starts at random points tell whether the first led to a poor summit.

The measures of retrieval are flat almost everywhere and jump elsewhere, so no gradient helps; one parameter
at a time is enough for the few that ranking has. Reference: Metzler, Croft, "Linear feature-based models
for information retrieval", Information Retrieval 10(3), 2007.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from gossamer.evaluate.tunable import Parameter, Point

SHARES = (1 / 4, 1 / 8, 1 / 16, 1 / 32)  # of a parameter's range: the steps of the passes
LEAST_GAIN = 0.0005  # in the objective; less is noise, and a setting that was there before is kept
IDLE = 1e-12  # a change of the objective that is none

Objective = Callable[[Point], float]


@dataclass(frozen=True, slots=True)
class Summit:
    """The best point so far."""

    point: Point
    value: float
    idle: frozenset[str]  # parameters that change nothing


def climb(start: Point, chosen: Sequence[Parameter], objective: Objective) -> Iterator[Summit]:
    """Ascends from a start; gives the best so far after each parameter of each pass."""
    here = Summit(dict(start), objective(start), frozenset())
    for share in SHARES:
        for parameter in chosen:
            if parameter.key not in here.idle:
                here, changes = _along(here, parameter, share, objective)
                if share == SHARES[0] and not changes:
                    here = replace(here, idle=here.idle | {parameter.key})
            yield here


def _along(here: Summit, parameter: Parameter, share: float, objective: Objective) -> tuple[Summit, bool]:
    """The best on the line of one parameter, as far as steps lead up, and whether it matters at all."""
    key, moved, changes = parameter.key, True, False
    while moved:
        tried = [{**here.point, key: other} for other in parameter.around(here.point[key], share)]
        values = [objective(point) for point in tried]
        changes = changes or any(abs(value - here.value) >= IDLE for value in values)
        best = max(values, default=here.value)
        moved = best >= here.value + LEAST_GAIN
        if moved:
            here = Summit(tried[values.index(best)], best, here.idle)
    return here, changes


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
        idle = best.idle & found.idle if best else found.idle
        better = found if best is None or found.value >= best.value + LEAST_GAIN else best
        best = replace(better, idle=idle)
    if best:
        yield best


def steps(chosen: Sequence[Parameter], restarts: int) -> int:
    """How many times `ascend` gives something."""
    return (restarts + 1) * len(SHARES) * len(chosen) + 1
