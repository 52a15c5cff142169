"""Crawl request, fetch result, failure reasons, URL states."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gossamer.model.url import Url


class Failure(StrEnum):
    """Why no usable answer came. The value is what the catalogue and `status` show."""

    DNS = "dns"  # the host name is unknown
    CONNECT = "connect"  # nobody answers at the address
    TLS = "tls"  # no secure connection could be made
    TIMEOUT = "timeout"  # connect, read or the whole exchange took too long
    PROTOCOL = "protocol"  # what came is not HTTP
    DISCONNECTED = "disconnected"  # the server hung up in the middle
    PRIVATE_ADDRESS = "private-address"  # the name leads to an address nobody should reach through us
    DECODING = "decoding"  # the body's compression is broken
    LOGIN = "login"  # the host does not accept the log-in that the owner gave


class SeedError(str):
    """Why a seed was not crawled, in words; `failure` is its kind, where no usable answer came."""

    failure: Failure | None

    def __new__(cls, text: str, failure: Failure | None = None) -> SeedError:
        error = super().__new__(cls, text)
        error.failure = failure
        return error


class UrlState(StrEnum):
    """Where a known URL stands."""

    QUEUED = "queued"
    FETCHED = "fetched"  # an answer with a body is in the page store
    REDIRECT = "redirect"  # it answers with another address
    FAILED = "failed"  # no answer, or an error status, and no further try is planned
    REFUSED = "refused"  # not asked for: robots.txt forbids it, or it leads into a trap or a mirror


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """One URL that the frontier hands out."""

    url: Url
    depth: int = 0  # links between a seed and this page
    priority: float = 0.0  # larger is sooner
    redirects: int = 0  # redirects that led here in a row
    attempts: int = 0  # tries that failed so far
    etag: str = ""
    last_modified: str = ""
    probe: bool = False  # an address that cannot exist: what does the host say to it?


@dataclass(frozen=True, slots=True)
class FetchResult:
    """What the server said, or why it said nothing. `status` is 0 when no answer came."""

    url: Url
    fetched_at: float  # seconds since 1970
    elapsed: float = 0.0  # seconds
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""  # decoded: the content encoding is undone
    failure: Failure | None = None
    detail: str = ""  # a few words for people, when something failed
    truncated: bool = False  # the body was cut at the size limit
    address: str = ""  # the IP address that answered

    def header(self, name: str) -> str:
        """The first header of that name, or an empty string."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    @property
    def is_redirect(self) -> bool:
        return self.status in {301, 302, 303, 307, 308} and bool(self.header("location"))
