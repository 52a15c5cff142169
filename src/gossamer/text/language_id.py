"""Detect the language of a page, of passages, of short texts.

CLD2 detects the language of a text by scripts and letter sequences. For most pages, three short pieces of the
text are enough. Longer pieces are read only if the short ones give no clear result or contradict the declared
language. The declaration is overruled if the text is clearly in another language, because many templates
declare lang="en" for any content.
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

GLANCE_OF_PIECE = 50  # characters of each piece, enough for most pages
LOOK_AT_PIECE = 500  # characters of each piece, if that was not enough
ENOUGH_TO_CONTRADICT = 60  # bytes of letters that can overrule a declaration
PLENTY = 300  # bytes of letters that make a result clear even if CLD2 is unsure
CLEAR_SHARE = 0.75  # share of the text in a language that makes the result clear
HALF = 0.5  # share of the text that confirms a declaration

# Characters that CLD2 rejects: control characters, halves of surrogate pairs, and noncharacters.
_NO_CHARACTERS = "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
_REFUSED = re.compile(f"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef{_NO_CHARACTERS}]")


@dataclass(frozen=True, slots=True)
class TextLanguages:
    """Languages of a text."""

    languages: tuple[tuple[str, int], ...] = ()  # codes and bytes of UTF-8, most first
    sure: bool = False

    @property
    def letters(self) -> int:
        """Bytes of UTF-8 whose language is known."""
        return sum([size for _, size in self.languages])

    @property
    def clearly(self) -> str:
        """The language of the text if it is clear, else ""."""
        if not self.languages or not (self.sure or self.letters >= PLENTY):
            return ""
        first = self.languages[0][0]
        return first if self.share(first) >= CLEAR_SHARE else ""

    def share(self, language: str) -> float:
        """Return how much of the text is in this language or a closely related one."""
        near = kin(language)
        return sum([size for code, size in self.languages if code in near]) / max(1, self.letters)


def spoken(text: str, hint: str = "") -> TextLanguages:
    """Detect the languages of a text. A hint decides if the text is short.

    >>> spoken("Der schnelle braune Fuchs springt über den faulen Hund.").clearly
    'de'
    """
    sure, letters, found = _detected(text, hint)
    codes = [(canonical_code(code), letters * share // 100) for _, code, share, _ in found]
    return TextLanguages(tuple([(code, size) for code, size in codes if code and size]), sure)


def page_language(text: str, declared: str, beside: Sequence[str] = ()) -> str:
    """Return the declared language, unless the text is clearly in another one; "" if neither is known.

    `beside` is further text, such as the title, which is used if the text is short.

    >>> page_language("Der schnelle braune Fuchs springt über den faulen Hund und läuft davon.", "en")
    'de'
    >>> page_language("Impressum", "en")
    'en'
    """
    own = canonical_code(declared)
    if own and own not in _detector().hints:
        return own  # CLD2 does not know this language
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
    """Return three pieces from the middle of a text, because menus are at its ends; a short text whole."""
    if len(text) <= 3 * size:
        return text
    step = (len(text) - size) // 4
    return "\n".join([text[place : place + size] for place in (step, 2 * step, 3 * step)])


# Whether CLD2 is sure, how many bytes it used, and for each language its name, code, percentage and
# score.
_Answer: TypeAlias = tuple[bool, int, Sequence[tuple[str, str, int, float]]]


class _Detector(NamedTuple):
    detect: Callable[..., Any]
    refuses: type[Exception]
    hints: dict[str, str | None]  # language that CLD2 knows -> hint for it


@cache
def _detector() -> _Detector:
    import pycld2

    names = frozenset(pycld2.DETECTED_LANGUAGES)
    codes = [code for name, code in pycld2.LANGUAGES if name in names and "-" not in code]
    hints: dict[str, str | None] = {own: code for code in codes if (own := canonical_code(code))}
    hints |= dict.fromkeys(kin("no"), "no") | dict.fromkeys(kin("tl"), "tl")
    hints |= dict.fromkeys(kin("zh"))  # a hint of Chinese makes Japanese of traditional Chinese
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
# Only long blocks are read. If the middle of a block seems to be in another language, the whole
# block is read. It counts if its language is clear and its index terms differ from those in the
# language of the page. Adjacent blocks of one language are one passage, even with short blocks
# between them.

LONG = 250  # characters of a block
GLANCE_OF_BLOCK = 80  # of its middle
LOOK_AT_BLOCK = 1_000  # of a block that seems to be in another language
MOST_BLOCKS = 64  # blocks of a page that are read
Block = tuple[int, int]  # start and end


def passages(text: str, language: str) -> tuple[Passage, ...]:
    """Return the passages of a text that are in other languages than this one.

    >>> german = "Der schnelle braune Fuchs springt über den faulen Hund und läuft davon. " * 4
    >>> [one.language for one in passages("The quick brown fox jumps over the lazy dog.\\n" + german, "en")]
    ['de']
    """
    if not language or len(text) < LONG or "\n" not in text:
        return ()
    own = analyser(language).language
    found: list[Passage] = []
    between = False  # whether a long block in the page's own language came after the last passage
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
    """Yield the blocks of at least `LONG` characters. Short ones are skipped many at a time."""
    begin = 0
    while begin + LONG <= len(text):
        last = text.rfind("\n", begin, begin + LONG)
        if last >= 0:  # all blocks that start before it are short
            begin = last + 1
            continue
        end = text.find("\n", begin + LONG)
        end = len(text) if end < 0 else end
        yield begin, end
        begin = end + 1


def _other_language(block: str, language: str) -> str:
    """Return the language of a block if it is clearly not this one, else ""."""
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
# The default language, unless it does not use the script of the text. Then the script decides if
# only one language uses it, as for Greek. Many languages use Cyrillic, Arabic and Han. Pages in
# these scripts get no language, so their words are folded but not stemmed.

ENOUGH_FOR_SCRIPT = 300  # characters of each text that are read
NEARLY_ALL = 0.9  # of the letters
LATIN, HAN, KANA = "latin", "han", "kana"

# Start and end of the letters of a script in Unicode. Other scripts are unknown.
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

# Scripts that are used by only one common language.
_ONLY = {
    "greek": "el", "armenian": "hy", "hebrew": "he", "gurmukhi": "pa", "gujarati": "gu", "odia": "or",
    "tamil": "ta", "telugu": "te", "kannada": "kn", "malayalam": "ml", "sinhala": "si", "thai": "th",
    "lao": "lo", "georgian": "ka", "khmer": "km", "hangul": "ko", KANA: "ja",
}  # fmt: skip

# Languages by script, except those that use Latin only.
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
    """Return the default language, or the only language of the texts' script; "" if it has several.

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
    if scripts[KANA]:  # Han with kana is Japanese too
        scripts[KANA] += scripts.pop(HAN, 0)
    ((script, letters),) = scripts.most_common(1)
    return _ONLY.get(script, "") if letters >= nearly_all else ""


def _script(letter: str) -> str:
    """Return the script of a letter, or "" if unknown."""
    point = ord(letter)
    _, end, script = _BLOCKS[max(0, bisect_right(_BEGINS, point) - 1)]
    return script if point < end else ""
