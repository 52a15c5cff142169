# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR1714
"""Kernels: main text or boilerplate, block by block.

Decided when all lines are known, in the blocks that they stand in. A page whose author marks one article
(<article>, itemprop="articleBody", class="entry-content") and that holds most of the long lines has its main
text there, without captions, labels, menus and whatever else stands beside it. On any other page everything
is main text that is not plainly something else: chrome, outside of <main>, menus, comments. Nothing is lost:
what is not main text is kept as surroundings.

Figures, and how the thresholds were chosen: docs/decisions/0022-main-text.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html.open_elements import ELEMENT, NODE
from gossamer.extract.html.tags import ATTRIBUTE, BYTE, TABLE, copy_bytes, lookup
from gossamer.extract.html.text_writer import CONTEXT, HEADING_SHIFT, LINE, Writer, has
from gossamer.kernels.kernel import kernel, kernel_part, unchecked_part

# Kernel: hints in class and id names
# -----------------------------------
#
# `class="post__relatedStories-2"` is the words post, related and stories: letters, divided by
# whatever is no letter and where a capital follows a small one. Each word may have a meaning, see
# `hint_words`.


# What a word may say, as bits.
ARTICLE, BODY = 1, 2  # of one element, or of one in the other: this is the article's text
COMMENT = 4
CLUTTER = 8  # what stands beside the text on any page
SIDE = 16  # a column of its own, or a box in the text
EXTRA = 32  # beside the text of an article
CAPTION = 64
LABEL = 128  # title, author, date, categories
LONGEST_NAMES = 400  # bytes: what tools add behind them says nothing
ID_WORDS = 2  # an id of more words is made of a heading


@unchecked_part
def hints_of(src: NDArray[np.uint8], i: int, n: int, most: int, tables: NDArray[np.int64]) -> int:
    """The meanings of the words from i to n; none, where there are more than `most`.

    The bounds are checked once, not for each byte.
    """
    if i < 0 or n > len(src):
        raise IndexError("names would leave the document")
    found = np.int64(0)
    words = np.int64(0)
    word = np.uint64(0)
    length = np.int64(0)  # of the word
    small = False  # whether a small letter came before
    n = min(n, i + LONGEST_NAMES)
    for k in range(i, n):
        c = np.int64(src[k])
        capital = 65 <= c <= 90
        letter = capital or 97 <= c <= 122
        if (not letter or (capital and small)) and length:
            words += 1
            found |= lookup(tables, TABLE.hint, word, length, src, k - length, k)
            word = np.uint64(0)
            length = np.int64(0)
        if letter:
            word = word << BYTE | np.uint64(c | 32)
            length += 1
        small = letter and not capital
    if length:
        words += 1
        found |= lookup(tables, TABLE.hint, word, length, src, n - length, n)
    return found if words <= most else np.int64(0)


@kernel_part
def read_hints(writer: Writer) -> int:
    """The meanings of an element's class, id and itemprop."""
    spans = writer.state.spans
    found = np.int64(0)
    for attribute in (ATTRIBUTE.class_, ATTRIBUTE.id, ATTRIBUTE.itemprop):
        if has(writer.state, attribute):
            most = ID_WORDS if attribute == ATTRIBUTE.id else LONGEST_NAMES
            i, n = spans[2 * attribute], spans[2 * attribute + 1]
            found |= hints_of(writer.src, i, n, most, writer.tables)
    return found


# Kernel: text size of blocks
# ---------------------------
#
# Blocks are numbered as they begin, so a block's parent comes before it, and what is in it are the
# numbers up to that of its last one: one pass backwards adds everything up. Block 0 is the whole
# page.


# Columns of `outline`, a row for each block, sums with all that is in it.
WORTH = 0  # of its lines
SIZE = 1  # characters outside of chrome
LINKED_SIZE = 2  # of these in links
LEFT = 3  # worth of what is not put aside
PLAIN = 4  # characters outside of links of what is not put aside
LAST = 5  # the last block in it
MARK = 6  # what its author calls it
AROUND_IT = 7  # the nearest block that is marked, itself or around it; 0 for none
BEST_MARKED = 8  # the largest worth of a marked block in it; -1 for none
HEAVIEST = 9  # the block directly in it of which most is left; 0 for none
OUTLINE_WIDTH = 10
UNMARKED, HINTED, MARKED = np.arange(3)
LONG = 80  # bytes of a line that can be a sentence, of which a Chinese one needs fewer characters
LINK_COST = 4  # a letter in a link takes away the worth of so many


