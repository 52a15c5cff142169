"""Registrable domains, partition buckets, public-address check, host overrides."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from hashlib import blake2b
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

from gossamer.model import BadSetting

# Is an IP address public (SSRF check)
# ------------------------------------

NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052
IPV4_COMPATIBLE = IPv6Network("::/96")  # RFC 4291, section 2.5.5.1


def is_public(address: str) -> bool:
    """Return whether the text is an IP address of the public internet.

    Loopback, private, link-local, carrier-grade NAT, unique local, multicast, reserved and unspecified
    addresses are not public. An IPv6 address that embeds an IPv4 address (mapped, compatible, 6to4, NAT64)
    is judged by the IPv4 address, because its packets go there.

    >>> is_public("93.184.215.14"), is_public("127.0.0.1"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    try:
        parsed = ip_address(address.strip("[]"))
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        embedded = embedded_ipv4(parsed)
        if embedded is None:
            return _is_global(parsed) and not parsed.is_site_local
        parsed = embedded
    return _is_global(parsed)


def embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address embeds, or None."""
    if address in NAT64 or address in IPV4_COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


def _is_global(address: IPv4Address | IPv6Address) -> bool:
    # Python counts multicast groups, and some reserved IPv6 blocks, as global.
    return address.is_global and not (address.is_multicast or address.is_reserved)


# Addresses and names
# -------------------

BUCKETS = 1_024
_ENDPOINT = re.compile(r"(?:\[([^\]]+)\]|([^\[\]:]+))(?::(\d{1,5}))?", re.ASCII)


def is_address(text: str) -> bool:
    """Return whether the text is an IPv4 or IPv6 address, without brackets."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def address_and_port(text: str) -> tuple[str, int | None] | None:
    """Split `ADDRESS` or `ADDRESS:PORT`; None if the text is neither. An IPv6 address is in brackets.

    >>> address_and_port("[::1]:53"), address_and_port("127.0.0.1"), address_and_port("::1")
    (('::1', 53), ('127.0.0.1', None), None)
    """
    written = _ENDPOINT.fullmatch(text)
    if written is None:
        return None
    address, port = written[1] or written[2], int(written[3]) if written[3] else None
    return (address, port) if is_address(address) and (port is None or 0 < port < 65_536) else None


def is_ip_literal(host: str) -> bool:
    """Return whether the host of a URL is an IP address; IPv6 addresses are in brackets."""
    # A host that ends in a letter is a name. This check saves the full parse for most hosts.
    if not host or (host[-1] not in "]" and not host[-1].isdigit()):
        return False
    return is_address(host.strip("[]"))


@lru_cache(maxsize=1)
def _suffixes() -> Any:
    # Reading the list takes a tenth of a second, so it is read at the first use.
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()


@lru_cache(maxsize=65_536)
def registrable_domain(host: str) -> str:
    """Return the registrable domain of a host, by the public suffix list (publicsuffix.org).

    IP literals and names that are a public suffix are returned unchanged.

    >>> registrable_domain("news.bbc.co.uk")
    'bbc.co.uk'
    """
    if is_ip_literal(host):
        return host
    domain = _suffixes().privatesuffix(host)
    return str(domain) if domain else host


@lru_cache(maxsize=65_536)
def bucket(host: str) -> int:
    """Return the bucket of a host, 0 to 1,023.

    All hosts of a registrable domain have the same bucket. It never changes.
    """
    digest = blake2b(registrable_domain(host).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") % BUCKETS


# Parse `host:port:address` overrides
# -----------------------------------


@dataclass(frozen=True, slots=True)
class HostOverride:
    """The address at which to contact the hosts that match a pattern, instead of asking DNS."""

    pattern: str  # shell pattern with *, ? and [ab], in lower case
    address: str
    port: int | None = None  # None: the port of the URL

    @classmethod
    def parse(cls, text: str) -> HostOverride:
        """Parse `PATTERN=ADDRESS` or `PATTERN=ADDRESS:PORT`; an IPv6 address is in brackets.

        >>> HostOverride.parse("*.localhost=127.0.0.1:8808")
        HostOverride(pattern='*.localhost', address='127.0.0.1', port=8808)
        """
        pattern, _, target = text.strip().partition("=")
        endpoint = address_and_port(target)
        if not pattern or endpoint is None:
            raise BadSetting(
                f"cannot read the host override {text!r}: write PATTERN=ADDRESS or PATTERN=ADDRESS:PORT, "
                "with an IPv6 address in brackets"
            )
        return cls(pattern.lower(), *endpoint)

    def matches(self, host: str) -> bool:
        """Return whether the override applies to a host; it never applies to an IP literal."""
        return fnmatchcase(host.lower(), self.pattern) and not is_ip_literal(host)
