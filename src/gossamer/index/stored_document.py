"""What is kept of a document to be shown, and how is it packed into bytes?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gossamer.model import Page

APART = "\x1e"  # between the parts of a document: "record separator", which no address or name holds
_APART = APART.encode()


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What a results page shows."""

    url: str
    title: str
    description: str
    text: str
    language: str
    media_type: str
    author: str = ""

    @classmethod
    def unpacked(cls, data: bytes) -> StoredDocument:
        url, language, media_type, title, description, author, text = data.decode().split(APART, 6)
        return cls(url, title, description, text, language, media_type, author)


def title_of(data: bytes) -> str:
    """The same without reading on."""
    return data.split(_APART, 4)[3].decode()


def title_and_text(data: bytes) -> tuple[bytes, bytes]:
    """The same without making anything else of it; in UTF-8."""
    _, _, _, title, _, _, text = data.split(_APART, 6)
    return title, text


def beginnings(several: Iterable[bytes], size: int) -> tuple[list[str], list[str], list[bytes]]:
    """Languages, titles and the first bytes of the texts, or of the descriptions where there is no text.

    Nothing is cut inside of a character; the texts are left in UTF-8.
    """
    parts = [data.split(_APART, 6) for data in several]
    languages = _decoded([part[1] for part in parts])
    titles = _decoded([part[3] if len(part[3]) <= size else _cut(part[3], size) for part in parts])
    texts = [part[6] or part[4] for part in parts]
    return languages, titles, [text if len(text) <= size else _cut(text, size) for text in texts]


def _decoded(parts: list[bytes]) -> list[str]:
    """All at once: most are short."""
    return _APART.join(parts).decode().split(APART) if parts else []


def _cut(text: bytes, size: int) -> bytes:
    """The beginning of a text that is longer."""
    while text[size] & 0xC0 == 0x80:  # goes on a character
        size -= 1
    return text[:size]


def packed(pages: Sequence[Page], languages: Sequence[str]) -> list[bytes]:
    """What is kept of each page to be shown."""
    parts = zip(
        [page.url.text for page in pages],
        languages,
        [page.media_type for page in pages],
        _without_apart([page.title for page in pages]),
        _without_apart([page.description for page in pages]),
        _without_apart([page.author for page in pages]),
        [page.text for page in pages],  # comes last, so it may hold anything
        strict=True,
    )
    return [text.encode("utf-8", "replace") for text in map(APART.join, parts)]


def _without_apart(texts: list[str]) -> list[str]:
    if APART not in "".join(texts):
        return texts
    return [text.replace(APART, " ") for text in texts]