class Layout(NamedTuple):
    """The lines of a page and the blocks that they stand in."""

    lines: NDArray[np.int32]
    nodes: NDArray[np.int32]  # the blocks
    worth: NDArray[np.int64]  # of each line
    outline: NDArray[np.int64]
    aside: NDArray[np.uint8]  # of each block whether it stands beside the text


@kernel_part
def weigh(lines: NDArray[np.int32], worth: NDArray[np.int64]) -> None:
    """The worth of each line: its characters when it is long, no chrome, no heading, and not linked."""
    start = np.int64(0)
    for k in range(len(lines)):
        length = np.int64(lines[k, LINE.length])
        is_long = lines[k, LINE.end] - start >= LONG
        if is_long and lines[k, LINE.region] & (CONTEXT.chrome | CONTEXT.picture | CONTEXT.heading) == 0:
            worth[k] = max(length - LINK_COST * lines[k, LINE.linked], 0)
        start = np.int64(lines[k, LINE.end]) + 1


@kernel_part
def _mark(nodes: NDArray[np.int32], v: int) -> int:
    """MARKED for <article> and for a body of an article, HINTED for one half of it."""
    hints = nodes[v, NODE.hints]
    if hints & COMMENT:
        return UNMARKED
    if nodes[v, NODE.code] == ELEMENT.article or (hints & ARTICLE and hints & BODY):
        return MARKED
    if hints & ARTICLE:
        return HINTED
    parent = nodes[v, NODE.parent]
    near = nodes[parent, NODE.hints] | nodes[nodes[parent, NODE.parent], NODE.hints]
    return HINTED if hints & BODY and near & ARTICLE else UNMARKED


@kernel_part
def fill_outline(layout: Layout) -> None:
    """All columns but those of what is left."""
    lines, nodes, outline = layout.lines, layout.nodes, layout.outline
    for k in range(len(lines)):
        v = lines[k, LINE.node]
        outline[v, WORTH] += layout.worth[k]
        if lines[k, LINE.region] & CONTEXT.chrome == 0:
            outline[v, SIZE] += lines[k, LINE.length]
            outline[v, LINKED_SIZE] += lines[k, LINE.linked]
    outline[0, BEST_MARKED] = -1
    for v in range(1, len(nodes)):
        outline[v, LAST] = v
        outline[v, MARK] = _mark(nodes, v)
        outline[v, AROUND_IT] = v if outline[v, MARK] == MARKED else outline[nodes[v, NODE.parent], AROUND_IT]
        outline[v, BEST_MARKED] = -1
    for v in range(len(nodes) - 1, 0, -1):
        p = nodes[v, NODE.parent]
        outline[p, WORTH] += outline[v, WORTH]
        outline[p, SIZE] += outline[v, SIZE]
        outline[p, LINKED_SIZE] += outline[v, LINKED_SIZE]
        outline[p, LAST] = max(outline[p, LAST], outline[v, LAST])
        best = max(outline[v, BEST_MARKED], outline[v, WORTH] if outline[v, MARK] == MARKED else np.int64(-1))
        outline[p, BEST_MARKED] = max(outline[p, BEST_MARKED], best)


@kernel_part
def add_what_is_left(layout: Layout, landmark: int) -> None:
    """The columns of what is left when blocks were put aside and only lines of a landmark count."""
    lines, nodes, outline = layout.lines, layout.nodes, layout.outline
    for v in range(len(nodes)):
        outline[v, LEFT] = outline[v, PLAIN] = outline[v, HEAVIEST] = 0
    for k in range(len(lines)):
        v = lines[k, LINE.node]
        region = lines[k, LINE.region]
        if not layout.aside[v] and region & CONTEXT.landmark >= landmark:
            outline[v, LEFT] += layout.worth[k]
            if region & (CONTEXT.chrome | CONTEXT.picture) == 0:
                outline[v, PLAIN] += lines[k, LINE.length] - lines[k, LINE.linked]
    for v in range(len(nodes) - 1, 0, -1):
        p = nodes[v, NODE.parent]
        outline[p, LEFT] += outline[v, LEFT]
        outline[p, PLAIN] += outline[v, PLAIN]
        heaviest = outline[p, HEAVIEST]
        if heaviest == 0 or outline[v, LEFT] >= outline[heaviest, LEFT]:
            outline[p, HEAVIEST] = v


