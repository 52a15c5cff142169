"""What an extraction worker is told: where an answer stands, or the answer itself. Imports little."""

from __future__ import annotations

from typing import NamedTuple

from gossamer.model import FetchResult, Url
from gossamer.store.warc import read_record


class WarcJob(NamedTuple):
    """A record of the page store."""

    path: str
    offset: int
    length: int
    url: str


class AnswerJob(NamedTuple):
    """An answer itself, while it is at hand: reading it from the page store would cost more."""

    url: str
    fetched_at: float
    headers: tuple[tuple[str, str], ...]
    body: bytes


Job = WarcJob | AnswerJob


def read_job(job: Job) -> FetchResult:
    """The answer that the job points to."""
    if isinstance(job, AnswerJob):
        url = Url.parsed(job.url)
        return FetchResult(url, job.fetched_at, status=200, headers=job.headers, body=job.body)
    return read_record(job.path, job.offset, job.length, Url.parsed(job.url))
