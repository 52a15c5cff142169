r"""RTF documents.

A group `{...}` limits the scope of settings. A control word such as \par or \f3 is a setting or a special
character. \'e9 is a byte in the encoding of the font. \u233 is a character; as many bytes as \uc says follow
it for programs that do not know \u. If a group begins with a word such as \fonttbl or \title, its content
is not part of the text: the word is its destination.
"""

from __future__ import annotations

import codecs
import locale
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace

from gossamer.extract.documents.draft import HYPERLINK, Draft, SizeLimitReached, Unreadable

# RTF control words
# -----------------

CHARACTERS = {
    "emdash": "—",
    "endash": "–",
    "emspace": " ",
    "enspace": " ",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "tab": " ",
}
BREAKS = {"par": True, "sect": True, "page": True, "row": True, "line": False, "cell": False}  # of a line
_HEADERS = "header headerl headerr headerf footer footerl footerr footerf"
_OWN_NAMES = "fonttbl stylesheet title author subject creatim fldinst footnote"

# Internal destination of each destination word that is read.
DESTINATIONS = {
    "shptxt": "body",
    **{name: name for name in _OWN_NAMES.split()},
    **dict.fromkeys(_HEADERS.split(), "header"),
}
_UNSEEN = """
    colortbl info pict objdata nonshppict datastore themedata latentstyles generator rsidtbl listtable
    listoverridetable revtbl xe tc rxe bkmkstart bkmkend atnid atnauthor annotation keywords comment operator
    company manager category doccomm revtim printim buptim hlinkbase filetbl upr sp fontemb falt panose
    template mmathPr pntext listtext wgrffmtfilter
"""
IGNORED = frozenset(_UNSEEN.split())

# Codecs for the character set numbers of fonts. For other numbers, the codec of the document is used.
_CHARSETS = """
    77=mac-roman 128=cp932 129=cp949 130=johab 134=gb18030 136=cp950 161=cp1253 162=cp1254 163=cp1258
    177=cp1255 178=cp1256 186=cp1257 204=cp1251 222=cp874 238=cp1250 255=cp437
"""
_CODECS = {int(number): codec for number, _, codec in (one.partition("=") for one in _CHARSETS.split())}


def page_codec(page: int) -> str:
    """Return the codec of a Windows code page.

    >>> page_codec(1251), page_codec(65001), page_codec(4711)
    ('cp1251', 'utf-8', 'cp1252')
    """
    named = {10000: "mac-roman", 65001: "utf-8", 936: "gb18030"}.get(page, f"cp{page}")
    try:
        return named if codecs.lookup(named) else "cp1252"
    except LookupError:
        return "cp1252"


DEEPEST = 1_000  # nested groups
MARK = b"{\\rtf"
BODY, NOWHERE, FONTS, STYLES, AROUND, LINK = "body", "", "fonttbl", "stylesheet", "header", "fldinst"
NOTE = "footnote"
_BODY_LEVEL = 9  # outline level of paragraphs that are no headings
_TOKEN = re.compile(
    rb"\\([A-Za-z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)",
    re.DOTALL,
)

_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_HEADING = re.compile(r"heading\s*[1-9]|title\s*;?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Group:
    """Settings of a group."""

    sink: str = BODY
    codec: str = "cp1252"
    replacements: int = 1  # bytes that follow a \\u
    is_new: bool = True  # the next word may be the destination
    is_hidden: bool = False
    is_result: bool = False  # the result of a field, such as the text of a link


@dataclass(slots=True)
class _State:
    """State of the reader."""

    draft: Draft = field(default_factory=Draft)
    group: _Group = field(default_factory=_Group)
    outer: list[_Group] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)
    pending: bytearray = field(default_factory=bytearray)  # bytes that are not decoded yet
    skipped: int = 0  # replacement bytes that are still to be skipped
    codec: str = "cp1252"
    fonts: dict[int, str] = field(default_factory=dict)
    font: int = 0
    style: int = -1
    headings: set[int] = field(default_factory=set)
    level: int = _BODY_LEVEL
    moment: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # footnotes, added after the text
    shown: int = 0  # where the text of a link begins in the paragraph


def read_rtf(body: bytes) -> Draft:
    """Read paragraphs, one line each. Raises Unreadable if it is not RTF, or nested too deeply."""
    if not body.lstrip().startswith(MARK):
        raise Unreadable("broken-rtf")
    state = _State()
    with suppress(SizeLimitReached):
        _read(body, state)
    with suppress(SizeLimitReached):
        _end_paragraph(state)
        for note in state.notes:
            state.draft.line(note)
    draft = state.draft
    draft.title, draft.author, draft.description = (
        _cleaned("".join(state.texts.get(name, []))) for name in ("title", "author", "subject")
    )
    return draft


def _read(body: bytes, state: _State) -> None:
    at = 0
    while match := _TOKEN.match(body, at):
        at = match.end()
        word, number, code, symbol, brace, text = match.groups()
        if text is not None:
            _add_bytes(state, text)
        elif word is not None:
            at += _control_word(state, word.decode(), int(number) if number else None)
        elif code is not None:
            _add_bytes(state, bytes.fromhex(code.decode()))
        elif symbol is not None:
            _symbol(state, symbol)
        elif brace == b"{":
            _open(state)
        elif brace == b"}":
            _close(state)


def _open(state: _State) -> None:
    _flush(state)
    if len(state.outer) >= DEEPEST:
        raise Unreadable("broken-rtf")
    state.outer.append(state.group)
    state.group = replace(state.group, is_new=True)
    state.skipped = 0


