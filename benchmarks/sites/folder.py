"""A web of files: `DIR/sites/HOST/...`, as an ordinary web server would serve them.

Nobody can say without reading the HTML what is to be fetched (see `reading`).
"""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from sites.web import MISSING, Kind, Place, Reply, reply


@dataclass(slots=True)
class FolderWeb:
    """The smallest hosts of a folder: as many as have `pages` pages together, at least one; with 0, all."""

    folder: Path
    pages: int
    pattern: str = "*-docs.test"
    hosts: list[str] = field(init=False)

    def __post_init__(self) -> None:
        sizes = {host: sum(1 for _ in host.rglob("*.html")) for host in (self.folder / "sites").iterdir()}
        left = self.pages or sum(sizes.values())
        self.hosts = []
        for host, size in sorted(sizes.items(), key=lambda item: item[1]):
            if self.hosts and size > left:
                break
            left -= size
            self.hosts.append(host.name)

    def open(self, port: int) -> None:
        mimetypes.init()

    def seeds(self) -> list[Place]:
        return [Place(host, "/") for host in self.hosts]

    def file(self, host: str, path: str) -> Path | None:
        """The file that is served under an address; None when there is none."""
        asked = unquote(path.partition("?")[0])
        file = self.folder / "sites" / host / asked.lstrip("/")
        if host not in self.hosts or ".." in file.parts:
            return None
        if file.is_dir() and asked.endswith("/"):
            file /= "index.html"
        return file if file.is_file() else None

    def is_folder(self, host: str, path: str) -> bool:
        """Whether a folder is asked for without its slash."""
        asked = unquote(path.partition("?")[0])
        file = self.folder / "sites" / host / asked.lstrip("/")
        return host in self.hosts and ".." not in file.parts and not asked.endswith("/") and file.is_dir()

    def reply(self, host: str, path: str) -> Reply:
        if self.is_folder(host, path):
            return reply(301, b"", location=f"{path.partition('?')[0]}/")
        file = self.file(host, path)
        if file is None:
            return MISSING
        kind = media_type(file)
        return reply(200, file.read_bytes(), f"{kind}; charset=utf-8" if kind.startswith("text/") else kind)

    def kind(self, place: Place) -> Kind:
        if self.is_folder(*place):
            return Kind.REDIRECT
        file = self.file(*place)
        return Kind.PAGE if file is not None and media_type(file) == "text/html" else Kind.MISSING


def media_type(file: Path) -> str:
    """What the server says that a file is: by its name."""
    return mimetypes.guess_type(file.name)[0] or "application/octet-stream"
