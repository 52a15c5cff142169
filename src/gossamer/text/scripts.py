"""In which language may a page be that neither says so nor has text enough to tell?

In the one that the owner names, unless its letters are those of a script in which nobody writes that. Then
its script may tell: Greek letters are Greek. Cyrillic, Arabic and Han are those of many languages, and a page
of them stays without any, so that its words are only folded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable

ENOUGH = 300  # characters that are looked at
NEARLY_ALL = 0.9  # of the letters

LATIN, HAN, KANA = "latin", "han", "kana"
# Where the letters of a script begin, and where those of it or of its neighbours end. Scripts that are not
# here tell nothing.
_BLOCKS = (
    (0x41, 0x250, LATIN), (0x370, 0x400, "greek"), (0x400, 0x530, "cyrillic"), (0x530, 0x590, "armenian"),
    (0x590, 0x600, "hebrew"), (0x600, 0x700, "arabic"), (0x750, 0x780, "arabic"),
    (0x900, 0x980, "devanagari"), (0x980, 0xA00, "bengali"), (0xA00, 0xA80, "gurmukhi"),
    (0xA80, 0xB00, "gujarati"), (0xB00, 0xB80, "odia"), (0xB80, 0xC00, "tamil"), (0xC00, 0xC80, "telugu"),
    (0xC80, 0xD00, "kannada"), (0xD00, 0xD80, "malayalam"), (0xD80, 0xE00, "sinhala"), (0xE00, 0xE80, "thai"),
    (0xE80, 0xF00, "lao"), (0x10A0, 0x1100, "georgian"), (0x1780, 0x1800, "khmer"), (0x1E00, 0x1F00, LATIN),
    (0x1F00, 0x2000, "greek"), (0x3040, 0x3100, KANA), (0x3400, 0x4DC0, HAN), (0x4E00, 0xA000, HAN),
    (0xAC00, 0xD7B0, "hangul"), (0xF900, 0xFB00, HAN), (0xFB50, 0xFE00, "arabic"), (0xFE70, 0xFF00, "arabic"),
    (0x20000, 0x40000, HAN),
)  # fmt: skip
_BEGINS = [begin for begin, _, _ in _BLOCKS]

# The language of scripts that hardly any other is written in.
_ONLY = {
    "greek": "el", "armenian": "hy", "hebrew": "he", "gurmukhi": "pa", "gujarati": "gu", "odia": "or",
    "tamil": "ta", "telugu": "te", "kannada": "kn", "malayalam": "ml", "sinhala": "si", "thai": "th",
    "lao": "lo", "georgian": "ka", "khmer": "km", "hangul": "ko", KANA: "ja",
}  # fmt: skip
# Languages by the scripts in which they are written, where that is not Latin alone.
_WRITTEN = {
    "cyrillic": "ab av az ba be bg bs ce cu cv kk kv ky mk mn os ro ru sr tg tk tt uk uz",
    "arabic": "ar az bal ckb fa ha kk ks ku ky ms pnb ps sd tg tk ug ur uz", "hebrew": "he yi lad",
    "devanagari": "bh bho doi hi kok ks mai mr ne new sa sd", "bengali": "as bn mni", "gurmukhi": "pa",
    "odia": "or", HAN: "ja ko vi wuu yue za zh", KANA: "ja", "hangul": "ko",
    LATIN: "az bs ha kk ku lad ms ro sr tk tt ug uz vi za",
}  # fmt: skip


def _scripts() -> dict[str, frozenset[str]]:
    pairs = [(code, script) for script, codes in _WRITTEN.items() for code in codes.split()]
    pairs += [(code, script) for script, code in _ONLY.items()]
    return {own: frozenset(script for code, script in pairs if code == own) for own, _ in pairs}


_OF_LANGUAGE = _scripts()
_ONLY_LATIN = frozenset({LATIN})


def likely_language(texts: Iterable[str], default: str) -> str:
    """The default language, or that of the script of the texts; "" where that has several.

    >>> [likely_language([text], "en") for text in ("Impressum", "Привет", "Γεια")]
    ['en', '', 'el']
    """
    text = "\n".join([one[:ENOUGH] for one in texts])
    own = _OF_LANGUAGE.get(default, _ONLY_LATIN)
    if text.isascii() and LATIN in own:
        return default
    scripts = Counter(map(_script, filter(str.isalpha, text)))
    nearly_all = NEARLY_ALL * scripts.total()
    if not scripts or sum(scripts[one] for one in scripts if one and one not in own) < nearly_all:
        return default
    if scripts[KANA]:  # beside which Han is Japanese too
        scripts[KANA] += scripts.pop(HAN, 0)
    ((script, letters),) = scripts.most_common(1)
    return _ONLY.get(script, "") if letters >= nearly_all else ""


def _script(letter: str) -> str:
    """The script of a letter, or "" for one that tells nothing."""
    point = ord(letter)
    _, end, script = _BLOCKS[max(0, bisect_right(_BEGINS, point) - 1)]
    return script if point < end else ""
