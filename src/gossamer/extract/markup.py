"""What does the XML inside of a document say, element by element?

Expat reads it as a stream. An entity that a document declares itself is refused, which ends all bombs made of
them, and what lies outside of the document is never opened. Depth costs nothing but a counter.
Why not a tree: that of a spreadsheet takes eighteen times its size. Why not `gossamer.web.xml`: these
files are written by few programs and protected by checksums, so what is no XML is damaged.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol
from xml.parsers import expat

from gossamer.extract.draft import Unreadable

DEEPEST = 1_000  # elements in each other

Attributes = dict[str, str]  # names as `NAMESPACE NAME`, or NAME alone


class Handler(Protocol):
    """Who listens; names of elements are without their namespaces."""

    def opened(self, name: str, attributes: Attributes) -> None: ...

    def closed(self, name: str) -> None: ...

    def told(self, text: str) -> None: ...


def listen(pieces: Iterable[bytes], handler: Handler, problem: str) -> None:
    """Reads XML; raises Unreadable with the problem where it is damaged or hostile."""
    parser = _parser(handler, problem)
    try:
        for piece in pieces:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise Unreadable(problem) from error


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
