"""In which language is each piece of a page stemmed, where its text has passages in another one?

A passage is indexed in its own language, where it stands. In the language of the page it is indexed once
more, behind what surrounds the text: so a page holds all of its words in its own language, whatever else it
holds, and conditions can be evaluated language by language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import FIELDS, Field
from gossamer.model import Page
from gossamer.text.analysis import analyser

Piece = tuple[str, str]  # the language in which it is stemmed, and its text
Stretch = tuple[str, int]  # a language, and how many texts are in it


def stretches(languages: Sequence[str]) -> list[Stretch]:
    """The fields of pages in these languages, by the language in which they are stemmed."""
    stemmed_in = {language: analyser(language).language for language in set(languages)}
    groups = groupby(map(stemmed_in.__getitem__, languages))
    return [(language, FIELDS * len(list(group))) for language, group in groups]


def cut(
    pages: Sequence[Page], languages: Sequence[str], texts: Sequence[str]
) -> tuple[list[str], list[Stretch], NDArray[np.int64]]:
    """The fields of pages as pieces of one language each: texts, stretches, and where each field begins."""
    pieces: list[Piece] = []
    begins: list[int] = []
    for place, text in enumerate(texts):
        page, field = pages[place // FIELDS], place % FIELDS
        begins.append(len(pieces))
        pieces += _pieces(page, analyser(languages[place // FIELDS]).language, field, text)
    groups = groupby(pieces, key=itemgetter(0))
    return (
        [text for _, text in pieces],
        [(language, len(list(group))) for language, group in groups],
        np.array(begins),
    )


def _pieces(page: Page, language: str, field: int, text: str) -> Iterator[Piece]:
    if page.passages and field == Field.BODY:
        begin = 0
        for one in page.passages:
            yield language, text[begin : one.begin]
            yield analyser(one.language).language, text[one.begin : one.end]
            begin = one.end
        yield language, text[begin:]
    elif page.passages and field == Field.SURROUNDINGS:
        yield language, "\n".join([text, *(page.text[one.begin : one.end] for one in page.passages)])
    else:
        yield language, text
