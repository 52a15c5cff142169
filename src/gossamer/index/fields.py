"""Which parts does a document have, and where do their words stand?

All parts of a document share one line of positions: title, headings, URL, body, surroundings. How long each
part is stands in the columns. A posting's positions therefore tell the term frequency of every field, and
weights can be changed without reading the text again.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from gossamer.model import Page


class Field(IntEnum):
    """The parts, in the order of their positions."""

    TITLE = 0
    HEADINGS = 1
    URL = 2
    BODY = 3
    SURROUNDINGS = 4


FIELDS = len(Field)
HOSTS = 4096  # whose words are remembered: pages of one come together

# What every URL has: the ending of a file name, and "index".
_URL_NOISE = re.compile(r"\.(?:html?|php|aspx?|jsp)(?=/|$)|(?<=/)index\b", re.IGNORECASE)


def field_texts(page: Page) -> tuple[str, ...]:
    """What each field says, in the order of `Field`."""
    return (page.title, "\n".join(page.headings), url_words(page), page.text, page.surroundings)


def url_words(page: Page) -> str:
    """The words that a URL is made of: host labels and path, without what every URL has."""
    path = page.url.path.partition("?")[0]
    if path != "/":
        path = _URL_NOISE.sub("", path)
    return f"{_host_words(page.url.host)} {path}".replace("_", " ")


@lru_cache(HOSTS)
def _host_words(host: str) -> str:
    return host.removeprefix("www.").rpartition(".")[0] or host