# Kernel: find the article block
# ------------------------------

ENOUGH = 200  # characters: a shorter landmark is believed only when it holds half of the page's text
ARTICLE_SHARE = 3  # articles that hold less than a third of the text are teasers or comments
LINK_SHARE = (4, 5)  # a line with a larger part of its characters in links is nothing but links
WINNING = (2, 5)  # of the page's worth: what an article has at least
INNER = (3, 4)  # of an article's worth: a marked block in it that has so much is the article
RIVAL = 3  # a page with another article of a third of its worth has no one article
DIRECTORY = 8  # a page whose worth is less than an eighth of its text is a list: all of it is main
TRUNK = (3, 4)  # of the worth around it: what a block has that holds the text
TITLED_TRUNK = (1, 2)  # the same, for the one with the title of the page
TRUNK_PLAIN = (9, 10)  # and of the text outside of links: paragraphs are short in manuals


@kernel_part
def find_landmark(lines: NDArray[np.int32]) -> int:
    """The least landmark of the main text: <main> when there is one and not tiny, else articles, else any."""
    whole = np.int64(0)
    in_main = np.int64(0)
    in_article = np.int64(0)
    for k in range(len(lines)):
        if lines[k, LINE.region] & CONTEXT.chrome == 0:
            length = lines[k, LINE.length]
            landmark = lines[k, LINE.region] & CONTEXT.landmark
            whole += length
            in_article += length if landmark >= CONTEXT.article else 0
            in_main += length if landmark >= CONTEXT.main else 0
    if in_main and (2 * in_main >= whole or in_main >= ENOUGH):
        return CONTEXT.main
    if in_article and (
        2 * in_article >= whole or (in_article >= ENOUGH and ARTICLE_SHARE * in_article >= whole)
    ):
        return CONTEXT.article
    return 0


@kernel_part
def _candidate(layout: Layout, least: int) -> int:
    """The block with this mark of which most is left, or the innermost one in it that has almost as much."""
    outline, aside = layout.outline, layout.aside
    best = np.int64(0)
    for v in range(1, len(outline)):
        if outline[v, MARK] >= least and not aside[v] and outline[v, LEFT] > 0:
            left = outline[v, LEFT]
            if WINNING[1] * left < WINNING[0] * outline[0, LEFT]:
                continue
            is_inner = (
                best > 0 and v <= outline[best, LAST] and INNER[1] * left >= INNER[0] * outline[best, LEFT]
            )
            if best == 0 or left > outline[best, LEFT] or is_inner:
                best = v
    return best


@kernel_part
def find_article(layout: Layout, least: int) -> int:
    """The one block with this mark that is the page's article; 0 for none, and where there are several."""
    outline, aside = layout.outline, layout.aside
    best = _candidate(layout, least)
    if best == 0:
        return 0
    others = np.int64(0)
    v = np.int64(1)
    while v < len(outline):
        if v == best:
            v = outline[v, LAST] + 1
        elif outline[v, MARK] < least or aside[v] or v < best <= outline[v, LAST]:
            v += 1
        else:
            if RIVAL * outline[v, LEFT] > outline[best, LEFT]:
                return 0
            others += outline[v, PLAIN]
            v = outline[v, LAST] + 1  # what is in it was counted with it
    return best if others <= outline[best, PLAIN] else 0


@kernel_part
def _title_block(lines: NDArray[np.int32]) -> int:
    """The block of the first h1 that is neither chrome nor a link; -1 for none."""
    for k in range(len(lines)):
        region = lines[k, LINE.region]
        if (
            (region & CONTEXT.heading) >> HEADING_SHIFT == 1
            and region & CONTEXT.chrome == 0
            and LINK_SHARE[1] * lines[k, LINE.linked] < LINK_SHARE[0] * lines[k, LINE.length]
        ):
            return lines[k, LINE.node]
    return -1


