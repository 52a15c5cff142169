"""Word, Excel and PowerPoint files.

ECMA-376, part 2 (Open Packaging Conventions): a part such as `word/document.xml` refers to other parts by
identifiers, which `word/_rels/document.xml.rels` resolves. `docProps/core.xml` has title, author, dates and
language.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from gossamer.extract.documents.archive import (
    Archive,
    Attributes,
    DublinCore,
    Handler,
    elements,
    joined,
    listen,
    value,
)
from gossamer.extract.documents.draft import HYPERLINK, Draft, SizeLimitReached


@dataclass(frozen=True, slots=True)
class Relation:
    """A reference from one part to another, or to a URL."""

    kind: str  # the last word of its type: officeDocument, slide, hyperlink
    target: str  # a path inside the file; a URL if external
    external: bool


class Package:
    """Reader for the parts of an Office Open XML file."""

    def __init__(self, body: bytes, name: str) -> None:
        self._archive = Archive(body, name)
        self._broken = f"broken-{name}"

    def listen(self, part: str, handler: Handler) -> None:
        """Parse a part."""
        listen(self._archive.pieces(part), handler, self._broken)

    def elements(self, part: str, name: str) -> list[Attributes]:
        """Return the attributes of all elements of one name in a part."""
        return elements(self._archive.pieces(part), name, self._broken)

    def relations(self, part: str = "") -> dict[str, Relation]:
        """Return the relations of a part by identifier; without a part, those of the whole file."""
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", f"{name}.rels")
        found = self.elements(path, "Relationship") if path in self._archive else []
        return {value(one, "Id"): _relation(one, folder) for one in found}

    def main_part(self, otherwise: str) -> str:
        """Return the path of the main part."""
        return next(self.parts("", "officeDocument"), otherwise)

    def parts(self, part: str, kind: str) -> Iterator[str]:
        """Yield the existing parts of one kind that a part refers to."""
        for relation in self.relations(part).values():
            if relation.kind == kind and not relation.external and relation.target in self._archive:
                yield relation.target

    def described(self) -> Draft:
        """Return a draft with the metadata of the file."""
        draft = Draft()
        for part in (*self.parts("", "core-properties"), "docProps/core.xml"):
            if part in self._archive:
                self.listen(part, Properties(draft))
                break
        return draft


def _relation(attributes: Attributes, folder: str) -> Relation:
    target = value(attributes, "Target")
    external = value(attributes, "TargetMode") == "External"
    kind = value(attributes, "Type").rpartition("/")[2]
    return Relation(kind, target if external else joined(folder, target), external)


def _address(relations: dict[str, Relation], attributes: Attributes) -> str:
    """Return the URL that an element links to, or ""."""
    relation = relations.get(value(attributes, "relationships id"))
    return relation.target if relation and relation.external else ""


class Properties(DublinCore):
    """Handler that copies the metadata of Office Open XML and OpenDocument files to a draft."""

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self._draft = draft

    def closed(self, name: str) -> None:
        super().closed(name)
        if name not in {"coreProperties", "meta"}:
            return
        draft = self._draft
        draft.title = self.first("title")
        draft.author = ", ".join(dict.fromkeys(self.every("initial-creator") or self.every("creator")))
        draft.description = self.first("description") or self.first("subject")
        draft.language = self.first("language")
        draft.dates = list(map(self.first, ("created", "creation-date", "modified", "date")))


# Excel workbooks (XLSX)
# ----------------------

MOST_STRINGS = 20_000_000  # characters of the shared strings
_EPOCH = datetime(1899, 12, 30)  # day 0; right for dates from March 1900 on
_DAYS = 2_958_466  # until the end of the year 9999

# ECMA-376, part 1, 18.8.30: the built-in date formats. A declared format is one for dates if it has one of
# these letters outside of literals.
_DATE_FORMATS = frozenset({*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)})
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_DATE_LETTER = re.compile(r"[ymdhs]", re.IGNORECASE)


def read_xlsx(body: bytes) -> Draft:
    """Read all sheets, one line for each row. Sheet names are headings."""
    package = Package(body, "xlsx")
    draft = package.described()
    main = package.main_part("xl/workbook.xml")
    strings, styles = _Strings(), _CellStyles()
    for part in package.parts(main, "sharedStrings"):
        package.listen(part, strings)
    for part in package.parts(main, "styles"):
        package.listen(part, styles)
    with suppress(SizeLimitReached):
        for title, part in _sheets(package, main):
            draft.heading(draft.line(title))
            package.listen(part, _Cells(draft, strings.texts, styles.dates, package.relations(part)))
    return draft


def _sheets(package: Package, main: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the part of each visible sheet."""
    relations = package.relations(main)
    for sheet in package.elements(main, "sheet"):
        relation = relations.get(value(sheet, "relationships id"))
        is_shown = value(sheet, "state") in {"", "visible"}
        if is_shown and relation is not None and relation.kind == "worksheet":
            yield value(sheet, "name"), relation.target


