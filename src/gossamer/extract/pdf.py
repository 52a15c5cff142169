"""What does a PDF say?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from gossamer.extract.plain import lines_of, title_of
from gossamer.extract.scan import collapse
from gossamer.model import Page, Url

MOST_TEXT = 2_000_000  # characters; pages beyond are not read

# PDFium marks the hyphen at which a word was divided; before version 5 it used another sign for it.
_DIVIDED = re.compile("(?:\ufffe|\x02)\\s*")
# Programs that name a document after its file say nothing about it.
_NO_TITLE = re.compile(
    r"(?:untitled.*|microsoft word - .*|.*\.(?:docx?|pdf|tex|dvi|indd|rtf|odt|qxd))$", re.IGNORECASE
)


def read_pdf(body: bytes, url: Url, fetched_at: float = 0.0) -> Page:
    """The page behind a PDF; encrypted and broken ones are named as such."""
    from pypdfium2 import PdfDocument, PdfiumError

    def unreadable(problem: str) -> Page:
        return Page(url, fetched_at, "application/pdf", problem=problem)

    try:
        with closing(PdfDocument(body)) as document:
            stated = collapse(document.get_metadata_value("Title"))
            lines = lines_of(_DIVIDED.sub("", "\n".join(_pages(document))))
    except PdfiumError as error:
        return unreadable("encrypted-pdf" if "password" in str(error).lower() else "broken-pdf")
    if not lines:
        return unreadable("no-text-in-pdf")
    title = stated if stated and not _NO_TITLE.match(stated) else title_of(lines)
    return Page(url, fetched_at, "application/pdf", title=title, text="\n".join(lines))


def _pages(document: Any) -> Iterator[str]:
    size = 0
    for number in range(len(document)):
        with closing(document[number]) as page, closing(page.get_textpage()) as textpage:
            text: str = textpage.get_text_range()
        yield text
        size += len(text)
        if size >= MOST_TEXT:
            return
