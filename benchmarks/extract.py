"""How fast does HTML become text and links? Gossamer beside the parsers that others would take.

    .venv/bin/python benchmarks/extract.py [--pages DIR] [--most 2000] [--runs 7]

Reads the HTML files below DIR (without it, pages are generated) and measures, in CPU time and interleaved
runs, Gossamer's whole extraction (main text, surroundings, headings, resolved links with anchors, metadata,
content print), and beside it text and addresses only by selectolax, resiliparse and lxml, where installed.
Answers are compared too: the addresses that each finds must be those that Gossamer finds on 99% of the pages;
the others are counted, and one is named.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import time
from pathlib import Path
from urllib.parse import quote

from gossamer.extract.document import Extractor
from gossamer.extract.html.metadata import meta_names
from gossamer.extract.html.scan import scan_html
from gossamer.extract.http_headers import AGENT
from gossamer.model import FetchResult
from gossamer.web.url import canonical

AGREEING = 0.99  # share of pages on which the addresses must be the same
WORDS = [
    "jaguar",
    "puma",
    "lynx",
    "river",
    "forest",
    "hunter",
    "swims",
    "stone",
    "water",
    "cat",
    "Zoë",
    "京都",
]
POINTERS = "a[href],area[href],iframe[src],frame[src]"


def gossamer():
    extractor = Extractor()

    def read(html, url):
        extractor.page(FetchResult(url, 0.0, status=200, headers=(("Content-Type", "text/html"),), body=html))

    return read, lambda html: cleaned(scan_html(html, meta_names(AGENT)).addresses)


def selectolax():
    from selectolax.lexbor import LexborHTMLParser

    def addresses(tree):
        found = (node.attributes for node in tree.css(POINTERS))
        return [attributes.get("href") or attributes.get("src") or "" for attributes in found]

    def read(html, _):
        tree = LexborHTMLParser(html)
        return (tree.body.text() if tree.body else ""), addresses(tree)

    return read, lambda html: cleaned(addresses(LexborHTMLParser(html)))


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    def addresses(tree):
        nodes = tree.document.query_selector_all(POINTERS)
        return [node.getattr("href") or node.getattr("src") or "" for node in nodes]

    def read(html, _):
        tree = HTMLTree.parse_from_bytes(html)
        return extract_plain_text(tree), addresses(tree)

    return read, lambda html: cleaned(addresses(HTMLTree.parse_from_bytes(html)))


def lxml():
    from lxml import html as parser

    def parsed(html):
        return parser.document_fromstring(html or b"<p>", parser=parser.HTMLParser(encoding="utf-8"))

    def addresses(tree):
        nodes = tree.iter("a", "area", "iframe", "frame")
        return [node.get("href") or node.get("src") or "" for node in nodes]

    def read(html, _):
        tree = parsed(html)
        return tree.text_content(), addresses(tree)

    return read, lambda html: cleaned(addresses(parsed(html)))


def cleaned(addresses):
    """The addresses that lead to other pages, as written but for whitespace and fragment."""
    bare = ("".join(address.partition("#")[0].split("\n")).replace("\t", "").strip() for address in addresses)
    return {address for address in bare if address and is_web(address)}


def is_web(address):
    scheme = re.match("([A-Za-z][A-Za-z0-9+.-]*):", address)
    return scheme is None or scheme[1].lower() in {"http", "https"}


def read_pages(folder, most):
    files = sorted(path for path in folder.rglob("*") if path.suffix in {".html", ".htm"})
    if len(files) > most:
        files = sorted(random.Random(1).sample(files, most))
    bodies = ((path.relative_to(folder), path.read_bytes()) for path in files)
    return [(canonical(f"http://{quote(str(name))}"), html) for name, html in bodies if html.strip()]


def make_pages(most):
    draw = random.Random(1)
    count = min(most, 1_000)
    return [(canonical(f"http://cats.example/{n % 20}/{n}.html"), made(draw, n)) for n in range(count)]


def made(draw, number):
    def words(count):
        return " ".join(draw.choice(WORDS) for _ in range(count))

    def item(k):
        return f'<li><a href="/{k % 20}/{k}.html#top">{words(3)}</a></li>'

    def section(k):
        link = f"<a href='../{k}/'>{words(2)}</a>"
        return f"<h2>{words(4)}</h2><p class='text'>{words(60)} {link} &amp; <b>{words(5)}</b></p>"

    menu = "".join(map(item, range(number, number + 60)))
    body = "".join(map(section, range(30)))
    head = f"<!doctype html><html lang=en><title>{words(5)}</title>"
    return f"{head}<nav><ul>{menu}</ul></nav><main>{body}</main>".encode()


def timed(read, pages):
    begun = time.process_time()
    for url, html in pages:
        read(html, url)
    return time.process_time() - begun


def compare(readers, pages):
    """Prints how often the addresses of each reader are Gossamer's; whether that is often enough."""
    fine = True
    ours = [readers["gossamer"][1](html) for _, html in pages]
    for name, (_, links) in readers.items():
        if name != "gossamer":
            differ = [url.text for (url, html), own in zip(pages, ours, strict=True) if links(html) != own]
            share = 1 - len(differ) / len(pages)
            fine = fine and share >= AGREEING
            example = f", not on {differ[0]}" if differ else ""
            print(f"addresses as {name} finds them: {share:.2%} of pages{example}")
    return fine


def installed():
    readers = {}
    for make in (gossamer, selectolax, resiliparse, lxml):
        try:
            readers[make.__name__] = make()
        except ImportError:
            print(f"{make.__name__} is not installed: left out")
    return readers


def measure(readers, pages, runs):
    times = {name: [] for name in readers}
    for number in range(runs + 1):
        for name, (read, _) in readers.items():
            seconds = timed(read, pages)
            if number:  # the first round compiles and warms
                times[name].append(seconds)
    count = len(pages)
    size = sum(len(html) for _, html in pages)
    print(f"{'':14}{'ms a page':>10}{'pages/s':>10}{'MB/s':>8}{'gossamer is':>13}{'lowest':>8}{'highest':>8}")
    for name, found in times.items():
        middle = statistics.median(found)
        ratios = [other / own for other, own in zip(found, times["gossamer"], strict=True)]
        print(
            f"{name:14}{1e3 * middle / count:10.3f}{count / middle:10,.0f}{size / middle / 1e6:8.1f}"
            f"{statistics.median(ratios):11.2f} x{min(ratios):8.2f}{max(ratios):8.2f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=Path, help="a folder of HTML files")
    parser.add_argument("--most", type=int, default=2_000, help="pages that are read, drawn at random")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    folder, most = options.pages, options.most
    pages = read_pages(folder, most) if folder else make_pages(most)
    if not pages:
        sys.exit(f"no HTML files below {folder}")
    readers = installed()
    size = sum(len(html) for _, html in pages) / len(pages)
    print(f"{len(pages):,} pages of {size / 1e3:.1f} KB, {options.runs} runs")
    measure(readers, pages, options.runs)
    if not compare(readers, pages):
        sys.exit(f"the addresses differ on more than {1 - AGREEING:.0%} of the pages")


if __name__ == "__main__":
    main()
