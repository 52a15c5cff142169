"""E-books.

https://www.w3.org/TR/epub-33/: `META-INF/container.xml` names the package document, whose spine is
the order of the chapters.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from gossamer.extract.documents.archive import Archive, Attributes, joined, listen, value
from gossamer.extract.documents.draft import Draft, Enough
from gossamer.extract.html.scan import scan_html
from gossamer.text.charset import as_utf8

MOST_CHAPTERS = 5_000
BROKEN = "broken-epub"
_CHAPTERS = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})
_SAID = frozenset({"title", "creator", "language", "date", "description"})


def read_epub(body: bytes) -> Draft:
    """Chapter after chapter; a book of which all chapters are locked is encrypted."""
    archive = Archive(body, "epub")
    container = _Container()
    listen(archive.pieces("META-INF/container.xml"), container, BROKEN)
    book = _Book()
    listen(archive.pieces(container.package), book, BROKEN)
    draft = book.described()
    chapters = list(book.chapters(posixpath.dirname(container.package)))
    locked = _locked(archive)
    archive.refuse_if(bool(chapters) and locked.issuperset(chapters), "encrypted")
    try:
        for path in chapters[:MOST_CHAPTERS]:
            if path in archive and path not in locked:
                _read_chapter(archive.read(path), draft)
    except Enough:
        pass
    return draft


def _read_chapter(chapter: bytes, draft: Draft) -> None:
    scan = scan_html(as_utf8(chapter), (), is_xml=True)
    for line in (*scan.text.split("\n"), *scan.surroundings.split("\n")):
        draft.line(line)
    for heading in scan.headings:
        draft.heading(heading)
    draft.emphasise(scan.emphasised.split("\n"))
    for address, anchor in zip(scan.addresses, scan.anchors, strict=True):
        if "://" in address:  # others lead to another chapter
            draft.link(address, anchor)


def _locked(archive: Archive) -> set[str]:
    """The entries that only some reading programs can open. Fonts are often hidden so, in open books too."""
    path = "META-INF/encryption.xml"
    listed = _Locked()
    if path in archive:
        listen(archive.pieces(path), listed, BROKEN)
    return listed.paths


class _Locked:
    def __init__(self) -> None:
        self.paths: set[str] = set()

    def opened(self, name: str, attributes: Attributes) -> None:
        if name == "CipherReference":
            self.paths.add(joined("", value(attributes, "URI")))

    def closed(self, name: str) -> None: ...

    def told(self, text: str) -> None: ...


class _Container:
    def __init__(self) -> None:
        self.package = ""

    def opened(self, name: str, attributes: Attributes) -> None:
        if name == "rootfile" and not self.package:
            self.package = joined("", value(attributes, "full-path"))

    def closed(self, name: str) -> None: ...

    def told(self, text: str) -> None: ...


class _Book:
    """The package document: what is said about the book, what is in it, and in which order."""

    def __init__(self) -> None:
        self._text = ""
        self._said: dict[str, list[str]] = {}
        self._items: dict[str, str] = {}  # identifier -> address
        self._spine: list[str] = []

    def opened(self, name: str, attributes: Attributes) -> None:
        self._text = ""
        if name == "item" and value(attributes, "media-type") in _CHAPTERS:
            self._items[value(attributes, "id")] = value(attributes, "href")
        elif name == "itemref":
            self._spine.append(value(attributes, "idref"))

    def told(self, text: str) -> None:
        self._text += text

    def closed(self, name: str) -> None:
        text, self._text = self._text.strip(), ""
        if text and name in _SAID:
            self._said.setdefault(name, []).append(text)

    def chapters(self, folder: str) -> Iterator[str]:
        """The paths of the chapters in reading order."""
        listed = self._spine or list(self._items)
        yield from (joined(folder, self._items[one]) for one in listed if one in self._items)

    def described(self) -> Draft:
        said = self._said
        return Draft(
            title=next(iter(said.get("title", [])), ""),
            author=", ".join(dict.fromkeys(said.get("creator", []))),
            description=next(iter(said.get("description", [])), ""),
            language=next(iter(said.get("language", [])), ""),
            dates=said.get("date", []),
        )
