"""How do instant answers look in a terminal?"""

from __future__ import annotations

from collections.abc import Iterator

from gossamer.cli.show import INDENT, clean
from gossamer.model import ResultPage


def answer_lines(page: ResultPage) -> Iterator[str]:
    """Each answer with how the query was understood, what else is to be said, and where more is."""
    for one in page.answers:
        yield f"{clean(one.question)} = {clean(one.answer)}"
        yield from (" " * INDENT + clean(line) for line in (one.detail, one.link) if line)
    if page.answers:
        yield ""
