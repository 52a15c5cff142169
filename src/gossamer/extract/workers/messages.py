"""Messages between pool and workers, validated.

A worker reads untrusted documents, and one of them may have taken it over. So its messages are not trusted
either: it sends a page as plain fields, never as a pickle, and an invalid message is an error. The pool is
trusted and sends pickles.
"""

from __future__ import annotations

import pickle
import struct
from typing import Any, BinaryIO, NamedTuple

from gossamer.extract.settings import ExtractSettings
from gossamer.model import Links, Page, Passage, Url

HEADER = struct.Struct("<Q")  # length of the payload

_FIELDS = 26

# Fields of a page that are sent as text without conversion.
_TEXTS = (
    *("kind", "media_type", "title", "emphasised", "text", "surroundings", "description", "author"),
    *("language", "problem"),
)
_SIZES = struct.Struct(f"<{_FIELDS}I")
_NUMBERS = struct.Struct("<d?dI??")  # published, whether that is known, fetched_at, words, noindex, nofollow


class WorkerSetup(NamedTuple):
    """Settings of all workers of a pool."""

    path: tuple[str, ...]  # sys.path of the parent, so that the module of `read` can be imported
    read: bytes  # pickled function: job -> FetchResult
    settings: ExtractSettings
    agent: str  # name of this crawler in robots directives


class Task(NamedTuple):
    """One document to read."""

    job: Any
    url: str
    fetched_at: float


class BadMessage(ValueError):
    """A message that no correct worker sends."""


def received(stream: BinaryIO) -> bytes:
    """Return the payload of the next message. Raises EOFError if the stream ends before it is complete."""
    (length,) = HEADER.unpack(_exactly(stream, HEADER.size))
    return _exactly(stream, length)


def _exactly(stream: BinaryIO, length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


def received_value(stream: BinaryIO) -> object:
    """Return the next value that was sent by `framed`, or None at the end of the stream."""
    try:
        return pickle.loads(received(stream))
    except EOFError:
        return None


def framed(value: object) -> bytes:
    """Return the message for a value: its length and its pickle. Only the parent sends such messages."""
    return _framed(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))


def framed_text(text: str) -> bytes:
    """Return the message for a line of text, which the fork server sends."""
    return _framed(text.encode("utf-8", "replace"))


def _framed(payload: bytes) -> bytes:
    return HEADER.pack(len(payload)) + payload


def framed_page(page: Page) -> bytes:
    """Return the message for a page, which a worker sends."""
    published = (page.published or 0.0, page.published is not None)
    fields = [
        _NUMBERS.pack(*published, page.fetched_at, page.words, page.noindex, page.nofollow),
        page.digest,
        page.sketch,
        page.links.fingerprints,
        page.links.flags,
        page.modified,
        *(text.encode("utf-8", "replace") for text in _text_fields(page)),
    ]
    return _framed(_SIZES.pack(*map(len, fields)) + b"".join(fields))


def _text_fields(page: Page) -> tuple[str, ...]:
    """Return the fields that are text or are sent as text."""
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
    """Return the page in a worker's message. Raises BadMessage if it is invalid or about another URL."""
    try:
        return _page(payload, url)
    except (ValueError, KeyError, struct.error) as error:
        raise BadMessage(f"the worker's message about {url} is invalid: {error}") from error


def _page(payload: bytes, url: Url) -> Page:
    sizes = _SIZES.unpack_from(payload)
    fields = []
    position = _SIZES.size
    for size in sizes:
        fields.append(payload[position : position + size])
        position += size
    if position != len(payload):
        raise BadMessage("its length does not match its fields")
    numbers, digest, sketch, fingerprints, flags, modified = fields[:6]
    texts = [field.decode() for field in fields[6:]]
    plain: dict[str, Any] = dict(zip(_TEXTS, texts, strict=False))
    address, headings, passages, targets, anchors, near, *others = texts[len(_TEXTS) :]
    alternates, feeds, canonical, refresh = others
    if address != url.text:
        raise BadMessage(f"it is about {address[:200]}")
    if len(modified) not in {0, 8 * len(flags)}:
        raise BadMessage("its dates do not match its links")
    published, is_published, fetched_at, words, noindex, nofollow = _NUMBERS.unpack(numbers)
    return Page(
        url=url,
        fetched_at=fetched_at,
        headings=tuple(headings.split("\n")) if headings else (),
        passages=_passages(passages, len(plain["text"])),
        published=published if is_published else None,
        links=_links(fingerprints, flags, targets, anchors, near),
        modified=modified,
        alternates=tuple(map(_alternate, alternates.split("\n"))) if alternates else (),
        feeds=tuple(map(Url.parsed, feeds.split("\n"))) if feeds else (),
        canonical=Url.parsed(canonical) if canonical else None,
        refresh=Url.parsed(refresh) if refresh else None,
        noindex=noindex,
        nofollow=nofollow,
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
        raise BadMessage("its passages do not match its text")
    return found


def _links(fingerprints: bytes, flags: bytes, targets: str, anchors: str, near: str) -> Links:
    lines = max(len(flags) - 1, 0)
    columns = (targets, anchors, near) if near else (targets, anchors)
    if len(fingerprints) != 8 * len(flags) or {text.count("\n") for text in columns} != {lines}:
        raise BadMessage("the columns of its links have different lengths")
    return Links(fingerprints, flags, targets, anchors, near)


def _alternate(line: str) -> tuple[str, Url]:
    address, _, language = line.partition(" ")
    return language, Url.parsed(address)
