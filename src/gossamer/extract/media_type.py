"""Media type by header and first bytes.

After the WHATWG MIME Sniffing standard. A specific Content-Type is trusted, with two exceptions: the first
bytes are the signature of another format, or the body is declared as text but is binary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gossamer.extract.documents.archive import Archive
from gossamer.extract.documents.draft import Unreadable
from gossamer.extract.documents.plain_text import is_subtitles
from gossamer.text.charset import unmarked_wide

# Known document formats and file endings
# ---------------------------------------

_OFFICE = "application/vnd.openxmlformats-officedocument."
_OASIS = "application/vnd.oasis.opendocument."


@dataclass(frozen=True, slots=True)
class Format:
    """A document format: its name, its registered media type, and other types that servers send for it."""

    name: str
    media_type: str
    others: tuple[str, ...] = ()


def media_type(content_type: str, body: bytes, path: str = "") -> str:
    """Return the media type of a document in lower case, without parameters. `path` is that of its URL.

    >>> media_type("text/html; charset=utf-8", b"<p>hello"), media_type("", b"%PDF-1.7 ...")
    ('text/html', 'application/pdf')
    """
    declared = content_type.partition(";")[0].strip().lower()
    head = body[:SNIFFED]
    found = _by_signature(head)
    if found == PLAIN_ZIP and (declared in _UNRELIABLE or declared in _ZIP_TYPES):
        return zipped_type(declared, body)
    if found and declared in _UNRELIABLE:
        return found
    if declared in _DOCUMENTS and _PAGE.match(head):
        return "text/html"
    is_specific = declared not in _UNKNOWN
    if (not is_specific or declared in _TEXT_TYPES) and _is_binary(body[:TESTED], content_type, declared):
        return _BINARY
    if declared in _XML_TYPES:
        return _xml(head, declared)
    kind = declared if is_specific else _sniffed(head)
    if kind == "text/plain":
        return _text_format(head, path)
    return BY_TYPE[kind].media_type if kind in BY_TYPE else kind


def _office(name: str, kinds: str, with_macros: str) -> Format:
    """Return a format of Office Open XML. The first of its `kinds` is the registered media type."""
    usual, *others = (f"{_OFFICE}{kind}" for kind in kinds.split())
    macros = (f"application/vnd.ms-{kind}.macroenabled.12" for kind in with_macros.split())
    return Format(name, usual, (*others, *macros))


DOCX = _office("docx", "wordprocessingml.document wordprocessingml.template", "word.document word.template")
PPTX = _office(
    "pptx",
    "presentationml.presentation presentationml.slideshow presentationml.template",
    "powerpoint.presentation powerpoint.slideshow",
)
XLSX = _office("xlsx", "spreadsheetml.sheet spreadsheetml.template", "excel.sheet excel.template")
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
OWN_TYPES = frozenset({MARKDOWN.media_type})  # types that plug-ins cannot replace

# File name endings of text formats that servers often send as text/plain.
TEXT_ENDINGS = dict.fromkeys(("md", "markdown", "mdown", "mkd"), MARKDOWN) | {"srt": SRT, "vtt": VTT}

# In an Office Open XML file, only the main part has a type `….main+xml`. Other parts may be embedded files.
_MAIN_PART = re.compile(
    rb"application/vnd\.(?:openxmlformats-officedocument\.|ms-)"
    rb"(word|presentation|spreadsheet|powerpoint|excel)[\w.-]*\.main\+xml",
    re.IGNORECASE,
)
_PROGRAMS = {b"word": DOCX, b"presentation": PPTX, b"powerpoint": PPTX, b"spreadsheet": XLSX, b"excel": XLSX}


# Document type inside a ZIP file
# -------------------------------

MIMETYPE = "mimetype"  # the entry of OpenDocument and EPUB files that names their media type
CONTENT_TYPES = "[Content_Types].xml"
PLAIN_ZIP = "application/zip"
_FIRST_NAME = slice(30, 38)  # name of the first entry; its content follows, uncompressed


def zipped_type(declared: str, body: bytes) -> str:
    """Return the media type of a ZIP-based document: by its entries, else as declared."""
    stated = BY_TYPE.get(declared)
    try:
        found = _format_inside(Archive(body, "zip"))
    except Unreadable:
        found = _first_entry(body)
    found = found or (stated if stated in ZIPPED else None)
    return found.media_type if found else PLAIN_ZIP


def _format_inside(archive: Archive) -> Format | None:
    if MIMETYPE in archive:
        named = BY_TYPE.get(archive.read(MIMETYPE).strip().decode("ascii", "replace").lower())
        if named in ZIPPED:
            return named
    match = _MAIN_PART.search(archive.read(CONTENT_TYPES)) if CONTENT_TYPES in archive else None
    return _PROGRAMS[match[1].lower()] if match else None


def _first_entry(body: bytes) -> Format | None:
    if body[_FIRST_NAME] != MIMETYPE.encode():
        return None
    return next((one for one in ZIPPED if body[38:].startswith(one.media_type.encode() + b"PK")), None)


SNIFFED = 1_024  # bytes at the beginning of a document that are compared with signatures
TESTED = 4_096  # bytes in which control characters are counted

# More than one control character in 50 bytes means a binary file. Random bytes have about six, text none.
MANY = 50
XHTML = "application/xhtml+xml"  # the only type that browsers read as XML
HTML_TYPES = frozenset({"text/html", XHTML})
PLAIN_TYPES = frozenset({"text/plain"})
PDF_TYPES = frozenset({"application/pdf", "application/x-pdf"})
_UNKNOWN = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "unknown/unknown", "application/unknown", "*/*"}
)
_XML_TYPES = frozenset({"text/xml", "application/xml"})
_TEXT_TYPES = HTML_TYPES | PLAIN_TYPES | _XML_TYPES | {"text/markdown", "text/x-markdown"}

# Types that servers also send for files of other formats. The signature of such a file decides its type.
_UNRELIABLE = _UNKNOWN | _TEXT_TYPES - _XML_TYPES | {"application/msword", "application/vnd.ms-word"}
_ZIP_TYPES = {PLAIN_ZIP, "application/x-zip-compressed", "application/x-zip"} | {
    kind for kind, one in BY_TYPE.items() if one in ZIPPED
}

# If a document of one of these types begins like HTML, it is HTML: often an error page.
_DOCUMENTS = (
    PDF_TYPES | _ZIP_TYPES | {RTF.media_type, *RTF.others, "application/msword", "application/vnd.ms-word"}
)
_BINARY = "application/octet-stream"
_SIGNATURES = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"PK\x03\x04", PLAIN_ZIP),
    (b"{\\rtf", "application/rtf"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/msword"),
    (b"\x7fELF", "application/x-executable"),
    (b"OggS\x00", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
)
_ANY_SIGNATURE = tuple(signature for signature, _ in _SIGNATURES)

# What may precede the first tag. All comments are matched as one, from the first "<!--" to any "-->" before
# the tag: with a repeated group of comments, the regular expression would need exponential time.
_BLANK = rb"(?>\s|<\?xml[^>]*+(?<=\?)>)*+"
_BEFORE = _BLANK + rb"(?:<!--.*?-->" + _BLANK + rb")?"
_HTML = re.compile(
    _BEFORE + rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|h1|div|p|a|table|br|b|font|"
    rb"iframe|frameset)[\s/>]",
    re.IGNORECASE | re.DOTALL,
)
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?" + _BEFORE + rb"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE | re.DOTALL
)
_XHTML = re.compile(
    rb"\s*<\?xml[^>]*\?>.*?<html\s[^>]*xmlns\s*=\s*[\"']http://www\.w3\.org/1999/xhtml[\"']", re.DOTALL
)
_FEED = re.compile(rb"<(rss|rdf:RDF|feed|urlset|sitemapindex|svg)[\s>]", re.IGNORECASE)
_FEED_TYPES = {
    b"rss": "application/rss+xml",
    b"rdf:rdf": "application/rss+xml",
    b"feed": "application/atom+xml",
    b"svg": "image/svg+xml",
}

# Control characters that do not occur in text. Tab, line ends, form feed and escape (ISO-2022) do occur.
_CONTROLS = bytes({*range(0x20), 0x7F} - set(b"\t\n\f\r\x1b"))
_TAG = re.compile(rb"<[!/]?[a-z][a-z0-9]*[\s>]", re.IGNORECASE)
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")  # of UTF-16 and UTF-32
_WIDE_CHARSET = re.compile(r"charset\s*+=\s*+[\"']?+\s*+(?:utf-?16|ucs-2|unicode)", re.IGNORECASE)


def _by_signature(head: bytes) -> str:
    if head.startswith(_ANY_SIGNATURE):
        return next(kind for signature, kind in _SIGNATURES if head.startswith(signature))
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:8] == b"ftyp":
        return "video/mp4"
    # whitespace may precede the signature of a PDF
    return "application/pdf" if b"%PDF-" in head and head.lstrip()[:5] == b"%PDF-" else ""


def _sniffed(head: bytes) -> str:
    text = head.removeprefix(b"\xef\xbb\xbf")
    if _HTML.match(text):
        return XHTML if _XHTML.match(text) else "text/html"
    if text.lstrip().startswith(b"<?xml"):
        return _xml(text, "application/xml")
    return "text/plain"


def _text_format(head: bytes, path: str) -> str:
    """Return the text format, by the file name ending in the path or by the first bytes."""
    ending = path.partition("?")[0].rpartition(".")[2].lower()
    if ending in TEXT_ENDINGS:
        return TEXT_ENDINGS[ending].media_type
    return is_subtitles(head) or "text/plain"


def _xml(head: bytes, declared: str) -> str:
    if match := _FEED.search(head):
        return _FEED_TYPES.get(match[1].lower(), declared)
    return XHTML if re.search(rb"<html[\s>]", head, re.IGNORECASE) else declared


def _is_binary(head: bytes, content_type: str, declared: str) -> bool:
    """Whether this is not text. As in browsers, declared HTML may contain a few NUL bytes."""
    if head.startswith(_WIDE_MARKS) or _WIDE_CHARSET.search(content_type):
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls == 0 or (declared in _TEXT_TYPES and unmarked_wide(head)):
        return False
    if b"\x00" in head and not (declared in HTML_TYPES and _TAG.search(head)):
        return True
    return controls * MANY > max(len(head), 3 * MANY)
