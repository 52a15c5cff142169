"""PDF text, outline and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, suppress
from ctypes import POINTER, byref, c_int, c_ushort, cast, create_string_buffer
from itertools import islice
from typing import Any

from gossamer.extract.documents.draft import MOST_HEADINGS, Draft, SizeLimitReached, Unreadable, title_of
from gossamer.model import Page, Url

# Links on PDF pages
# ------------------

MOST_LINKS = 500  # links of one page
LONGEST_ADDRESS = 2_000
LONGEST_WORDS = 300  # characters; the rectangle of a link may cover half of the page


def page_links(page: Any, textpage: Any) -> Iterator[tuple[str, str]]:
    """Yield the address of each link with the text in its rectangle."""
    from pypdfium2 import raw

    place, link = c_int(0), raw.FPDF_LINK()
    for _ in range(MOST_LINKS):
        if not raw.FPDFLink_Enumerate(page, byref(place), byref(link)):
            return
        if address := _address(page, link):
            yield address, _words(textpage, link)


def _address(page: Any, link: Any) -> str:
    from pypdfium2 import raw

    action = raw.FPDFLink_GetAction(link)
    if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
        return ""
    room = create_string_buffer(LONGEST_ADDRESS)
    size = raw.FPDFAction_GetURIPath(page.pdf, action, room, len(room))
    return room.raw[: max(size - 1, 0)].decode("utf-8", "replace") if size <= len(room) else ""


def _words(textpage: Any, link: Any) -> str:
    from pypdfium2 import raw

    box = raw.FS_RECTF()
    if not raw.FPDFLink_GetAnnotRect(link, byref(box)):
        return ""
    return str(textpage.get_text_bounded(box.left, box.bottom, box.right, box.top))[:LONGEST_WORDS]


MEDIA_TYPE = "application/pdf"
LINKED_PAGES = 500  # pages of a document whose links are read

# PDFium marks a hyphen at the end of a line with one of these characters, depending on its version.
_DIVIDED = re.compile("(?:\ufffe|\x02)\\s*")

# ISO 32000-1, 7.9.4: D:YYYYMMDDHHmmSSOHH'mm; everything after the year is optional.
_DATE = re.compile(
    r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?(?:Z|([+-])(\d\d)'?(\d\d)?)?", re.ASCII
)


def read_pdf(body: bytes, url: Url, fetched_at: float = 0.0) -> Page:
    """Return the page of a PDF; if it is encrypted or broken, `problem` says so."""
    try:
        return _read(body).page(url, fetched_at, MEDIA_TYPE, base=url)
    except Unreadable as error:
        return Page(url, fetched_at, MEDIA_TYPE, problem=str(error))


def _read(body: bytes) -> Draft:
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        with closing(PdfDocument(body)) as document:
            draft = _described(document)
            with suppress(SizeLimitReached):
                _read_pages(document, draft)
            _read_outline(document, draft)
    except PdfiumError as error:
        named = "encrypted-pdf" if "password" in str(error).lower() else "broken-pdf"
        raise Unreadable(named) from error
    if not draft.lines:
        raise Unreadable("no-text-in-pdf")
    # Without a usable title, the first line is better than the outline, which often begins with "Preface".
    draft.title = draft.useful_title() or title_of(draft.lines)
    return draft


def _described(document: Any) -> Draft:
    def stated(name: str) -> str:
        return str(document.get_metadata_value(name))

    return Draft(
        title=stated("Title"),
        author=stated("Author"),
        description=stated("Subject"),
        language=_language(document),
        dates=[iso_date(stated("CreationDate")), iso_date(stated("ModDate"))],
    )


def _language(document: Any) -> str:
    from pypdfium2 import raw

    if not hasattr(raw, "FPDFCatalog_GetLanguage"):  # before version 5
        return ""
    room = create_string_buffer(128)
    size = raw.FPDFCatalog_GetLanguage(document, cast(room, POINTER(c_ushort)), len(room))
    return room.raw[: max(size - 2, 0)].decode("utf-16-le", "replace") if size <= len(room) else ""


def _read_pages(document: Any, draft: Draft) -> None:
    for number in range(len(document)):
        with closing(document[number]) as page, closing(page.get_textpage()) as textpage:
            text: str = textpage.get_text_range()
            if number < LINKED_PAGES:
                for address, anchor in page_links(page, textpage):
                    draft.link(address, anchor)
        for line in _DIVIDED.sub("", text).replace("\x00", "").splitlines():
            draft.line(line)


def _read_outline(document: Any, draft: Draft) -> None:
    """Take the headings from the outline."""
    for item in islice(document.get_toc(), MOST_HEADINGS):
        draft.heading(item.get_title() if hasattr(item, "get_title") else item.title)


def iso_date(written: str) -> str:
    """Convert a date of PDF to ISO 8601; "" if it is not valid.

    >>> iso_date("D:20240501120000+02'00'"), iso_date("D:2024"), iso_date("May")
    ('2024-05-01T12:00:00+02:00', '2024-01-01T00:00:00+00:00', '')
    """
    match = _DATE.match(written.strip())
    if match is None:
        return ""
    year, month, day, hour, minute, second, sign, zone_hour, zone_minute = match.groups()
    clock = f"{hour or '00'}:{minute or '00'}:{second or '00'}"
    zone = f"{sign}{zone_hour}:{zone_minute or '00'}" if sign else "+00:00"
    return f"{year}-{month or '01'}-{day or '01'}T{clock}{zone}"
