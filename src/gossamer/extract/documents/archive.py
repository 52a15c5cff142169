"""Safe ZIP and XML reading for office documents.

Office documents and e-books are ZIP files of XML. A file from the web may be encrypted, damaged, or a ZIP
bomb: a few kilobytes that unpack to gigabytes, or overlapping entries, so that the same bytes are unpacked
thousands of times. So all entries of a file share one budget of unpacked bytes. The bytes are counted as they
are unpacked; the sizes in the directory are not trusted. Only the two compression methods that documents use,
"stored" and "deflated", are supported.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from urllib.parse import unquote
from xml.parsers import expat

from gossamer.extract.documents.draft import Unreadable

MOST_ENTRIES = 20_000
MOST_UNPACKED = 100 << 20  # unpacked bytes of all entries that are read
RATIO = 200  # largest allowed ratio of unpacked to packed bytes; deflate can reach 1,032
SMALL = 20 << 20  # unpacked bytes that are allowed whatever the ratio
PIECE = 1 << 16
OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

# Office programs store an encrypted document in an OLE container, as a stream of this name.
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_IS_ENCRYPTED = 0x1  # a bit in the flags of an entry
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    OverflowError,
)


class Archive:
    """A ZIP file whose entries are read one by one; `name` is the format in problems, such as `docx`."""

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
        # Some programs use other upper and lower case in references than in names, or backslashes.
        self._entries = {_key(entry.filename): entry for entry in reversed(entries)}

    def __contains__(self, path: str) -> bool:
        return _key(path) in self._entries

    def pieces(self, path: str) -> Iterator[bytes]:
        """Yield the content of an entry in pieces."""
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
        """Return the content of an entry."""
        return b"".join(self.pieces(path))

    def refuse_if(self, wrong: bool, reason: str) -> None:
        """Raise Unreadable with a reason such as `encrypted`, if the condition holds."""
        if wrong:
            raise Unreadable(f"{reason}-{self._name}")

    def _pay(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise Unreadable(f"too-large {self._name}: its unpacked size exceeds the limit")


def joined(folder: str, target: str) -> str:
    """Resolve a reference from an entry in `folder` to the path of another entry.

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
# Expat reads XML as a stream. A document that declares an entity is refused, which rules out entity
# bombs. External entities are never opened. Depth is limited by a counter. A tree is not built,
# because that of a spreadsheet takes eighteen times its size. The tolerant parser `gossamer.web.xml`
# is not used, because few programs write these files and checksums protect them: invalid XML means
# damage.

DEEPEST = 1_000  # nested elements
Attributes = dict[str, str]  # keys are `NAMESPACE NAME`, or NAME alone
_DUBLIN_CORE = frozenset(
    {"title", "creator", "description", "subject", "language", "created", "modified"}
    | {"initial-creator", "creation-date", "date"}
)


class Handler:
    """Base class for handlers of XML events; element names come without their namespaces."""

    def opened(self, name: str, attributes: Attributes) -> None: ...

    def closed(self, name: str) -> None: ...

    def characters(self, text: str) -> None: ...


class _Collector(Handler):
    """Handler that collects the attributes of all elements of one name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.found: list[Attributes] = []

    def opened(self, name: str, attributes: Attributes) -> None:
        if name == self._name:
            self.found.append(attributes)


class DublinCore(Handler):
    """Handler that collects the Dublin Core metadata of e-books and office documents."""

    def __init__(self) -> None:
        self._text = ""
        self._said: dict[str, list[str]] = {}

    def opened(self, name: str, attributes: Attributes) -> None:
        self._text = ""

    def characters(self, text: str) -> None:
        self._text += text

    def closed(self, name: str) -> None:
        text, self._text = self._text.strip(), ""
        if text and name in _DUBLIN_CORE:
            self._said.setdefault(name, []).append(text)

    def first(self, name: str) -> str:
        """Return the text of the first element of that name, or ""."""
        return self._said[name][0] if name in self._said else ""

    def every(self, name: str) -> list[str]:
        """Return the texts of all elements of that name."""
        return self._said.get(name, [])


def listen(pieces: Iterable[bytes], handler: Handler, problem: str) -> None:
    """Parse XML and call the handler. Raises Unreadable(problem) if it is damaged or hostile."""
    parser = _parser(handler, problem)
    try:
        for piece in pieces:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise Unreadable(problem) from error


def elements(pieces: Iterable[bytes], name: str, problem: str) -> list[Attributes]:
    """Return the attributes of all elements of one name. Raises Unreadable as `listen` does."""
    collector = _Collector(name)
    listen(pieces, collector, problem)
    return collector.found


def value(attributes: Attributes, name: str) -> str:
    """Return the attribute of that name in any namespace, or "".

    To select a namespace, `name` may begin with its last part and a space.

    >>> value({"id": "256", "http://x/relationships id": "rId2"}, "relationships id")
    'rId2'
    """
    if name in attributes:
        return attributes[name]
    endings = (f" {name}", f"/{name}")
    return next((text for key, text in attributes.items() if key.endswith(endings)), "")


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
    parser.CharacterDataHandler = handler.characters
    parser.EntityDeclHandler = declared
    return parser
