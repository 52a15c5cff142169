"""The queries of a test collection, by their names: JSON objects, two columns, or TREC's topics.

    {"_id": "1", "text": "..."} on each line
    1<tab>what was asked         on each line, with or without headings
    <top> <num> Number: 301 <title> International Organized Crime <desc> ... </top>

Of a topic the title is asked, which is as long as what people type; where it is empty, the description is.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from gossamer.evaluate.lines import beginning, lines, rows, text_of, whole
from gossamer.model import GossamerError

_TOPIC = re.compile(r"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.DOTALL | re.IGNORECASE)
_PART = re.compile(r"<(num|title|desc)>(.*?)(?=<[a-z/]|\Z)", re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(r"\s*(?:Number|Topic|Description)\s*:", re.IGNORECASE)
_HEADINGS = {"qid", "query-id", "query_id", "queryid", "topic", "id", "_id"}


def read_topics(path: Path) -> dict[str, str]:
    """What was asked, by the name of the query."""
    first = beginning(path)
    if first.startswith("{") or path.name.removesuffix(".gz").endswith(".jsonl"):
        return {text_of(row, "_id", place): text_of(row, "text", place) for place, row in rows(path)}
    return _tagged(path) if first.startswith("<") else _columns(path)


def _tagged(path: Path) -> dict[str, str]:
    topics: dict[str, str] = {}
    for number, topic in enumerate(_TOPIC.finditer(whole(path)), 1):
        parts = {
            part[1].lower(): _LABEL.sub("", part[2], count=1).strip() for part in _PART.finditer(topic[1])
        }
        if not parts.get("num"):
            raise GossamerError(f"{path}, topic {number}: it has no <num>")
        asked = parts.get("title") or parts.get("desc", "")
        topics[parts["num"]] = html.unescape(" ".join(asked.split()))
    return topics


def _columns(path: Path) -> dict[str, str]:
    topics: dict[str, str] = {}
    for place, line in lines(path):
        name, tab, asked = line.partition("\t")
        if not tab:
            raise GossamerError(f"{place}: 2 columns with a tab between them, the query's name and its text")
        if topics or name.strip().lower() not in _HEADINGS:
            topics[name.strip()] = asked.strip()
    return topics


def chosen(topics: dict[str, str], judged: dict[str, None]) -> tuple[dict[str, str], str | None]:
    """The judged ones, in the order of the judgements, and the first that is judged and unknown.

    TREC writes "051" in its topics and "51" in its judgements.
    """
    bare = {name.lstrip("0"): text for name, text in topics.items()}
    found: dict[str, str] = {}
    for name in judged:
        text = topics.get(name, bare.get(name.lstrip("0")))
        if text is None:
            return found, name
        found[name] = text
    return found, None
