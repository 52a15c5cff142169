"""What do the control words of RTF mean that matter to a reader of the text?"""

from __future__ import annotations

import codecs

CHARACTERS = {
    "emdash": "—",
    "endash": "–",
    "emspace": " ",
    "enspace": " ",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "tab": " ",
}
BREAKS = {"par": True, "sect": True, "page": True, "row": True, "line": False, "cell": False}  # of a line
_HEADERS = "header headerl headerr headerf footer footerl footerr footerf"
# Where what a group says belongs; "" is nowhere.
DESTINATIONS = {
    "fonttbl": "fonttbl",
    "stylesheet": "stylesheet",
    "title": "title",
    "author": "author",
    "subject": "subject",
    "creatim": "creatim",
    "fldinst": "fldinst",
    "shptxt": "body",
    "footnote": "footnote",
    **dict.fromkeys(_HEADERS.split(), "header"),
}
_UNSEEN = """
    colortbl info pict objdata nonshppict datastore themedata latentstyles generator rsidtbl listtable
    listoverridetable revtbl xe tc rxe bkmkstart bkmkend atnid atnauthor annotation keywords comment operator
    company manager category doccomm revtim printim buptim hlinkbase filetbl upr sp fontemb falt panose
    template mmathPr pntext listtext wgrffmtfilter
"""
PASSED_OVER = frozenset(_UNSEEN.split())
_CHARSETS = {
    77: "mac-roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    255: "cp437",
}


def charset_codec(charset: int) -> str:
    """The codec of a font's character set, "" for the one of the document."""
    return _CHARSETS.get(charset, "")


def page_codec(page: int) -> str:
    """The codec of a Windows code page.

    >>> page_codec(1251), page_codec(65001), page_codec(4711)
    ('cp1251', 'utf-8', 'cp1252')
    """
    named = {10000: "mac-roman", 65001: "utf-8", 936: "gb18030"}.get(page, f"cp{page}")
    try:
        return named if codecs.lookup(named) else "cp1252"
    except LookupError:
        return "cp1252"
