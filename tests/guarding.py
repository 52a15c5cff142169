"""A guard against hanging: whoever takes longer than any working code is interrupted, and fails."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

GUARD = 60  # seconds: what should take milliseconds, and would take hours where steps are not bounded


@contextmanager
def no_hanging() -> Iterator[None]:
    """Interrupts a block that does not end. Regular expressions look for signals while they search."""

    def interrupt(*_: object) -> None:
        raise TimeoutError("it does not end")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(GUARD)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
