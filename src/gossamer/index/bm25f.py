"""Fields and BM25F impacts.

    tf' = sum over fields f of  w_f * tf_f / (1 - b_f + b_f * length_f / pivot_f)
    impact = tf' / (k1 + tf')                                   in [0, 1), stored in 8 bits

The pivot lengths are frozen for the whole collection; `jobs.sync_index.fit_pivots` decides when to compute
them again. The idf of a term is multiplied in at query time, so a segment stays valid when the collection
grows.

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
# All fields of a document share one sequence of positions: title, headings, URL, body, surroundings,
# and a second copy of the emphasised words of the body. A column holds the length of each field. The
# positions of a posting therefore give the term frequency in every field, and weights can be changed
# without reading the text again.


class Field(IntEnum):
    """The fields of a document, in the order of their positions."""

    TITLE = 0
    HEADINGS = 1
    URL = 2
    BODY = 3
    SURROUNDINGS = 4
    EMPHASISED = 5  # a copy without order: distances between words are measured in the body only


FIELDS = len(Field)
HOSTS = 4096  # hosts whose words are cached; pages of one host arrive together

# Parts of URLs that say nothing about the page: common file extensions, and "index".
_URL_NOISE = re.compile(r"\.(?:html?|php|aspx?|jsp)(?=/|$)|(?<=/)index\b", re.IGNORECASE)


def field_texts(pages: Sequence[Page]) -> list[str]:
    """Return the text of each field, page by page, in the order of `Field`."""
    texts = [""] * (FIELDS * len(pages))
    texts[Field.TITLE :: FIELDS] = [page.title for page in pages]
    texts[Field.HEADINGS :: FIELDS] = ["\n".join(page.headings) for page in pages]
    texts[Field.URL :: FIELDS] = [url_words(page.url) for page in pages]
    texts[Field.BODY :: FIELDS] = [page.text for page in pages]
    texts[Field.SURROUNDINGS :: FIELDS] = [_around(page) for page in pages]
    texts[Field.EMPHASISED :: FIELDS] = [page.emphasised for page in pages]
    return texts


def url_words(url: Url) -> str:
    """Return the words of a URL: host labels and path, without file extensions and "index"."""
    host, path = _host_words(url.host), url.path.partition("?")[0]
    return host if path == "/" else f"{host} {_URL_NOISE.sub('', path)}".replace("_", " ")


def address_texts(typed: str) -> list[str]:
    """Return the forms in which a typed address, or a part of one, may occur in the output of `url_words`.

    A text with dots may be a host, whose last label `url_words` drops, or a part of a path.

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
    """Return the text around the main text, with description and author: results show these, too."""
    if not (page.description or page.author):
        return page.surroundings
    return "\n".join([page.surroundings, page.description, page.author])


IMPACT_LEVELS = 255
DEFAULT = WeightingSettings()


def _each(settings: WeightingSettings, what: str) -> tuple[float, ...]:
    return tuple(getattr(settings, f"{field.name.lower()}_{what}") for field in Field)


@dataclass(frozen=True, slots=True)
class Weighting:
    """BM25F parameters of a collection, stored in its manifest; tuples are in the order of `Field`."""

    pivots: tuple[float, ...]
    weights: tuple[float, ...] = _each(DEFAULT, "weight")
    slopes: tuple[float, ...] = _each(DEFAULT, "slope")  # the b of each field
    k1: float = DEFAULT.k1

    @classmethod
    def frozen_for(
        cls, lengths: NDArray[np.int64], documents: int, settings: WeightingSettings = DEFAULT
    ) -> Weighting:
        """Return the weighting of a collection whose fields have these total lengths."""
        means = lengths / max(documents, 1)
        return cls(pivots=tuple(max(1.0, round(float(mean), 3)) for mean in means)).by(settings)

    def by(self, settings: WeightingSettings) -> Weighting:
        """Return a weighting with the same pivots and the weights of the settings."""
        return replace(
            self, weights=_each(settings, "weight"), slopes=_each(settings, "slope"), k1=settings.k1
        )

    def shares(self, lengths: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return how much one occurrence adds to tf', for each document (row) and field (column)."""
        weights, slopes, pivots = (np.array(row) for row in (self.weights, self.slopes, self.pivots))
        shares: NDArray[np.float64] = weights / (1.0 - slopes + slopes * lengths / pivots)
        return shares

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Weighting:
        """Read a weighting from a manifest; raise ValueError if a field has no number."""
        numbers = {key: tuple(content[key]) for key in ("pivots", "weights", "slopes")}
        if any(len(row) != FIELDS for row in numbers.values()):
            raise ValueError("a weighting must have one number per field")
        return cls(k1=content["k1"], **numbers)


def idf(documents: int, frequency: int) -> float:
    """Return the inverse document frequency: ln(1 + (N - df + 1/2) / (df + 1/2))."""
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def idfs(documents: int, frequencies: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the inverse document frequencies of many terms."""
    found: NDArray[np.float64] = np.log(1 + (documents - frequencies + 0.5) / (frequencies + 0.5))
    return found
