"""Canonical URL type and its 64-bit fingerprint."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

# A URL of another scheme without a port has the port 0: its fetcher knows the default.
DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21, "gopher": 70, "gemini": 1965}


def fingerprint_of(text: str) -> int:
    """Return the 64-bit fingerprint of a canonical URL. It never changes.

    >>> fingerprint_of("http://example.com/") == fingerprint_of("http://example.com/")
    True
    """
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def to_signed(fingerprint: int) -> int:
    """Return the fingerprint as the signed integer that SQLite stores."""
    return fingerprint - (1 << 64) if fingerprint >= 1 << 63 else fingerprint


def from_signed(stored: int) -> int:
    """Return the fingerprint of a signed integer that SQLite stored."""
    return stored + (1 << 64) if stored < 0 else stored


def host_of(authority: str) -> str:
    """Return the host of an authority.

    >>> host_of("example.org:8080"), host_of("[::1]"), host_of("news:")
    ('example.org', '[::1]', '')
    """
    host, colon, port = authority.rpartition(":")
    if not colon or port.endswith("]"):
        return authority
    return host if port else ""


@dataclass(frozen=True, slots=True)
class Url:
    """A canonical absolute URL without fragment. Use `gossamer.web.url.canonical` to make one.

    The scheme is http or https, or one for which a fetcher is installed. A scheme may have no hosts, as in
    `news:comp.lang.misc`. Then `host` is empty.
    """

    text: str  # all other fields are derived from it
    scheme: str = field(compare=False)
    host: str = field(compare=False)
    port: int = field(compare=False)
    path: str = field(compare=False)  # with the query string; starts with "/"
    fingerprint: int = field(init=False, compare=False)
    # Host and port, the unit of rate limits and of robots.txt. If the scheme has no hosts, the scheme.
    authority: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fingerprint", fingerprint_of(self.text))
        if self.port == DEFAULT_PORTS.get(self.scheme, 0):
            object.__setattr__(self, "authority", self.host or f"{self.scheme}:")
        else:
            object.__setattr__(self, "authority", f"{self.host}:{self.port}")

    @classmethod
    def parsed(cls, text: str) -> Url:
        """Return the URL of a text that is already canonical, such as a stored one.

        >>> url = Url.parsed("http://[::1]:8080/a?b")
        >>> url.host, url.port, url.path, url.authority
        ('[::1]', 8080, '/a?b', '[::1]:8080')
        >>> url = Url.parsed("news:comp.lang.misc")
        >>> url.host, url.path, url.authority
        ('', '/comp.lang.misc', 'news:')
        """
        scheme, _, rest = text.partition("://")
        if scheme not in DEFAULT_PORTS:
            scheme, colon, rest = text.partition(":")
            if not colon or not scheme:
                raise ValueError(f"no scheme: {text[:100]!r}")
            if not rest.startswith("//"):
                return cls(text, scheme, "", 0, rest if rest.startswith("/") else f"/{rest}")
            rest = rest[2:]
        slash = rest.index("/")
        host, colon, port = rest[:slash].rpartition(":")
        if colon and not port.endswith("]"):
            return cls(text, scheme, host, int(port), rest[slash:])
        return cls(text, scheme, rest[:slash], DEFAULT_PORTS.get(scheme, 0), rest[slash:])

    @property
    def origin(self) -> str:
        """Scheme and authority; robots.txt applies to an origin."""
        return f"{self.scheme}://{self.authority}" if self.host else f"{self.scheme}:"

    def __str__(self) -> str:
        return self.text
