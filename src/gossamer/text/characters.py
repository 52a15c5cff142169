"""Which characters make words, which are ignored, and which only look as if they joined words?

The classes stand here as they are written between the brackets of a regular expression.
"""

from __future__ import annotations

import unicodedata

# Scripts that write no spaces, one letter a sound; their digits are told apart, as all digits are.
LETTERED = (
    "\u0e00-\u0e4f\u0e5a-\u0ecf\u0eda-\u0eff"  # Thai, Lao
    "\u1000-\u103f\u104a-\u108f\u109a-\u109f\u1780-\u17df\u17ea-\u17ff"  # Burmese, Khmer
)
# Those of one character a syllable or a word.
SYLLABIC = (
    "\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u31f0-\u31ff"  # kana, repeat and iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    # Korean writes spaces, but its words end in particles that nobody types.
    "\uac00-\ud7a3"
)
UNSPACED = LETTERED + SYLLABIC

# Soft hyphens, joiners, marks of direction, variation selectors: no reader sees them.
_IGNORED = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x206F), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB),
    (0xE0000, 0xE0FFF),
)  # fmt: skip
IGNORED = "".join(f"{chr(first)}-{chr(last)}" for first, last in _IGNORED)

# Letters to Unicode of which folding leaves nothing: the tatweel, which only lengthens the letter before it,
# and the small waw and yeh of the Quran. They belong to words as marks do, and make none themselves.
STRETCHING = "\u0640\u06e5\u06e6"

# The zeros of the scripts that have digits of their own: a year is a year, however it is written.
_ZEROS = (
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50,
    0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0,
    0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
)  # fmt: skip

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
_CHANGES |= {zero + digit: str(digit) for zero in _ZEROS for digit in range(10)}
_TABLE = str.maketrans(_CHANGES)
DOTTED_CAPITAL = "\u0130"  # of Turkish; folded by the book it becomes an i and a second dot


def folded(text: str) -> str:
    """The text compatibility-normalised and case-folded, without what is ignored (NFKC_Casefold nearly).

    Digits of all scripts become those of ASCII.

    >>> folded("Stra\\u00dfe so\\u00adft \\u0130stanbul \\u0967\\u0968\\u0969")
    'strasse soft istanbul 123'
    """
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text.translate(_TABLE))
    return plain.replace(DOTTED_CAPITAL, "i").casefold()


def small(text: str) -> str:
    """The text in small letters, and nothing else of it changed: for what must stand just as it is written.

    Composed, because a composed letter and its parts look alike; a final sigma is a sigma.

    >>> small("Stra\u00dfe \u039b\u038c\u0393\u039f\u03a3") == "stra\u00dfe \u03bb\u03cc\u03b3\u03bf\u03c3"
    True
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text).lower().replace("\u03c2", "\u03c3")
