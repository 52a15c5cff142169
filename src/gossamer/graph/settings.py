"""Settings of [rank]: damping, trusted and spam pages, topics."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gossamer.model import setting

_NAME = re.compile(r"\w[\w+-]{0,49}")


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic and its pages: one table `[[rank.topics]]`."""

    name: str = setting("", "Name of the topic: letters and digits, with - or _ between them.")
    pages: list[str] = setting(
        [], "Pages of the topic: URLs, hosts, or @FILE for a file with one of them on each line."
    )
    directory: str = setting("", "URL of a page that links to pages of the topic.")
    query: str = setting("", "Query whose best 200 results are pages of the topic.")

    def problem(self) -> str:
        """Return what is wrong with the topic; "" if it is valid."""
        if not _NAME.fullmatch(self.name):
            return f"{self.name!r} is not a valid topic name: use letters, digits, and - or _ between them"
        if not (self.pages or self.directory or self.query):
            return f"the topic {self.name} needs pages, a directory or a query"
        return ""


@dataclass(frozen=True, slots=True)
class RankSettings:
    """The `[rank]` section."""

    damping: float = setting(
        0.85,
        "Damping factor of PageRank, 0 to 1: the probability that the random walk follows a link instead "
        "of jumping to another page.",
        least=0,
        most=1,
        formerly="beta",
    )
    tolerance: float = setting(
        1e-9,
        "Convergence threshold of PageRank, 0 to 1. The computation stops when a step changes the ranks "
        "by less than this in sum.",
        least=0,
        most=1,
    )
    rerank_minutes: float = setting(
        60.0,
        "Minutes after which a running crawl computes the ranks again; 0 turns this off.",
        least=0,
        formerly="crawl_minutes",
    )
    trusted: list[str] = setting(
        [],
        "Pages from which trust spreads: URLs, hosts (with all hosts below them), or @FILE for a file in "
        "the collection with one of them on each line.",
    )
    spam: list[str] = setting([], "Known spam pages from which distrust spreads, written as in `trusted`.")
    topics: list[Topic] = setting(
        [], "Tables that name topics and their pages. Each topic has its own PageRank.", items=Topic
    )
    harmonic_pages: int = setting(
        1_000_000,
        "Largest number of pages for which harmonic centrality is computed together with the other ranks. "
        "In a larger collection it is computed only on request.",
        least=0,
    )
    memory_mb: int = setting(
        500,
        "Memory for building the link graph, in megabytes, at least 1. Each page takes 30 bytes of it; "
        "links that do not fit are kept on disk.",
        least=1,
    )
