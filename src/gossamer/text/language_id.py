"""Detect the language of a page, of passages, of short texts.

Texts are told apart by CLD2 (scripts, and sequences of letters). A page costs a look at three short pieces of
its text; only where they say nothing clear, or gainsay the declaration, longer ones are looked at. A
declaration is overruled where the text speaks another language clearly: many templates say lang="en" of
whatever is put into them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from gossamer.model import Passage
from gossamer.text.language_codes import canonical_code, kin
from gossamer.text.terms import analyser

GLANCE_OF_PIECE = 50  # characters of each piece: what most pages need
LOOK_AT_PIECE = 500  # of each piece, where that is not enough
ENOUGH_TO_CONTRADICT = 60  # letters, in bytes of UTF-8, that can gainsay a declaration
PLENTY = 300  # of them, that can tell a language where each stretch for itself leaves doubts
CLEAR_SHARE = 0.75  # share of the text whose language is clearly the page's
HALF = 0.5  # share that makes a declaration true at first glance

# What CLD2 refuses to read: controls, halves of surrogate pairs, and what is no character on any plane.
_NO_CHARACTERS = "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
_REFUSED = re.compile(f"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef{_NO_CHARACTERS}]")


@dataclass(frozen=True, slots=True)
class TextLanguages:
    """What a text is written in."""

    languages: tuple[tuple[str, int], ...] = ()  # codes, and bytes of UTF-8 in them, most first
    sure: bool = False

    @property
    def letters(self) -> int:
        """How many bytes of UTF-8 are in a language that could be told."""
        return sum([size for _, size in self.languages])

    @property
    def clearly(self) -> str:
        """The language that the text is in beyond doubt, or ""."""
        if not self.languages or not (self.sure or self.letters >= PLENTY):
            return ""
        first = self.languages[0][0]
        return first if self.share(first) >= CLEAR_SHARE else ""

    def share(self, language: str) -> float:
        """How much of the text is in this language, or in one that is nearly the same."""
        near = kin(language)
        return sum([size for code, size in self.languages if code in near]) / max(1, self.letters)


def spoken(text: str, hint: str = "") -> TextLanguages:
    """The languages of a text; a hint tips the scales where the text says little.

    >>> spoken("Der schnelle braune Fuchs springt über den faulen Hund.").clearly
    'de'
    """
    sure, letters, found = _detected(text, hint)
    codes = [(canonical_code(code), letters * share // 100) for _, code, share, _ in found]
    return TextLanguages(tuple([(code, size) for code, size in codes if code and size]), sure)


def page_language(text: str, declared: str, beside: Sequence[str] = ()) -> str:
    """The language of a page: the declared one, unless its text clearly speaks another; "" if nothing tells.

    What stands `beside` the text, such as its title, is looked at where that alone says little.

    >>> page_language("Der schnelle braune Fuchs springt über den faulen Hund und läuft davon.", "en")
    'de'
    >>> page_language("Impressum", "en")
    'en'
    """
    own = canonical_code(declared)
    if own and own not in _detector().hints:
        return own  # whatever it looks like to a detector that does not know it
    if len(text) < 3 * GLANCE_OF_PIECE:
        text = "\n".join([text, *beside])
    seen = spoken(_pieces(text, GLANCE_OF_PIECE), own)
    if len(text) > 3 * GLANCE_OF_PIECE and not _settled(seen, own):
        seen = spoken(_pieces(text, LOOK_AT_PIECE), own)
    if own and (seen.letters < ENOUGH_TO_CONTRADICT or own in kin(seen.clearly)):
        return own
    return seen.clearly or own


def _settled(seen: TextLanguages, declared: str) -> bool:
    return seen.share(declared) >= HALF if declared else bool(seen.clearly)


def _pieces(text: str, size: int) -> str:
    """Three pieces from all over a text, as menus stand at its ends; all of one that is short."""
    if len(text) <= 3 * size:
        return text
    step = (len(text) - size) // 4
    return "\n".join([text[place : place + size] for place in (step, 2 * step, 3 * step)])


# Whether CLD2 is sure, how many bytes told it, and of each language its name, code, percentage and score.
_Answer: TypeAlias = tuple[bool, int, Sequence[tuple[str, str, int, float]]]


class _Detector(NamedTuple):
    detect: Callable[..., Any]
    refuses: type[Exception]
    hints: dict[str, str | None]  # of each language that it tells from others, what hints at it


@cache
def _detector() -> _Detector:
    import pycld2

    names = frozenset(pycld2.DETECTED_LANGUAGES)
    codes = [code for name, code in pycld2.LANGUAGES if name in names and "-" not in code]
    hints: dict[str, str | None] = {own: code for code in codes if (own := canonical_code(code))}
    hints |= dict.fromkeys(kin("no"), "no") | dict.fromkeys(kin("tl"), "tl")
    hints |= dict.fromkeys(kin("zh"))  # a hint at Chinese makes Japanese of its traditional script
    return _Detector(pycld2.detect, pycld2.error, hints)


def _detected(text: str, hint: str) -> _Answer:
    detect, refuses, hints = _detector()
    try:
        answer: _Answer = detect(text, isPlainText=True, hintLanguage=hints.get(hint))
    except (refuses, UnicodeEncodeError):
        answer = detect(_REFUSED.sub(" ", text), isPlainText=True, hintLanguage=hints.get(hint))
    return answer


# Passages in another language than the page
# ------------------------------------------
#
# Only long blocks are looked at, first by a glance at their middle. One that seems to be in another
# language is read whole, and counts where that is beyond doubt and its words become other terms there
# than in the language of the page. Blocks of one language that stand side by side, but for short ones
# between them, are one passage.

LONG = 250  # characters of a block
GLANCE_OF_BLOCK = 80  # of its middle
LOOK_AT_BLOCK = 1_000  # of one that seems to be in another language
MOST_BLOCKS = 64  # blocks of a page that are looked at
Block = tuple[int, int]  # where it begins and ends


def passages(text: str, language: str) -> tuple[Passage, ...]:
    """The passages of a text that are in other languages than this one.

    >>> german = "Der schnelle braune Fuchs springt über den faulen Hund und läuft davon. " * 4
    >>> [one.language for one in passages("The quick brown fox jumps over the lazy dog.\\n" + german, "en")]
    ['de']
    """
    if not language or len(text) < LONG or "\n" not in text:
        return ()
    own = analyser(language).language
    found: list[Passage] = []
    between = False  # whether a long block of the page's own language came since
    for begin, end in islice(_long_blocks(text), MOST_BLOCKS):
        other = _other_language(text[begin:end], language)
        if not other or analyser(other).language == own:
            between = True
        elif found and found[-1].language == other and not between:
            found[-1] = Passage(other, found[-1].begin, end)
        else:
            found.append(Passage(other, begin, end))
            between = False
    return tuple(found)


def _long_blocks(text: str) -> Iterator[Block]:
    """Find the blocks of at least `LONG` characters. Short ones are skipped many at a time."""
    begin = 0
    while begin + LONG <= len(text):
        last = text.rfind("\n", begin, begin + LONG)
        if last >= 0:  # every block that begins before it is short
            begin = last + 1
            continue
        end = text.find("\n", begin + LONG)
        end = len(text) if end < 0 else end
        yield begin, end
        begin = end + 1


def _other_language(block: str, language: str) -> str:
    """The language of a block that is clearly not in this one; "" else."""
    own = kin(language)
    middle = (len(block) - GLANCE_OF_BLOCK) // 2
    seen = spoken(block[middle : middle + GLANCE_OF_BLOCK]).languages
    if not seen or seen[0][0] in own:
        return ""
    clearly = spoken(block[:LOOK_AT_BLOCK]).clearly
    return "" if clearly in own else clearly


# Guess a language from script for short pages
# --------------------------------------------
#
# In the one that the owner names, unless its letters are those of a script in which nobody writes
# that. Then its script may tell: Greek letters are Greek. Cyrillic, Arabic and Han are those of many
# languages, and a page of them stays without any, so that its words are only folded.

ENOUGH_FOR_SCRIPT = 300  # characters that are looked at
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
    text = "\n".join([one[:ENOUGH_FOR_SCRIPT] for one in texts])
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
