"""Markdown with front matter.

CommonMark with tables, by markdown-it. Front matter in YAML, TOML or Pandoc's own format gives title,
authors, date and language. Of YAML, only keys with a simple value or a list are supported.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from gossamer.extract.documents.draft import Draft, SizeLimitReached
from gossamer.extract.html.scan import scan_html

LONGEST = 1_000_000  # characters that are read; this takes three seconds
_FRONT = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_FIELD = r"%[ \t]*(.*(?:\n[ \t]+\S.*)*)(?:\n|$)"  # continuation lines begin with a space
_PANDOC = re.compile(rf"\ufeff?{_FIELD}(?:{_FIELD})?(?:{_FIELD})?")
_BETWEEN_AUTHORS = re.compile(r"\s*[;\n]\s*")
_PAIR = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)")
_ITEM = re.compile(r"\s*-[ \t]+(?:name:[ \t]*)?(.*)")


def read_markdown(text: str) -> Draft:
    """Render Markdown as HTML and read that. Code is part of the text."""
    draft, rest = _front_matter(text[:LONGEST])
    scan = scan_html(f"<main>{_program().render(rest)}</main>".encode("utf-8", "replace"), ())
    with suppress(SizeLimitReached):
        draft.add_text(scan)
    draft.add_marks(scan)
    return draft


@cache
def _program() -> Any:
    """Load the parser, when the first Markdown document arrives."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _front_matter(text: str) -> tuple[Draft, str]:
    if match := _FRONT.match(text):
        fields = _toml(match[2]) if match[1] == "+++" else _yaml(match[2])
        return _described(fields), text[match.end() :]
    if match := _PANDOC.match(text):
        title, authors, date = (match[number] or "" for number in (1, 2, 3))
        return Draft(title, _BETWEEN_AUTHORS.sub(", ", authors.strip()), dates=[date]), text[match.end() :]
    return Draft(), text


def _described(fields: Mapping[str, Any]) -> Draft:
    def first(*names: str) -> str:
        return next((_as_text(fields[name]) for name in names if fields.get(name)), "")

    return Draft(
        title=first("title"),
        author=first("author", "authors"),
        description=first("description", "summary", "excerpt"),
        language=first("lang", "language", "locale"),
        dates=[first("date", "published"), first("created"), first("lastmod", "updated", "modified")],
    )


def _as_text(value: Any) -> str:
    """Return a value as text: list items separated by commas; of a table, its `name`."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_as_text, value)))
    if isinstance(value, dict):
        return _as_text(value.get("name", ""))
    return str(value)


def _toml(written: str) -> Mapping[str, Any]:
    try:
        return {name.lower(): value for name, value in tomllib.loads(written).items()}
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _yaml(written: str) -> Mapping[str, Any]:
    """Parse keys with a simple value or a list.

    >>> _yaml('title: "Cats: a book"\\nauthors:\\n  - Ada\\n  - Ben\\ntags: [a, b]')
    {'title': 'Cats: a book', 'authors': ['Ada', 'Ben'], 'tags': ['a', 'b']}
    """
    fields: dict[str, Any] = {}
    name = ""
    for line in written.splitlines():
        if match := _PAIR.match(line):
            name, value = match[1].lower(), match[2].strip()
            is_list = value.startswith("[") and value.endswith("]")
            fields[name] = [_unquoted(one) for one in value[1:-1].split(",")] if is_list else _unquoted(value)
        elif name and not fields[name] and (match := _ITEM.match(line)):
            fields[name] = [_unquoted(match[1])]
        elif name and isinstance(fields[name], list) and (match := _ITEM.match(line)):
            fields[name].append(_unquoted(match[1]))
    return fields


def _unquoted(value: str) -> str:
    value = value.strip()
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value.removeprefix("|").removeprefix(">").strip()
