"""Plain text and subtitles."""

from __future__ import annotations

import re
from contextlib import suppress
from html import unescape

from gossamer.extract.documents.draft import Draft, SizeLimitReached, lines_of, title_of
from gossamer.extract.html.scan import shortened
from gossamer.model import Page, Url


def read_plain(text: str, url: Url, fetched_at: float = 0.0, media_type: str = "text/plain") -> Page:
    """Return the page of a decoded text; its title is the first line."""
    lines = lines_of(text)
    return Page(
        url=url,
        fetched_at=fetched_at,
        media_type=media_type,
        title=title_of(lines),
        text=shortened("\n".join(lines)),
    )


# SubRip and WebVTT subtitles
# ---------------------------
#
# WebVTT: https://www.w3.org/TR/webvtt1/. SubRip has no standard; the output of the SubRip program is
# supported.

_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}")
_BEGINS_SRT = re.compile(rb"\s*\d{1,6}\s*\r?\n\s*\d{1,3}:\d{2}:\d{2}[,.]\d{1,3}\s*-->")

# <i>, <v Speaker>, <00:01.000>, and positions such as {\an8} left over from other formats.
_MARKS = re.compile(r"<[^<>]*+>|\{\\[^{}]*+\}")
_LANGUAGE = re.compile(r"^Language:\s*([A-Za-z-]{2,12})\s*$", re.MULTILINE)
_HEAD = re.compile(r"WEBVTT[ \t]*-?[ \t]*(.*)")


def is_subtitles(head: bytes) -> str:
    """Return the media type of subtitles by their first bytes, or "".

    >>> is_subtitles(b"WEBVTT\\n\\n"), is_subtitles(b"1\\r\\n00:00:01,000 --> 00:00:02,500\\r\\nHello")
    ('text/vtt', 'application/x-subrip')
    """
    text = head.removeprefix(b"\xef\xbb\xbf")
    if text.startswith(b"WEBVTT") and text[6:7] in {b"", b" ", b"\t", b"\r", b"\n"}:
        return "text/vtt"
    return "application/x-subrip" if _BEGINS_SRT.match(text) else ""


def read_subtitles(text: str) -> Draft:
    """Read subtitles, one line for each cue. Lines that scroll through several cues are added once."""
    draft = Draft()
    blocks = re.split(r"\n[ \t]*\n", "\n".join(text.lstrip("\ufeff").splitlines()))
    if match := _HEAD.match(blocks[0]):
        draft.title = match[1]
        language = _LANGUAGE.search(blocks[0])
        draft.language = language[1] if language else ""
    before: set[str] = set()
    with suppress(SizeLimitReached):
        for block in blocks:
            cue = _cue_lines(block)
            draft.line(" ".join(line for line in cue if line not in before))
            before = set(cue) or before
    return draft


def _cue_lines(block: str) -> list[str]:
    """Return the lines of a cue, which follow its times; none for comments and styles."""
    lines = block.split("\n")
    timed = next((number for number, line in enumerate(lines[:3]) if _TIMES.match(line)), None)
    if timed is None:
        return []
    return [unescape(_MARKS.sub("", line)).strip() for line in lines[timed + 1 :]]
