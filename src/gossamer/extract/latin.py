"""In which encoding are these bytes words of a language with Latin letters?

The encodings for Central Europe, Turkish and the Baltic give the same bytes other letters than windows-1252.
In the right one, the letters beyond A to Z are those of one language; in a wrong one they are a mixture that
no language has, or no letters at all.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable

WESTERN = "cp1252"
LEAST = 4  # letters beyond A to Z below which nothing is concluded
SHARE = 0.95  # of these letters that must be the language's own
MARGIN = 0.1  # by which it must exceed the best western language

# A language, its encodings, the likelier first, and its letters beyond A to Z.
_LANGUAGES = """
pl cp1250,iso8859-2 ąćęłńóśźż
cs cp1250,iso8859-2 áčďéěíňóřšťúůýž
sk cp1250,iso8859-2 áäčďéíĺľňóôŕšťúýž
hu cp1250,iso8859-2 áéíóöőúüű
hr cp1250,iso8859-2 čćđšž
sl cp1250,iso8859-2 čšž
ro cp1250,iso8859-2 ăâîşţ
tr cp1254 çğıöşüâîİ
lt cp1257,iso8859-13 ąčęėįšųūž
lv cp1257,iso8859-13 āčēģīķļņšūž
et cp1257 äõöüšž
fr cp1252 àâçéèêëîïôùûüÿæœ
de cp1252 äöüß
es cp1252 áéíñóúü
pt cp1252 ãáâàçéêíóôõúü
it cp1252 àèéìíòóù
sv cp1252 åäöé
da cp1252 æøåé
is cp1252 áðéíóúýþæö
nl cp1252 ëïéèöü
ca cp1252 àçéèíïóòúü
et cp1252 äõöüšž
fi cp1252 åäöšž
"""
_KNOWN = tuple(
    (language, tuple(names.split(",")), frozenset(letters + letters.upper()))
    for language, names, letters in (line.split() for line in _LANGUAGES.strip().splitlines())
)
_CODECS = tuple(dict.fromkeys(codec for _, names, _ in _KNOWN for codec in names))
# Of the signs beyond ASCII only those that belong to a word tell something.
_IN_WORD = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[A-Za-z])")
_TYPOGRAPHY = frozenset("\xa0«»‘’“”„‚–—…•·©®™°´`¨")


def latin_codec(sample: Iterable[bytes], language: str = "") -> str:
    """The encoding in which the letters of the sample are those of one language, windows-1252 where none is.

    What the page itself says about its language decides between those that fit.
    """
    joined = b"\n".join(sample)
    counts = {codec: _letters(joined, codec) for codec in _CODECS}
    if sum(counts[WESTERN].values()) < LEAST:
        return WESTERN
    shares = [
        (_share(counts[codec], letters), own == language, codec)
        for own, names, letters in _KNOWN
        for codec in names
    ]
    western = max(share for share, _, codec in shares if codec == WESTERN)
    fitting = [one for one in shares if one[2] != WESTERN and one[0] >= SHARE]
    if not fitting:
        return WESTERN
    share, is_own, codec = max(fitting, key=lambda one: (one[1], one[0]))
    return codec if (is_own and share >= western) or share > western + MARGIN else WESTERN


def _letters(text: bytes, codec: str) -> Counter[str]:
    found = Counter(_IN_WORD.findall(codecs.decode(text, codec, "replace")))
    return Counter({letter: count for letter, count in found.items() if letter not in _TYPOGRAPHY})


def _share(counts: Counter[str], letters: frozenset[str]) -> float:
    whole = sum(counts.values())
    return sum(count for letter, count in counts.items() if letter in letters) / whole if whole else 0.0
