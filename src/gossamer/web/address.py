"""May a stranger's link lead us to this IP address?"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

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
