"""Where do the links on a page of a PDF lead, and in which words?"""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_int, create_string_buffer
from typing import Any

MOST_LINKS = 500  # of one page
LONGEST_ADDRESS = 2_000
LONGEST_WORDS = 300  # characters; a rectangle may lie over half of the page


def page_links(page: Any, textpage: Any) -> Iterator[tuple[str, str]]:
    """The addresses of the rectangles that can be clicked, each with the words in it."""
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