@kernel_part
def find_trunk(layout: Layout) -> int:
    """The innermost block that still holds almost all text of a page without an article."""
    nodes, outline = layout.nodes, layout.outline
    title = _title_block(layout.lines)
    v = np.int64(0)
    while outline[v, LEFT] * DIRECTORY > outline[0, SIZE]:
        inner = outline[v, HEAVIEST]
        titled = inner <= title <= outline[inner, LAST]
        part = TITLED_TRUNK if titled else TRUNK
        if (
            inner == 0
            or part[1] * outline[inner, LEFT] < part[0] * outline[v, LEFT]
            or TRUNK_PLAIN[1] * outline[inner, PLAIN] < TRUNK_PLAIN[0] * outline[v, PLAIN]
        ):
            break
        v = inner
    return np.int64(nodes[v, NODE.parent]) if nodes[v, NODE.code] == ELEMENT.p else v


# Kernel: put boilerplate blocks aside
# ------------------------------------
#
# Comments, lists of other articles, buttons for sharing, advertisements, subscriptions, notices,
# menus, the foot of a page: by the names that their authors gave them. On a page that has an article
# also its captions, labels and forms. A name alone puts nothing aside that holds much of an article:
# `class="no-sidebar"` may stand anywhere.

MUCH = (2, 5)  # of the article around it: so much is no clutter in it, whatever its name
SIDE_LINKS = (3, 10)  # the part of its text in links that tells a side column from a box in the text


@kernel_part
def _holds_article(outline: NDArray[np.int64], v: int) -> bool:
    """Whether an article makes up half of the block."""
    return outline[v, BEST_MARKED] > 0 and 2 * outline[v, BEST_MARKED] >= outline[v, WORTH]


@kernel_part
def _is_text(nodes: NDArray[np.int32], outline: NDArray[np.int64], v: int) -> bool:
    """Whether the block is an article, holds one, or is much of one."""
    around = outline[nodes[v, NODE.parent], AROUND_IT]
    return (
        outline[v, MARK] == MARKED
        or _holds_article(outline, v)
        or (around > 0 and MUCH[1] * outline[v, WORTH] > MUCH[0] * outline[around, WORTH])
    )


@kernel_part
def _is_beside_article(nodes: NDArray[np.int32], outline: NDArray[np.int64], v: int) -> bool:
    """Whether a block is a caption, a label or a form of a page that has an article."""
    code = nodes[v, NODE.code]
    hints = nodes[v, NODE.hints]
    marked = outline[v, MARK] == MARKED or outline[v, BEST_MARKED] >= 0
    if code == ELEMENT.figure or code == ELEMENT.figcaption:
        return True
    if code == ELEMENT.form and not marked:
        return 2 * outline[v, WORTH] < outline[0, WORTH]  # some tools wrap the whole page into one
    if (hints & LABEL or code == ELEMENT.header) and outline[v, WORTH] == 0 and not marked:
        return True
    return hints & (CAPTION | EXTRA) != 0 and not _is_text(nodes, outline, v)


@kernel_part
def _is_clutter(nodes: NDArray[np.int32], outline: NDArray[np.int64], v: int, strict: bool) -> bool:
    """Whether a block stands beside the text of any page; `strict` for one that has an article."""
    hints = nodes[v, NODE.hints] & (COMMENT | CLUTTER | SIDE)
    if hints == 0:
        return False
    if hints & COMMENT:
        return not _holds_article(outline, v)
    if (
        hints == SIDE
        and not strict
        and SIDE_LINKS[1] * outline[v, LINKED_SIZE] < SIDE_LINKS[0] * outline[v, SIZE]
    ):
        return False
    return not _is_text(nodes, outline, v)


@kernel_part
def put_aside(layout: Layout, strict: bool) -> None:
    """Of each block whether it stands beside the text; headings and quotations do so only in others."""
    nodes, outline, aside = layout.nodes, layout.outline, layout.aside
    for v in range(1, len(nodes)):
        code = nodes[v, NODE.code]
        aside[v] = aside[nodes[v, NODE.parent]]
        if not aside[v] and code != ELEMENT.blockquote and not ELEMENT.h1 <= code <= ELEMENT.h4:
            aside[v] = _is_clutter(nodes, outline, v, strict) or (
                strict and _is_beside_article(nodes, outline, v)
            )


