"""What kind of document is in this ZIP file?"""

from __future__ import annotations

from gossamer.extract.archive import Archive
from gossamer.extract.draft import Unreadable
from gossamer.extract.formats import BY_TYPE, ZIPPED, Format, listed_in, named_in

MIMETYPE = "mimetype"  # the entry in which OpenDocument and EPUB say what they are
CONTENT_TYPES = "[Content_Types].xml"
PLAIN_ZIP = "application/zip"
_FIRST_NAME = slice(30, 38)  # of the first entry; it is not compressed, so its bytes follow


def zipped_type(declared: str, body: bytes) -> str:
    """The media type of a document in a ZIP file; what is declared, where the file does not tell."""
    stated = BY_TYPE.get(declared)
    try:
        found = _found(Archive(body, "zip"))
    except Unreadable:
        found = _first_entry(body)
    found = found or (stated if stated in ZIPPED else None)
    return found.media_type if found else PLAIN_ZIP


def _found(archive: Archive) -> Format | None:
    if MIMETYPE in archive and (found := named_in(archive.read(MIMETYPE))):
        return found
    return listed_in(archive.read(CONTENT_TYPES)) if CONTENT_TYPES in archive else None


def _first_entry(body: bytes) -> Format | None:
    if body[_FIRST_NAME] != MIMETYPE.encode():
        return None
    return next((one for one in ZIPPED if body[38:].startswith(one.media_type.encode() + b"PK")), None)
