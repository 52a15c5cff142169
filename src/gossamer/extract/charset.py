"""Which text do these bytes stand for?

The order of browsers (WHATWG HTML, "determining the character encoding"): byte order mark, Content-Type
header, <meta> within the first 1,024 bytes; then UTF-8 if the bytes are valid UTF-8, else windows-1252.
Labels mean what browsers take them for (WHATWG Encoding): latin-1 is windows-1252, gb2312 is gb18030.
"""

from __future__ import annotations

import re

PRESCAN = 1_024
FALLBACK = "cp1252"

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))

# Python's codec, then the labels that browsers give this meaning.
_LABELS = """
utf-8: utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8
cp1252: windows-1252 ascii us-ascii ansi_x3.4-1968 cp1252 cp819 ibm819 iso-8859-1 iso8859-1 iso88591
cp1252: iso_8859-1 iso-ir-100 l1 latin1 latin-1 x-cp1252 csisolatin1 iso_8859-1:1987
iso8859-2: iso-8859-2 iso8859-2 iso88592 iso_8859-2 l2 latin2 latin-2 csisolatin2 iso-ir-101
iso8859-3: iso-8859-3 iso8859-3 iso88593 l3 latin3
iso8859-4: iso-8859-4 iso8859-4 iso88594 l4 latin4
iso8859-5: iso-8859-5 iso8859-5 iso88595 cyrillic csisolatincyrillic
iso8859-6: iso-8859-6 iso8859-6 iso88596 arabic asmo-708 ecma-114 iso-8859-6-e iso-8859-6-i
iso8859-7: iso-8859-7 iso8859-7 iso88597 greek greek8 ecma-118 elot_928 sun_eu_greek
iso8859-8: iso-8859-8 iso8859-8 iso88598 hebrew visual iso-8859-8-e iso-8859-8-i logical
iso8859-10: iso-8859-10 iso8859-10 iso885910 l6 latin6
iso8859-13: iso-8859-13 iso8859-13 iso885913
iso8859-14: iso-8859-14 iso8859-14 iso885914
iso8859-15: iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 latin9 latin-9 csisolatin9
iso8859-16: iso-8859-16
koi8-r: koi8-r koi8 koi koi8_r cskoi8r
koi8-u: koi8-u koi8-ru
mac-roman: macintosh mac x-mac-roman csmacintosh
mac-cyrillic: x-mac-cyrillic x-mac-ukrainian
cp866: ibm866 cp866 866 csibm866
cp874: windows-874 dos-874 tis-620 iso-8859-11 iso8859-11 iso885911
cp1250: windows-1250 cp1250 x-cp1250
cp1251: windows-1251 cp1251 x-cp1251
cp1253: windows-1253 cp1253 x-cp1253
cp1254: windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso88599 l5 latin5 latin-5 csisolatin5
cp1255: windows-1255 cp1255 x-cp1255
cp1256: windows-1256 cp1256 x-cp1256
cp1257: windows-1257 cp1257 x-cp1257
cp1258: windows-1258 cp1258 x-cp1258
gb18030: gb18030 gbk gb2312 gb_2312 gb_2312-80 chinese csgb2312 x-gbk iso-ir-58 csiso58gb231280
big5hkscs: big5 big5-hkscs cn-big5 csbig5 x-x-big5
euc_jp: euc-jp x-euc-jp cseucpkdfmtjapanese
iso2022_jp: iso-2022-jp csiso2022jp
cp932: shift_jis shift-jis sjis x-sjis ms932 ms_kanji windows-31j csshiftjis
cp949: euc-kr korean ksc5601 ksc_5601 ks_c_5601-1987 ks_c_5601-1989 windows-949 cseuckr iso-ir-149
utf-16-le: utf-16 utf-16le unicode ucs-2 iso-10646-ucs-2 csunicode unicodefeff
utf-16-be: utf-16be unicodefffe
"""
_CODECS = {
    label: codec
    for codec, _, labels in (line.partition(": ") for line in _LABELS.strip().splitlines())
    for label in labels.split()
}

_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([^\s;\"']+)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_META = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([^\s;\"'>/]+)", re.IGNORECASE)
_XML = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)


def codec_of(label: str) -> str:
    """Python's codec for what browsers understand by this label, or "" for a label they do not know.

    >>> codec_of("ISO-8859-1"), codec_of("gb2312"), codec_of("rot13")
    ('cp1252', 'gb18030', '')
    """
    return _CODECS.get(label.strip().lower(), "")


def decode(body: bytes, content_type: str = "") -> str:
    """The text of a document; bytes that mean nothing become U+FFFD. Never raises."""
    codec, start = _from_bom(body)
    codec = codec or _from_header(content_type) or _from_meta(body) or _guess(body)
    return body[start:].decode(codec, "replace")


def _from_bom(body: bytes) -> tuple[str, int]:
    return next(((codec, len(mark)) for mark, codec in _BOMS if body.startswith(mark)), ("", 0))


def _from_header(content_type: str) -> str:
    match = _HEADER.search(content_type)
    return codec_of(match[1]) if match else ""


def _from_meta(body: bytes) -> str:
    head = _COMMENT.sub(b"", body[:PRESCAN])
    for match in (*_META.finditer(head), *_XML.finditer(head)):
        codec = codec_of(match[1].decode("ascii", "replace"))
        if codec:
            # a declaration that could be read as ASCII cannot be UTF-16
            return "utf-8" if codec.startswith("utf-16") else codec
    return ""


def _guess(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        # a body that was cut in the middle of a character is still UTF-8, if it proved it before
        cut = error.reason == "unexpected end of data" and not body[: error.start].isascii()
        return "utf-8" if cut else FALLBACK
    return "utf-8"
