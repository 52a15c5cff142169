"""What does a plain text document say?"""

from __future__ import annotations

import re

from gossamer.extract.scan import collapse, shortened
from gossamer.model import Page, Url

LONGEST_TITLE = 200  # characters
_MARKUP = re.compile(r"^(?:#{1,6}\s+|[=*\-_~#]{3,}\s*$)")


def lines_of(text: str) -> list[str]:
    """The lines that have words, whitespace collapsed."""
    collapsed = (collapse(line) for line in text.replace("\x00", "").splitlines())
    return [line for line in collapsed if line]


def title_of(lines: list[str]) -> str:
    """The first line that says something, without a Markdown heading's marks.

    >>> title_of(["=======", "# Reading list", "More"])
    'Reading list'
    """
    bare = (_MARKUP.sub("", line).strip() for line in lines)
    title = next((line for line in bare if line), "")
    return title if len(title) <= LONGEST_TITLE else title[:LONGEST_TITLE].rsplit(" ", 1)[0] + "…"


def read_plain(text: str, url: Url, fetched_at: float = 0.0, media_type: str = "text/plain") -> Page:
    """The page behind a decoded text; its title is the first line."""
    lines = lines_of(text)
    return Page(
        url=url,
        fetched_at=fetched_at,
        media_type=media_type,
        title=title_of(lines),
        text=shortened("\n".join(lines)),
    )
