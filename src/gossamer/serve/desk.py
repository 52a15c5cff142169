"""May this visitor send something, and did they take the trouble? What the two public forms share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

from starlette.requests import Request
from starlette.responses import Response

from gossamer.serve.puzzles import PLACES, Puzzles, in_a_terminal
from gossamer.serve.rates import Rates, visitor_of

RATE = 1 / 60  # forms a second that one address may send in the long run
BURST = 5
LONGEST_URL = 2000  # characters
# A challenge counts once, so its page is of use to nobody else; and the form may say where it comes from.
FRESH = {"Cache-Control": "no-store", "Referrer-Policy": "same-origin"}


@dataclass(frozen=True, slots=True)
class Task:
    """The work that a form asks for."""

    challenge: str
    bits: int
    places: int
    command: str  # that does it in a terminal


class Desk:
    """Hands out work and takes forms in. Threads may share it."""

    def __init__(self, puzzles: Puzzles) -> None:
        self._puzzles = puzzles
        self._rates = Rates(RATE, BURST)
        self._lock = Lock()

    def task(self, purpose: str) -> Task:
        challenge = self._puzzles.challenge(purpose)
        return Task(challenge, self._puzzles.bits, PLACES, in_a_terminal(challenge, self._puzzles.bits))

    def refusal(self, request: Request, form: Mapping[str, str], purpose: str) -> str:
        """The phrase that says why nothing is taken; "" when it is, which spends the visitor's work."""
        if not form.get("solution"):
            return "work_missing"
        with self._lock:
            if self._rates.wait(visitor_of(request.client.host if request.client else "")):
                return "sent_too_often"
        solved = self._puzzles.solved(purpose, form.get("challenge", ""), form["solution"].strip())
        return "" if solved else "work_wrong"


def fresh(answer: Response) -> Response:
    """The answer with the headers of a public form."""
    answer.headers.update(FRESH)
    return answer
