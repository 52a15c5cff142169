"""Who is the owner? Whoever can read the token, which stands in a file of the collection.

It is made when the pages are first served, 256 random bits that only the user who serves can read. It is read
anew each time it is needed: to replace or remove it ends all sessions.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from gossamer.disk import disk_errors
from gossamer.model import GossamerError

FOLDER = "owner"
NAME = "token"
SHORTEST = 20  # characters of a token that somebody wrote by hand
LONGEST = 1000


class Token:
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
                token = file.read(LONGEST).strip()
        except (OSError, UnicodeDecodeError):
            return None  # nobody is the owner until it can be read
        return token if len(token) >= SHORTEST else None


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
