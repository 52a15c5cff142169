"""Registrable domain, partition bucket, public IP check, host overrides."""

from __future__ import annotations

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
    """Whether the address is one of the public internet; what is no address at all is not.

    Loopback, private, link-local, carrier-grade NAT, unique local, multicast, reserved and unspecified
    addresses are not. An IPv6 address that carries an IPv4 address (mapped, compatible, 6to4, NAT64) is
    judged by that one, for packets to it end there.

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
    """The IPv4 address inside an IPv6 address, when its kind has one."""
    if address in NAT64 or address in IPV4_COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


def _is_global(address: IPv4Address | IPv6Address) -> bool:
    # Python counts multicast groups, and some reserved IPv6 blocks, as global.
    return address.is_global and not (address.is_multicast or address.is_reserved)


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


# Parse `host:port:address` overrides
# -----------------------------------


@dataclass(frozen=True, slots=True)
class HostOverride:
    """Hosts whose names match a pattern are asked at this address, whatever the name service says."""

    pattern: str  # as in a shell: * and ? and [ab], in lower case
    address: str
    port: int | None = None  # None: the port of the URL

    @classmethod
    def parse(cls, text: str) -> HostOverride:
        """Reads `PATTERN=ADDR[:PORT]`; an IPv6 address stands in brackets.

        >>> HostOverride.parse("*.localhost=127.0.0.1:8808")
        HostOverride(pattern='*.localhost', address='127.0.0.1', port=8808)
        """
        pattern, equals, target = text.strip().partition("=")
        if not (pattern and equals and target):
            raise _bad(text, "it is written PATTERN=ADDRESS or PATTERN=ADDRESS:PORT")
        address, port = _address_and_port(target, text)
        return cls(pattern.lower(), address, port)

    def matches(self, host: str) -> bool:
        """Whether the host is meant. Only names are: an IP literal already says where it leads."""
        return fnmatchcase(host.lower(), self.pattern) and not is_ip_literal(host)


def _address_and_port(target: str, text: str) -> tuple[str, int | None]:
    if target.startswith("["):
        address, bracket, rest = target[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise _bad(text, "an IPv6 address is written [ADDRESS] or [ADDRESS]:PORT")
    else:
        address, colon, digits = target.partition(":")
        rest = colon + digits
    try:
        ip_address(address)
    except ValueError:
        raise _bad(text, f"{target!r} does not begin with an IP address; IPv6 stands in brackets") from None
    return address, _port(rest[1:], text) if rest else None


def _port(digits: str, text: str) -> int:
    if not (digits.isascii() and digits.isdigit() and 0 < int(digits) < 65_536):
        raise _bad(text, f"{digits!r} is no port")
    return int(digits)


def _bad(text: str, why: str) -> BadSetting:
    return BadSetting(f"cannot read the host override {text!r}: {why}")
