"""Which files of a folder does a reader reach, who follows every link of every page?

An account of its own, with the HTML parser and the URLs of the standard library: nothing here is shared with
the crawler that it is held against.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from sites.folder import FolderWeb, media_type
from sites.web import Kind, Place

READ = {"text/html", "text/plain", "application/pdf"}  # what a search engine reads
NOT_FOLLOWED = {"nofollow", "ugc", "sponsored"}
POINTING = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
REFRESH = re.compile(r"[\d.\s]*[;,]\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.IGNORECASE)


class _Reader(HTMLParser):
    """Notes where a page points."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.base = ""
        self.links: list[str] = []
        self.refresh: list[str] = []
        self.nofollow = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in reversed(attrs)}  # the first of two counts
        if tag in POINTING and POINTING[tag] in values:
            if not NOT_FOLLOWED & set(values.get("rel", "").lower().split()):
                self.links.append(values[POINTING[tag]])
        elif tag == "base" and not self.base:
            self.base = values.get("href", "")
        elif tag == "meta":
            self._meta(values)

    def _meta(self, values: dict[str, str]) -> None:
        content = values.get("content", "")
        if values.get("name", "").lower() == "robots" and re.search("nofollow|none", content.lower()):
            self.nofollow = True
        if values.get("http-equiv", "").lower() == "refresh" and (found := REFRESH.match(content)):
            self.refresh.append(found[1])


def links(page: str, address: str) -> list[str]:
    """Where a page points, as absolute addresses."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    base = urljoin(address, reader.base.strip())
    found = []
    for link in reader.refresh + ([] if reader.nofollow else reader.links):
        try:
            found.append(urljoin(base, link.strip()))
        except ValueError:  # no address at all
            continue
    return found


def reached(web: FolderWeb) -> dict[Path, Place]:
    """The files that a search engine reads, each with an address that links from the seeds lead to."""
    found: dict[Path, Place] = {}
    seen = set(web.seeds())
    waiting = web.seeds()
    while waiting:
        place = waiting.pop()
        file = web.file(*place)
        if web.kind(place) is Kind.REDIRECT:
            targets = [f"http://{place.host}{place.path.partition('?')[0]}/"]
        elif file is None or media_type(file) not in READ or file in found:
            continue
        else:
            found[file] = place
            targets = _targets(file, place)
        new = set(filter(None, map(_place, targets))) - seen
        seen |= new
        waiting += new
    return found


def _targets(file: Path, place: Place) -> list[str]:
    if media_type(file) != "text/html":
        return []
    return links(file.read_text(encoding="utf-8", errors="replace"), f"http://{place.host}{place.path}")


def _place(address: str) -> Place | None:
    """The place of an http address; the port is the server's own in any case."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme != "http" or not host:
        return None
    path = parts.path or "/"
    return Place(host, f"{path}?{parts.query}" if parts.query else path)
