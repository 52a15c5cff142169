"""Detect the character encoding of bytes.

The order of browsers (WHATWG HTML, "determining the character encoding"): byte order mark, Content-Type
header, <meta> within the first 1,024 bytes; then UTF-8 if the bytes are UTF-8, else the legacy encoding in
which they make the most sense, else windows-1252. The zeros of UTF-16 are as good as its mark. A declaration
is not believed where the bytes prove it wrong: UTF-8 with more than a few mistakes is none; bytes that are
UTF-8 all through are UTF-8. Latin-1 and its kin are what servers and editors put where nobody chose: against
them less proof is needed, and words of another script win over them as well.
Labels mean what browsers take them for (WHATWG Encoding): latin-1 is windows-1252, gb2312 is gb18030.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from gossamer.text.stopwords import list_lines

# Tell Latin legacy encodings apart
# ---------------------------------
#
# The encodings for Central Europe, Turkish and the Baltic give the same bytes other letters than
# windows-1252. In the right one, the letters beyond A to Z are those of one language; in a wrong one
# they are a mixture that no language has, or no letters at all.

WESTERN = "cp1252"
LEAST = 4  # letters beyond A to Z below which nothing is concluded
SHARE = 0.95  # of these letters that must be the language's own
MARGIN = 0.1  # by which it must exceed the best western language

_KNOWN = tuple(
    (language, tuple(names.split(",")), frozenset(letters + letters.upper()))
    for language, names, letters in (line.split() for line in list_lines("latin_letters"))
)
_LATIN_CODECS = tuple(dict.fromkeys(codec for _, names, _ in _KNOWN for codec in names))

# Of the signs beyond ASCII only those that belong to a word tell something.
_IN_WORD = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[A-Za-z])")
_LATIN_TYPOGRAPHY = frozenset("\xa0«»‘’“”„‚–—…•·©®™°´`¨")


def latin_codec(sample: Iterable[bytes], language: str = "") -> str:
    """The encoding in which the letters of the sample are those of one language, windows-1252 where none is.

    What the page itself says about its language decides between those that fit.
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
PROOF = 2  # so many characters of several bytes that are valid UTF-8 are no accident
STRONG_PROOF = 5  # the same, where somebody chose another encoding
WRONG = 2  # mistakes in what is declared as UTF-8 from which on other encodings are considered
WINDOW = 2_048  # bytes; they are looked for in two of these, from the first character beyond ASCII on
RUNS = 8  # runs of bytes beyond ASCII, which no western language has, that speak against latin-1
STRAY = 20  # times as many good characters as bad ones make a text UTF-8 with a few foreign bytes in it
SAMPLE = 100  # pieces of text, between tags or line ends, from which a legacy encoding is guessed
PIECE = 500  # bytes of each of them
BELIEVABLE = 0.12  # share of common letters below which a legacy encoding is not believed
HINTED = 2.0  # what the page's own language is worth
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_ANY_BOM = tuple(mark for mark, _ in _BOMS)

# Which of the first four bytes are 0.
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
    """An encoding from before UTF-8, and the letters by which it is known."""

    codec: str
    languages: tuple[str, ...]
    words: re.Pattern[str]
    weights: Mapping[str, float]  # of the letters that make up about half of any text


def _legacy(codec: str, languages: str, words: str, common: str) -> _Legacy:
    # a wrong reading often swaps the cases: capitals count, for pages that shout, but less
    weights = dict.fromkeys(common.upper(), 0.5) | dict.fromkeys(common, 1.0)
    return _Legacy(codec, tuple(languages.split()), re.compile(words), weights)


def _words(letters: str, capitals: str = "") -> str:
    """Words of an alphabet, three letters or more: a lone one is more likely an accent of windows-1252."""
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

