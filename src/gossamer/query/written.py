"""How would one type this query?"""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.model import (
    After,
    And,
    Before,
    ByLinks,
    ByPlace,
    Clause,
    FileType,
    Fuzzy,
    Group,
    In,
    Language,
    Near,
    Not,
    Or,
    Phrase,
    Prefix,
    Site,
    Sounding,
    Word,
)


def written(clause: Clause) -> str:
    """A clause as one would type it: parsing it gives the clause again.

    >>> written(And((Word("jaguar"), Not(Or((Word("car"), Phrase("new world")))))))
    'jaguar AND -(car OR "new world")'
    """
    match clause:
        case Not(inner):
            return f"-({written(inner)})" if isinstance(inner, Not) else "-" + _closed(inner)
        case And(parts):
            return " AND ".join(_closed(part) for part in parts)
        case Or(parts):
            return " OR ".join(_closed(part) for part in parts)
        case Group(parts):
            return side_by_side(parts)
        case Near(texts, within):
            return f" NEAR/{within} ".join(map(written, texts))
    return _leaf(clause)


def side_by_side(parts: Sequence[Clause]) -> str:
    """The parts of a query one after the other."""
    return " ".join(map(written, parts))


def _closed(clause: Clause) -> str:
    """A clause that stands within another: in parentheses, unless nothing can tear it apart."""
    text = written(clause)
    return f"({text})" if isinstance(clause, And | Or | Group | Near) else text


def _leaf(clause: Clause) -> str:  # noqa: PLR0912 (one line a kind)
    match clause:
        case Word(text):
            return text
        case Prefix(text):
            return f"{text}*"
        case Fuzzy(text, mistakes):
            return f"{text}~{mistakes or ''}"
        case Sounding(text, way):
            return f"{way}:{text}"
        case Phrase(text):
            return f'"{text}"'
        case In(part, text):
            return f"in{part}:{written(text)}"
        case Site(host):
            return f"site:{host}"
        case FileType(name):
            return f"filetype:{name}"
        case Language(code):
            return f"lang:{code}"
        case Before(day):
            return f"before:{day}"
        case After(day):
            return f"after:{day}"
        case ByLinks(way, url):
            return f"{way}:{url}"
        case ByPlace(way, name):
            return f'{way}:"{name}"' if " " in name else f"{way}:{name}"
    raise TypeError(clause)
