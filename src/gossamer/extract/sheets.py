"""What do the cells of an Excel workbook (XLSX) say? ECMA-376, part 1, 18 SpreadsheetML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from gossamer.extract.archive import Archive
from gossamer.extract.draft import Draft, Enough
from gossamer.extract.markup import Attributes, value
from gossamer.extract.package import Package, Relation

MOST_STRINGS = 20_000_000  # characters of the shared strings
_EPOCH = datetime(1899, 12, 30)  # day 0, so that dates from March 1900 on come out right
_DAYS = 2_958_466  # until the end of the year 9999
# 18.8.30: the formats that need not be declared, and what makes a declared one that of a date.
_DATE_FORMATS = frozenset({*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)})
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_DATE_LETTER = re.compile(r"[ymdhs]", re.IGNORECASE)


def read_xlsx(body: bytes) -> Draft:
    """Sheet after sheet, a line a row; the names of the sheets are headings."""
    package = Package(Archive(body, "xlsx"), "xlsx")
    draft = package.described()
    main = package.main_part("xl/workbook.xml")
    strings, styles = _Strings(), _Styles()
    for part in package.parts(main, "sharedStrings"):
        package.listen(part, strings)
    for part in package.parts(main, "styles"):
        package.listen(part, styles)
    try:
        for title, part in _sheets(package, main):
            draft.heading(draft.line(title))
            package.listen(part, _Cells(draft, strings.texts, styles.dates, package.relations(part)))
    except Enough:
        pass
    return draft


def _sheets(package: Package, main: str) -> Iterator[tuple[str, str]]:
    relations = package.relations(main)
    book = _Book()
    package.listen(main, book)
    for title, identifier in book.sheets:
        relation = relations.get(identifier)
        if relation is not None and relation.kind == "worksheet":
            yield title, relation.target


class _Book:
    def __init__(self) -> None:
        self.sheets: list[tuple[str, str]] = []

    def opened(self, name: str, attributes: Attributes) -> None:
        if name == "sheet" and value(attributes, "state") in {"", "visible"}:
            self.sheets.append((value(attributes, "name"), value(attributes, "relationships id")))

    def closed(self, name: str) -> None: ...

    def told(self, text: str) -> None: ...


class _Strings:
    """The texts that cells name by number; phonetic hints are left out."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._pieces: list[str] = []
        self._is_text = False
        self._is_hint = False
        self._size = 0

    def opened(self, name: str, attributes: Attributes) -> None:
        if name == "si":
            self._pieces = []
        elif name == "rPh":
            self._is_hint = True
        elif name == "t":
            self._is_text = not self._is_hint

    def told(self, text: str) -> None:
        if self._is_text:
            self._pieces.append(text)
            self._size += len(text)

    def closed(self, name: str) -> None:
        if name == "t":
            self._is_text = False
        elif name == "rPh":
            self._is_hint = False
        elif name == "si":
            self.texts.append("".join(self._pieces) if self._size <= MOST_STRINGS else "")


class _Styles:
    """Which styles of cells show a number as a date?"""

    def __init__(self) -> None:
        self._formats = set(_DATE_FORMATS)
        self._is_cell_format = False
        self._count = 0
        self.dates: set[str] = set()

    def opened(self, name: str, attributes: Attributes) -> None:
        if name == "numFmt" and _DATE_LETTER.search(_LITERAL.sub("", value(attributes, "formatCode"))):
            self._formats.add(_number(value(attributes, "numFmtId")))
        elif name == "cellXfs":
            self._is_cell_format = True
        elif name == "xf" and self._is_cell_format:
            if _number(value(attributes, "numFmtId")) in self._formats:
                self.dates.add(str(self._count))
            self._count += 1

    def closed(self, name: str) -> None:
        if name == "cellXfs":
            self._is_cell_format = False

    def told(self, text: str) -> None: ...


class _Cells:
    def __init__(
        self, draft: Draft, strings: list[str], dates: set[str], relations: dict[str, Relation]
    ) -> None:
        self._draft = draft
        self._strings = strings
        self._dates = dates
        self._relations = relations
        self._row: list[str] = []
        self._kind = ""
        self._is_date = False
        self._text = ""
        self._is_text = False

    def opened(self, name: str, attributes: Attributes) -> None:
        if name == "c":
            self._kind = attributes.get("t", "n")
            self._is_date = attributes.get("s", "") in self._dates
            self._text = ""
        elif name in {"v", "t"}:
            self._is_text = True
        elif name == "row":
            self._row = []
        elif name == "hyperlink":
            relation = self._relations.get(value(attributes, "relationships id"))
            if relation is not None and relation.external:
                self._draft.link(relation.target, value(attributes, "display"))

    def told(self, text: str) -> None:
        if self._is_text:
            self._text += text

    def closed(self, name: str) -> None:
        if name in {"v", "t"}:
            self._is_text = False
        elif name == "c" and self._text:
            self._row.append(self._shown())
        elif name == "row":
            self._draft.line(" ".join(self._row))

    def _shown(self) -> str:
        """What a reader of the sheet sees in the cell, more or less."""
        if self._kind == "s":
            place = _number(self._text)
            return self._strings[place] if 0 <= place < len(self._strings) else ""
        if self._kind == "e":
            return ""
        if self._kind == "b":
            return "TRUE" if self._text.strip() in {"1", "true"} else "FALSE"
        return _day(self._text) if self._kind == "n" and self._is_date else self._text


def _day(serial: str) -> str:
    """
    >>> _day("45413.5"), _day("soon")
    ('2024-05-01', 'soon')
    """
    try:
        days = float(serial)
    except ValueError:
        return serial
    return (_EPOCH + timedelta(days=days)).date().isoformat() if 1 <= days < _DAYS else serial


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