# Signs that stand in texts of every script and say nothing about the encoding.
_TYPOGRAPHY_RUNS = re.compile(r"[\x00-\x7f\xa0«»‘’“”„–—…•·©®№°、。，．・「」『』（）！？：；　《》]+")
_HEADER = re.compile(r"charset\s*+=\s*+[\"']?+\s*+([^\s;\"']+)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_MAY_DECLARE = re.compile(rb"(?:charset|encoding)\s*=", re.IGNORECASE)
_META = re.compile(rb"<meta\s[^>]*?charset\s*+=\s*+[\"']?+\s*+([^\s;\"'>/]+)", re.IGNORECASE)
_LANG = re.compile(rb"<html\s[^>]*?lang\s*=\s*[\"']?([a-z]{2})", re.IGNORECASE)
_XML = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_RUN = re.compile(rb"[\x80-\xff]{4}")  # with typography before or behind an accent there may be three
_SHIFT = b"\x1b$"  # into the Japanese characters of ISO-2022-JP, all of whose bytes are ASCII
_BREAKS = re.compile("[\x0b\x0c\x85]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")


def codec_of(label: str) -> str:
    """Python's codec for what browsers understand by this label, or "" for a label they do not know.

    >>> codec_of("ISO-8859-1"), codec_of("gb2312"), codec_of("rot13")
    ('cp1252', 'gb18030', '')
    """
    return _CODEC_OF_LABEL.get(label.strip().lower(), "")


def as_utf8(body: bytes, content_type: str = "") -> bytes:
    """The document in UTF-8: as it is, where it is that already or says so. Never raises.

    Bytes that mean nothing are left to who reads the result, and may become U+FFFD.
    """
    codec, start = _from_beginning(body)
    codec = codec or _declared(body, content_type)
    if codec == "utf-8" or (not codec and _is_utf8(body) and _SHIFT not in body):
        return body
    codec = codec or _guess(body)
    return _decoded(body[start:], codec).encode("utf-8", "replace")


def decode(body: bytes, content_type: str = "") -> str:
    """The text of a document, without control characters but tabs and line ends. Never raises.

    Bytes that mean nothing become U+FFFD; a last character that was cut is dropped.
    """
    codec, start = _from_beginning(body)
    codec = codec or _declared(body, content_type) or _guess(body)
    return _CONTROLS.sub("", _BREAKS.sub("\n", _decoded(body[start:], codec)))


def _decoded(body: bytes, codec: str) -> str:
    """Decode bytes; a last character that was cut is dropped.

    Python's decoder of ISO-2022-JP raises at the end of a body in the midst of a long escape sequence, even
    where it should replace what it cannot read. The one that reads a body at once does not.
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
    """UTF-8, as was declared, unless the bytes are something else; what is wrong is so from the beginning."""
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
    """The codec of UTF-16 that begins with two letters of Latin-1 and has no byte order mark; "" for others.

    >>> unmarked_wide("<p>".encode("utf-16-le")), unmarked_wide(b"<p>")
    ('utf-16-le', '')
    """
    if b"\x00" not in body[:2]:
        return ""
    codec = _UNMARKED.get(tuple(byte == 0 for byte in body[:4]), "")
    if not codec:
        return ""
    try:
        text = codecs.getincrementaldecoder(codec)().decode(body[: 2 * WINDOW])
    except UnicodeDecodeError:
        return ""
    return "" if _CONTROLS.search(text) else codec


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
            # a declaration that could be read as ASCII cannot be UTF-16
            return "utf-8" if codec.startswith("utf-16") else codec
    return ""


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _proves_utf8(body: bytes, proof: int) -> bool:
    """Whether the bytes, but for a cut last character, are UTF-8 and could hardly be anything else."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(body)
    except UnicodeDecodeError:
        return False
    return sum(1 for _ in islice(_NON_ASCII.finditer(text), proof)) == proof


def _guess(body: bytes) -> str:
    if _SHIFT in body and body.isascii():
        return "iso2022_jp"
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(body)
    if not (bad := text.count("\ufffd") - body.count(b"\xef\xbf\xbd")):
        # "caf\xe9" may be the beginning of a character of three bytes: nothing before it says so
        return "utf-8" if not text.isascii() or body.isascii() else FALLBACK
    good = len(text) - len(text.encode("ascii", "ignore")) - bad
    if good >= bad * STRAY:
        return "utf-8"
    # The encoding of another script, if the bytes make sense in one, else that of a Latin language.
    return _of_script(body) or latin_codec(_sample(body), _language(body))


def _of_script(body: bytes) -> str:
    """The encoding in which the largest share of the letters are those that its languages use most, if any.

    Frequencies of characters tell encodings apart as they do in Li and Momoi, "A composite approach to
    language/encoding detection" (2001); here one short list a script is enough, because what is no UTF-8
    and not declared is rare.
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
    """The share of common letters among all characters that tell something."""
    text = "\n".join(_strict(piece, legacy.codec) for piece in sample)
    telling = len(_TYPOGRAPHY_RUNS.sub("", text))
    words = "".join(legacy.words.findall(text))
    return sum(legacy.weights.get(letter, 0.0) for letter in words) / telling if telling else 0.0


def _strict(piece: bytes, codec: str) -> str:
    """A piece, cut at any byte; one that holds anything else counts as a failure in full."""
    try:
        return codecs.getincrementaldecoder(codec)().decode(piece)
    except UnicodeDecodeError:
        return "\ufffd" * len(piece)
