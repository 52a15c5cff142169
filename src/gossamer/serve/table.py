"""How do results look in a spreadsheet?"""

from __future__ import annotations

import csv
import io

from gossamer.model import Hit, ResultPage
from gossamer.results.show import iso

COLUMNS = ("rank", "url", "title", "snippet", "score", "language", "media_type", "published", "fetched")
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def as_csv(page: ResultPage) -> str:
    """A line for the names of the columns, and one for each result (RFC 4180)."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows(map(_row, page.hits))
    return out.getvalue()


def _row(hit: Hit) -> list[str]:
    texts = [harmless(text) for text in (hit.url, hit.title, hit.snippet.text)]
    kinds = [harmless(text) for text in (hit.language, hit.media_type)]
    published = "" if hit.published is None else iso(hit.published)
    fetched = "" if hit.unfetched else iso(hit.fetched_at)
    return [str(hit.rank), *texts, str(hit.score), *kinds, published, fetched]


def harmless(text: str) -> str:
    """The text on one line, as text: a spreadsheet would compute what begins like a formula.

    >>> harmless("=1+1"), harmless("a title"), harmless(" \\t@x")
    ("'=1+1", 'a title', "'@x")
    """
    line = " ".join(text.replace("\0", " ").split())
    return f"'{line}" if line.startswith(_FORMULA) else line
