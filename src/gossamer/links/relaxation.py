"""How far is a sweep to be taken beyond where it would come to rest?"""

from __future__ import annotations

from collections.abc import Sequence

FIRST, LARGEST, STEP = 1.1, 1.5, 0.05
PROBE = 4  # sweeps whose speed is measured together


class Relaxation:
    """How much further than they moved ranks are taken, and what that did to the speed.

    A tenth further paid on five of the six graphs of links that were tried. Later, every few sweeps, a little
    more is tried as long as that converges faster, and then a little less: some graphs with short circles of
    links would diverge. Exactly 1 always converges.
    """

    def __init__(self) -> None:
        self.value = FIRST
        self._change = STEP
        self._speed = 0.0

    def learn(self, residuals: Sequence[float]) -> None:
        """Looks at the residuals of all sweeps so far."""
        if len(residuals) % PROBE or len(residuals) < 2 * PROBE or not residuals[-1]:
            return
        speed = (residuals[-1] / residuals[-1 - PROBE]) ** (1 / PROBE)
        if speed >= 1.0:
            self.value, self._change = (1.0 + self.value) / 2.0, -STEP
        else:
            if self._speed and speed > self._speed:
                self._change = -self._change
            self.value = min(max(self.value + self._change, 1.0), LARGEST)
        self._speed = speed
