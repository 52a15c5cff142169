"""Which site does this host belong to, and which bucket does the site belong to?"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from ipaddress import ip_address
from typing import Any

BUCKETS = 1_024


def is_ip_literal(host: str) -> bool:
    """Whether the host of a URL is an address, not a name; IPv6 stands in brackets there."""
    # Names that end in a letter are no addresses: this spares most hosts the full parse.
    if not host or (host[-1] not in "]" and not host[-1].isdigit()):
        return False
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1)
def _suffixes() -> Any:
    # Reading the list takes a tenth of a second: only those who ask pay for it.
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()


@lru_cache(maxsize=65_536)
def registrable_domain(host: str) -> str:
    """The part of a host name that somebody registered, by the public suffix list (publicsuffix.org).

    IP literals, and names that are a public suffix themselves, return themselves.

    >>> registrable_domain("news.bbc.co.uk")
    'bbc.co.uk'
    """
    if is_ip_literal(host):
        return host
    domain = _suffixes().privatesuffix(host)
    return str(domain) if domain else host


@lru_cache(maxsize=65_536)
def bucket(host: str) -> int:
    """The bucket, 0 to 1,023, of a host: one for all hosts of a registrable domain, the same for ever."""
    digest = blake2b(registrable_domain(host).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") % BUCKETS
