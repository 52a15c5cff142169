"""Who has logged in, and for how long?

A session is a cookie that says when it ends, signed with a key made from the token:

    EXPIRES.NAME.HMAC-SHA256(key, "EXPIRES.NAME")

So nothing is kept of those that hold, and a new token ends all of them. Names of sessions that were ended by
a log-out are remembered until they would have ended by themselves.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from gossamer.serve.owner.token import Token

LASTS = 12 * 3600  # seconds
LONGEST = 200  # characters of a cookie that is looked at


@dataclass(frozen=True, slots=True)
class Session:
    """One log-in; `field` is what its forms must send along."""

    name: str
    expires: int
    field: str


class Sessions:
    """All that hold. Threads may share them."""

    def __init__(self, token: Token, clock: Callable[[], float] = time.time) -> None:
        self._token = token
        self._clock = clock
        self._ended: dict[str, int] = {}  # name -> when it would have ended
        self._lock = Lock()

    def begin(self) -> str | None:
        """The cookie of a new session; None while there is no token."""
        key = self._token.key("session")
        said = f"{int(self._clock()) + LASTS}.{secrets.token_urlsafe(16)}"
        return None if key is None else f"{said}.{_signed(key, said)}"

    def known(self, cookie: str) -> Session | None:
        """The session of a cookie, if it holds."""
        said, _, signature = cookie[:LONGEST].rpartition(".")
        key = self._token.key("session")
        if key is None or not hmac.compare_digest(_signed(key, said).encode(), signature.encode()):
            return None
        expires, _, name = said.partition(".")  # written by us: nobody else can sign
        if int(expires) <= self._clock() or name in self._ended:
            return None
        return Session(name, int(expires), _signed(key, f"form {said}"))

    def end(self, session: Session) -> None:
        """Nobody gets in with this cookie any more."""
        with self._lock:
            now = self._clock()
            self._ended = {name: until for name, until in self._ended.items() if until > now}
            self._ended[session.name] = session.expires


def _signed(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()
