"""When may a host be asked for a robots.txt that another one sent us to?

Pauses between pages are the frontier's business. Redirects of robots.txt are followed at once, so they need a
clock of their own: many hosts may send us to the same one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

LONGEST_WAIT = 60.0  # seconds
MOST_KNOWN = 1_000  # hosts, before those that nobody waits for are forgotten


class _Turn:
    """Whose turn it is at one host."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.free_at = 0.0  # by the clock of the loop


class Turns:
    """One question at a time to a host, and `delay` seconds after each answer."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._turns: dict[str, _Turn] = {}

    @asynccontextmanager
    async def at(self, authority: str) -> AsyncIterator[None]:
        """Waits for a turn, and has it within the block; TimeoutError when it does not come soon."""
        if not self._delay:
            yield
            return
        now = asyncio.get_running_loop().time
        turn = self._turn(authority, now())
        async with asyncio.timeout(LONGEST_WAIT):
            await turn.lock.acquire()
            try:
                await asyncio.sleep(turn.free_at - now())
            except BaseException:
                turn.lock.release()
                raise
        try:
            yield
        finally:
            turn.free_at = now() + self._delay
            turn.lock.release()

    def _turn(self, authority: str, now: float) -> _Turn:
        if len(self._turns) >= MOST_KNOWN and authority not in self._turns:
            kept = {
                host: turn for host, turn in self._turns.items() if turn.lock.locked() or turn.free_at > now
            }
            self._turns = kept
        return self._turns.setdefault(authority, _Turn())
