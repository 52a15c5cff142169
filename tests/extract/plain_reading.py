"""The rules of main text in plain Python, over sets of blocks: the reference for the kernels."""

from itertools import groupby

from gossamer.extract.html import main_text as article
from gossamer.extract.html import main_text as clutter
from gossamer.extract.html import main_text as hint
from gossamer.extract.html import main_text as outline
from gossamer.extract.html.main_text import LINK_RUN, TOO_LITTLE
from gossamer.extract.html.open_elements import ELEMENT
from gossamer.extract.html.text_writer import CONTEXT, HEADING_SHIFT


class PlainPage:
    """Lines (end, length, linked, region, block) and blocks (parent, code, hints) of the scanner."""

    def __init__(self, lines, nodes):
        self.lines, self.nodes = lines, nodes
        self.within = [{v} for v in range(len(nodes))]
        for v in range(len(nodes) - 1, 0, -1):
            self.within[nodes[v][0]] |= self.within[v]
        starts = [0] + [line[0] + 1 for line in lines]
        self.worths = [self._worth(line, start) for line, start in zip(lines, starts, strict=False)]
        self.marks = [0] + [self._mark(v) for v in range(1, len(nodes))]

    def _worth(self, line, start):
        end, length, linked, region, _ = line
        if end - start < outline.LONG or region & (CONTEXT.chrome | CONTEXT.picture | CONTEXT.heading):
            return 0
        return max(length - outline.LINK_COST * linked, 0)

    def _mark(self, v):
        parent, code, hints = self.nodes[v]
        near = self.nodes[parent][2] | self.nodes[self.nodes[parent][0]][2]
        if hints & hint.COMMENT:
            return 0
        if code == ELEMENT.article or {bit for bit in (hint.ARTICLE, hint.BODY) if hints & bit} == {1, 2}:
            return 2
        return 1 if hints & hint.ARTICLE or (hints & hint.BODY and near & hint.ARTICLE) else 0

    def above(self, v):
        while v:
            v = self.nodes[v][0]
            yield v

    def total(self, v, value, lines=None):
        lines = range(len(self.lines)) if lines is None else lines
        return sum(value(k) for k in lines if self.lines[k][4] in self.within[v])

    def worth(self, v, lines=None):
        return self.total(v, lambda k: self.worths[k], lines)

    def holds_article(self, v):
        found = [self.worth(m) for m in self.within[v] - {v} if self.marks[m] == 2]
        return bool(found) and max(found) > 0 and 2 * max(found) >= self.worth(v)

    def is_text(self, v):
        around = next((m for m in self.above(v) if self.marks[m] == 2), 0)
        much, whole = clutter.MUCH
        return (
            self.marks[v] == 2
            or self.holds_article(v)
            or (around > 0 and whole * self.worth(v) > much * self.worth(around))
        )

    def is_beside(self, v, strict):
        _, code, hints = self.nodes[v]
        if code == ELEMENT.blockquote or code in (ELEMENT.h1, ELEMENT.h2, ELEMENT.h3, ELEMENT.h4):
            return False
        marked = any(self.marks[m] == 2 for m in self.within[v])
        if strict and (
            code in (ELEMENT.figure, ELEMENT.figcaption)
            or (code == ELEMENT.form and not marked and 2 * self.worth(v) < self.worth(0))
            or ((hints & hint.LABEL or code == ELEMENT.header) and not self.worth(v) and not marked)
            or (hints & (hint.CAPTION | hint.EXTRA) and not self.is_text(v))
        ):
            return True
        named = hints & (hint.COMMENT | hint.CLUTTER | hint.SIDE)
        if hints & hint.COMMENT:
            return not self.holds_article(v)
        if named == hint.SIDE and not strict and self._is_box(v):
            return False
        return bool(named) and not self.is_text(v)

    def _is_box(self, v):
        plain = [k for k, line in enumerate(self.lines) if not line[3] & CONTEXT.chrome]
        linked = self.total(v, lambda k: self.lines[k][2], plain)
        size = self.total(v, lambda k: self.lines[k][1], plain)
        return clutter.SIDE_LINKS[1] * linked < clutter.SIDE_LINKS[0] * size

    def aside(self, strict):
        tops = [v for v in range(1, len(self.nodes)) if self.is_beside(v, strict)]
        return set().union(*(self.within[v] for v in tops))


