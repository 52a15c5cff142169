"""Print results and tables in a terminal.

Titles and texts come from untrusted pages. All control characters are removed before printing.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from gossamer.cli.hints import runnable
from gossamer.model import MAX_RESULTS, Cluster, Contribution, Explanation, Hit, ResultPage, Sitelink, Url

if TYPE_CHECKING:
    from rich.console import Console

INDENT = 4
NOT_FETCHED = "(not fetched yet: the text is anchor text)"
LONGEST_TITLE = 200  # characters

# Characters that reverse the order of the text after them: a URL must not be shown backwards.
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """Replace each control character with a space. The length stays the same, so highlights still fit.

    >>> clean("bell\\a and \\x1b[2J")
    'bell  and  [2J'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(" " if _is_control(character) else character for character in text)


def title_line(title: str) -> str:
    """Return a title for printing. It is shortened, because some pages have their whole text in it."""
    from gossamer.text.words import shortened

    return shortened(clean(title), LONGEST_TITLE)


def _is_control(character: str) -> bool:
    return character in _BIDI_CONTROLS or unicodedata.category(character) in {"Cc", "Zl", "Zp"}


def print_json(value: object) -> None:
    """Print a JSON document, in ASCII if standard output is not UTF-8."""
    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(value, indent=2, ensure_ascii=not is_utf8))


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "page"), counted(1200, "page"), counted(0, "query", "queries")
    ('1 page', '1,200 pages', '0 queries')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def megabytes(size: float) -> str:
    """Return a size in bytes as megabytes or gigabytes.

    >>> megabytes(1_234_567), megabytes(2_500_000_000), megabytes(900)
    ('1.2 MB', '2.50 GB', '0.0 MB')
    """
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def print_results(page: ResultPage) -> None:
    """Print the hits of a page (coloured on a terminal), the clusters, the number of matches and notes."""
    show = _print_coloured if sys.stdout.isatty() else _print_plain
    for hit in page.hits:
        show(hit, page.sitelinks if hit.rank == 1 else ())
    for line in (*grouped(page.clusters), *remarks(page)):
        print(line)


def grouped(clusters: Sequence[Cluster]) -> Iterator[str]:
    """Yield a line for each cluster: its size, its label, and the titles of its best results."""
    if clusters:
        width = len(f"{max(cluster.count for cluster in clusters)}")
        for cluster in clusters:
            titles = "; ".join(map(title_line, cluster.titles))
            yield f"{cluster.count:>{width}} {clean(cluster.label)}: {titles}"
        yield ""


def remarks(page: ResultPage) -> list[str]:
    """Return the lines below the hits: the number of matches, corrections and notes."""
    matching = f"{counted(page.total, 'page')} {'matches' if page.total == 1 else 'match'}"
    if page.hits:
        lines = [f"{matching} ({page.took_ms:.1f} ms)"]
    elif page.total:
        lines = [f"no more results: {matching}"]
    else:
        lines = ["no pages found" if page.answers else f"nothing found for: {clean(page.query)}"]
    if page.total > MAX_RESULTS and page.offset + len(page.hits) >= MAX_RESULTS:
        lines.append(
            f"only the first {MAX_RESULTS:,} results can be paged through; add a word that narrows the search"
        )
    if page.searched:
        lines.insert(0, f"nothing found for: {clean(page.query)}")
        lines.insert(1, f"searched instead for: {clean(page.searched)} (add --no-correct to search as typed)")
    if page.did_you_mean:
        lines.append(f"did you mean: {clean(page.did_you_mean)}")
    return [*lines, *(f"note: {clean(runnable(note))}" for note in page.notes)]


def _print_plain(hit: Hit, sitelinks: Sequence[Sitelink]) -> None:
    print(f"{f'{hit.rank}.':<{INDENT}}{title_line(hit.title)}")
    for text, _ in _shown(hit, sitelinks):
        print(" " * INDENT + text)
    print()


def _shown(hit: Hit, sitelinks: Sequence[Sitelink]) -> Iterator[tuple[str, str]]:
    """Yield the lines below the title of a hit, with their terminal styles. Only the snippet has none."""
    yield clean(hit.url), "green"
    if hit.unfetched:
        yield NOT_FETCHED, "italic"
    yield clean(hit.snippet.text), ""
    if hit.explanation:
        yield explained(hit.explanation, hit.score), "dim"
    for line in behind(hit, sitelinks):
        yield line, "dim"


