"""What may somebody have meant whose query cannot be read?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gossamer.model import BadQuery
from gossamer.query.lexer import FIELDS, QUOTES
from gossamer.query.parse import parse

_OPERATOR = re.compile(r"AND|OR|NOT|NEAR(?:/[0-9]*)?")
_NOT_A_WORD = re.compile(rf"-|(?i:{'|'.join(FIELDS)}):")  # begins an exclusion, or a condition


def mended(query: str) -> str:
    """A query that can be read, as near to this one as there is; "" where none is.

    >>> mended('big "black cat'), mended("(jaguar OR lion"), mended("jaguar OR"), mended("site:")
    ('big "black cat"', '(jaguar OR lion)', 'jaguar or', '')
    """
    typed = query.strip()
    return next((one for one in _attempts(typed) if one and one != typed and _is_readable(one)), "")


def _attempts(typed: str) -> Iterator[str]:
    """What was never closed is closed; else only the words stay."""
    yield f'{typed}"'
    yield typed + ")" * (typed.count("(") - typed.count(")"))
    yield " ".join(filter(None, map(_word, typed.split())))


def _word(piece: str) -> str:
    if _NOT_A_WORD.match(piece):
        return ""
    bare = piece.strip(f"{QUOTES}()")
    return bare.lower() if _OPERATOR.fullmatch(bare) else bare


def _is_readable(query: str) -> bool:
    try:
        parse(query)
    except BadQuery:
        return False
    return True
