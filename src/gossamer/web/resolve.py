"""Which hosts did the owner give an address by hand?"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from ipaddress import ip_address

from gossamer.model import BadSetting
from gossamer.web.host import is_ip_literal


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