def behind(hit: Hit, sitelinks: Sequence[Sitelink] = ()) -> Iterator[str]:
    """Yield lines for the sitelinks of a hit, its near-duplicates, and the further results of its host."""
    for link in sitelinks:
        yield f"> {clean(link.title)}: {clean(link.url)}"
    if hit.similar:
        yield f"{counted(len(hit.similar), 'near-duplicate')}: {clean(', '.join(hit.similar))}"
    if hit.more_from_host:
        yield f"{hit.more_from_host:,} more from {clean(Url.parsed(hit.url).authority)}"


def _print_coloured(hit: Hit, sitelinks: Sequence[Sitelink]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    console = _console()
    console.print(Text.assemble((f"{hit.rank}.".ljust(INDENT), "dim"), (title_line(hit.title), "bold")))
    for text, style in _shown(hit, sitelinks):
        line = Text(text, style)
        for start, end in hit.snippet.highlights if not style else ():
            line.stylize("bold yellow", start, end)
        console.print(Padding(line, (0, 0, 0, INDENT)))
    console.print()


def explained(explanation: Explanation, score: float) -> str:
    """Return the formula of a score.

    It is a sum over the terms, times the score factors. Each term has its weight (how rare it is) times its
    impact (how strongly the page holds it).
    """
    if explanation.links:
        return f"score {score:.4f}: {explanation.links}"
    addends = [
        f"{clean(one.term)}{_by_links(one)} {one.weight:.3f} x {one.impact:.3f} = {one.score:.3f}"
        for one in explanation.contributions
    ]
    total = " + ".join(addends) or "no term"
    fresh = f" x {explanation.support:.3f} for links from other results" if explanation.support != 1 else ""
    fresh += f" x {explanation.freshness:.3f} for its date" if explanation.freshness != 1 else ""
    fresh += f" x {explanation.language:.3f} for its language" if explanation.language != 1 else ""
    fresh += f" x {explanation.address:.3f} for its URL" if explanation.address != 1 else ""
    fresh += f" x {explanation.site:g} for its site" if explanation.site != 1 else ""
    fresh += f" x {explanation.country:.3f} for its country" if explanation.country != 1 else ""
    fresh += f" x {explanation.preferred:.3f} for a site you prefer" if explanation.preferred != 1 else ""
    fresh += f" x {explanation.context:.3f} for your last searches" if explanation.context != 1 else ""
    return f"score {score:.4f} = ({total}) x {explanation.static_factor:.3f} for its links{fresh}"


def _by_links(one: Contribution) -> str:
    """Return what links add to the frequency of a term, in parentheses."""
    near = f", {one.near_links:.2g} near them" if one.near_links else ""
    return f" (+ {one.links:.2g} by links{near})" if one.links or near else ""


def print_table(
    headings: Sequence[str], rows: Iterable[Sequence[object]], numbers: Iterable[int] = ()
) -> None:
    """Print a table. The columns in `numbers` are aligned right."""
    cells = [[clean(str(cell)) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _print_rich_table(headings, cells, set(numbers))
    else:
        for line in aligned([list(headings), *cells] if any(headings) else cells, set(numbers)):
            print(line)


def aligned(rows: Sequence[Sequence[str]], right: Collection[int]) -> list[str]:
    """Return the rows as lines with aligned columns; no cell is shortened.

    >>> aligned([["a", "1"], ["bcd", "20"]], {1})
    ['a     1', 'bcd  20']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _print_rich_table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(headings), header_style="bold"
    )
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    _console().print(table)


def _console() -> Console:
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, markup=False)


# Instant answers in a terminal
# -----------------------------


def answer_lines(page: ResultPage) -> Iterator[str]:
    """Yield the lines of each instant answer: question and answer, then the detail and the link, if any."""
    for one in page.answers:
        yield f"{clean(one.question)} = {clean(one.answer)}"
        yield from (" " * INDENT + clean(line) for line in (one.detail, one.link) if line)
    if page.answers:
        yield ""