# Words in class names that hint at content
# -----------------------------------------
#
# Authors name what they build: `class="post-content"`, `id="comments"`, `class="related-articles"`.
# The words are those that the common publishing systems use; a language other than English is rare in
# such names. One word rarely decides alone: see `put_aside`.

_WORDS = {
    ARTICLE: "article story post entry",
    BODY: "body content contents text main copy inner",
    ARTICLE | BODY: """
        articlebody articlecontent articletext bodycopy bodytext contentbody entrycontent entrytext fulltext
        maincontent newstext postbody postcontent posttext storybody storycontent storytext
    """,
    COMMENT: """
        comment commenting commentlist comments discussion disqus livefyre replies reply respond
    """,
    # Other articles, sharing, advertisements, subscriptions, notices, navigation, the foot of the page.
    CLUTTER: """
        mostpopular mostread outbrain popular readmore recirc recirculation recommendation recommendations
        recommended recommends related relatedarticles relatedcontent relatedposts seealso similar suggested
        suggestions taboola trending zergnet
        addthis share sharebar sharedaddy shares sharethis sharing social socialshare
        ad ads adsbygoogle adsense advert advertisement advertising advertorial adverts banner dfp promo
        promoted promos promotion sponsor sponsored sponsors
        donate donation login newsletter newsletters paywall register registration signup subscribe
        subscription
        consent cookie cookies gdpr interstitial lightbox modal overlay popup privacy tooltip
        breadcrumb breadcrumbs crumbs menu nav navbar navigation pager paging pagination submenu toolbar
        topbar
        bottom colophon copyright disclaimer foot footer legal
    """,
    SIDE: "aside rail side sidebar widget widgets",
    EXTRA: """
        authorbio authorbox bio biography contributor hidden hide offscreen print screenreader visually
    """,
    CAPTION: "caption captions credit credits figcaption image img photo picture",
    LABEL: """
        author authors byline bylines categories category date dateline dek eyebrow head header headline hero
        keywords kicker masthead meta metadata pubdate published standfirst subtitle summary tag tags time
        timestamp title topic topics
    """,
}


def hint_words() -> dict[str, int]:
    """The meaning of each word, a set of bits.

    >>> hint_words()["postbody"] == hint_words()["post"] | hint_words()["body"]
    True
    """
    return {word: int(meaning) for meaning, words in _WORDS.items() for word in words.split()}


AROUND, IN_TEXT = np.arange(2)
TITLE_REACH = 12  # lines between a title and the text: author, date, what can be shared
LINK_RUN = 2  # so many lines of nothing but links in a row are a menu; in an article one is enough
TOO_LITTLE = (200, 10)  # characters left of ten times as many: the names of the blocks misled


@kernel_part
def _without_menus(lines: NDArray[np.int32], chosen: NDArray[np.uint8], run_length: int) -> None:
    """Takes out runs of lines that are only links, unless they are most of it, as in a directory."""
    whole = np.int64(0)
    menus = np.int64(0)
    for turn in range(2):
        if turn and 2 * menus > whole:
            return
        run = np.int64(0)  # lines of links since the last other line
        run_size = np.int64(0)
        for k in range(len(lines) + 1):
            if k < len(lines) and not chosen[k]:
                continue
            is_links = k < len(lines) and (
                lines[k, LINE.linked] * LINK_SHARE[1] >= lines[k, LINE.length] * LINK_SHARE[0]
            )
            if not is_links and run >= run_length:
                menus += run_size
                m = k - 1
                while turn and run:
                    run -= chosen[m]
                    chosen[m] = 0
                    m -= 1
            if k < len(lines) and not turn:
                whole += lines[k, LINE.length]
            run = run + 1 if is_links else np.int64(0)
            run_size = run_size + lines[k, LINE.length] if is_links else np.int64(0)


@kernel_part
def _without_titles(layout: Layout, chosen: NDArray[np.uint8]) -> None:
    """Takes out of an article the title with what stands above it, and headings at its end."""
    lines, nodes = layout.lines, layout.nodes
    for k in range(len(lines)):
        if chosen[k] and layout.worth[k] > 0:
            break
        if chosen[k] and (lines[k, LINE.region] & CONTEXT.heading) >> HEADING_SHIFT == 1:
            for m in range(k + 1):
                chosen[m] = 0
            break
    for k in range(len(lines) - 1, -1, -1):
        if chosen[k]:
            code = nodes[lines[k, LINE.node], NODE.code]
            if not (lines[k, LINE.region] & CONTEXT.heading or ELEMENT.h1 <= code <= ELEMENT.h4):
                break
            chosen[k] = 0


