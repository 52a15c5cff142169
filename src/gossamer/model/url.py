"""What a web address is once it has been made canonical, and its 64-bit identity."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

DEFAULT_PORTS = {"http": 80, "https": 443}


def fingerprint_of(text: str) -> int:
    """The 64-bit identity of a canonical URL, the same in every stage and generation.

    >>> fingerprint_of("http://example.com/") == fingerprint_of("http://example.com/")
    True
    """
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def to_signed(fingerprint: int) -> int:
    """The same 64 bits as SQLite stores them."""
    return fingerprint - (1 << 64) if fingerprint >= 1 << 63 else fingerprint


def from_signed(stored: int) -> int:
    """The fingerprint behind a number that SQLite stored."""
    return stored + (1 << 64) if stored < 0 else stored


@dataclass(frozen=True, slots=True)
class Url:
    """A canonical absolute http or https URL without fragment. Made by `gossamer.web.url.canonical`."""

    text: str
    scheme: str
    host: str
    port: int
    path: str  # with the query string, always beginning with "/"
    fingerprint: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fingerprint", fingerprint_of(self.text))

    @classmethod
    def parsed(cls, text: str) -> Url:
        """The URL of a text that is canonical already, such as one that was stored.

        >>> url = Url.parsed("http://[::1]:8080/a?b")
        >>> url.host, url.port, url.path, url.authority
        ('[::1]', 8080, '/a?b', '[::1]:8080')
        """
        scheme, _, rest = text.partition("://")
        slash = rest.index("/")
        host, colon, port = rest[:slash].rpartition(":")
        if colon and not port.endswith("]"):
            return cls(text, scheme, host, int(port), rest[slash:])
        return cls(text, scheme, rest[:slash], DEFAULT_PORTS[scheme], rest[slash:])

    @property
    def authority(self) -> str:
        """Host and port: the unit of politeness and of robots.txt."""
        return self.host if self.port == DEFAULT_PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme and authority, as robots.txt is asked for."""
        return f"{self.scheme}://{self.authority}"

    def __str__(self) -> str:
        return self.text
