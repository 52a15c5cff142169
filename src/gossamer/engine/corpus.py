"""Pages out of a corpus of JSON lines, such as an export writes: their text, and what is known of it."""

from __future__ import annotations

import gzip
import html
import json
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gossamer.extract.dates import timestamp
from gossamer.extract.document import READ_FROM
from gossamer.model import FetchResult, UsageError
from gossamer.web.url import canonical


def read_corpus(path: Path) -> Iterator[FetchResult]:
    """JSON lines with `text`, and `url` or `_id`; each becomes a small HTML page."""
    corpus = path.name.split(".")[0]
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for line in file:
                number += 1
                if line.strip():
                    yield _corpus_page(_row(line), corpus)
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{path} cannot be read after line {number}: {error}") from error
    except _BadLine as error:
        raise UsageError(f"{path}, line {number}: {error}") from error
    if not number:
        raise UsageError(f"{path} is empty")


class _BadLine(Exception):
    """A line that is no page; the text says why."""


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise _BadLine(f"not UTF-8 (byte {error.start + 1} of the line)") from error
    except (ValueError, RecursionError) as error:
        raise _BadLine(f"not JSON ({error})") from error
    if not isinstance(row, dict):
        raise _BadLine("not a JSON object")
    return row


def _corpus_page(row: dict[str, Any], corpus: str) -> FetchResult:
    url = canonical(address := _address(row)) or canonical(f"https://{corpus}.invalid/{address}")
    if url is None:
        raise _BadLine(f"{address!r} makes no address")
    text = row.get("text")
    if not isinstance(text, str):
        raise _BadLine(
            f"text must be a string, not {json.dumps(text)[:40]}" if "text" in row else "needs a text"
        )
    # JSON can write half of a character (\ud800), which UTF-8 cannot
    body = _html(row, text).encode("utf-8", "replace")
    return FetchResult(url, _fetched_at(row), status=200, headers=_headers(row), body=body)


def _address(row: dict[str, Any]) -> str:
    for value in (row.get("url"), row.get("_id")):
        if isinstance(value, str | int) and str(value).strip():
            return str(value)
    raise _BadLine("needs a url or an _id")


def _html(row: dict[str, Any], text: str) -> str:
    paragraphs = (f"<p>{html.escape(part)}</p>" for part in text.splitlines() if part.strip())
    return (
        f'<!doctype html><html lang="{html.escape(str(row.get("language") or ""))}">'
        f'<meta charset="utf-8"><title>{html.escape(str(row.get("title") or ""))}</title>'
        f"{_meta('author', row.get('author'))}{_meta('article:published_time', row.get('published'))}"
        f"<body>{''.join(paragraphs)}</body></html>"
    )


def _meta(name: str, value: object) -> str:
    told = isinstance(value, str) and value.strip()
    return f'<meta name="{name}" content="{html.escape(told)}">' if told else ""


def _headers(row: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    kind = row.get("media_type")
    read_from = (
        ((READ_FROM, kind),) if isinstance(kind, str) and kind.isascii() and kind.isprintable() else ()
    )
    return (("Content-Type", "text/html; charset=utf-8"), *read_from)


def _fetched_at(row: dict[str, Any]) -> float:
    """When the page was fetched; now, where the line does not say it, or something that cannot be."""
    now = time.time()
    stated = row.get("fetched")
    moment = timestamp(stated) if isinstance(stated, str) else None
    return moment if moment is not None and 0 < moment <= now else now
