"""Which URLs shall a crawl begin with that somebody named while it ran, or before it?

A file in the inbox has a URL a line. It is removed when its URLs are committed to the catalogue, so a crawl
that dies before takes them up again: a URL that is known already changes nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gossamer.disk import disk_errors, write_atomically
from gossamer.engine.owner_folder import owner_folder
from gossamer.model import BadUrl, Url
from gossamer.web.url import repair

NAME = "seeds"
MOST_AT_ONCE = 1_000  # URLs that are taken up before other work goes on


@dataclass(frozen=True, slots=True)
class TakenSeeds:
    """Some of what is in the inbox, and the files of which nothing is left when it is committed."""

    urls: tuple[Url, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()  # what was written, and what is wrong with it
    files: tuple[Path, ...] = ()


class SeedInbox:
    """The inbox below the owner's folder. Any process may put seeds into it; the crawl takes them out."""

    def __init__(self, owner: Path) -> None:
        self._owner = owner
        self._folder = owner / NAME
        self._rest: dict[Path, list[str]] = {}  # of a file that is taken piece by piece
        self._settled: set[Path] = set()  # files that could not be read, or not be removed

    def put(self, urls: Sequence[Url]) -> None:
        """Leaves URLs for the crawl."""
        owner_folder(self._owner)
        with disk_errors(self._folder):
            self._folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{time.time_ns()}-{os.getpid()}.txt"
        write_atomically(self._folder / name, "".join(f"{url.text}\n" for url in urls).encode())

    def take(self) -> TakenSeeds:
        """The next of what is there; to be `settled` when it is committed."""
        lines: list[str] = []
        errors: list[tuple[str, str]] = []
        files = []
        for path in self._waiting():
            try:
                rest = self._rest.pop(path, None) or _lines(path)
            except OSError as error:
                errors.append((str(path), f"it cannot be read ({error.strerror})"))
                self._settled.add(path)
                continue
            room = MOST_AT_ONCE - len(lines)
            lines += rest[:room]
            if rest[room:]:
                self._rest[path] = rest[room:]
                break
            files.append(path)
        urls = []
        for line in lines:
            try:
                urls.append(repair(line)[0])
            except BadUrl as error:
                errors.append((line, str(error)))
        return TakenSeeds(tuple(urls), tuple(errors), tuple(files))

    def settle(self, taken: TakenSeeds) -> None:
        """What was taken is committed: its files may go."""
        for path in taken.files:
            try:
                path.unlink(missing_ok=True)
            except OSError:  # else it would come again every second
                self._settled.add(path)

    def _waiting(self) -> list[Path]:
        try:
            files = sorted(path for path in self._folder.iterdir() if path.suffix == ".txt")
        except OSError:  # there is none
            return []
        return [path for path in files if path not in self._settled]


def _lines(path: Path) -> list[str]:
    """What stands in a file, but for remarks; what is no UTF-8 is no URL either."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8-sig", errors="replace").splitlines())
    return [line for line in lines if line and not line.startswith("#")]
