"""Which characters make words, which are ignored, and which only look as if they joined words?

The classes stand here as they are written between the brackets of a regular expression.
"""

from __future__ import annotations

import unicodedata

UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u31f0-\u31ff"  # kana, repeat and iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    # Korean writes spaces, but its words end in particles that nobody types.
    "\uac00-\ud7a3"
)

# Soft hyphens, joiners, marks of direction, variation selectors: no reader sees them.
_IGNORED = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x206F), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB),
    (0xE0000, 0xE0FFF),
)  # fmt: skip
IGNORED = "".join(f"{chr(first)}-{chr(last)}" for first, last in _IGNORED)

# They normalise to . , # @ or +, which may join what stands beside them; but wide ones part words.
APART = "\u2024\u2025\u2026\uff03\uff0b\uff0c\uff0e\uff20"


def _combining_marks() -> str:
    """Marks outside the unspaced scripts: Python's `\\w` leaves them out and would cut Hindi words apart.

    As ranges: a class that names each of them takes a tenth of a second to compile.
    """
    blocks = (range(0x300, 0x1E00), range(0x20D0, 0x2100), range(0xA800, 0xAC00), range(0xFE20, 0xFE30))
    ranges: list[list[int]] = []
    for point in (point for block in blocks for point in block):
        if unicodedata.category(chr(point)) not in {"Mn", "Mc"}:
            continue
        if not ranges or ranges[-1][1] + 1 < point:
            ranges.append([point, point])
        ranges[-1][1] = point
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


MARKS = _combining_marks()

_CHANGES = dict.fromkeys((point for first, last in _IGNORED for point in range(first, last + 1)), "")
_CHANGES |= dict.fromkeys(map(ord, APART), " ")
_TABLE = str.maketrans(_CHANGES)
DOTTED_CAPITAL = "\u0130"  # of Turkish; folded by the book it becomes an i and a second dot


def folded(text: str) -> str:
    """The text compatibility-normalised and case-folded, without what is ignored (NFKC_Casefold nearly).

    >>> folded("Stra\\u00dfe so\\u00adft \\u0130stanbul")
    'strasse soft istanbul'
    """
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text.translate(_TABLE))
    return plain.replace(DOTTED_CAPITAL, "i").casefold()
