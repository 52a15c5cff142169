"""What does a reader see of an HTML tree, line by line, and in which region does each line stand?

One walk over the tree, without recursion (pages nest thousands deep), makes a line of every block.
Block elements end a line, inline elements do not break a word.
"""

from __future__ import annotations

from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from gossamer.extract.elements import BLOCKS, CHROME, CHROME_ROLES, HEADINGS, UNSEEN

IN_MAIN = 2
IN_ARTICLE = 1
ANCHOR_STEPS = 200  # nodes looked at for one anchor; links that hold links would cost quadratic time


class Region(NamedTuple):
    """Where a line stands."""

    landmark: int = 0  # IN_MAIN, IN_ARTICLE, or 0
    chrome: bool = False  # navigation, footers, controls: around the text, not the text
    heading: str = ""  # h1, h2 or h3


class Line(NamedTuple):
    """The words of one block."""

    text: str  # whitespace collapsed
    region: Region
    linked: int = 0  # how many of its characters stand in links


def collapse(text: str) -> str:
    """Whitespace runs become one space; soft hyphens, which a reader does not see, go.

    >>> collapse(" Do\\u00adnau \\n schiff ")
    'Donau schiff'
    """
    return " ".join(text.replace("\u00ad", "").replace("\ufeff", "").split())


def hides(style: str) -> bool:
    """Whether an inline style keeps its element from being seen.

    >>> hides("color: red; Display : none !important"), hides("font-size:0.0em"), hides("font-size:0.8em")
    (True, True, False)
    """
    for declaration in "".join(style.lower().split()).split(";"):
        name, _, value = declaration.removesuffix("!important").partition(":")
        if (name, value) in {("display", "none"), ("visibility", "hidden")}:
            return True
        number = value.rstrip("abcdefghijklmnopqrstuvwxyz%")
        if name == "font-size" and number and not number.strip("0."):
            return True
    return False


class _LinkEnd:
    """The step at which a link closes."""


_LINK_END = _LinkEnd()


class _Walk:
    """One walk. `steps` holds nodes to visit, ends of links, and regions to go back to after a block."""

    __slots__ = ("hidden", "lines", "link_start", "linked", "pieces", "region", "roles", "steps")

    def __init__(self, hidden: frozenset[int], roles: dict[int, str]) -> None:
        self.hidden = hidden
        self.roles = roles
        self.region = Region()
        self.lines: list[Line] = []
        self.pieces: list[str] = []  # of the line that is being made
        self.linked = 0
        self.link_start = -1  # the piece at which the open link began; -1 outside links
        self.steps: list[LexborNode | Region | _LinkEnd] = []

    def run(self, root: LexborNode, limit: int = -1) -> list[Line]:
        """Walks over at most `limit` steps, or all of them."""
        self.steps.append(root)
        while self.steps and limit:
            limit -= 1
            step = self.steps.pop()
            if isinstance(step, Region):
                self._move(step)
            elif isinstance(step, _LinkEnd):
                self._count_linked()
                self.link_start = -1
            else:
                self._visit(step)
        self._move(Region())
        return self.lines

    def _visit(self, node: LexborNode) -> None:
        tag = node.tag
        if tag == "-text":
            self.pieces.append(node.text_content or "")
        elif tag is None or tag[0] == "-" or tag in UNSEEN or node.mem_id in self.hidden:
            return
        elif tag == "img":
            self.pieces.append(f" {node.attributes.get('alt') or ''} ")
        else:
            self._enter(node, tag)

    def _enter(self, node: LexborNode, tag: str) -> None:
        region = self._region_of(node, tag)
        if tag in BLOCKS or region != self.region:
            self.steps.append(self.region)
            self._move(region)
        elif tag == "a":
            self.steps.append(_LINK_END)
            self.link_start = len(self.pieces)
        children = list(node.iter(include_text=True))
        children.reverse()
        self.steps.extend(children)

    def _region_of(self, node: LexborNode, tag: str) -> Region:
        region = self.region
        role = self.roles.get(node.mem_id, "") if self.roles else ""
        if tag == "main" or role == "main":
            return region._replace(landmark=IN_MAIN)
        if tag == "article" or role == "article":
            return region._replace(landmark=max(region.landmark, IN_ARTICLE))
        # a header opens the page, or the article it stands in: only the first kind is chrome
        if tag in CHROME or role in CHROME_ROLES or (tag == "header" and not region.landmark):
            return region._replace(chrome=True)
        if tag in HEADINGS:
            return region._replace(heading=tag)
        return region

    def _move(self, region: Region) -> None:
        if region.heading and region == self.region:
            self.pieces.append(" ")  # a heading stays one line, whatever stands in it
            return
        if self.pieces:
            self._end_line()
        self.region = region

    def _end_line(self) -> None:
        self._count_linked()
        text = collapse("".join(self.pieces))
        if text:
            self.lines.append(Line(text, self.region, self.linked))
        self.pieces.clear()
        self.linked = 0
        self.link_start = min(self.link_start, 0)

    def _count_linked(self) -> None:
        if self.link_start >= 0:
            self.linked += len(collapse("".join(self.pieces[self.link_start :])))


def read_lines(tree: LexborHTMLParser) -> list[Line]:
    """All that a reader sees of the page."""
    if tree.root is None:
        return []
    styled = (node for node in tree.css("[style]") if hides(node.attributes.get("style") or ""))
    hidden = frozenset(node.mem_id for node in (*tree.css("[hidden]"), *styled))
    roles = {node.mem_id: (node.attributes.get("role") or "").strip().lower() for node in tree.css("[role]")}
    return _Walk(hidden, roles).run(tree.root)


def text_of(node: LexborNode) -> str:
    """The words inside one element, such as a link's anchor, in one line."""
    only = node.first_child
    if only is not None and only.next is None and only.is_text_node:
        return collapse(only.text_content or "")
    return " ".join(line.text for line in _Walk(frozenset(), {}).run(node, limit=ANCHOR_STEPS))
