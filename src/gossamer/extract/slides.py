"""What do the slides of a PowerPoint file (PPTX) say? ECMA-376, part 1, 19 PresentationML, 21 DrawingML."""

from __future__ import annotations

from collections.abc import Iterator

from gossamer.extract.archive import Archive
from gossamer.extract.draft import Draft, Enough
from gossamer.extract.markup import Attributes, value
from gossamer.extract.package import Package, Relation

_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"sldNum", "dt", "ftr", "hdr"})  # placeholders that repeat on every slide
_CONTAINERS = frozenset({"sp", "graphicFrame"})


def read_pptx(body: bytes) -> Draft:
    """Slide after slide in the order of the show, each followed by its notes."""
    package = Package(Archive(body, "pptx"), "pptx")
    draft = package.described()
    try:
        for slide in _slides(package):
            package.listen(slide, Shapes(draft, package.relations(slide)))
            for notes in package.parts(slide, "notesSlide"):
                package.listen(notes, Shapes(draft, {}))
    except Enough:
        pass
    return draft


def _slides(package: Package) -> Iterator[str]:
    main = package.main_part("ppt/presentation.xml")
    relations = package.relations(main)
    order = _Order()
    package.listen(main, order)
    for identifier in order.slides:
        relation = relations.get(identifier)
        if relation and not relation.external:
            yield relation.target


class _Order:
    def __init__(self) -> None:
        self.slides: list[str] = []

    def opened(self, name: str, attributes: Attributes) -> None:
        if name == "sldId":
            self.slides.append(value(attributes, "relationships id"))

    def closed(self, name: str) -> None: ...

    def told(self, text: str) -> None: ...


class Shapes:
    """Writes the paragraphs of a slide into a draft."""

    def __init__(self, draft: Draft, relations: dict[str, Relation]) -> None:
        self._draft = draft
        self._relations = relations
        self._placeholder = ""
        self._paragraph: list[str] = []
        self._is_text = False
        self._passed = 0
        self._address = ""  # where the run that is open leads
        self._run = ""

    def opened(self, name: str, attributes: Attributes) -> None:
        if self._passed or name == "Fallback":
            self._passed += 1
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
            relation = self._relations.get(value(attributes, "relationships id"))
            self._address = relation.target if relation and relation.external else ""

    def told(self, text: str) -> None:
        if self._is_text and not self._passed:
            self._paragraph.append(text)
            self._run += text

    def closed(self, name: str) -> None:
        if self._passed:
            self._passed -= 1
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
