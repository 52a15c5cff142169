"""How is a request written, and what does the head of an answer say? (RFC 9112)

An answer's head is read as browsers read it: bare line feeds, folded lines and lines that are no header at
all are put up with, for old servers send them. What would let a body be read in two ways is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gossamer.fetch.trouble import not_http
from gossamer.model import Url

MAX_HEAD = 96 * 1024  # bytes; some sites send security policies of many kilobytes

HEAD_END = re.compile(rb"\r?\n\r?\n")
# A status begins with its class, 1 to 5 (RFC 9110, section 15); some sites send 999 to crawlers.
_STATUS_LINE = re.compile(r"HTTP/1\.([01]) +([1-9]\d{2})(?: [^\n]*)?(?:\n|$)")
_HEADER = re.compile(r"^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*:(.*)$", re.MULTILINE)
_FOLD = re.compile(r"\n[ \t]+")


@dataclass(slots=True)
class Head:
    """Status line and headers of an answer."""

    minor: int  # of HTTP/1.x
    status: int
    headers: tuple[tuple[str, str], ...]
    fields: dict[str, str]  # values by name in lower case, those of one name joined by commas

    @property
    def is_interim(self) -> bool:
        """Whether the answer proper is still to come."""
        return 100 <= self.status < 200 and self.status != 101

    @property
    def lasts(self) -> bool:
        """Whether the connection may be used again."""
        return self.minor == 1 and "close" not in self.fields.get("connection", "").lower()


def read_head(raw: bytes) -> Head:
    """The head in these bytes, without the empty line that ends it; `Trouble` when it is none."""
    is_ascii = raw.isascii()
    text = raw.decode("latin-1")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "\0" in text:
        raise not_http("a zero byte in the headers")
    # Left alone, a carriage return inside of a value would end a line for the next reader (RFC 9112, 2.2).
    if "\r" in text:
        text = text.replace("\r", " ")
    start = _STATUS_LINE.match(text)
    if start is None:
        raise not_http(f"it begins with {text[:40]!r}")
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    found = _HEADER.findall(text, start.end())
    headers = tuple([(name, value.strip(" \t")) for name, value in found])
    if not is_ascii:
        headers = tuple((name, _as_text(value)) for name, value in headers)
    return Head(int(start[1]), int(start[2]), headers, _by_name(headers))


def _by_name(headers: tuple[tuple[str, str], ...]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        fields[key] = f"{fields[key]}, {value}" if key in fields else value
    return fields


def _as_text(value: str) -> str:
    """A value that was read as Latin-1, read as UTF-8 if it is."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return value


def write_head(method: str, url: Url, headers: Mapping[str, str]) -> bytes:
    """The head of a request; ValueError when a header would end its line and begin another."""
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    text = f"{method} {url.path} HTTP/1.1\r\nHost: {url.authority}\r\n{lines}\r\n"
    if text.count("\n") != len(headers) + 3 or text.count("\r") != len(headers) + 3:
        raise ValueError(f"a header for {url} holds a line break")
    return text.encode("utf-8")
