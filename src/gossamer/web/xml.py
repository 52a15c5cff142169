"""Scan XML that may be broken or hostile.

Many sitemaps and feeds are not well-formed: they have unescaped ampersands, spaces before the declaration, a
wrong charset or no end. A conforming parser must stop at the first error. A well-formed file can be hostile:
its entities may expand to gigabytes, or its elements may be nested a million deep. So these files are not
parsed but scanned for the few tags that matter. Without a stack there is no depth limit, without a DTD there
are no entities, and after an error the scan goes on with the next tag.

The regular expressions do not backtrack (possessive quantifiers), so the time is linear in the size of a
file. A sitemap of 50,000 entries takes as long as with expat and handlers in Python.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator

_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_DECLARED = re.compile(rb"<\?xml[^<>]*?encoding\s*=\s*[\"']([\w.:-]{1,40})")

# A name may also mean a codec that is not a charset, and some of those take hours. Only these are accepted.
_CHARSETS = "iso8859 cp125 koi8 euc shift gb big5 cp874 cp932 cp949 iso2022_jp"
_PIECE = 1 << 20  # bytes recoded at a time: one wide character makes a whole Python string wide
_FIRST_TAG = re.compile(rb"<([A-Za-z_][^\s<>/]*+)([^<>]*+)")
_ATTRIBUTE = re.compile(r"([^\s=\"'<>/]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6}));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_LAST_CHARACTER = 0x10FFFF
LONGEST_BLOCK = 1 << 20  # bytes of one entry: enough for the thousand images that the protocol allows


def prepared(body: bytes) -> bytes:
    """Return the document as UTF-8, without comments and DTD, and with CDATA sections as escaped text."""
    data = _recoded(body)
    # CDATA comes first: the HTML in a CDATA section may have comments that are not closed.
    data = _rewritten(data, b"<![CDATA[", b"]]>", _escaped)
    data = _rewritten(data, b"<!--", b"-->", lambda _: b"")
    return _without_dtd(data)


def _recoded(body: bytes) -> bytes:
    for mark, name in _MARKS.items():
        if body.startswith(mark):
            return _in_utf8(body[len(mark) :], name)
    if body[:2] == b"<\0" or body[:2] == b"\0<":
        return _in_utf8(body, "utf-16-le" if body[0] else "utf-16-be")
    declared = _DECLARED.search(body[:1_000])
    return _in_utf8(body, _charset(declared[1].decode("ascii")) if declared else "utf-8")


def _charset(name: str) -> str:
    try:
        known = codecs.lookup(name).name
    except LookupError:
        return "utf-8"
    return known if known.startswith(tuple(_CHARSETS.split())) else "utf-8"


def _in_utf8(body: bytes, charset: str) -> bytes:
    if charset == "utf-8":
        return body
    decoder = codecs.getincrementaldecoder(charset)("replace")
    pieces = (decoder.decode(body[at : at + _PIECE]) for at in range(0, len(body), _PIECE))
    return b"".join(piece.encode("utf-8", "replace") for piece in pieces)


def _rewritten(data: bytes, opening: bytes, closing: bytes, rewrite: Callable[[bytes], bytes]) -> bytes:
    """Replace each section between two marks, with its marks; keep a section that is not closed."""
    if opening not in data:
        return data
    written, at = bytearray(), 0
    while (start := data.find(opening, at)) >= 0 and (end := data.find(closing, start + len(opening))) >= 0:
        written += data[at:start]
        written += rewrite(data[start + len(opening) : end])
        at = end + len(closing)
    return bytes(written + data[at:])


def _escaped(text: bytes) -> bytes:
    return text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")


def _without_dtd(data: bytes) -> bytes:
    start = data.find(b"<!DOCTYPE", 0, 10_000)
    if start < 0:
        return data
    subset, close = data.find(b"[", start), data.find(b">", start)
    end = data.find(b"]>", subset) + 1 if 0 <= subset < close else close
    return data[:start] + data[end + 1 :] if end > 0 else data


def text_of(value: bytes) -> str:
    """Return the text of a part of a prepared document; what is not UTF-8 is read as Windows-1252."""
    try:
        return unescaped(value.decode())
    except UnicodeDecodeError:
        return unescaped(value.decode("cp1252", "replace"))


def root(data: bytes) -> tuple[bytes, str]:
    """Return the first element of a prepared document: its name with the prefix, and its raw attributes.

    >>> root(b'<?xml version="1.0"?> <rss version="2.0"><channel>')
    (b'rss', ' version="2.0"')
    """
    match = _FIRST_TAG.search(data, 0, 100_000)
    return (match[1], match[2].decode("utf-8", "replace")) if match else (b"", "")


def blocks(data: bytes, opening: re.Pattern[bytes]) -> Iterator[tuple[re.Match[bytes], bytes]]:
    """Yield each match of an opening tag, and the data from there to the next match.

    The closing tag does not end a block, because some files never close their elements.
    """
    matches = opening.finditer(data)
    match = next(matches, None)
    while match is not None:
        following = next(matches, None)
        end = following.start() if following else len(data)
        yield match, data[match.end() : min(end, match.end() + LONGEST_BLOCK)]
        match = following


def local(name: bytes) -> bytes:
    """Return a name without its prefix, in lower case."""
    return name.rpartition(b":")[2].lower()


def attributes(written: str) -> dict[str, str]:
    """Return the attributes of a tag. Names keep their prefixes. Of two with the same name, the first counts.

    >>> attributes(' rel="self" href=\\'/?a=1&amp;b=2\\'')
    {'rel': 'self', 'href': '/?a=1&b=2'}
    """
    found: dict[str, str] = {}
    for name, double, single in _ATTRIBUTE.findall(written):
        found.setdefault(name.lower(), unescaped(double or single))
    return found


def unescaped(text: str) -> str:
    """Replace the character and entity references of XML; anything else, such as a lone ampersand, stays.

    >>> unescaped("/?a=1&amp;b=2&copy=3&#x26;d")
    '/?a=1&b=2&copy=3&d'
    """
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return _NAMED[match[1]]
    code = int(match[2]) if match[2] else int(match[3], 16)
    return chr(code) if 0 < code <= _LAST_CHARACTER and not 0xD800 <= code < 0xE000 else "\ufffd"
