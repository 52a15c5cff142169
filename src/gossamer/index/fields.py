"""Which parts does a document have, and where do their words stand?

All parts of a document share one line of positions: title, headings, URL, body, surroundings, and the words
of the body that are emphasised, once more. How long each part is stands in the columns. A posting's positions
therefore tell the term frequency of every field, and weights can be changed without reading the text again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from gossamer.model import Page, Url


class Field(IntEnum):
    """The parts, in the order of their positions."""

    TITLE = 0
    HEADINGS = 1
    URL = 2
    BODY = 3
    SURROUNDINGS = 4
    EMPHASISED = 5  # where they stand is told by the body: here nothing is near to anything


FIELDS = len(Field)
HOSTS = 4096  # whose words are remembered: pages of one come together

# What every URL has: the ending of a file name, and "index".
_URL_NOISE = re.compile(r"\.(?:html?|php|aspx?|jsp)(?=/|$)|(?<=/)index\b", re.IGNORECASE)


def field_texts(pages: Sequence[Page]) -> list[str]:
    """What each field says, in the order of `Field`, page after page."""
    texts = [""] * (FIELDS * len(pages))
    texts[Field.TITLE :: FIELDS] = [page.title for page in pages]
    texts[Field.HEADINGS :: FIELDS] = ["\n".join(page.headings) for page in pages]
    texts[Field.URL :: FIELDS] = [url_words(page.url) for page in pages]
    texts[Field.BODY :: FIELDS] = [page.text for page in pages]
    texts[Field.SURROUNDINGS :: FIELDS] = [_around(page) for page in pages]
    texts[Field.EMPHASISED :: FIELDS] = [page.emphasised for page in pages]
    return texts


def url_words(url: Url) -> str:
    """The words that a URL is made of: host labels and path, without what every URL has."""
    host, path = _host_words(url.host), url.path.partition("?")[0]
    return host if path == "/" else f"{host} {_URL_NOISE.sub('', path)}".replace("_", " ")


def address_texts(typed: str) -> list[str]:
    """How the words of an address, or of a part of one, may stand in a URL: as `url_words` writes them.

    What has dots may be a host, whose last label is left out there, or a part of a path.

    >>> address_texts("https://www.cats.example/big_cats/jaguar.html?x=1")
    ['cats.example/big cats/jaguar', 'cats/big cats/jaguar']
    """
    address = typed.partition("://")[2] or typed
    path = _URL_NOISE.sub("", address.partition("?")[0].partition("#")[0].removeprefix("www."))
    host, slash, rest = path.partition("/")
    name, _, last = host.rpartition(".")
    shorter = name + slash + rest if last.isalpha() else path
    return [text.replace("_", " ") for text in dict.fromkeys((path, shorter)) if text.strip("/")]


@lru_cache(HOSTS)
def _host_words(host: str) -> str:
    return (host.removeprefix("www.").rpartition(".")[0] or host).replace("_", " ")


def _around(page: Page) -> str:
    """What stands around the main text, and what the head says of it: that is shown, and so must be found."""
    if not (page.description or page.author):
        return page.surroundings
    return "\n".join([page.surroundings, page.description, page.author])
