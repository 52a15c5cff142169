"""What is there, how far, how fresh?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from gossamer.engine.config import Config
from gossamer.engine.host_notes import patterns_asleep
from gossamer.engine.partition import Partition
from gossamer.links.generation import open_generation
from gossamer.model.notebook import Tabled


@dataclass(frozen=True, slots=True)
class Status(Tabled):
    """A collection in numbers."""

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
        return asdict(self)


def status(directory: Path, partitions: Sequence[Partition], graph_folder: Path, config: Config) -> Status:
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
        hosts=len(delays),
        slow_hosts=sum(delay > config.frontier.max_crawl_delay for delay in delays),
        patterns_asleep=sum(patterns_asleep(one.catalogue, config.traps) for one in partitions),
        bytes_on_disk=_size(directory),
        oldest_fetch=iso(min(fetched)) if fetched else None,
        newest_fetch=iso(max(fetched)) if fetched else None,
        segments=len(entries),
        ranked=generation is not None,
        anchors=sum(generation.anchors or ()) if generation else 0,
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
