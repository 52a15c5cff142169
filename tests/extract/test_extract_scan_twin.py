"""The scanner against a plain tree walk: random trees, written in many ways, are read correctly."""

from html import escape

from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.html.scan import collapse, scan_html

BLOCKS = ("div", "section", "ul", "blockquote", "table-like", "p")
INLINE = ("span", "b", "em", "x-y")
UNSEEN = ("noscript", "object", "video", "svg")
WORDS = st.sampled_from(
    ["cat", "dog & cow", "<fish>", "  wide   space ", "Zoë", "京都", "", " ", "Do\u00adnau", "&amp;"]
)


class Node:
    """An element with children, or words."""

    def __init__(self, kind, children=(), href="", hidden=False):
        self.kind, self.children, self.href, self.hidden = kind, children, href, hidden

    def __repr__(self):
        return f"<{self.kind}{' hidden' * self.hidden} {self.href}>{self.children}"


def elements(children):
    inner = st.lists(children, max_size=4)
    return (
        st.builds(Node, st.sampled_from(("div", "section", "blockquote")), inner, hidden=st.booleans())
        | st.builds(Node, st.sampled_from(INLINE), inner, hidden=st.sampled_from((False, False, True)))
        | st.builds(Node, st.sampled_from(("object", "video", "canvas")), inner)
        | st.builds(Node, st.just("br"))
        | st.builds(Node, st.just("img"), WORDS)
    )


def with_links(children):
    return st.builds(
        Node, st.just("a"), st.lists(children, max_size=3), href=st.sampled_from(["/1", "/2", "/3#x"])
    )


TEXT = st.builds(Node, st.just("words"), WORDS)
INSIDE = st.recursive(TEXT, elements, max_leaves=12)  # links cannot be nested
TREES = st.lists(st.recursive(INSIDE | with_links(INSIDE), elements, max_leaves=25), max_size=6)


def written(node, draw, is_xml=False):
    if node.kind == "words":
        return draw.sampled(escape(node.children), escape(node.children).replace("&amp;", "&#38;"))
    name = draw.sampled(node.kind, node.kind.upper())
    attributes = draw.sampled("", " class='x > y'", ' data-x="<p>"')
    if node.href:
        attributes += draw.sampled(
            f" href={node.href}", f' HREF = "{node.href}"', f"\nhref='{node.href}' href=/no"
        )
    if node.hidden:
        attributes += draw.sampled(
            " hidden", ' style="Display: none"', " style='a:b;visibility:hidden !important'"
        )
    if node.kind == "img":
        return f'<{name}{attributes} alt="{escape(node.children)}">'
    if node.kind == "br":
        return f"<{name}>"
    if is_xml and not node.children and draw.sampled(False, True):
        return f"<{name}{attributes} />"
    inner = "".join(written(child, draw, is_xml) for child in node.children)
    return f"<{name}{attributes}>{inner}{draw.sampled('', '<!-- <p> -->', '</em2>')}</{name}>"


class Draw:
    def __init__(self, random):
        self._random = random

    def sampled(self, *choices):
        return self._random.choice(choices)


def plain_lines(nodes):
    """Return the visible lines by a plain tree walk: blocks end lines, inline elements do not."""
    pieces = []

    def walk(node):
        if node.kind == "words":
            pieces.append(node.children)
        elif node.kind in ("object", "video", "canvas") or node.hidden:
            return
        elif node.kind == "img":
            pieces.append(f" {node.children} ")
        else:
            block = node.kind in ("div", "section", "blockquote", "br")
            pieces.append("\n" * block)
            for child in node.children:
                walk(child)
            pieces.append("\n" * block)

    for node in nodes:
        walk(node)
    lines = ("".join(pieces)).split("\n")
    return [line for line in map(collapse, lines) if line]


def plain_anchors(nodes):
    """Return the first anchor of each address."""
    anchors = {}

    def words(node):
        if node.kind == "words":
            return node.children
        if node.kind == "img":
            return f" {node.children} "
        if node.kind in ("object", "video", "canvas"):
            return ""
        inner = "".join(map(words, node.children))
        return f" {inner} " if node.kind in ("div", "section", "blockquote", "br") else inner

    def walk(node):
        if node.kind == "a":
            address = node.href.partition("#")[0]
            anchors[address] = anchors.get(address) or collapse("".join(map(words, node.children)))
        elif node.kind not in ("words", "img"):
            for child in node.children:
                walk(child)

    for node in nodes:
        walk(node)
    return anchors


@given(TREES, st.randoms(use_true_random=False), st.booleans())
def test_random_trees(nodes, random, is_xml):
    html = "".join(written(node, Draw(random), is_xml) for node in nodes)
    found = scan_html(html.encode(), (), is_xml)
    lines = [line for part in (found.text, found.surroundings) for line in part.split("\n") if line]
    assert sorted(lines) == sorted(plain_lines(nodes))
    assert dict(zip(found.addresses, found.anchors, strict=True)) == plain_anchors(nodes)