class _Strings(Handler):
    """Handler that collects the shared strings, without phonetic hints. Cells refer to them by number."""

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

    def characters(self, text: str) -> None:
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


class _CellStyles(Handler):
    """Handler that finds the cell styles that show a number as a date."""

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


class _Cells(Handler):
    """Handler that adds the rows of a sheet to a draft."""

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
            self._draft.link(_address(self._relations, attributes), value(attributes, "display"))

    def characters(self, text: str) -> None:
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
        """Return roughly the text that the cell shows."""
        if self._kind == "s":
            place = _number(self._text)
            return self._strings[place] if 0 <= place < len(self._strings) else ""
        if self._kind == "e":
            return ""
        if self._kind == "b":
            return "TRUE" if self._text.strip() in {"1", "true"} else "FALSE"
        return _day(self._text) if self._kind == "n" and self._is_date else self._text


def _day(serial: str) -> str:
    """Return the date of a day number.

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


# PowerPoint files (PPTX)
# -----------------------

_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"sldNum", "dt", "ftr", "hdr"})  # placeholders that repeat on every slide
_CONTAINERS = frozenset({"sp", "graphicFrame"})


def read_pptx(body: bytes) -> Draft:
    """Read all slides in the order of the presentation, each followed by its notes."""
    package = Package(body, "pptx")
    draft = package.described()
    with suppress(SizeLimitReached):
        for slide in _slides(package):
            package.listen(slide, Shapes(draft, package.relations(slide)))
            for notes in package.parts(slide, "notesSlide"):
                package.listen(notes, Shapes(draft, {}))
    return draft


def _slides(package: Package) -> Iterator[str]:
    main = package.main_part("ppt/presentation.xml")
    relations = package.relations(main)
    for slide in package.elements(main, "sldId"):
        relation = relations.get(value(slide, "relationships id"))
        if relation and not relation.external:
            yield relation.target


class Shapes(Handler):
    """Handler that adds the paragraphs of a slide to a draft."""

    def __init__(self, draft: Draft, relations: dict[str, Relation]) -> None:
        self._draft = draft
        self._relations = relations
        self._placeholder = ""
        self._paragraph: list[str] = []
        self._is_text = False
        self._skipped = 0  # depth inside a skipped element
        self._address = ""  # link target of the open run
        self._run = ""

    def opened(self, name: str, attributes: Attributes) -> None:
        if self._skipped or name == "Fallback":
            self._skipped += 1
        elif name in _CONTAINERS:
            self._placeholder = ""
        elif name == "ph":
            self._placeholder = value(attributes, "type")
        elif name in {"r", "fld"}:
            self._address = self._run = ""
        elif name == "t":
            self._is_text = True
        elif name == "br":
            self._paragraph.append(" ")
        elif name == "hlinkClick":
            self._address = _address(self._relations, attributes)

    def characters(self, text: str) -> None:
        if self._is_text and not self._skipped:
            self._paragraph.append(text)
            self._run += text

    def closed(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
        elif name == "t":
            self._is_text = False
        elif name == "r":
            self._draft.link(self._address, self._run)
            self._address = ""
        elif name == "p":
            self._end_paragraph()

    def _end_paragraph(self) -> None:
        text, self._paragraph = "".join(self._paragraph), []
        if self._placeholder in _FURNITURE:
            return
        line = self._draft.line(text)
        if self._placeholder in _TITLES:
            self._draft.heading(line)


# Word documents (DOCX)
# ---------------------

_HEADING = re.compile(r"heading [1-9]|title", re.IGNORECASE)  # English in files of any language
_BODY_LEVEL = "9"  # outline level of paragraphs that are no headings

# Field codes, deleted text and binary data. A fallback repeats the text of the choice before it.
_SKIPPED = frozenset({"Fallback", "instrText", "delText", "fldData", "binData"})
_SPACES = frozenset({"tab", "br", "cr", "ptab"})
_STRESS = frozenset({"b", "i", "highlight"})  # properties of a run
_OFF = frozenset({"0", "false", "off", "none"})


def read_docx(body: bytes) -> Draft:
    """Read the paragraphs, then the notes. Headers and footers are surroundings."""
    package = Package(body, "docx")
    draft = package.described()
    main = package.main_part("word/document.xml")
    styles = _ParagraphStyles()
    for part in package.parts(main, "styles"):
        package.listen(part, styles)
    draft.language = draft.language or styles.language
    try:
        for part in (main, *package.parts(main, "footnotes"), *package.parts(main, "endnotes")):
            package.listen(part, Paragraphs(draft, styles.headings, package.relations(part)))
    except SizeLimitReached:
        return draft
    for kind in ("header", "footer"):
        for part in package.parts(main, kind):
            around = Draft()
            package.listen(part, Paragraphs(around, frozenset(), {}))
            draft.surroundings += [line for line in around.lines if line not in draft.surroundings]
    return draft


class _ParagraphStyles(Handler):
    """Handler that finds the styles of headings and the language of the document."""

    def __init__(self) -> None:
        self._style = ""
        self.language = ""
        self.headings: set[str] = set()

    def opened(self, name: str, attributes: Attributes) -> None:
        if name == "style":
            self._style = value(attributes, "styleId")
        elif _is_heading(name, value(attributes, "val")):
            self.headings.add(self._style)
        elif name == "lang" and not self._style:  # the defaults precede all styles
            self.language = value(attributes, "val")


def _is_heading(name: str, said: str) -> bool:
    """Whether an element of a style marks it as one for headings."""
    return bool(_HEADING.fullmatch(said)) if name == "name" else name == "outlineLvl" and said != _BODY_LEVEL


class _Paragraph:
    __slots__ = ("is_heading", "stressed", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.stressed = [""]  # runs of emphasised words; the last one may still grow
        self.is_heading = False

    def tell(self, text: str, stressed: bool) -> None:
        self.texts.append(text)
        if stressed:
            self.stressed[-1] += text
        elif self.stressed[-1]:
            self.stressed.append("")


class Paragraphs(Handler):
    """Handler that adds the paragraphs of a part to a draft. Paragraphs can be nested, as in text boxes."""

    def __init__(
        self, draft: Draft, headings: set[str] | frozenset[str], relations: dict[str, Relation]
    ) -> None:
        self._draft = draft
        self._headings = headings
        self._relations = relations
        self._open: list[_Paragraph] = []
        self._is_text = False
        self._in_run = self._is_stressed = False
        self._skipped = 0  # depth inside a skipped element
        self._code = ""  # of a field
        self._link: tuple[str, int] | None = None  # address, and where its text begins in the paragraph

    def opened(self, name: str, attributes: Attributes) -> None:
        if self._skipped or name in _SKIPPED:
            self._skipped += 1
            self._is_text = name == "instrText"
            return
        if name == "p":
            self._open.append(_Paragraph())
            self._link = None
        elif self._open:
            self._within(name, attributes)

    def _within(self, name: str, attributes: Attributes) -> None:
        paragraph = self._open[-1]
        if name == "t":
            self._is_text = True
        elif name == "r":
            self._in_run, self._is_stressed = True, False
        elif name in _STRESS:
            self._is_stressed |= self._in_run and value(attributes, "val") not in _OFF
        elif name in _SPACES:
            paragraph.tell(" ", self._is_stressed)
        elif name == "noBreakHyphen":
            paragraph.tell("-", self._is_stressed)
        elif name == "pStyle":
            paragraph.is_heading |= value(attributes, "val") in self._headings
        elif name == "outlineLvl":
            paragraph.is_heading |= value(attributes, "val") != _BODY_LEVEL
        elif name == "hyperlink":
            self._begin_link(_address(self._relations, attributes))
        elif name == "fldChar":
            self._field(value(attributes, "fldCharType"))

    def _field(self, kind: str) -> None:
        """Handle a field: its code, then its result. Older documents store links as fields."""
        if kind == "begin":
            self._code = ""
        elif kind == "separate" and (match := HYPERLINK.match(self._code)):
            self._begin_link(match[1])
        elif kind == "end":
            self._end_link()

    def _begin_link(self, address: str) -> None:
        self._link = (address, len(self._open[-1].texts)) if address else None

    def _end_link(self) -> None:
        if self._link is not None and self._open:
            address, start = self._link
            self._draft.link(address, "".join(self._open[-1].texts[start:]))
        self._link = None

    def characters(self, text: str) -> None:
        if self._is_text and self._skipped:
            self._code += text[:2_000]
        elif self._is_text and self._open:
            self._open[-1].tell(text, self._is_stressed)

    def closed(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
            self._is_text = False
        elif name == "t":
            self._is_text = False
        elif name == "r":
            self._in_run = self._is_stressed = False
        elif name == "hyperlink":
            self._end_link()
        elif name == "p" and self._open:
            self._end_link()
            paragraph = self._open.pop()
            line = self._draft.line("".join(paragraph.texts))
            if paragraph.is_heading:
                self._draft.heading(line)
            else:
                self._draft.emphasise(paragraph.stressed)
