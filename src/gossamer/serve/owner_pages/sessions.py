"""Owner token and signed sessions.

A session is a cookie that says when it ends, signed with a key made from the token:

    EXPIRES.NAME.HMAC-SHA256(key, "EXPIRES.NAME")

So nothing is kept of those that hold, and a new token ends all of them. Names of sessions that were ended by
a log-out are remembered until they would have ended by themselves.
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
# It is made when the pages are first served, 256 random bits that only the user who serves can read.
# It is read anew each time it is needed: to replace or remove it ends all sessions.

FOLDER = "owner"
NAME = "token"
SHORTEST = 20  # characters of a token that somebody wrote by hand
LONGEST_TOKEN = 1000


class OwnerToken:
    """The token of a collection."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / FOLDER / NAME

    def ensure(self) -> None:
        """Makes a token where there is none; refuses one that is too short to be one."""
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
                f"{self.path} holds no token of {SHORTEST} characters or more; remove it, and one is made"
            )

    def is_it(self, typed: str) -> bool:
        """Whether this is the token; how long that takes tells nothing of it."""
        token = self._read()
        return token is not None and hmac.compare_digest(_digest(typed.strip()), _digest(token))

    def key(self, purpose: str) -> bytes | None:
        """A key for signing that only the owner's server can know; None while there is no token."""
        token = self._read()
        return None if token is None else hmac.digest(token.encode(), purpose.encode(), "sha256")

    def _read(self) -> str | None:
        try:
            with self.path.open(encoding="utf-8") as file:
                token = file.read(LONGEST_TOKEN).strip()
        except (OSError, UnicodeDecodeError):
            return None  # nobody is the owner until it can be read
        return token if len(token) >= SHORTEST else None


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


LASTS = 12 * 3600  # seconds
LONGEST_COOKIE = 200  # characters of a cookie that is looked at


@dataclass(frozen=True, slots=True)
class Session:
    """One log-in; `field` is what its forms must send along."""

    name: str
    expires: int
    field: str


class OwnerSessions:
    """All that hold. Threads may share them."""

    def __init__(self, token: OwnerToken, clock: Callable[[], float] = time.time) -> None:
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
        said, _, signature = cookie[:LONGEST_COOKIE].rpartition(".")
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
