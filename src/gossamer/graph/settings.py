"""Settings of [rank]: damping, trusted and spam pages, topics."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gossamer.model import setting

_NAME = re.compile(r"\w[\w+-]{0,49}")


@dataclass(frozen=True, slots=True)
class Topic:
    """Which pages a topic is about: one table `[[rank.topics]]`."""

    name: str = setting("", "What it is called: letters and digits, with - or _ between them.")
    pages: list[str] = setting([], "Its pages: URLs, hosts, or @FILE for a file with one of them a line.")
    directory: str = setting("", "The URL of a page that links to pages of the topic.")
    query: str = setting("", "A query; the best 200 pages that match it are pages of the topic.")

    def problem(self) -> str:
        """What is wrong with the topic, "" when nothing is."""
        if not _NAME.fullmatch(self.name):
            return f"{self.name!r} is no name for a topic: letters and digits, with - or _ between them"
        if not (self.pages or self.directory or self.query):
            return f"the topic {self.name} needs pages, a directory or a query"
        return ""


@dataclass(frozen=True, slots=True)
class RankSettings:
    """The `[rank]` section."""

    damping: float = setting(
        0.85, "PageRank: the chance that the walker follows a link instead of jumping.", least=0, most=1
    )
    tolerance: float = setting(
        1e-9, "PageRank: it stops when a step changes the ranks by less in sum.", least=0, most=1
    )
    rerank_minutes: float = setting(
        60.0, "Minutes after which a crawl computes ranks anew, beside its work; 0 means never.", least=0
    )
    trusted: list[str] = setting(
        [],
        "Where trust comes from: URLs, hosts (with those below them), or @FILE for a file of the collection "
        "with one of them a line.",
    )
    spam: list[str] = setting([], "Where distrust comes from: known spam, named as trusted pages are.")
    topics: list[Topic] = setting(
        [], "Tables that name topics and their pages; each has a PageRank of its own.", items=Topic
    )
    harmonic_pages: int = setting(
        1_000_000,
        "Harmonic centrality is computed with the other ranks up to so many pages; beyond, only when it is "
        "asked for.",
        least=0,
    )
    memory_mb: int = setting(
        500,
        "Megabytes of memory that building the graph takes, of which 30 bytes for each page; the links that "
        "do not fit wait on the disk.",
        least=1,
    )
