"""Which words of a query may be misspelt, and where do they stand?

Words as typed, alone: not what stands in quotation marks, belongs to a field, is excluded, stands for many
words (`jag*`, `jagaur~`), holds a digit or a sign, or is written in capitals as a short name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gossamer.query.lexer import Kind, tokens
from gossamer.text.words import is_unspaced, words

SHORT_NAME = 5  # letters of a word in capitals that may be an abbreviation
_AROUND = ".,;:!?'’()[]"


class Place(NamedTuple):
    """A word in small letters, and where it begins and ends."""

    word: str
    start: int
    end: int


def plain_words(query: str) -> Iterator[Place]:
    """The words that people meant as words, in their order.

    >>> [place.word for place in plain_words('Jagaur "new wrold" -carr site:example.org NASA (bgi cat)')]
    ['jagaur', 'bgi', 'cat']
    """
    ruled_out = 0  # parentheses open behind a minus
    excluded = False
    for token in tokens(query):
        if token.kind is Kind.OPEN and (ruled_out or excluded):
            ruled_out += 1
        elif token.kind is Kind.CLOSE and ruled_out:
            ruled_out -= 1
        elif token.kind is Kind.WORD and not (token.field or ruled_out or excluded):
            yield from _plain(token.text, token.position)
        excluded = token.kind is Kind.NOT


def _plain(text: str, position: int) -> Iterator[Place]:
    bare = text.strip(_AROUND)
    start = position + text.find(bare)
    if not bare.isalpha() or is_unspaced(bare) or (bare.isupper() and 1 < len(bare) <= SHORT_NAME):
        return
    if len(own := words(bare)) == 1:
        yield Place(own[0], start, start + len(bare))
