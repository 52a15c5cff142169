"""Draft of a document while it is read: lines, headings, links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from gossamer.extract.html.metadata import LONGEST
from gossamer.extract.html.scan import MOST_TEXT, Scan, collapse
from gossamer.model import Link, Links, Page, Url
from gossamer.text.language_codes import canonical_code
from gossamer.web.dates import first_believable
from gossamer.web.url import canonical

LONGEST_TITLE = 200  # characters

# The code of a field in Word documents and RTF that is a link.
HYPERLINK = re.compile(r'\s*HYPERLINK\s+(?:\\\w\s+)*"([^"]+)"', re.IGNORECASE)
_MARKUP = re.compile(r"^(?:#{1,6}\s+|[=*\-_~#]{3,}\s*$)")


def lines_of(text: str) -> list[str]:
    """Return the lines that are not blank, with whitespace collapsed."""
    collapsed = (collapse(line) for line in text.replace("\x00", "").splitlines())
    return [line for line in collapsed if line]


def title_of(lines: list[str]) -> str:
    """Return the first line that has a text, without the marks of a Markdown heading.

    >>> title_of(["=======", "# Reading list", "More"])
    'Reading list'
    """
    bare = (_MARKUP.sub("", line).strip() for line in lines)
    title = next((line for line in bare if line), "")
    return title if len(title) <= LONGEST_TITLE else title[:LONGEST_TITLE].rsplit(" ", 1)[0] + "…"


MOST_LINKS = 5_000
MOST_HEADINGS = 2_000
MOST_RUNS = 20_000  # runs of emphasised words
LONGEST_HEADING = 300  # characters; a longer one is a paragraph with the wrong style

# Useless titles that programs write: placeholders and file names. The whole title must match: "Untitled Goose
# Game" is a title, and a sentence may end with a file name.
_NO_TITLE = re.compile(
    r"(?:(?:untitled|unbenannt(?:es?)?)[\W_]*(?:document|presentation|spreadsheet|notebook|page|form|design|"
    r"project|publication|dokument|präsentation|tabelle)?[\W\d_]*|unknown|powerpoint[ -].*presentation|"
    r"presentation\d*|document\d*|book\d*|(?:pptx? |slide )?(?:presentation|title)|microsoft word - .*|"
    r"\S+\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|indd|rtf|od[tsp]|qxd|epub))$",
    re.IGNORECASE,
)


class Unreadable(Exception):
    """A document that cannot be read; the message is the problem, such as `encrypted-docx`."""


class SizeLimitReached(Exception):
    """The text has reached the limit; the rest of the document is not read."""


@dataclass(slots=True)
class Draft:
    """Content of a document, from which a page is made."""

    title: str = ""
    author: str = ""
    description: str = ""
    language: str = ""
    dates: list[str] = field(default_factory=list)  # the most reliable first
    lines: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    emphasised: list[str] = field(default_factory=list)
    surroundings: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)  # address as written, anchor
    size: int = 0

    def line(self, text: str) -> str:
        """Add a line, unless it is blank, and return it. Raises SizeLimitReached if the text is too long."""
        if words := collapse(text):
            self.lines.append(words)
            self.size += len(words)
            if self.size > MOST_TEXT:
                raise SizeLimitReached
        return words

    def heading(self, text: str) -> None:
        """Mark a line as a heading; the caller also adds it to the text."""
        words = collapse(text)
        if words and len(words) <= LONGEST_HEADING and len(self.headings) < MOST_HEADINGS:
            self.headings.append(words)

    def emphasise(self, runs: Iterable[str]) -> None:
        """Mark words as emphasised; the caller also adds their line to the text."""
        room = MOST_RUNS - len(self.emphasised)
        self.emphasised += islice(filter(None, map(collapse, runs)), room)

    def link(self, address: str, anchor: str = "") -> None:
        if address and len(self.links) < MOST_LINKS:
            self.links.append((address, collapse(anchor)))

    def add_text(self, scan: Scan) -> None:
        """Add all lines of an HTML document."""
        for line in (*scan.text.split("\n"), *scan.surroundings.split("\n")):
            self.line(line)

    def add_marks(self, scan: Scan, leads_out: Callable[[str], bool] = bool) -> None:
        """Add headings, emphasised words and links of an HTML document; `add_text` adds its lines."""
        for heading in scan.headings:
            self.heading(heading)
        self.emphasise(scan.emphasised.split("\n"))
        for address, anchor in zip(scan.addresses, scan.anchors, strict=True):
            if leads_out(address):
                self.link(address, anchor)

    def useful_title(self) -> str:
        """Return the title from the metadata, or "" if it is a placeholder or a file name."""
        stated = collapse(self.title[:LONGEST])
        return stated if stated and not _NO_TITLE.match(stated) else ""

    def page(self, url: Url, fetched_at: float, media_type: str, base: Url | None = None) -> Page:
        """Return the page of the document. Without a `base`, relative links are dropped."""
        return Page(
            url=url,
            fetched_at=fetched_at,
            media_type=media_type,
            title=self.useful_title() or next(iter(self.headings), "") or title_of(self.lines),
            headings=tuple(dict.fromkeys(self.headings)),
            emphasised="\n".join(self.emphasised),
            text="\n".join(self.lines),
            surroundings="\n".join(self.surroundings),
            description=collapse(self.description[:LONGEST]),
            author=collapse(self.author[:LONGEST]),
            language=canonical_code(self.language),
            published=first_believable(self.dates, fetched_at),
            links=packed_links(self.links, url, base),
        )


def packed_links(written: Iterable[tuple[str, str]], url: Url, base: Url | None) -> Links:
    """Resolve links; drop links to `url`. Each target appears once, with its first non-empty anchor."""
    anchors: dict[Url, str] = {}
    for address, anchor in written:
        target = canonical(address, base) if base is not None else canonical(address)
        if target is not None and target.fingerprint != url.fingerprint:
            anchors[target] = anchors.get(target) or anchor
    return Links.of(Link(target, anchor) for target, anchor in anchors.items())
