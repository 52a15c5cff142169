"""Status of a collection and of one host."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gossamer.collection.partition import Partition
from gossamer.crawl.hosts.circuit_breaker import CircuitBreaker, back_off_until
from gossamer.crawl.hosts.equivalence import EquivalenceRule
from gossamer.crawl.hosts.knowledge import StoredKnowledge
from gossamer.crawl.settings import FrontierSettings
from gossamer.graph.generation import open_generation
from gossamer.model import Url, UsageError
from gossamer.model.notebook import NotebookTable, iso
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.schema import HostRow
from gossamer.web.robots import parse


@dataclass(frozen=True, slots=True)
class Status(NotebookTable):
    """Count what a collection has.

    Attributes:
        directory: The folder.
        partitions: How many partitions the collection has.
        pages: Pages that were kept.
        documents: Pages that can be searched.
        queued: URLs that wait to be fetched.
        failed: URLs that failed.
        refused: URLs that were refused, such as by robots.txt.
        redirects: URLs that redirect.
        duplicates: Pages that are copies of others.
        hosts: Hosts with a URL.
        slow_hosts: Hosts whose Crawl-delay exceeds the limit.
        patterns_asleep: URL patterns that were taken for traps.
        bytes_on_disk: Size of the folder.
        oldest_fetch: The time of the oldest fetch, in ISO 8601, or None.
        newest_fetch: The time of the newest fetch, in ISO 8601, or None.
        segments: Segments of the index.
        ranked: Whether there are link ranks.
        anchors: Anchor texts that can be searched.
        reasons: Why URLs failed, were refused or wait, with their counts.
        not_indexed: Why fetched pages are not in the index, with their counts.
    """

    directory: str
    partitions: int
    pages: int
    documents: int
    queued: int
    failed: int
    refused: int
    redirects: int
    duplicates: int
    hosts: int
    slow_hosts: int
    patterns_asleep: int
    bytes_on_disk: int
    oldest_fetch: str | None
    newest_fetch: str | None
    segments: int
    ranked: bool
    anchors: int
    reasons: dict[str, int]
    not_indexed: dict[str, int]


def status(
    directory: Path,
    partitions: Sequence[Partition],
    graph_folder: Path,
    frontier: FrontierSettings,
    knowledge: StoredKnowledge,
) -> Status:
    """Return the status of a whole collection."""
    states: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    not_indexed: Counter[str] = Counter()
    fetched: list[float] = []
    entries = [entry for partition in partitions for entry in partition.manifest().segments]
    delays = [row.crawl_delay or 0.0 for partition in partitions for row in partition.catalogue.hosts()]
    for partition in partitions:
        counts = partition.catalogue.counts()
        states.update(counts.states)
        verdicts.update(counts.verdicts)
        for reason, count in counts.reasons.items():
            reasons[_kind(reason)] += count
        not_indexed.update(counts.not_indexed)
        fetched += partition.catalogue.freshness() or ()
    generation = open_generation(graph_folder)
    return Status(
        directory=str(directory),
        partitions=len(partitions),
        pages=verdicts["keep"],
        documents=sum(entry.alive for entry in entries),
        queued=states["queued"],
        failed=states["failed"],
        refused=states["refused"],
        redirects=states["redirect"],
        duplicates=verdicts["duplicate"],
        hosts=sum(1 for one in partitions for _ in one.catalogue.authorities()),
        slow_hosts=sum(delay > frontier.max_crawl_delay for delay in delays),
        patterns_asleep=sum(knowledge.patterns_asleep(one.catalogue) for one in partitions),
        bytes_on_disk=_size(directory),
        oldest_fetch=iso(min(fetched)) if fetched else None,
        newest_fetch=iso(max(fetched)) if fetched else None,
        segments=len(entries),
        ranked=generation is not None,
        anchors=sum(generation.anchor_counts or ()) if generation else 0,
        reasons=dict(reasons.most_common()),
        not_indexed=dict(not_indexed.most_common()),
    )


def _kind(reason: str) -> str:
    """Return a reason without its pattern or host, because there may be thousands of these.

    >>> _kind("asleep: /list/<n> empty-flood"), _kind("mirror of www.example.org"), _kind("http-404")
    ('asleep', 'mirror', 'http-404')
    """
    return reason.partition(":")[0].partition(" of ")[0]


def _size(directory: Path) -> int:
    """Return the size of all files; ignore files that a merge removes meanwhile."""
    total = 0
    for path in directory.rglob("*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size if path.is_file() else 0
    return total


# Status of one host
# ------------------
#
# Its URLs, its robots.txt, whether it responds, and what was learned of its URLs: sleeping patterns,
# equivalent URLs, soft 404 pages, the host that it mirrors, and its mirrors.

SHOWN_FETCHES = 10
NEAREST = 3  # similar hosts suggested for an unknown one


@dataclass(frozen=True, slots=True)
class RobotsStatus:
    """The robots.txt of a host."""

    origin: str
    status: int
    reason: str  # why the rules of the host do not apply; "" if they do
    fetched_at: str
    crawl_delay: float | None  # requested by the host, in seconds
    followed_delay: float | None  # the delay that is respected, at most the limit in the settings
    sitemaps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostPause:
    """The open circuit breaker of a host: a pause because its requests kept failing."""

    state: str  # "open"; "half-open" if the pause is over and the next response decides
    reason: str  # of the last failure
    failures: int  # consecutive
    pauses: int  # consecutive
    since: str
    until: str


@dataclass(frozen=True, slots=True)
class SleepingPattern:
    """A URL pattern that is not fetched because it was taken for a trap."""

    pattern: str
    reason: str
    since: str
    refused: int
    example: str


@dataclass(frozen=True, slots=True)
class LatestFetch:
    """A URL and its latest response."""

    url: str
    asked_at: str
    status: int  # 0 if there was no response
    reason: str


@dataclass(frozen=True, slots=True)
class HostStatus(NotebookTable):
    """Describe the state of one host: its URLs by state, its robots.txt, and why it waits."""

    host: str
    urls: dict[str, int]  # by state
    pages: int  # kept
    duplicates: int
    reasons: dict[str, int]  # why URLs failed, were refused or wait
    not_indexed: dict[str, int]  # why fetched pages are not in the index
    robots: RobotsStatus | None
    silent_crawls: int  # consecutive crawls without any response
    silent_since: str | None  # time of the last of them
    pause: HostPause | None  # None if the circuit breaker is closed
    asleep: tuple[SleepingPattern, ...]
    left_out: dict[str, int]  # URLs that look like traps, by reason
    equivalences: tuple[EquivalenceRule, ...]
    soft_404: tuple[str, ...]  # folders in which URLs of missing pages get a success response
    mirror: str  # evidence that this host mirrors another, as a sentence
    mirrors: tuple[str, ...]  # hosts that are mirrors of this one
    fetches: tuple[LatestFetch, ...]
    next_due: str | None  # earliest time at which a queued URL may be requested
    next_visit: str | None  # earliest time at which a known page is due for a revisit

    def __repr__(self) -> str:
        return f"<HostStatus {self.host}: {self.pages:,} pages, {self.duplicates:,} duplicates>"


def host_status(
    url: Url,
    home: int,
    partitions: Sequence[Partition],
    frontier: FrontierSettings,
    knowledge: StoredKnowledge,
    now: float,
) -> HostStatus:
    """Return the status of the host of a URL, which belongs to partition number `home`."""
    authority, catalogue = url.authority, partitions[home].catalogue
    counts = catalogue.host_counts(authority)
    row = catalogue.host(authority)
    if row is None and not counts.states:
        raise UsageError(_unknown(authority, partitions))
    row = row or HostRow(authority)
    traps = knowledge.traps(catalogue, authority)
    breaker = knowledge.breaker(catalogue, authority)
    mirrors = knowledge.mirrors((one.catalogue for one in partitions), authority)
    return HostStatus(
        host=authority,
        urls=counts.states,
        pages=counts.verdicts.get("keep", 0),
        duplicates=counts.verdicts.get("duplicate", 0),
        reasons=counts.reasons,
        not_indexed=counts.not_indexed,
        robots=_robots(catalogue, authority, frontier.max_crawl_delay),
        silent_crawls=row.failures,
        silent_since=iso(row.failed_at) if row.failures else None,
        pause=_pause(breaker, now),
        asleep=tuple(
            SleepingPattern(one.pattern, one.reason, iso(one.since), one.refused, one.example)
            for one in traps.asleep()
        ),
        left_out=traps.refused(),
        equivalences=tuple(knowledge.equivalences(catalogue, url.host)),
        soft_404=tuple(knowledge.soft_404(catalogue, authority).says_it_softly()),
        mirror=mirrors.evidence(authority),
        mirrors=tuple(sorted(name for name in mirrors.state() if mirrors.mirror_of(name) == authority)),
        fetches=_fetches(catalogue, authority),
        next_due=_next_due(catalogue, row, max(now, breaker.until, catalogue.host_not_before(authority))),
        next_visit=None if (visit := catalogue.host_visit_at(authority)) is None else iso(visit),
    )


def _pause(breaker: CircuitBreaker, now: float) -> HostPause | None:
    if not breaker.is_open:
        return None
    state = "open" if now < breaker.until else "half-open"
    times = (iso(breaker.since), iso(breaker.until))
    return HostPause(state, breaker.reason, breaker.failures, breaker.openings, *times)


def _robots(catalogue: Catalogue, authority: str, cap: float) -> RobotsStatus | None:
    row = catalogue.robots(authority)
    if row is None:
        return None
    return RobotsStatus(
        origin=row.origin,
        status=row.status,
        reason=row.reason,
        fetched_at=iso(row.fetched_at),
        crawl_delay=row.crawl_delay,
        followed_delay=None if row.crawl_delay is None else min(row.crawl_delay, cap),
        sitemaps=parse(row.body).sitemaps if 200 <= row.status < 300 else (),
    )


def _fetches(catalogue: Catalogue, authority: str) -> tuple[LatestFetch, ...]:
    rows = catalogue.asked_last(authority, SHOWN_FETCHES)
    return tuple(LatestFetch(row.url, iso(row.asked_at), row.status, row.reason) for row in rows)


def _next_due(catalogue: Catalogue, row: HostRow, now: float) -> str | None:
    due = catalogue.host_due_at(row.authority)
    return None if due is None else iso(max(now, due, back_off_until(row.failed_at, row.failures)))


def _unknown(authority: str, partitions: Iterable[Partition]) -> str:
    known = [name for partition in partitions for name in partition.catalogue.authorities()]
    near = [name for name in known if authority in name][:NEAREST]
    near += [name for name in difflib.get_close_matches(authority, known, NEAREST) if name not in near]
    hint = f"the nearest names are {', '.join(near[:NEAREST])}" if near else "no host has a similar name"
    return f"{authority} is not known in this collection; {hint}"