@kernel_part
def _choose_within(
    layout: Layout, block: int, unwanted: int, landmark: int, chosen: NDArray[np.uint8]
) -> None:
    """The lines of a block that were not put aside, and stand in no unwanted region."""
    lines = layout.lines
    for k in range(len(lines)):
        v = lines[k, LINE.node]
        region = lines[k, LINE.region]
        chosen[k] = (
            block <= v <= layout.outline[block, LAST]
            and not layout.aside[v]
            and region & unwanted == 0
            and region & CONTEXT.landmark >= landmark
        )


@kernel
def choose(lines: NDArray[np.int32], nodes: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Of each line whether it belongs to the main text; `nodes` are the blocks that lines stand in."""
    chosen = np.zeros(len(lines), np.uint8)
    worth = np.zeros(len(lines), np.int64)
    outline = np.zeros((len(nodes), OUTLINE_WIDTH), np.int64)
    layout = Layout(lines, nodes, worth, outline, np.zeros(len(nodes), np.uint8))
    weigh(lines, worth)
    fill_outline(layout)
    put_aside(layout, True)
    add_what_is_left(layout, 0)
    article = find_article(layout, MARKED)
    if article == 0:
        article = find_article(layout, HINTED)
    if article:
        _choose_within(layout, article, CONTEXT.chrome | CONTEXT.picture, 0, chosen)
        _without_menus(lines, chosen, 1)
        _without_titles(layout, chosen)
        return chosen
    landmark = find_landmark(lines)
    put_aside(layout, False)
    add_what_is_left(layout, 0)
    if outline[0, LEFT] < TOO_LITTLE[0] and TOO_LITTLE[1] * outline[0, LEFT] < outline[0, WORTH]:
        layout.aside[:] = 0
    add_what_is_left(layout, landmark)
    trunk = find_trunk(layout)
    _choose_within(layout, trunk, CONTEXT.chrome, landmark, chosen)
    _without_menus(lines, chosen, LINK_RUN)
    return chosen


@kernel
def gather(
    text: NDArray[np.uint8], lines: NDArray[np.int32], main: NDArray[np.uint8], wanted: int
) -> NDArray[np.uint8]:
    """The lines of the main text (1) or of the surroundings (0), divided by line feeds."""
    size = 0
    start = 0
    for k in range(len(lines)):
        if main[k] == wanted:
            size += lines[k, LINE.end] + 1 - start
        start = lines[k, LINE.end] + 1
    out = np.empty(size, np.uint8)
    p = np.int64(0)
    start = np.int64(0)
    for k in range(len(lines)):
        end = np.int64(lines[k, LINE.end]) + 1
        if main[k] == wanted:
            p = copy_bytes(text, start, end, out, p)
        start = end
    return out[: max(p - 1, 0)]


@kernel_part
def _title_above(lines: NDArray[np.int32], main: NDArray[np.uint8]) -> int:
    """The heading nearest above the main text, which may be its title; -1 for none."""
    begin = 0
    while begin < len(lines) and not main[begin]:
        begin += 1
    if begin < len(lines):
        for k in range(begin - 1, max(begin - TITLE_REACH, 0) - 1, -1):
            if lines[k, LINE.region] & CONTEXT.heading and lines[k, LINE.region] & CONTEXT.chrome == 0:
                return k
    return -1


@kernel
def gather_headings(
    text: NDArray[np.uint8], lines: NDArray[np.int32], main: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], int]:
    """Every h1, for the title often stands in the header; the other headings of the main text; its title."""
    first = -1
    count = 0
    told = np.zeros(len(lines), np.uint8)
    title = _title_above(lines, main)
    for k in range(len(lines)):
        level = (lines[k, LINE.region] & CONTEXT.heading) >> HEADING_SHIFT
        if level == 1 or (level and main[k]) or k == title:
            told[k] = 1
            if level == 1 and first < 0:
                first = count
            count += 1
    return gather(text, lines, told, IN_TEXT), first
