"""Detect the character encoding of bytes.

The order is that of browsers (WHATWG HTML, "determining the character encoding"): byte order mark, header
Content-Type, <meta> in the first 1,024 bytes. Without a declaration: UTF-8 if the bytes are valid, else the
legacy encoding whose text is the most plausible, else windows-1252. Zero bytes as in UTF-16 count like its
byte order mark. A declaration is ignored if the bytes contradict it: a text declared as UTF-8 may have only
few errors, and valid UTF-8 with other declarations is UTF-8. Latin-1 and similar encodings are often a
default that nobody chose. To overrule them, less evidence is needed, and words of another script overrule
them as well. Labels mean what they mean in browsers (WHATWG Encoding): latin-1 is windows-1252, gb2312 is
gb18030.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from gossamer.text.stopwords import list_lines

# Distinguish Latin legacy encodings
# ---------------------------------
#
# The encodings for Central Europe, Turkish and the Baltic languages assign other letters to the
# same bytes than windows-1252. In the right encoding, the letters beyond A to Z are those of one
# language. In a wrong one, they are a mixture that no language has, or are not letters.

WESTERN = "cp1252"
LEAST = 4  # fewer letters beyond A to Z are not enough to decide
SHARE = 0.95  # required share of these letters that belong to the language
MARGIN = 0.1  # by which the share must exceed that of the best western language

_KNOWN = tuple(
    (language, tuple(names.split(",")), frozenset(letters + letters.upper()))
    for language, names, letters in (line.split() for line in list_lines("latin_letters"))
)
_LATIN_CODECS = tuple(dict.fromkeys(codec for _, names, _ in _KNOWN for codec in names))

# Of the characters beyond ASCII, only those in words are relevant.
_IN_WORD = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[A-Za-z])")
_LATIN_TYPOGRAPHY = frozenset("\xa0«»‘’“”„‚–—…•·©®™°´`¨")


def latin_codec(sample: Iterable[bytes], language: str = "") -> str:
    """Return the encoding that turns the sample into letters of one language; else windows-1252.

    If several encodings do, the language that the page declares decides.
    """
    joined = b"\n".join(sample)
    counts = {codec: _letters(joined, codec) for codec in _LATIN_CODECS}
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
    return Counter({letter: count for letter, count in found.items() if letter not in _LATIN_TYPOGRAPHY})


def _share(counts: Counter[str], letters: frozenset[str]) -> float:
    whole = sum(counts.values())
    return sum(count for letter, count in counts.items() if letter in letters) / whole if whole else 0.0


PRESCAN = 1_024
FALLBACK = "cp1252"
PROOF = 2  # valid UTF-8 characters of several bytes that cannot be a coincidence
STRONG_PROOF = 5  # the same, if another encoding is declared on purpose
WRONG = 2  # least number of errors in text declared as UTF-8 for which other encodings are considered
WINDOW = 2_048  # bytes; errors are counted in two windows, from the first non-ASCII character on
RUNS = 8  # runs of four non-ASCII bytes that contradict latin-1: western languages have none
STRAY = 20  # ratio of valid to invalid characters of UTF-8 with some stray bytes
SAMPLE = 100  # pieces of text, between tags or line ends, for guessing a legacy encoding
PIECE = 500  # bytes of each piece
BELIEVABLE = 0.12  # smallest share of common letters for which a legacy encoding is accepted
HINTED = 2.0  # weight of encodings of the declared language
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_ANY_BOM = tuple(mark for mark, _ in _BOMS)

# Codecs by which of the first four bytes are 0.
_UNMARKED: dict[tuple[bool, ...], str] = {
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
}

_CODEC_OF_LABEL = {
    label: codec
    for codec, _, labels in (line.partition(": ") for line in list_lines("charset_labels"))
    for label in labels.split()
}


@dataclass(frozen=True, slots=True)
class _Legacy:
    """A legacy encoding, and its most common letters."""

    codec: str
    languages: tuple[str, ...]
    words: re.Pattern[str]
    weights: Mapping[str, float]  # of letters that make up about half of any text


def _legacy(codec: str, languages: str, words: str, common: str) -> _Legacy:
    # A wrong encoding often swaps upper and lower case. Capitals count, for texts in capitals, but less.
    weights = dict.fromkeys(common.upper(), 0.5) | dict.fromkeys(common, 1.0)
    return _Legacy(codec, tuple(languages.split()), re.compile(words), weights)


def _words(letters: str, capitals: str = "") -> str:
    """Return the pattern of words of an alphabet, of at least three letters.

    Shorter ones are more likely accents of windows-1252.
    """
    either = rf"[A-Za-z{letters}{capitals}]"
    shapes = rf"[{capitals}]?[{letters}]{{2,}}|[{capitals}]{{3,}}" if capitals else rf"[{letters}]{{3,}}"
    return rf"(?<!{either})(?:{shapes})(?!{either})"


_CYRILLIC = ("ru uk be bg sr mk", _words("а-џґ", "Ѐ-ЯҐ"), "оеаинтсрвлі")
_GREEK = ("el", _words("ά-ώΐΰ", "Ά-Ϋ"), "αοιετσνηυάίόέήΆ")
_ARABIC = ("ar fa ur", _words("ء-ي"), "اليمنوترب")
_JAPANESE = (
    "ja",
    "[ぁ-んァ-ヶー一-龥々]{2,}",
    "のにはをたがでとしてれいさなかるもこらりっくまうあきそよけせつんスルトンア",
)
_HAN = "的一是不了在人有我他中大上和地到以要就出也你生能而子那得下自之年可日成本文天法用心市小"
_LEGACY = (
    _legacy("cp1251", *_CYRILLIC),
    _legacy("koi8-u", *_CYRILLIC),  # koi8-r with four more letters
    _legacy("iso8859-5", *_CYRILLIC),
    _legacy("cp866", *_CYRILLIC),
    _legacy("cp1253", *_GREEK),
    _legacy("iso8859-7", *_GREEK),
    _legacy("cp1255", "he iw yi", _words("א-ת"), "ויהלאתרמבש"),
    _legacy("cp1256", *_ARABIC),
    _legacy("iso8859-6", *_ARABIC),
    _legacy("cp874", "th", _words("ก-๙"), "านรอกเงมย่้ว"),
    _legacy("cp932", *_JAPANESE),
    _legacy("euc_jp", *_JAPANESE),
    _legacy("gb18030", "zh", "[一-龥]{2,}", _HAN + "这个们来为国说时会对着过发后里么经学"),
    _legacy("big5hkscs", "zh", "[一-龥]{2,}", _HAN + "這個們來為國說時會對著過發後裡麼經學"),
    _legacy(
        "cp949",
        "ko",
        "[가-힣]{2,}",
        "이다는에의을를가고하은로기사지도해그리인한서자나어시대라정수일들있것으과아보했전성제상원주동용국회문소장",
    ),
)

# Characters that occur in every script and do not help to detect the encoding.
_TYPOGRAPHY_RUNS = re.compile(r"[\x00-\x7f\xa0«»‘’“”„–—…•·©®№°、。，．・「」『』（）！？：；　《》]+")
_HEADER = re.compile(r"charset\s*+=\s*+[\"']?+\s*+([^\s;\"']+)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_MAY_DECLARE = re.compile(rb"(?:charset|encoding)\s*=", re.IGNORECASE)
_META = re.compile(rb"<meta\s[^>]*?charset\s*+=\s*+[\"']?+\s*+([^\s;\"'>/]+)", re.IGNORECASE)
_LANG = re.compile(rb"<html\s[^>]*?lang\s*=\s*[\"']?([a-z]{2})", re.IGNORECASE)
_XML = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_RUN = re.compile(rb"[\x80-\xff]{4}")  # windows-1252 may have three: quotation marks next to an accent
_SHIFT = b"\x1b$"  # switches to the Japanese characters of ISO-2022-JP, which are ASCII bytes
_BREAKS = re.compile("[\x0b\x0c\x85]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")


def codec_of(label: str) -> str:
    """Return Python's codec for a label as browsers understand it; "" for an unknown label.

    >>> codec_of("ISO-8859-1"), codec_of("gb2312"), codec_of("rot13")
    ('cp1252', 'gb18030', '')
    """
    return _CODEC_OF_LABEL.get(label.strip().lower(), "")


def as_utf8(body: bytes, content_type: str = "") -> bytes:
    """Return the document in UTF-8; unchanged if it is or declares UTF-8. Never raises.

    Invalid bytes may remain or become U+FFFD.
    """
    codec, start = _from_beginning(body)
    codec = codec or _declared(body, content_type)
    if codec == "utf-8" or (not codec and _is_utf8(body) and _SHIFT not in body):
        return body
    codec = codec or _guess(body)
    return _decoded(body[start:], codec).encode("utf-8", "replace")


def decode(body: bytes, content_type: str = "") -> str:
    """Return the text of a document, without control characters except tabs and line ends. Never raises.

    Invalid bytes become U+FFFD. A truncated last character is dropped.
    """
    codec, start = _from_beginning(body)
    codec = codec or _declared(body, content_type) or _guess(body)
    return _CONTROLS.sub("", _BREAKS.sub("\n", _decoded(body[start:], codec)))


def _decoded(body: bytes, codec: str) -> str:
    """Decode bytes; a truncated last character is dropped.

    Python's incremental decoder of ISO-2022-JP raises if the body ends within a long escape sequence, even
    with "replace". The decoder of whole strings does not.
    """
    try:
        return codecs.getincrementaldecoder(codec)("replace").decode(body)
    except UnicodeError:
        return body.decode(codec, "replace")


def _declared(body: bytes, content_type: str) -> str:
    codec = _from_header(content_type) or _from_meta(body)
    if codec == "utf-8":
        return _checked_utf8(body)
    if not codec or codec.startswith("utf-") or body.isascii():
        return codec
    if _proves_utf8(body, PROOF if codec == FALLBACK else STRONG_PROOF):
        return "utf-8"
    if codec == FALLBACK and len(list(islice(_RUN.finditer(body), RUNS))) == RUNS:
        return _of_script(body) or codec
    return codec


def _checked_utf8(body: bytes) -> str:
    """Return UTF-8, as declared, unless the beginning of the non-ASCII text has errors."""
    if body.isascii():
        return "iso2022_jp" if _SHIFT in body else "utf-8"
    start = next(at for at in range(0, len(body), WINDOW) if not body[at : at + WINDOW].isascii())
    head = body[start : start + 2 * WINDOW]
    if _is_utf8(head):
        return "utf-8"
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(head)
    bad = text.count("\ufffd") - head.count(b"\xef\xbf\xbd")
    return "utf-8" if bad < WRONG else _guess(body)


def _from_beginning(body: bytes) -> tuple[str, int]:
    if not body.startswith(_ANY_BOM):
        return unmarked_wide(body), 0
    return next((codec, len(mark)) for mark, codec in _BOMS if body.startswith(mark))


def unmarked_wide(body: bytes) -> str:
    """Return the codec of UTF-16 without a byte order mark that begins with two letters of Latin-1; else "".

    >>> unmarked_wide("<p>".encode("utf-16-le")), unmarked_wide(b"<p>")
    ('utf-16-le', '')
    """
    if b"\x00" not in body[:2]:
        return ""
    codec = _UNMARKED.get(tuple(byte == 0 for byte in body[:4]), "")
    text = _strictly(body[: 2 * WINDOW], codec) if codec else None
    return "" if text is None or _CONTROLS.search(text) else codec


def _from_header(content_type: str) -> str:
    match = _HEADER.search(content_type)
    return codec_of(match[1]) if match else ""


def _from_meta(body: bytes) -> str:
    head = body[:PRESCAN]
    if not _MAY_DECLARE.search(head):
        return ""
    head = _COMMENT.sub(b"", head)
    for match in (*_META.finditer(head), *_XML.finditer(head)):
        codec = codec_of(match[1].decode("ascii", "replace"))
        if codec:
            # A declaration that can be read as ASCII is not in UTF-16.
            return "utf-8" if codec.startswith("utf-16") else codec
    return ""


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _proves_utf8(body: bytes, proof: int) -> bool:
    """Return whether the bytes are valid UTF-8 and unlikely to be anything else. The end may be truncated."""
    text = _strictly(body, "utf-8")
    return text is not None and sum(1 for _ in islice(_NON_ASCII.finditer(text), proof)) == proof


def _guess(body: bytes) -> str:
    if _SHIFT in body and body.isascii():
        return "iso2022_jp"
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(body)
    if not (bad := text.count("\ufffd") - body.count(b"\xef\xbf\xbd")):
        # "caf\xe9" may be the start of a three-byte character, but nothing else suggests UTF-8.
        return "utf-8" if not text.isascii() or body.isascii() else FALLBACK
    good = len(text) - len(text.encode("ascii", "ignore")) - bad
    if good >= bad * STRAY:
        return "utf-8"
    # The encoding of another script, if the bytes are plausible in one, else that of a Latin language.
    return _of_script(body) or latin_codec(_sample(body), _language(body))


def _of_script(body: bytes) -> str:
    """Return the encoding with the largest share of common letters of its languages; "" if all are small.

    Character frequencies distinguish encodings as in Li and Momoi, "A composite approach to language/encoding
    detection" (2001). One short list per script is enough here, because undeclared legacy encodings are rare.
    """
    language, sample = _language(body), _sample(body)
    scores = {
        legacy.codec: _score(legacy, sample) * (HINTED if language in legacy.languages else 1.0)
        for legacy in _LEGACY
    }
    best = max(scores, key=scores.__getitem__)
    return best if scores[best] >= BELIEVABLE else ""


def _language(body: bytes) -> str:
    match = _LANG.search(body[:PRESCAN])
    return match[1].decode().lower() if match else ""


def _sample(body: bytes) -> list[bytes]:
    pieces = (piece[:PIECE] for piece in re.split(rb"[<>\r\n]", body) if not piece.isascii())
    return list(islice(pieces, SAMPLE))


def _score(legacy: _Legacy, sample: list[bytes]) -> float:
    """Return the share of common letters among all relevant characters.

    A piece with an error counts as entirely invalid.
    """
    decoded = ((piece, _strictly(piece, legacy.codec)) for piece in sample)
    text = "\n".join("\ufffd" * len(piece) if text is None else text for piece, text in decoded)
    telling = len(_TYPOGRAPHY_RUNS.sub("", text))
    words = "".join(legacy.words.findall(text))
    return sum(legacy.weights.get(letter, 0.0) for letter in words) / telling if telling else 0.0


def _strictly(piece: bytes, codec: str) -> str | None:
    """Decode a piece that may be cut anywhere; return None if it has an error."""
    try:
        return codecs.getincrementaldecoder(codec)().decode(piece)
    except UnicodeDecodeError:
        return None