def _close(state: _State) -> None:
    _flush(state)
    ended = state.group
    if not state.outer:
        raise SizeLimitReached  # the document ends at its last brace
    state.group = state.outer.pop()
    if ended.is_result and not state.group.is_result:
        _end_link(state)
    if ended.sink == state.group.sink:
        return
    if ended.sink == STYLES:
        state.style = -1
    elif ended.sink == NOTE:
        state.notes.append(_cleaned("".join(state.texts.pop(NOTE, []))))
    elif ended.sink == AROUND:
        words = " ".join("".join(state.texts.pop(AROUND, [])).split())
        if words and words not in state.draft.surroundings:
            state.draft.surroundings.append(words)
    elif ended.sink == "creatim":
        moment = state.moment
        state.draft.dates.append(
            f"{moment.get('yr', 0):04}-{moment.get('mo', 1):02}-{moment.get('dy', 1):02}"
        )


def _control_word(state: _State, word: str, number: int | None) -> int:
    """Handle a control word; return how many bytes after it are skipped."""
    group = state.group
    if group.is_new and (word in DESTINATIONS or word in IGNORED):
        _flush(state)
        state.group = replace(group, sink=DESTINATIONS.get(word, NOWHERE), is_new=False)
        return 0
    if group.is_new:
        state.group = replace(group, is_new=False, is_result=group.is_result or word == "fldrslt")
    if word == "fldrslt":
        state.shown = len(state.texts.get(BODY, ()))
    if word == "bin":
        return max(number or 0, 0)
    if word == "u":
        _add_text(state, chr((number or 0) & 0xFFFF))
        state.skipped = state.group.replacements
    elif word in CHARACTERS:
        _add_text(state, CHARACTERS[word])
    elif word in BREAKS:
        _break(state, word)
    else:
        _apply_setting(state, word, number)
    return 0


def _apply_setting(state: _State, word: str, number: int | None) -> None:
    """Apply a setting to the group, the paragraph or the document."""
    value = -1 if number is None else number
    if state.group.sink == FONTS:
        _set_font(state, word, value)
        return
    match word:
        case "uc":
            state.group = replace(state.group, replacements=max(value, 0))
        case "ansicpg":
            state.codec = page_codec(value)
            state.group = replace(state.group, codec=state.codec)
        case "f":
            _flush(state)
            state.group = replace(state.group, codec=state.fonts.get(value) or state.codec)
        case "plain":
            _flush(state)
            state.group = replace(state.group, codec=state.codec, is_hidden=False)
        case "v":
            _flush(state)
            state.group = replace(state.group, is_hidden=value != 0)
        case "s":
            state.style = value
        case "outlinelevel" if state.group.sink == STYLES:
            state.headings.add(state.style)
        case "outlinelevel":
            state.level = value
        case "pard" if state.group.sink == BODY:  # one in a note does not affect the paragraph around it
            state.style, state.level = -1, _BODY_LEVEL
        case "deflang":
            state.draft.language = locale.windows_locale.get(value, "")
        case "yr" | "mo" | "dy":
            state.moment[word] = value


def _set_font(state: _State, word: str, value: int) -> None:
    if word == "f":
        state.font = value
    elif word == "fcharset":
        state.fonts[state.font] = _CODECS.get(value, "")


def _symbol(state: _State, symbol: bytes) -> None:
    if symbol == b"*":
        # marks a destination that programs may ignore: it is read only if the next word is a known one
        state.group = replace(state.group, sink=NOWHERE)
    elif symbol in b"{}\\":
        _add_bytes(state, symbol)
    elif symbol in b"\r\n":
        _break(state, "par")
    elif symbol == b"~":
        _add_text(state, " ")
    elif symbol == b"_":
        _add_text(state, "-")


def _add_bytes(state: _State, text: bytes) -> None:
    """Add bytes of the text, without those that replace a \\u character."""
    passed = min(state.skipped, len(text))
    state.skipped -= passed
    if state.group.sink:
        state.pending += text[passed:]
    if state.group.is_new:
        state.group = replace(state.group, is_new=False)


def _add_text(state: _State, text: str) -> None:
    _flush(state)
    group = state.group
    if group.sink and not group.is_hidden:
        state.texts.setdefault(group.sink, []).append(text)


def _flush(state: _State) -> None:
    if state.pending:
        text = state.pending.decode(state.group.codec, "replace")
        state.pending.clear()
        _add_text(state, text)
        if state.group.sink == STYLES and _HEADING.match(text.strip()):
            state.headings.add(state.style)


def _break(state: _State, word: str) -> None:
    _flush(state)
    if BREAKS[word] and state.group.sink == BODY:
        _end_paragraph(state)
    else:
        _add_text(state, " ")


def _end_paragraph(state: _State) -> None:
    _flush(state)
    line = state.draft.line(_cleaned("".join(state.texts.pop(BODY, []))))
    if state.style in state.headings or 0 <= state.level < _BODY_LEVEL:
        state.draft.heading(line)


def _end_link(state: _State) -> None:
    if match := HYPERLINK.match("".join(state.texts.pop(LINK, []))):
        state.draft.link(match[1], _cleaned("".join(state.texts.get(BODY, [])[state.shown :])))


def _cleaned(text: str) -> str:
    """Join surrogate pairs, which come from 16-bit \\u characters, and drop control characters."""
    return _CONTROLS.sub("", text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
