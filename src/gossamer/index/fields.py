"""Which parts does a document have, and where do their words stand?

All parts of a document share one line of positions: title, headings, URL, body, surroundings, with a gap
between them that no phrase can bridge. A posting's positions therefore tell the term frequency of every
field, and weights can be changed without reading the text again.
"""

from __future__ import annotations

import re
from enum import IntEnum

from gossamer.model import Page


class Field(IntEnum):
    """The parts, in the order of their positions."""

    TITLE = 0
    HEADINGS = 1
    URL = 2
    BODY = 3
    SURROUNDINGS = 4


FIELDS = len(Field)
GAP = 64  # positions between two fields

_URL_NOISE = re.compile(r"\.(html?|php|aspx?|jsp)$|^index\b", re.IGNORECASE)


def field_texts(page: Page) -> tuple[str, ...]:
    """What each field says, in the order of `Field`."""
    return (page.title, "\n".join(page.headings), url_words(page), page.text, page.surroundings)


def url_words(page: Page) -> str:
    """The words that a URL is made of: host labels and path, without what every URL has."""
    labels = page.url.host.removeprefix("www.").rpartition(".")[0] or page.url.host
    parts = [_URL_NOISE.sub("", part) for part in page.url.path.split("?")[0].split("/")]
    return f"{labels} {' '.join(parts)}".replace("_", " ")
