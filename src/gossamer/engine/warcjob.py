"""What an extraction worker is told: where the page stands. Imports little, because every worker loads it."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import FetchResult, Url
from gossamer.store.warc import read_record


@dataclass(frozen=True, slots=True)
class WarcJob:
    """A record of the page store."""

    path: str
    offset: int
    length: int
    url: Url


def read_job(job: WarcJob) -> FetchResult:
    """The answer that the job points to."""
    return read_record(job.path, job.offset, job.length, job.url)
