"""Messages between pool and workers, validated.

A worker reads what strangers wrote, so what it sends is not believed more than they are: a page travels as
plain fields, never as a pickle, and one that makes no sense is an error. The other way round pickles do.
"""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any, NamedTuple

from gossamer.extract.settings import ExtractionRule
from gossamer.model import Links, Page, Passage, Url

HEADER = struct.Struct("<Q")  # the length of what follows
_NOINDEX, _NOFOLLOW = 1, 2
_FIELDS = 26

# Fields of a page that are text and travel as they are.
_TEXTS = (
    *("kind", "media_type", "title", "emphasised", "text", "surroundings", "description", "author"),
    *("language", "problem"),
)
_SIZES = struct.Struct(f"<{_FIELDS}I")
_NUMBERS = struct.Struct("<dBdIB")  # published, whether it was, when it was fetched, words, flags


class WorkerSetup(NamedTuple):
    """What a worker is for."""

    path: tuple[str, ...]  # sys.path of the parent, so that `read` can be found
    read: bytes  # pickled: job -> FetchResult
    timeout: float
    memory_mb: int
    agent: str  # the name by which authors speak to this crawler
    rules: tuple[ExtractionRule, ...] = ()  # of the owner


class Task(NamedTuple):
    """One document to read."""

    job: Any
    url: str
    fetched_at: float


class BadMessage(ValueError):
    """A message that no worker would send."""


def received(connection: socket.socket) -> bytes:
    """The next message; EOFError when the other side is gone before its end."""
    (length,) = HEADER.unpack(exactly(connection, HEADER.size))
    return exactly(connection, length)


def exactly(connection: socket.socket, length: int) -> bytes:
    """That many bytes; EOFError when the other side is gone before."""
    received = b""
    while len(received) < length:
        piece = connection.recv(length - len(received))
        if not piece:
            raise EOFError
        received += piece
    return received


def framed(value: object) -> bytes:
    """A value as it travels to a worker: its length, then its pickle."""
    return _framed(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))


def framed_text(text: str) -> bytes:
    """A line of text as a worker sends it."""
    return _framed(text.encode("utf-8", "replace"))


def _framed(payload: bytes) -> bytes:
    return HEADER.pack(len(payload)) + payload


def framed_page(page: Page) -> bytes:
    """A page as a worker sends it."""
    flags = _NOINDEX * page.noindex | _NOFOLLOW * page.nofollow
    published = page.published
    numbers = (published or 0.0, published is not None, page.fetched_at, page.words, flags)
    fields = [
        _NUMBERS.pack(*numbers),
        page.digest,
        page.sketch,
        page.links.fingerprints,
        page.links.flags,
        page.modified,
        *(text.encode("utf-8", "replace") for text in _written(page)),
    ]
    return _framed(_SIZES.pack(*map(len, fields)) + b"".join(fields))


def _written(page: Page) -> tuple[str, ...]:
    """The fields of a page that are text, or are written as such."""
    return (
        *(getattr(page, name) for name in _TEXTS),
        page.url.text,
        "\n".join(page.headings),
        "\n".join(f"{one.language} {one.begin} {one.end}" for one in page.passages),
        page.links.targets,
        page.links.anchors,
        page.links.near,
        "\n".join(f"{url.text} {' '.join(language.split())}" for language, url in page.alternates),
        "\n".join(url.text for url in page.feeds),
        page.canonical.text if page.canonical else "",
        page.refresh.text if page.refresh else "",
    )


def page_of(payload: bytes, url: Url) -> Page:
    """The page in a worker's message about a URL."""
    try:
        return _page(payload, url)
    except (ValueError, KeyError, struct.error) as error:
        raise BadMessage(f"the worker's message about {url} makes no sense: {error}") from error


def _page(payload: bytes, url: Url) -> Page:
    sizes = _SIZES.unpack_from(payload)
    fields = []
    position = _SIZES.size
    for size in sizes:
        fields.append(payload[position : position + size])
        position += size
    if position != len(payload):
        raise BadMessage("it has another length")
    numbers, digest, sketch, fingerprints, flags, modified = fields[:6]
    texts = [field.decode() for field in fields[6:]]
    plain: dict[str, Any] = dict(zip(_TEXTS, texts, strict=False))
    address, headings, passages, targets, anchors, near, *others = texts[len(_TEXTS) :]
    alternates, feeds, canonical, refresh = others
    if address != url.text:
        raise BadMessage(f"it is about {address[:200]}")
    published, is_published, fetched_at, words, wishes = _NUMBERS.unpack(numbers)
    return Page(
        url=url,
        fetched_at=fetched_at,
        headings=tuple(headings.split("\n")) if headings else (),
        passages=_passages(passages, len(plain["text"])),
        published=published if is_published else None,
        links=_links(fingerprints, flags, targets, anchors, near),
        modified=_modified(modified, len(flags)),
        alternates=tuple(map(_alternate, alternates.split("\n"))) if alternates else (),
        feeds=tuple(map(Url.parsed, feeds.split("\n"))) if feeds else (),
        canonical=Url.parsed(canonical) if canonical else None,
        refresh=Url.parsed(refresh) if refresh else None,
        noindex=bool(wishes & _NOINDEX),
        nofollow=bool(wishes & _NOFOLLOW),
        digest=digest,
        sketch=sketch,
        words=words,
        **plain,
    )


def _passages(lines: str, length: int) -> tuple[Passage, ...]:
    split = [line.split(" ") for line in lines.split("\n")] if lines else []
    found = tuple(Passage(language, int(begin), int(end)) for language, begin, end in split)
    places = [place for one in found for place in (one.begin, one.end)]
    if places != sorted(places) or (places and not 0 <= places[0] <= places[-1] <= length):
        raise BadMessage("its passages do not match")
    return found


def _links(fingerprints: bytes, flags: bytes, targets: str, anchors: str, near: str) -> Links:
    lines = max(len(flags) - 1, 0)
    columns = (targets, anchors, near) if near else (targets, anchors)
    if len(fingerprints) != 8 * len(flags) or {text.count("\n") for text in columns} != {lines}:
        raise BadMessage("its links do not match")
    return Links(fingerprints, flags, targets, anchors, near)


def _modified(modified: bytes, links: int) -> bytes:
    if len(modified) not in {0, 8 * links}:
        raise BadMessage("its dates do not match")
    return modified


def _alternate(line: str) -> tuple[str, Url]:
    address, _, language = line.partition(" ")
    return language, Url.parsed(address)
