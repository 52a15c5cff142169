"""What the owner can decide about crawling, storing and ranking."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gossamer.model import setting

_NAME = re.compile(r"\w[\w+-]{0,49}")


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """The `[crawl]` section."""

    connections: int = setting(64, "How many hosts are asked at the same time.", least=1, most=10000)
    max_pages: int = setting(0, "A crawl stops after this many pages; 0 means no limit.", least=0)
    depth: int = setting(-1, "How many links away from a seed a page may be; -1 means any number.", least=-1)
    host_depth: int = setting(
        64,
        "How many links farther from the seeds than the nearest page of its host a page may be, unless "
        "another host links to it; 0 means any number.",
        least=0,
    )
    include: list[str] = setting([], "Regular expressions: only URLs in which one is found are fetched.")
    exclude: list[str] = setting([], "Regular expressions: URLs in which one is found are not fetched.")
    pages_a_host: int = setting(
        0, "How many pages of one host are fetched at most; 0 means any number.", least=0
    )
    hosts: list[str] = setting([], "Patterns such as *.example.org: only hosts like these are asked.")
    exclude_hosts: list[str] = setting([], "Patterns such as ads.*: hosts like these are not asked.")
    exclude_endings: list[str] = setting(
        [],
        "Endings such as php or docx: URLs that end so are not fetched, nor pictures and the like.",
    )
    schemes: list[str] = setting(["http", "https"], "URLs of other schemes are not fetched.")
    sitemaps: bool = setting(
        True, "Whether the sitemaps that a robots.txt names are read; not where `depth` limits the crawl."
    )
    stay: bool = setting(False, "Whether to keep to the sites (registrable domains) of the seeds.")
    retries: int = setting(
        2, "How often a page is tried again after a failure that may pass.", least=0, most=20
    )
    retry_delay: float = setting(
        2.0, "Seconds before the first new try; each further try waits twice as long.", least=0
    )
    max_redirects: int = setting(10, "How many redirects in a row are followed.", least=0, most=100)
    commit_seconds: float = setting(
        1.0, "Seconds between commits: what a sudden death may cost.", least=0, most=3600
    )
    log_mb: int = setting(
        100, "Size in megabytes at which a new file of the log is begun; 0 writes no log.", least=0
    )
    log_files: int = setting(5, "How many files of the log are kept; the oldest go first.", least=1)


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The `[store]` section."""

    durable: bool = setting(
        False, "Whether commits survive a power cut (fsync), not only the death of the process."
    )
    max_file_mb: int = setting(1000, "Size in megabytes at which a new WARC file is begun.", least=1)


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

    beta: float = setting(
        0.85, "PageRank: the chance that the walker follows a link instead of jumping.", least=0, most=1
    )
    tolerance: float = setting(
        1e-9, "PageRank: it stops when a step changes the ranks by less in sum.", least=0, most=1
    )
    crawl_minutes: float = setting(
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
