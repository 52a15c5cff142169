"""What is there, how far, how fresh?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from gossamer.engine.partition import Partition
from gossamer.links.generation import open_generation


@dataclass(frozen=True, slots=True)
class Status:
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
    bytes_on_disk: int
    oldest_fetch: str | None
    newest_fetch: str | None
    segments: int
    ranked: bool
    reasons: dict[str, int]  # why URLs failed, were refused or wait
    not_indexed: dict[str, int]  # why pages that were fetched are not in the index

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def status(directory: Path, partitions: Sequence[Partition], graph_folder: Path) -> Status:
    states: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    not_indexed: Counter[str] = Counter()
    fetched: list[float] = []
    entries = [entry for partition in partitions for entry in partition.index.manifest().segments]
    for partition in partitions:
        counts = partition.catalogue.counts()
        states.update(counts.states)
        verdicts.update(counts.verdicts)
        reasons.update(counts.reasons)
        not_indexed.update(counts.not_indexed)
        fetched += partition.catalogue.freshness() or ()
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
        hosts=sum(1 for partition in partitions for _ in partition.catalogue.hosts()),
        bytes_on_disk=_size(directory),
        oldest_fetch=_iso(min(fetched)) if fetched else None,
        newest_fetch=_iso(max(fetched)) if fetched else None,
        segments=len(entries),
        ranked=open_generation(graph_folder) is not None,
        reasons=dict(reasons.most_common()),
        not_indexed=dict(not_indexed.most_common()),
    )


def _size(directory: Path) -> int:
    """The bytes of all files; one that a merge removes meanwhile counts for nothing."""
    total = 0
    for path in directory.rglob("*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
