"""Who reads a document of this media type?"""

from __future__ import annotations

from collections.abc import Callable

from gossamer.extract import formats
from gossamer.extract.charset import decode
from gossamer.extract.draft import Draft
from gossamer.extract.epub import read_epub
from gossamer.extract.markdown import read_markdown
from gossamer.extract.opendocument import read_odp, read_ods, read_odt
from gossamer.extract.rtf import read_rtf
from gossamer.extract.sheets import read_xlsx
from gossamer.extract.slides import read_pptx
from gossamer.extract.subtitles import read_subtitles
from gossamer.extract.word import read_docx

FromBytes = Callable[[bytes], Draft]
FromText = Callable[[str], Draft]

_BINARY: dict[formats.Format, FromBytes] = {
    formats.DOCX: read_docx,
    formats.PPTX: read_pptx,
    formats.XLSX: read_xlsx,
    formats.ODT: read_odt,
    formats.ODS: read_ods,
    formats.ODP: read_odp,
    formats.EPUB: read_epub,
    formats.RTF: read_rtf,
}
_TEXT: dict[formats.Format, FromText] = {
    formats.SRT: read_subtitles,
    formats.VTT: read_subtitles,
    formats.MARKDOWN: read_markdown,
}


def read_document(kind: formats.Format, body: bytes, content_type: str) -> Draft:
    """What a document says; raises Unreadable with the reason where it says nothing."""
    if kind in _BINARY:
        return _BINARY[kind](body)
    return _TEXT[kind](decode(body, content_type))
