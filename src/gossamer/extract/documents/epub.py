"""E-books.

https://www.w3.org/TR/epub-33/: `META-INF/container.xml` names the package document. Its spine gives the order
of the chapters.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from contextlib import suppress

from gossamer.extract.documents.archive import (
    Archive,
    Attributes,
    DublinCore,
    elements,
    joined,
    listen,
    value,
)
from gossamer.extract.documents.draft import Draft, SizeLimitReached
from gossamer.extract.html.scan import scan_html
from gossamer.text.charset import as_utf8

MOST_CHAPTERS = 5_000
BROKEN = "broken-epub"
_CHAPTERS = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})


def read_epub(body: bytes) -> Draft:
    """Read all chapters in order. A book whose chapters are all encrypted is unreadable."""
    archive = Archive(body, "epub")
    files = elements(archive.pieces("META-INF/container.xml"), "rootfile", BROKEN)
    package = next(filter(None, (joined("", value(file, "full-path")) for file in files)), "")
    book = _Book()
    listen(archive.pieces(package), book, BROKEN)
    draft = book.described()
    chapters = list(book.chapters(posixpath.dirname(package)))
    locked = _encrypted(archive)
    archive.refuse_if(bool(chapters) and locked.issuperset(chapters), "encrypted")
    with suppress(SizeLimitReached):
        for path in chapters[:MOST_CHAPTERS]:
            if path in archive and path not in locked:
                scan = scan_html(as_utf8(archive.read(path)), (), is_xml=True)
                draft.add_text(scan)
                draft.add_marks(scan, lambda address: "://" in address)  # others lead to other chapters
    return draft


def _encrypted(archive: Archive) -> set[str]:
    """Return the paths of encrypted entries. Fonts are often encrypted, even in books without DRM."""
    path = "META-INF/encryption.xml"
    listed = elements(archive.pieces(path), "CipherReference", BROKEN) if path in archive else []
    return {joined("", value(entry, "URI")) for entry in listed}


class _Book(DublinCore):
    """Handler of the package document: metadata, chapters and their order."""

    def __init__(self) -> None:
        super().__init__()
        self._items: dict[str, str] = {}  # identifier -> address
        self._spine: list[str] = []

    def opened(self, name: str, attributes: Attributes) -> None:
        super().opened(name, attributes)
        if name == "item" and value(attributes, "media-type") in _CHAPTERS:
            self._items[value(attributes, "id")] = value(attributes, "href")
        elif name == "itemref":
            self._spine.append(value(attributes, "idref"))

    def chapters(self, folder: str) -> Iterator[str]:
        """Yield the paths of the chapters in reading order."""
        listed = self._spine or list(self._items)
        yield from (joined(folder, self._items[one]) for one in listed if one in self._items)

    def described(self) -> Draft:
        return Draft(
            title=self.first("title"),
            author=", ".join(dict.fromkeys(self.every("creator"))),
            description=self.first("description"),
            language=self.first("language"),
            dates=self.every("date"),
        )
