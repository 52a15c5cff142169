"""What is there to say of an IP address or a network?"""

from __future__ import annotations

import ipaddress
import re

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context

_LOOKS = re.compile(
    r"(?:ip(?: address)?:? )?((?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2})?|(?=.*:.*:)[0-9a-f:.]{2,45}(?:/\d{1,3})?)"
)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def internet(asked: Asked, context: Context) -> InstantAnswer | None:
    """The kind of an address, or how large a network is."""
    match = _LOOKS.fullmatch(asked.text)
    if match is None:
        return None
    try:
        if "/" in match[1]:
            return _network(ipaddress.ip_network(match[1], strict=False))
        return _address(ipaddress.ip_address(match[1]), context)
    except ValueError:
        return None


def _address(address: Address, context: Context) -> InstantAnswer:
    kind = _kind(address)
    link = context.link("ip", str(address)) if address.is_global else ""
    full = address.exploded if address.version == 6 else f"as a number: {int(address):,}"
    return InstantAnswer("ip", f"address {address}", f"IPv{address.version}, {kind}", full, link)


def _kind(address: Address) -> str:
    kinds = (
        (address.is_unspecified, "no address at all"),
        (address.is_loopback, "this machine itself"),
        (address.is_link_local, "of one link only"),
        (address.is_multicast, "multicast"),
        (address.is_private, "private or reserved"),
        (address.is_global, "public"),
    )
    return next((name for holds, name in kinds if holds), "reserved")


def _network(network: Network) -> InstantAnswer:
    count = network.num_addresses
    said = f"{count:,} addresses" if count < 10**15 else f"2^{count.bit_length() - 1} addresses"
    detail = f"from {network.network_address} to {network.broadcast_address}"
    return InstantAnswer("ip", f"network {network}", "1 address" if count == 1 else said, detail)