class Left:
    """A page without boilerplate blocks and without lines outside of a landmark."""

    def __init__(self, page, aside, landmark=0):
        self.page, self.aside = page, aside
        lines = page.lines
        self.counted = [
            k for k, x in enumerate(lines) if x[4] not in aside and x[3] & CONTEXT.landmark >= landmark
        ]
        self.plain_lines = [k for k in self.counted if not lines[k][3] & (CONTEXT.chrome | CONTEXT.picture)]

    def worth(self, v):
        return self.page.worth(v, self.counted)

    def plain(self, v):
        lines = self.page.lines
        return self.page.total(v, lambda k: lines[k][1] - lines[k][2], self.plain_lines)

    def article(self, least):
        within = self.page.within
        marked = [v for v in range(1, len(within)) if self.page.marks[v] >= least and v not in self.aside]
        part, whole = article.WINNING
        best = 0
        for v in marked:
            worth = self.worth(v)
            if worth and whole * worth >= part * self.worth(0):
                inner = best and v in within[best]
                enough = inner and article.INNER[1] * worth >= article.INNER[0] * self.worth(best)
                if not best or worth > self.worth(best) or enough:
                    best = v
        apart = [v for v in marked if best not in within[v] and v not in within[best]]
        others = [v for v in apart if not any(v in within[m] for m in apart if m != v)]
        if any(article.RIVAL * self.worth(v) > self.worth(best) for v in others):
            return 0
        return best if sum(map(self.plain, others)) <= self.plain(best) else 0

    def trunk(self):
        nodes, within = self.page.nodes, self.page.within
        size = sum(line[1] for line in self.page.lines if not line[3] & CONTEXT.chrome)
        title = next((line[4] for line in self.page.lines if _is_title(line)), -1)
        v = 0
        while self.worth(v) * article.DIRECTORY > size:
            inner = max(
                (c for c in within[v] - {0} if nodes[c][0] == v), key=lambda c: (self.worth(c), -c), default=0
            )
            part, whole = article.TITLED_TRUNK if inner and title in within[inner] else article.TRUNK
            if not inner or whole * self.worth(inner) < part * self.worth(v):
                break
            if article.TRUNK_PLAIN[1] * self.plain(inner) < article.TRUNK_PLAIN[0] * self.plain(v):
                break
            v = inner
        return nodes[v][0] if nodes[v][1] == ELEMENT.p else v


def plain_choice(lines, nodes):
    """Return the numbers of the lines that are main text."""
    page = PlainPage(lines, nodes)
    left = Left(page, page.aside(strict=True))
    if block := left.article(2) or left.article(1):
        chosen = _chosen(left, block, CONTEXT.chrome | CONTEXT.picture)
        return _without_titles(page, _without_menus(lines, chosen, 1))
    left = Left(page, page.aside(strict=False))
    if left.worth(0) < TOO_LITTLE[0] and TOO_LITTLE[1] * left.worth(0) < page.worth(0):
        left.aside = set()
    left = Left(page, left.aside, plain_landmark(lines))
    return _without_menus(lines, _chosen(left, left.trunk(), CONTEXT.chrome), LINK_RUN)


def plain_landmark(lines):
    def size(least):
        return sum(
            line[1] for line in lines if not line[3] & CONTEXT.chrome and line[3] & CONTEXT.landmark >= least
        )

    for level, share in ((2, 0), (1, article.ARTICLE_SHARE)):
        inside = size(level)
        if inside and (
            2 * inside >= size(0) or (inside >= article.ENOUGH and share * inside >= (share and size(0)))
        ):
            return level
    return 0


def _chosen(left, block, unwanted):
    lines = left.page.lines
    return [k for k in left.counted if lines[k][4] in left.page.within[block] and not lines[k][3] & unwanted]


def _is_title(line):
    _, length, linked, region, _ = line
    return (
        (region & CONTEXT.heading) >> HEADING_SHIFT == 1
        and not region & CONTEXT.chrome
        and 5 * linked < 4 * length
    )


def _without_menus(lines, chosen, least):
    kept = []
    for only_links, run in groupby(chosen, key=lambda k: bool(5 * lines[k][2] >= 4 * lines[k][1])):
        members = list(run)
        if not only_links or len(members) < least:
            kept += members
    return kept if 2 * sum(lines[k][1] for k in kept) >= sum(lines[k][1] for k in chosen) else chosen


def _without_titles(page, chosen):
    for number, k in enumerate(chosen):
        if page.worths[k]:
            break
        if (page.lines[k][3] & CONTEXT.heading) >> HEADING_SHIFT == 1:
            chosen = chosen[number + 1 :]
            break
    while chosen and _is_heading(page, chosen[-1]):
        chosen = chosen[:-1]
    return chosen


def _is_heading(page, k):
    _, _, _, region, block = page.lines[k]
    return bool(region & CONTEXT.heading) or page.nodes[block][1] in (
        ELEMENT.h1,
        ELEMENT.h2,
        ELEMENT.h3,
        ELEMENT.h4,
    )
