"""What does a Word document (DOCX) say? ECMA-376, part 1, 17 WordprocessingML."""

from __future__ import annotations

import re

from gossamer.extract.archive import Archive
from gossamer.extract.draft import Draft, Enough
from gossamer.extract.markup import Attributes, value
from gossamer.extract.package import Package, Relation

_HEADING = re.compile(r"heading [1-9]|title", re.IGNORECASE)  # whatever the language of the program
_HYPERLINK = re.compile(r'\s*HYPERLINK\s+(?:\\\w\s+)*"([^"]+)"', re.IGNORECASE)
_BODY_LEVEL = "9"  # the outline level of what is no heading
# Deleted text and its kin have names of their own; a fallback repeats what the choice before it said.
_PASSED_OVER = frozenset({"Fallback", "instrText", "delText", "fldData", "binData"})
_SPACES = frozenset({"tab", "br", "cr", "ptab"})
_STRESS = frozenset({"b", "i", "highlight"})  # properties of a run
_OFF = frozenset({"0", "false", "off", "none"})


def read_docx(body: bytes) -> Draft:
    """Paragraphs in their order, then notes; headers and footers stand around the text."""
    package = Package(Archive(body, "docx"), "docx")
    draft = package.described()
    main = package.main_part("word/document.xml")
    styles = _Styles()
    for part in package.parts(main, "styles"):
        package.listen(part, styles)
    draft.language = draft.language or styles.language
    try:
        for part in (main, *package.parts(main, "footnotes"), *package.parts(main, "endnotes")):
            package.listen(part, Paragraphs(draft, styles.headings, package.relations(part)))
    except Enough:
        return draft
    for kind in ("header", "footer"):
        for part in package.parts(main, kind):
            around = Draft()
            package.listen(part, Paragraphs(around, frozenset(), {}))
            draft.surroundings += [line for line in around.lines if line not in draft.surroundings]
    return draft


class _Styles:
    """Which styles are those of headings, and in which language is the text?"""

    def __init__(self) -> None:
        self._style = ""
        self.language = ""
        self.headings: set[str] = set()

    def opened(self, name: str, attributes: Attributes) -> None:
        if name == "style":
            self._style = value(attributes, "styleId")
        elif _is_heading(name, value(attributes, "val")):
            self.headings.add(self._style)
        elif name == "lang" and not self._style:  # the defaults stand before all styles
            self.language = value(attributes, "val")

    def closed(self, name: str) -> None: ...

    def told(self, text: str) -> None: ...


def _is_heading(name: str, said: str) -> bool:
    """Whether an element of a style makes it one of headings."""
    return bool(_HEADING.fullmatch(said)) if name == "name" else name == "outlineLvl" and said != _BODY_LEVEL


class _Paragraph:
    __slots__ = ("is_heading", "stressed", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.stressed = [""]  # runs of emphasised words; the last may go on
        self.is_heading = False

    def tell(self, text: str, stressed: bool) -> None:
        self.texts.append(text)
        if stressed:
            self.stressed[-1] += text
        elif self.stressed[-1]:
            self.stressed.append("")


class Paragraphs:
    """Writes the paragraphs of a part into a draft. One may stand within another: text boxes do."""

    def __init__(
        self, draft: Draft, headings: set[str] | frozenset[str], relations: dict[str, Relation]
    ) -> None:
        self._draft = draft
        self._headings = headings
        self._relations = relations
        self._open: list[_Paragraph] = []
        self._is_text = False
        self._in_run = self._is_stressed = False
        self._passed = 0  # open elements that are passed over
        self._code = ""  # of a field
        self._link: tuple[str, int] | None = None  # address, and the place at which its words begin

    def opened(self, name: str, attributes: Attributes) -> None:
        if self._passed or name in _PASSED_OVER:
            self._passed += 1
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
            relation = self._relations.get(value(attributes, "relationships id"))
            self._begin_link(relation.target if relation and relation.external else "")
        elif name == "fldChar":
            self._field(value(attributes, "fldCharType"))

    def _field(self, kind: str) -> None:
        """A field is its code, then what it shows: links were written so before there was an element."""
        if kind == "begin":
            self._code = ""
        elif kind == "separate" and (match := _HYPERLINK.match(self._code)):
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

    def told(self, text: str) -> None:
        if self._is_text and self._passed:
            self._code += text[:2_000]
        elif self._is_text and self._open:
            self._open[-1].tell(text, self._is_stressed)

    def closed(self, name: str) -> None:
        if self._passed:
            self._passed -= 1
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
