"""Safe ZIP and XML reading for office documents.

Word processors, spreadsheets and e-books are ZIP files of XML. What strangers pack may be encrypted, torn, or
a bomb: a few kilobytes that unpack to gigabytes, or entries that share their bytes so that the same ones are
unpacked a thousand times. So there is one budget for all that is unpacked of a file, counted as it comes out,
whatever the directory says; and only the two methods that documents use, "stored" and "deflated", are known.
"""

from __future__ import annotations

import io
import lzma
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from urllib.parse import unquote
from xml.parsers import expat

from gossamer.extract.documents.draft import Unreadable

MOST_ENTRIES = 20_000
MOST_UNPACKED = 100 << 20  # bytes of all entries that are read
RATIO = 200  # times its own size that a file may unpack to; deflate itself ends at 1,032
SMALL = 20 << 20  # bytes to which any file may unpack
PIECE = 1 << 16
OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

# Office programs put an encrypted document into a container of the old kind, under this name.
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_IS_ENCRYPTED = 0x1  # of an entry's flags
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
    OverflowError,
)


class Archive:
    """A ZIP file whose entries are read one by one; `name` is what problems call it, such as `docx`."""

    def __init__(self, body: bytes, name: str) -> None:
        self._name = name
        self._left = min(MOST_UNPACKED, max(SMALL, RATIO * len(body)))
        if body.startswith(OLE_MARK) and _ENCRYPTED_PACKAGE in body:
            raise Unreadable(f"encrypted-{name}")
        try:
            self._file = zipfile.ZipFile(io.BytesIO(body))
        except _BROKEN as error:
            raise Unreadable(f"broken-{name}") from error
        entries = self._file.infolist()
        if len(entries) > MOST_ENTRIES:
            raise Unreadable(f"too-large {name}: more than {MOST_ENTRIES:,} entries")
        # Some programs write other cases than they refer to, or backslashes.
        self._entries = {_key(entry.filename): entry for entry in reversed(entries)}

    def __contains__(self, path: str) -> bool:
        return _key(path) in self._entries

    def names(self) -> list[str]:
        """The paths of all entries, in the order of the file."""
        return [entry.filename for entry in self._file.infolist()]

    def pieces(self, path: str) -> Iterator[bytes]:
        """An entry, some bytes at a time."""
        entry = self._entries.get(_key(path))
        if entry is None:
            raise Unreadable(f"broken-{self._name}")
        if entry.flag_bits & _IS_ENCRYPTED:
            raise Unreadable(f"encrypted-{self._name}")
        if entry.compress_type not in _METHODS:
            raise Unreadable(f"broken-{self._name}")
        try:
            with self._file.open(entry) as stream:
                while piece := stream.read(PIECE):
                    self._pay(len(piece))
                    yield piece
        except _BROKEN as error:
            raise Unreadable(f"broken-{self._name}") from error

    def read(self, path: str) -> bytes:
        """A whole entry."""
        return b"".join(self.pieces(path))

    def refuse_if(self, wrong: bool, reason: str) -> None:
        """Gives the file up under a reason such as `encrypted`."""
        if wrong:
            raise Unreadable(f"{reason}-{self._name}")

    def _pay(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise Unreadable(f"too-large {self._name}: it unpacks to too much")


def joined(folder: str, target: str) -> str:
    """The path of an entry that another refers to from its folder; what begins with / is meant from the root.

    >>> joined("ppt/slides", "../media/a%20b.png"), joined("ppt", "/xl/book.xml")
    ('ppt/media/a b.png', 'xl/book.xml')
    """
    path = unquote(target.partition("#")[0])
    return posixpath.normpath(path if path.startswith("/") else posixpath.join(folder, path)).lstrip("/")


def _key(path: str) -> str:
    return path.replace("\\", "/").lstrip("/").lower()


# Streaming XML reading without entities
# --------------------------------------
#
# Expat reads it as a stream. An entity that a document declares itself is refused, which ends all
# bombs made of them, and what lies outside of the document is never opened. Depth costs nothing but a
# counter. Why not a tree: that of a spreadsheet takes eighteen times its size. Why not
# `gossamer.web.xml`: these files are written by few programs and protected by checksums, so what is
# no XML is damaged.

DEEPEST = 1_000  # elements in each other
Attributes = dict[str, str]  # names as `NAMESPACE NAME`, or NAME alone
_DUBLIN_CORE = frozenset(
    {"title", "creator", "description", "subject", "language", "created", "modified"}
    | {"initial-creator", "creation-date", "date"}
)


class Handler:
    """Hears what XML says, and does nothing with it; names of elements are without their namespaces."""

    def opened(self, name: str, attributes: Attributes) -> None: ...

    def closed(self, name: str) -> None: ...

    def told(self, text: str) -> None: ...


class _Collector(Handler):
    """Keeps the attributes of all elements of one name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.found: list[Attributes] = []

    def opened(self, name: str, attributes: Attributes) -> None:
        if name == self._name:
            self.found.append(attributes)


class DublinCore(Handler):
    """Takes down what Dublin Core elements say, as e-books and office documents use them."""

    def __init__(self) -> None:
        self._text = ""
        self._said: dict[str, list[str]] = {}

    def opened(self, name: str, attributes: Attributes) -> None:
        self._text = ""

    def told(self, text: str) -> None:
        self._text += text

    def closed(self, name: str) -> None:
        text, self._text = self._text.strip(), ""
        if text and name in _DUBLIN_CORE:
            self._said.setdefault(name, []).append(text)

    def first(self, name: str) -> str:
        """What the first element of that name says, or ""."""
        return self._said[name][0] if name in self._said else ""

    def every(self, name: str) -> list[str]:
        """What all elements of that name say."""
        return self._said.get(name, [])


def listen(pieces: Iterable[bytes], handler: Handler, problem: str) -> None:
    """Reads XML; raises Unreadable with the problem where it is damaged or hostile."""
    parser = _parser(handler, problem)
    try:
        for piece in pieces:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise Unreadable(problem) from error


def elements(pieces: Iterable[bytes], name: str, problem: str) -> list[Attributes]:
    """The attributes of all elements of one name; raises Unreadable as `listen` does."""
    collector = _Collector(name)
    listen(pieces, collector, problem)
    return collector.found


def value(attributes: Attributes, name: str) -> str:
    """The attribute of that name, whatever its namespace; the end of the namespace may stand before it.

    >>> value({"id": "256", "http://x/relationships id": "rId2"}, "relationships id")
    'rId2'
    """
    if name in attributes:
        return attributes[name]
    return next((text for key, text in attributes.items() if key.endswith(name) and _ends(key, name)), "")


def _ends(key: str, name: str) -> bool:
    return key[-len(name) - 1] in " /"


def _parser(handler: Handler, problem: str) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def opened(name: str, attributes: Attributes) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise Unreadable(problem)
        handler.opened(name.rpartition(" ")[2], attributes)

    def closed(name: str) -> None:
        nonlocal depth
        depth -= 1
        handler.closed(name.rpartition(" ")[2])

    def declared(*_: object) -> None:
        raise Unreadable(problem)

    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.CharacterDataHandler = handler.told
    parser.EntityDeclHandler = declared
    return parser
