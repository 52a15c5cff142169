"""How does a page of the generated site look as HTML?

Like the pages of ordinary sites: a menu, a heading, sections of text with links in them, a list, a margin of
further links, a style sheet and a script that no reader sees. Sizes are log-normal around 20 KB.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from posixpath import relpath

from sites.web import Place
from sites.words import Prose

MIDDLE_SIZE, SPREAD = 20_000, 0.5  # bytes; of the logarithm
LEAST_SIZE, MOST_SIZE = 6_000, 150_000
RULE = ".c{n} {{ margin: {n}px 0; padding: .{n}em; color: #2{n:02d}; border-bottom: 1px solid #d{n:02d} }}"
STYLE = "\n".join(RULE.format(n=number) for number in range(10, 26))
SCRIPT = "window.visits = (window.visits || []); visits.push({page: %d, at: Date.now(), kind: 'view'});\n" * 6
NOWHERE = '<a href="#top">Top</a> <a href="mailto:a@b.test">Write</a> <a href="javascript:void(0)">Menu</a>'


@dataclass(frozen=True, slots=True)
class Sheet:
    """What all pages of a site are rendered with."""

    port: int
    prose: Prose
    rng: random.Random

    def absolute(self, place: Place) -> str:
        return f"http://{place.host}:{self.port}{place.path}"

    def href(self, source: Place, target: Place) -> str:
        """One of the ways in which people write an address."""
        if target.host != source.host:
            return self.absolute(target)
        way = self.rng.random()
        if way < 0.45:
            found = target.path
        elif way < 0.8:
            found = _relative(source.path, target.path)
        elif way < 0.9:
            found = self.absolute(target)
        else:
            found = f"//{target.host}:{self.port}{target.path}"
        return f"{found}#part-{self.rng.randint(1, 9)}" if self.rng.random() < 0.1 else found

    def anchor(self, source: Place, target: Place) -> str:
        href = self.href(source, target).replace("&", "&amp;")
        return f'<a class="c{self.rng.randint(10, 25)}" href="{href}">{self.prose.phrase(1, 5)}</a>'


def _relative(source: str, target: str) -> str:
    """The address of a path as seen from another path of the same host."""
    path, mark, query = target.partition("?")
    folder = source.partition("?")[0].rpartition("/")[0] or "/"
    found = relpath(path, folder)
    if path.endswith("/"):
        found = "./" if found == "." else f"{found}/"
    return found + mark + query


def rendered(place: Place, links: list[Place], sheet: Sheet) -> bytes:
    """The page as bytes of HTML."""
    anchors = [sheet.anchor(place, target) for target in links]
    menu, inline, margin = anchors[:10], anchors[10:-20], anchors[-20:]
    title = sheet.prose.phrase(3, 9)
    size = sheet.rng.lognormvariate(math.log(MIDDLE_SIZE), SPREAD)
    frame = sum(map(len, anchors)) + len(STYLE) + len(SCRIPT) + 1_500
    text = _sections(sheet, inline, min(max(size, LEAST_SIZE), MOST_SIZE) - frame)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title} - {place.host}</title>
<meta name="description" content="{sheet.prose.sentences(1)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
{STYLE}
</style>
<script>
{SCRIPT.replace("%d", str(len(links)))}</script>
</head>
<body id="top">
<header><p class="c10">{place.host}</p>
<nav><ul>
{_items(menu)}
</ul></nav></header>
<main><article>
<h1>{title}</h1>
{text}
</article></main>
<aside><h2>{sheet.prose.phrase(1, 2)}</h2>
<ul>
{_items(margin)}
</ul></aside>
<footer><p>{NOWHERE}</p><p>{sheet.prose.sentences(2)}</p></footer>
</body>
</html>
""".encode()


def _items(anchors: list[str]) -> str:
    return "\n".join(f"<li>{anchor}</li>" for anchor in anchors)


def _sections(sheet: Sheet, anchors: list[str], size: float) -> str:
    """Paragraphs under headings, about that many bytes, with the links spread over the first of them."""
    waiting = list(anchors)
    lines: list[str] = []
    written = 0
    while written < size or waiting:
        number = len(lines)
        if number % 6 == 0:
            lines.append(f'<h2 id="part-{number // 6 + 1}">{sheet.prose.phrase(2, 6)}</h2>')
        links = " ".join(waiting.pop(0) for _ in range(min(2, len(waiting))))
        text = sheet.prose.sentences(2)
        lines.append(f"<p>{text} {links} {sheet.prose.sentences(2)}</p>" if links else f"<p>{text}</p>")
        written += len(lines[-1]) - len(links)
    return "\n".join(lines)
