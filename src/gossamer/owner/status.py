"""Status of a collection and of one host."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from gossamer.collection.partition import Partition
from gossamer.crawl.hosts.circuit_breaker import CircuitBreaker, back_off_until
from gossamer.crawl.hosts.equivalence import EquivalenceRule
from gossamer.crawl.hosts.knowledge import StoredKnowledge
from gossamer.crawl.hosts.traps import Traps
from gossamer.crawl.settings import FrontierSettings
from gossamer.graph.generation import open_generation
from gossamer.model import Url, UsageError
from gossamer.model.notebook import NotebookTable
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.schema import HostRow
from gossamer.web.robots import parse


@dataclass(frozen=True, slots=True)
class Status(NotebookTable):
    """Count what a collection holds.

    Attributes:
        directory: The folder.
        partitions: How many parts the collection has.
        pages: Pages that were kept.
        documents: Pages that can be searched.
        queued: URLs that wait.
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
    pages: int  # kept
    documents: int  # that can be found
    queued: int
    failed: int
    refused: int
    redirects: int
    duplicates: int
    hosts: int
    slow_hosts: int  # that want longer pauses than are kept to
    patterns_asleep: int  # of addresses, taken for traps
    bytes_on_disk: int
    oldest_fetch: str | None
    newest_fetch: str | None
    segments: int
    ranked: bool
    anchors: int  # texts of links that can be searched
    reasons: dict[str, int]  # why URLs failed, were refused or wait
    not_indexed: dict[str, int]  # why pages that were fetched are not in the index

    def as_dict(self) -> dict[str, object]:
        """Give all fields as plain values, for JSON."""
        return asdict(self)


def status(
    directory: Path,
    partitions: Sequence[Partition],
    graph_folder: Path,
    frontier: FrontierSettings,
    knowledge: StoredKnowledge,
) -> Status:
    """Status of a whole collection."""
    states: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    not_indexed: Counter[str] = Counter()
    fetched: list[float] = []
    entries = [entry for partition in partitions for entry in partition.index.manifest().segments]
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
    """A reason without the pattern or the host that it names: there may be thousands of them.

    >>> _kind("asleep: /list/<n> empty-flood"), _kind("mirror of www.example.org"), _kind("http-404")
    ('asleep', 'mirror', 'http-404')
    """
    return reason.partition(":")[0].partition(" of ")[0]


def _size(directory: Path) -> int:
    """The bytes of all files; one that a merge removes meanwhile counts for nothing."""
    total = 0
    for path in directory.rglob("*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def iso(seconds: float) -> str:
    """A time for people and programs."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


# Status of one host
# ------------------
#
# Its URLs, its robots.txt, whether it answers, and what was learned of its addresses: patterns that
# were put to sleep, differences that do not matter, what it says instead of 404, the host that it
# mirrors, its mirrors.

SHOWN_FETCHES = 10
NEAREST = 3


@dataclass(frozen=True, slots=True)
class RobotsStatus:
    """What the host says about its rules."""

    origin: str
    status: int
    reason: str  # why no rules of the host's own hold; "" when they do
    fetched_at: str
    crawl_delay: float | None  # seconds that the host asks for
    followed_delay: float | None  # of them, those that are kept to
    sitemaps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostPause:
    """A host that is left alone because it kept failing: its circuit breaker."""

    state: str  # open, or half-open when the pause is over and the next answer decides
    reason: str  # of the last failure
    failures: int  # pages in a row
    pauses: int  # in a row
    since: str
    until: str


@dataclass(frozen=True, slots=True)
class SleepingPattern:
    """A shape of addresses that is refused."""

    pattern: str
    reason: str
    since: str
    refused: int
    example: str


@dataclass(frozen=True, slots=True)
class LatestFetch:
    """A URL and its latest answer."""

    url: str
    asked_at: str
    status: int  # 0 when no answer came
    reason: str


@dataclass(frozen=True, slots=True)
class HostStatus(NotebookTable):
    """Tell the state of one host: its URLs by state, its robots.txt, and why it waits."""

    host: str
    urls: dict[str, int]  # by state
    pages: int  # kept
    duplicates: int
    reasons: dict[str, int]  # why URLs failed, were refused or wait
    not_indexed: dict[str, int]  # why pages that were fetched are not in the index
    robots: RobotsStatus | None
    silent_crawls: int  # in a row in which it did not answer at all
    silent_since: str | None  # the last of them
    pause: HostPause | None  # while it is left alone because it answers badly
    asleep: tuple[SleepingPattern, ...]
    left_out: dict[str, int]  # addresses that look like traps, by reason
    equivalences: tuple[EquivalenceRule, ...]
    soft_404: tuple[str, ...]  # folders in which pages that cannot exist are answered with success
    mirror: str  # what speaks for a mirror of another host, in a sentence
    mirrors: tuple[str, ...]  # hosts that are mirrors of this one
    fetches: tuple[LatestFetch, ...]
    next_due: str | None  # when the first URL that waits may be asked for
    next_visit: str | None  # when the first of the known pages is to be asked for again

    def __repr__(self) -> str:
        return f"<HostStatus {self.host}: {self.pages:,} pages, {self.duplicates:,} duplicates>"

    def as_dict(self) -> dict[str, object]:
        """Give all fields as plain values, for JSON."""
        return asdict(self)


def host_status(
    url: Url,
    home: int,
    partitions: Sequence[Partition],
    frontier: FrontierSettings,
    knowledge: StoredKnowledge,
    now: float,
) -> HostStatus:
    """What is known of the host of a URL, which belongs to the partition with the number `home`."""
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
        asleep=_asleep(traps),
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


def _asleep(traps: Traps) -> tuple[SleepingPattern, ...]:
    return tuple(
        SleepingPattern(one.pattern, one.reason, iso(one.since), one.refused, one.example)
        for one in traps.asleep()
    )


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
    hint = f"the nearest names are {', '.join(near[:NEAREST])}" if near else "nothing like it is"
    return f"{authority} is not known in this collection; {hint}"
