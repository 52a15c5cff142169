"""Did somebody, or their machine, take the trouble? A proof of work before a stranger's words are kept.

A challenge is a text of ours with the time until which it holds, signed. It is solved by a number for each of
eight places i, such that

    SHA-256("challenge:i:number") begins with 15 zero bits,

which takes 2^15 tries a place on average, 262,144 together: a second or so of a phone, less of a computer.
Eight small searches take far less uneven times than one that is eight times as long. To check a solution
takes eight hashes, and each counts once. C. Dwork, M. Naor, "Pricing via processing or combatting junk mail",
CRYPTO '92; the form is that of A. Back, "Hashcash", 2002.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable
from threading import Lock

PLACES = 8
BITS = 15
LASTS = 3600  # seconds
MOST_SPENT = 100_000  # solutions that are remembered: as many as an hour's work of a hundred machines
_NUMBER = re.compile(r"\d{1,12}", re.ASCII)


class Puzzles:
    """Makes challenges and takes solutions. The key lives as long as the server. Threads may share it."""

    def __init__(self, bits: int = BITS, clock: Callable[[], float] = time.time) -> None:
        self.bits = bits
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._spent: dict[str, int] = {}  # challenge -> until when it would hold
        self._lock = Lock()

    def challenge(self, purpose: str) -> str:
        """A text to be worked on, for one form."""
        said = f"{int(self._clock()) + LASTS}.{secrets.token_urlsafe(16)}"
        return f"{said}.{self._signed(purpose, said)}"

    def solved(self, purpose: str, challenge: str, solution: str) -> bool:
        """Whether the work was done, in time, for this form; to say so spends the challenge."""
        said, _, signature = challenge[:200].rpartition(".")
        genuine = hmac.compare_digest(self._signed(purpose, said).encode(), signature.encode())
        numbers = solution.split(",", PLACES)
        if not genuine or len(numbers) != PLACES or not all(map(_NUMBER.fullmatch, numbers)):
            return False
        expires = int(said.partition(".")[0])  # written by us: nobody else can sign
        if expires <= self._clock() or not self._worked(challenge, numbers):
            return False
        return self._spend(said, expires)

    def _worked(self, challenge: str, numbers: list[str]) -> bool:
        return all(
            zero_bits(f"{challenge}:{place}:{number}") >= self.bits for place, number in enumerate(numbers)
        )

    def _spend(self, said: str, expires: int) -> bool:
        """Once; when too many are remembered, nothing is taken until the oldest run out."""
        with self._lock:
            if len(self._spent) >= MOST_SPENT:
                now = self._clock()
                self._spent = {one: until for one, until in self._spent.items() if until > now}
            if said in self._spent or len(self._spent) >= MOST_SPENT:
                return False
            self._spent[said] = expires
            return True

    def _signed(self, purpose: str, said: str) -> str:
        return hmac.new(
            self._key, f"{purpose} {said}".encode("utf-8", "surrogatepass"), "sha256"
        ).hexdigest()[:32]


def zero_bits(text: str) -> int:
    """With how many zero bits the hash of a text begins.

    >>> hashlib.sha256(b"hello 826").hexdigest()[:8], zero_bits("hello 826")
    ('001d16e0', 11)
    """
    return 256 - int(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), 16).bit_length()


def in_a_terminal(challenge: str, bits: int) -> str:
    """The command that does the work where no script may run; challenges hold no quotation marks."""
    return (
        'python3 -c "import hashlib as h,itertools as t;print(*(next(n for n in t.count() if '
        f"int(h.sha256(f'{challenge}:{{i}}:{{n}}'.encode()).hexdigest(),16)>>{256 - bits}==0) "
        f"for i in range({PLACES})),sep=',')\""
    )
