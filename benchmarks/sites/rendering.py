"""How does a page of the generated site look as HTML?

Like the pages of ordinary sites: a menu, a heading, sections of text with links in them, a table, a margin of
further links, a style sheet and a script that no reader sees. Sizes are log-normal. The proportions are those
of 15,494 real pages of documentation on 17 hosts: 34 KB on average, of which 27% is text that people read,
666 elements, 697 attributes. Here it is 28 KB, 28%, 645 and 637; links are 40 to 80 a page.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from posixpath import relpath

from sites.web import Place
from sites.words import Prose

MIDDLE_SIZE, SPREAD = 26_000, 0.5  # bytes; of the logarithm
LEAST_SIZE, MOST_SIZE = 8_000, 150_000
INLINE = ("code", "em", "span", "strong", "var")
RUN = (2, 9)  # words between two changes of the script: names of functions, emphasis, terms
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
    """Blocks under headings, about that many bytes, with the links spread over the first of them."""
    waiting = list(anchors)
    lines: list[str] = []
    written = 0
    while written < size or waiting:
        number = len(lines)
        if number % 6 == 0:
            lines.append(f'<h2 id="part-{number // 6 + 1}">{sheet.prose.phrase(2, 6)}</h2>')
        if number % 6 == 5:
            lines.append(_table(sheet))
            written += len(lines[-1])
        links = " ".join(waiting.pop(0) for _ in range(min(2, len(waiting))))
        lines.append(_block(sheet, links, number))
        written += len(lines[-1]) - len(links)
    return "\n".join(lines)


def _block(sheet: Sheet, links: str, number: int) -> str:
    """A paragraph in its boxes."""
    kind = sheet.rng.randint(10, 25)
    text = " ".join(_marked(sheet, sentence) for sentence in sheet.prose.sentences(2).split(". "))
    return (
        f'<div class="section c{kind} depth-{number % 3}"><div class="body" id="b{number}">'
        f'<p class="c{kind}">{text} {links}</p></div></div>'
    )


def _marked(sheet: Sheet, sentence: str) -> str:
    """The sentence with the elements that writers and programs put into it."""
    words = sentence.split()
    place = sheet.rng.randint(*RUN)
    while place < len(words):
        element = sheet.rng.choice(INLINE)
        words[place] = f'<{element} class="c{10 + place} term">{words[place]}</{element}>'
        place += sheet.rng.randint(*RUN)
    return " ".join(words)


def _table(sheet: Sheet) -> str:
    rows = [
        f'<tr class="row-{number % 2}"><td class="name"><code>{sheet.prose.phrase(1, 1)}</code></td>'
        f'<td class="c{10 + number}">{sheet.prose.phrase(1, 4)}</td></tr>'
        for number in range(6)
    ]
    return '<table class="docutils align-default"><tbody>\n' + "\n".join(rows) + "\n</tbody></table>"
