"""A web of files: `DIR/sites/HOST/...`, as an ordinary web server would serve them.

Nobody can say without reading the HTML what is to be fetched; crawlers are compared with one another only.
"""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from sites.web import MISSING, Kind, Place, Reply, reply


@dataclass(slots=True)
class FolderWeb:
    """The smallest hosts of a folder, as many as have `pages` pages together, and at least one."""

    folder: Path
    pages: int
    pattern: str = "*-docs.test"
    hosts: list[str] = field(init=False)

    def __post_init__(self) -> None:
        sizes = {host: sum(1 for _ in host.rglob("*.html")) for host in (self.folder / "sites").iterdir()}
        left = self.pages
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

    def reply(self, host: str, path: str) -> Reply:
        asked = unquote(path.partition("?")[0])
        file = self.folder / "sites" / host / asked.lstrip("/")
        if host not in self.hosts or ".." in file.parts:
            return MISSING
        if file.is_dir():
            if not asked.endswith("/"):
                return reply(301, b"", location=f"{path.partition('?')[0]}/")
            file /= "index.html"
        if not file.is_file():
            return MISSING
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        return reply(200, file.read_bytes(), f"{kind}; charset=utf-8" if kind.startswith("text/") else kind)

    def kind(self, place: Place) -> Kind:
        found = self.reply(*place)
        if found.status == 301:
            return Kind.REDIRECT
        return Kind.PAGE if b"Content-Type: text/html" in found.content[:200] else Kind.MISSING
