"""Which formats of documents are known, under which media types and endings?"""

from __future__ import annotations

import re
from dataclasses import dataclass

_OFFICE = "application/vnd.openxmlformats-officedocument."
_OASIS = "application/vnd.oasis.opendocument."


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of document: what it is called, by its right media type and by others that occur."""

    name: str
    media_type: str
    others: tuple[str, ...] = ()


DOCX = Format(
    "docx",
    f"{_OFFICE}wordprocessingml.document",
    (
        f"{_OFFICE}wordprocessingml.template",
        "application/vnd.ms-word.document.macroenabled.12",
        "application/vnd.ms-word.template.macroenabled.12",
    ),
)
PPTX = Format(
    "pptx",
    f"{_OFFICE}presentationml.presentation",
    (
        f"{_OFFICE}presentationml.slideshow",
        f"{_OFFICE}presentationml.template",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
    ),
)
XLSX = Format(
    "xlsx",
    f"{_OFFICE}spreadsheetml.sheet",
    (
        f"{_OFFICE}spreadsheetml.template",
        "application/vnd.ms-excel.sheet.macroenabled.12",
        "application/vnd.ms-excel.template.macroenabled.12",
    ),
)
ODT = Format("odt", f"{_OASIS}text", (f"{_OASIS}text-template", "application/x-vnd.oasis.opendocument.text"))
ODS = Format("ods", f"{_OASIS}spreadsheet", (f"{_OASIS}spreadsheet-template",))
ODP = Format("odp", f"{_OASIS}presentation", (f"{_OASIS}presentation-template",))
EPUB = Format("epub", "application/epub+zip", ("application/epub", "application/x-epub+zip"))
RTF = Format("rtf", "application/rtf", ("text/rtf", "application/x-rtf", "text/richtext"))
SRT = Format("srt", "application/x-subrip", ("text/srt", "text/x-srt", "application/srt", "text/x-subrip"))
VTT = Format("vtt", "text/vtt", ("application/x-webvtt",))
MARKDOWN = Format("md", "text/markdown", ("text/x-markdown", "text/x-web-markdown"))

ZIPPED = (DOCX, PPTX, XLSX, ODT, ODS, ODP, EPUB)
BY_TYPE = {kind: one for one in (*ZIPPED, RTF, SRT, VTT, MARKDOWN) for kind in (one.media_type, *one.others)}
OWN_TYPES = frozenset({MARKDOWN.media_type})  # that no plug-in reads instead
# Endings of what servers send as plain text because they do not know better.
TEXT_ENDINGS = dict.fromkeys(("md", "markdown", "mdown", "mkd"), MARKDOWN) | {"srt": SRT, "vtt": VTT}

# The main part of an office file has a type of its own; other parts may be whole files of other programs.
_MAIN_PART = re.compile(
    rb"application/vnd\.(?:openxmlformats-officedocument\.|ms-)"
    rb"(word|presentation|spreadsheet|powerpoint|excel)[\w.-]*\.main\+xml",
    re.IGNORECASE,
)
_PROGRAMS = {b"word": DOCX, b"presentation": PPTX, b"powerpoint": PPTX, b"spreadsheet": XLSX, b"excel": XLSX}


def named_in(mimetype: bytes) -> Format | None:
    """The format that the first entry of a ZIP file names, when that is `mimetype`."""
    found = BY_TYPE.get(mimetype.strip().decode("ascii", "replace").lower())
    return found if found in ZIPPED else None


def listed_in(content_types: bytes) -> Format | None:
    """The format that the list of the parts of an office file shows."""
    match = _MAIN_PART.search(content_types)
    return _PROGRAMS[match[1].lower()] if match else None
