"""Fields and BM25F impacts.

    tf' = sum over fields f of  w_f * tf_f / (1 - b_f + b_f * length_f / pivot_f)
    impact = tf' / (k1 + tf')                                   in [0, 1), stored in 8 bits

The pivot lengths are frozen for the whole collection (`jobs.sync_index.fit_pivots` says when anew); idf, the
collection's side, multiplies at query time. So a segment never goes stale when the collection grows.
Reference: Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.settings import WeightingSettings
from gossamer.model import Page, Url

# Fields of a document: title, headings, URL, body
# ------------------------------------------------
#
# All parts of a document share one line of positions: title, headings, URL, body, surroundings, and
# the words of the body that are emphasised, once more. How long each part is stands in the columns. A
# posting's positions therefore tell the term frequency of every field, and weights can be changed
# without reading the text again.


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


IMPACT_LEVELS = 255
DEFAULT = WeightingSettings()


def _each(settings: WeightingSettings, what: str) -> tuple[float, ...]:
    return tuple(getattr(settings, f"{field.name.lower()}_{what}") for field in Field)


@dataclass(frozen=True, slots=True)
class Weighting:
    """Frozen for a collection and written into its manifest. One number a field, in the order of `Field`."""

    pivots: tuple[float, ...]
    weights: tuple[float, ...] = _each(DEFAULT, "weight")
    slopes: tuple[float, ...] = _each(DEFAULT, "slope")  # the b of each field
    k1: float = DEFAULT.k1

    @classmethod
    def frozen_for(
        cls, lengths: NDArray[np.int64], documents: int, settings: WeightingSettings = DEFAULT
    ) -> Weighting:
        """The weighting of a collection whose fields have these total lengths."""
        means = lengths / max(documents, 1)
        return cls(pivots=tuple(max(1.0, round(float(mean), 3)) for mean in means)).by(settings)

    def by(self, settings: WeightingSettings) -> Weighting:
        """The same pivots with these weights."""
        return replace(
            self, weights=_each(settings, "weight"), slopes=_each(settings, "slope"), k1=settings.k1
        )

    def shares(self, lengths: NDArray[np.uint32]) -> NDArray[np.float64]:
        """What one word adds to tf' in each field of documents with these lengths: a row a document."""
        weights, slopes, pivots = (np.array(row) for row in (self.weights, self.slopes, self.pivots))
        shares: NDArray[np.float64] = weights / (1.0 - slopes + slopes * lengths / pivots)
        return shares

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Weighting:
        numbers = {key: tuple(content[key]) for key in ("pivots", "weights", "slopes")}
        if any(len(row) != FIELDS for row in numbers.values()):
            raise ValueError("a weighting must have one number a field")
        return cls(k1=content["k1"], **numbers)


def idf(documents: int, frequency: int) -> float:
    """ln(1 + (N - df + 1/2) / (df + 1/2)): how much a term tells documents apart."""
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def idfs(documents: int, frequencies: NDArray[np.int64]) -> NDArray[np.float64]:
    """The same of many terms."""
    told: NDArray[np.float64] = np.log(1 + (documents - frequencies + 0.5) / (frequencies + 0.5))
    return told
