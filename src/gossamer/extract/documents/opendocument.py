"""LibreOffice files: ODT, ODS, ODP.

OASIS OpenDocument 1.3, part 3: `content.xml` has the text, `meta.xml` the metadata.
"""

from __future__ import annotations

from contextlib import suppress

from gossamer.extract.documents.archive import Archive, Attributes, Handler, listen, value
from gossamer.extract.documents.draft import Draft, SizeLimitReached
from gossamer.extract.documents.ooxml import Properties

# Comments, deleted text, and elements that are not shown.
_SKIPPED = frozenset(
    {"annotation", "tracked-changes", "scripts", "automatic-styles", "forms", "note-citation", "ruby-text"}
)
_PARAGRAPHS = frozenset({"p", "h"})
_SPACES = frozenset({"tab", "s", "line-break"})


def read_opendocument(body: bytes, name: str) -> Draft:
    """Read a text document (odt), a spreadsheet (ods) or a presentation (odp).

    Each paragraph, or row of a spreadsheet, becomes a line. Sheet names and slide titles are headings.
    """
    archive = Archive(body, name)
    broken = f"broken-{name}"
    if "META-INF/manifest.xml" in archive:
        archive.refuse_if(b"encryption-data" in archive.read("META-INF/manifest.xml"), "encrypted")
    draft = Draft()
    if "meta.xml" in archive:
        listen(archive.pieces("meta.xml"), Properties(draft), broken)
    if not draft.language and "styles.xml" in archive:
        listen(archive.pieces("styles.xml"), _Language(draft), broken)
    with suppress(SizeLimitReached):
        listen(archive.pieces("content.xml"), _Content(draft, is_sheet=name == "ods"), broken)
    return draft


class _Language(Handler):
    """Handler of `styles.xml` that takes the language of the default style."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._is_default = False

    def opened(self, name: str, attributes: Attributes) -> None:
        if name == "default-style":
            self._is_default = True
        elif name == "text-properties" and self._is_default and not self._draft.language:
            language = value(attributes, "language")
            self._draft.language = "" if language in {"none", "zxx"} else language

    def closed(self, name: str) -> None:
        if name == "default-style":
            self._is_default = False


class _Content(Handler):
    """Handler that adds paragraphs to a draft. Paragraphs can be nested, as in notes and frames."""

    def __init__(self, draft: Draft, is_sheet: bool) -> None:
        self._draft = draft
        self._is_sheet = is_sheet
        self._open: list[list[str]] = []
        self._row: list[str] = []
        self._links: list[tuple[str, int]] = []  # address, and where its text begins in the paragraph
        self._skipped = 0  # depth inside a skipped element
        self._frames: list[bool] = []  # for each open frame, whether it holds the title of a slide

    def opened(self, name: str, attributes: Attributes) -> None:
        if self._skipped or name in _SKIPPED:
            self._skipped += 1
        elif name in _PARAGRAPHS:
            self._open.append([])
        elif name in _SPACES and self._open:
            self._open[-1].append(" ")
        elif name == "a":
            self._links.append((value(attributes, "href"), len(self._open[-1]) if self._open else 0))
        elif name == "frame":
            self._frames.append(value(attributes, "class") == "title")
        elif name == "table" and self._is_sheet:
            self._draft.heading(self._draft.line(value(attributes, "name")))

    def characters(self, text: str) -> None:
        if self._open and not self._skipped:
            self._open[-1].append(text)

    def closed(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
        elif name in _PARAGRAPHS and self._open:
            self._end_paragraph(name)
        elif name == "a" and self._links:
            address, start = self._links.pop()
            self._draft.link(address, "".join(self._open[-1][start:]) if self._open else "")
        elif name == "frame" and self._frames:
            self._frames.pop()
        elif name == "table-row" and self._is_sheet:
            row, self._row = self._row, []
            self._draft.line(" ".join(row))

    def _end_paragraph(self, name: str) -> None:
        text = "".join(self._open.pop())
        if self._is_sheet:
            self._row.append(text)
            return
        line = self._draft.line(text)
        if name == "h" or any(self._frames):
            self._draft.heading(line)
