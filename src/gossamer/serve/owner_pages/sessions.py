"""Owner token and signed sessions.

A session is a cookie with its time of expiry, signed with a key that is derived from the token:

    EXPIRES.NAME.HMAC-SHA256(key, "EXPIRES.NAME")

So valid sessions are not stored, and a new token ends all of them. The names of sessions that ended by logout
are remembered until they expire.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from gossamer.model import GossamerError
from gossamer.storage.files import disk_errors

# Owner token
# -----------
#
# The token is made when the pages are first served: 256 random bits in a file that only the user of
# the server can read. The file is read each time the token is needed, so replacing or removing it
# ends all sessions.

FOLDER = "owner"
NAME = "token"
SHORTEST = 20  # characters of a token that the owner wrote
LONGEST_TOKEN = 1000


class OwnerToken:
    """The token of a collection."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / FOLDER / NAME

    def ensure(self) -> None:
        """Make a token if there is none; raise GossamerError for one that is too short."""
        with disk_errors(self.path):
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            try:
                file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                pass
            else:
                with os.fdopen(file, "w") as out:
                    out.write(secrets.token_urlsafe(32) + "\n")
        if self._read() is None:
            raise GossamerError(
                f"{self.path} holds no token of {SHORTEST} characters or more; remove it to get a new one"
            )

    def is_it(self, typed: str) -> bool:
        """Return whether this is the token, in constant time."""
        token = self._read()
        return token is not None and hmac.compare_digest(_digest(typed.strip()), _digest(token))

    def key(self, purpose: str) -> bytes | None:
        """Return a signing key that is derived from the token; None if there is no token."""
        token = self._read()
        return None if token is None else hmac.digest(token.encode(), purpose.encode(), "sha256")

    def _read(self) -> str | None:
        try:
            with self.path.open(encoding="utf-8") as file:
                token = file.read(LONGEST_TOKEN).strip()
        except (OSError, UnicodeDecodeError):
            return None  # without a token nobody can log in
        return token if len(token) >= SHORTEST else None


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


LASTS = 12 * 3600  # seconds
LONGEST_COOKIE = 200  # characters of a cookie that are read


@dataclass(frozen=True, slots=True)
class Session:
    """One login. `field` is the value that its forms must send."""

    name: str
    expires: int
    field: str


class OwnerSessions:
    """All valid sessions. Threads may share them."""

    def __init__(self, token: OwnerToken, clock: Callable[[], float] = time.time) -> None:
        self._token = token
        self._clock = clock
        self._ended: dict[str, int] = {}  # name -> time of expiry
        self._lock = Lock()

    def begin(self) -> str | None:
        """Return the cookie of a new session; None if there is no token."""
        key = self._token.key("session")
        payload = f"{int(self._clock()) + LASTS}.{secrets.token_urlsafe(16)}"
        return None if key is None else f"{payload}.{_signed(key, payload)}"

    def known(self, cookie: str) -> Session | None:
        """Return the session of a cookie; None if it is invalid."""
        payload, _, signature = cookie[:LONGEST_COOKIE].rpartition(".")
        key = self._token.key("session")
        if key is None or not hmac.compare_digest(_signed(key, payload).encode(), signature.encode()):
            return None
        expires, _, name = payload.partition(".")  # signed by this server, so it has this form
        if int(expires) <= self._clock() or name in self._ended:
            return None
        return Session(name, int(expires), _signed(key, f"form {payload}"))

    def end(self, session: Session) -> None:
        """End a session: its cookie becomes invalid."""
        with self._lock:
            now = self._clock()
            self._ended = {name: until for name, until in self._ended.items() if until > now}
            self._ended[session.name] = session.expires


def _signed(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()
