"""What the catalogue takes in and gives out."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import Failure, Url, UrlState, Verdict
from gossamer.store.warc import WarcAddress


@dataclass(frozen=True, slots=True)
class FetchRow:
    """One fetch: what the catalogue is told when an answer, or none, came."""

    fingerprint: int
    fetched_at: float
    state: UrlState  # where the URL stands now
    status: int = 0
    failure: Failure | None = None
    reason: str = ""  # why it failed, in a word; the failure's name where nothing is said
    attempts: int = 0
    media_type: str = ""
    etag: str = ""
    last_modified: str = ""
    redirect_to: int | None = None
    digest: bytes | None = None
    size: int = 0  # bytes of the body
    elapsed: float = 0.0
    address: WarcAddress | None = None  # None keeps the address of an earlier fetch


@dataclass(frozen=True, slots=True)
class UrlRow:
    """A known URL."""

    url: Url
    state: UrlState
    depth: int
    priority: float
    redirects: int
    attempts: int
    not_before: float
    status: int
    reason: str
    first_seen: float
    fetched_at: float | None
    media_type: str
    etag: str
    last_modified: str
    digest: bytes | None
    verdict: Verdict | None
    redirect_to: int | None
    address: WarcAddress | None

    @property
    def fingerprint(self) -> int:
        return self.url.fingerprint


@dataclass(frozen=True, slots=True)
class RobotsRow:
    """What an authority answered when asked for robots.txt."""

    origin: str
    status: int
    body: bytes
    fetched_at: float
    reason: str = ""
    crawl_delay: float | None = None


@dataclass(frozen=True, slots=True)
class HostRow:
    """How an authority is to be treated."""

    authority: str
    crawl_delay: float | None = None
    failures: int = 0  # crawls in a row in which it did not answer at all
    failed_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Counts:
    """How many URLs there are of each kind."""

    states: dict[str, int]
    verdicts: dict[str, int]
    reasons: dict[str, int]  # of the URLs that failed, were refused or wait for another try
    not_indexed: dict[str, int]  # verdict and reason of the pages that are not kept
