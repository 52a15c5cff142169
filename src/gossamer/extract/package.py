"""How do the parts of an Office Open XML file find each other, and what do they say about the whole?

ECMA-376, part 2 (Open Packaging Conventions): a part `word/document.xml` refers to others by identifiers that
`word/_rels/document.xml.rels` resolves; `docProps/core.xml` has title, author, dates and language.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from gossamer.extract.archive import Archive, joined
from gossamer.extract.draft import Draft
from gossamer.extract.markup import Attributes, Handler, listen, value

_PROPERTIES = frozenset(
    {"title", "creator", "description", "subject", "language", "created", "modified"}
    | {"initial-creator", "creation-date", "date"}
)


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a part points."""

    kind: str  # the last word of its type: officeDocument, slide, hyperlink
    target: str  # a path within the file, or an address of the world
    external: bool


class Package:
    """The parts of an office document, read by way of their relations."""

    def __init__(self, archive: Archive, name: str) -> None:
        self._archive = archive
        self._broken = f"broken-{name}"

    def listen(self, part: str, handler: Handler) -> None:
        """Reads a part."""
        listen(self._archive.pieces(part), handler, self._broken)

    def relations(self, part: str = "") -> dict[str, Relation]:
        """What a part refers to, by identifier; without one, the whole file."""
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", f"{name}.rels")
        found = _Relations(folder)
        if path in self._archive:
            self.listen(path, found)
        return found.relations

    def main_part(self, otherwise: str) -> str:
        """The part with which reading begins."""
        return next(self.parts("", "officeDocument"), otherwise)

    def parts(self, part: str, kind: str) -> Iterator[str]:
        """The parts of a kind that a part refers to, as far as they are there."""
        for relation in self.relations(part).values():
            if relation.kind == kind and not relation.external and relation.target in self._archive:
                yield relation.target

    def described(self) -> Draft:
        """A draft with what the file says about itself."""
        draft = Draft()
        for part in (*self.parts("", "core-properties"), "docProps/core.xml"):
            if part in self._archive:
                self.listen(part, Properties(draft))
                break
        return draft


class _Relations:
    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.relations: dict[str, Relation] = {}

    def opened(self, name: str, attributes: Attributes) -> None:
        if name != "Relationship":
            return
        target = value(attributes, "Target")
        external = value(attributes, "TargetMode") == "External"
        kind = value(attributes, "Type").rpartition("/")[2]
        path = target if external else joined(self._folder, target)
        self.relations[value(attributes, "Id")] = Relation(kind, path, external)

    def closed(self, name: str) -> None: ...

    def told(self, text: str) -> None: ...


class Properties:
    """Takes down what Dublin Core elements say, as Office Open XML and OpenDocument use them."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._text = ""
        self._said: dict[str, list[str]] = {}

    def opened(self, name: str, attributes: Attributes) -> None:
        self._text = ""

    def told(self, text: str) -> None:
        self._text += text

    def closed(self, name: str) -> None:
        text, self._text = self._text.strip(), ""
        if text and name in _PROPERTIES:
            self._said.setdefault(name, []).append(text)
        elif name in {"coreProperties", "meta"}:
            self._finish()

    def _finish(self) -> None:
        said, draft = self._said, self._draft
        draft.title = _first(said, "title")
        draft.author = ", ".join(dict.fromkeys(said.get("initial-creator") or said.get("creator", [])))
        draft.description = _first(said, "description") or _first(said, "subject")
        draft.language = _first(said, "language")
        draft.dates = [_first(said, name) for name in ("created", "creation-date", "modified", "date")]


def _first(said: dict[str, list[str]], name: str) -> str:
    return said[name][0] if name in said else ""
