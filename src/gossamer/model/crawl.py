"""Crawl request, fetch result, failure reasons, URL states."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gossamer.model.url import Url


class Failure(StrEnum):
    """Why no usable response came. The catalogue and `status` show the value."""

    DNS = "dns"  # the host name is unknown
    CONNECT = "connect"  # no server answers at the address
    TLS = "tls"  # no secure connection could be made
    TIMEOUT = "timeout"  # connect, read or the whole exchange took too long
    PROTOCOL = "protocol"  # the response is not HTTP
    DISCONNECTED = "disconnected"  # the server closed the connection in the middle of the response
    PRIVATE_ADDRESS = "private-address"  # the host name resolves to an address of a private network
    DECODING = "decoding"  # the body's compression is broken
    LOGIN = "login"  # the host does not accept the credentials that the owner gave


class UrlState(StrEnum):
    """State of a known URL."""

    QUEUED = "queued"
    FETCHED = "fetched"  # a response with a body is in the page store
    REDIRECT = "redirect"  # it redirects to another URL
    FAILED = "failed"  # no response or an error status, and no further attempt is planned
    REFUSED = "refused"  # not requested: forbidden by robots.txt, or in a crawler trap or a mirror


@dataclass(frozen=True, slots=True)
class WarcAddress:
    """The place of a record in the page store."""

    file: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """A URL that the frontier hands out to be fetched."""

    url: Url
    depth: int = 0  # number of links from a seed to this page
    priority: float = 0.0  # larger is sooner
    redirects: int = 0  # consecutive redirects that led here
    attempts: int = 0  # attempts that failed so far
    etag: str = ""
    last_modified: str = ""
    probe: bool = False  # a URL that cannot exist, requested to learn how the host reports missing pages


@dataclass(frozen=True, slots=True)
class FetchResult:
    """The response of a server, or why there is none. `status` is 0 if no response came."""

    url: Url
    fetched_at: float  # seconds since 1970
    elapsed: float = 0.0  # seconds
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""  # after the content encoding was decoded
    failure: Failure | None = None
    detail: str = ""  # a few words about the failure, if any
    truncated: bool = False  # the body was cut at the size limit
    address: str = ""  # IP address of the server

    def header(self, name: str) -> str:
        """Return the first header of that name, or ""."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    @property
    def is_redirect(self) -> bool:
        return self.status in {301, 302, 303, 307, 308} and bool(self.header("location"))
