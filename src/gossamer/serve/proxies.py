"""Which proxies tell the truth about a visitor's address?"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from gossamer.model import BadSetting


def checked_proxies(proxies: Sequence[str]) -> list[str]:
    """The addresses and networks of proxies that are trusted.

    >>> checked_proxies(["127.0.0.1", "10.0.0.0/8"])
    ['127.0.0.1', '10.0.0.0/8']
    """
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError as error:
            raise BadSetting(f"[serve] trusted_proxies: {error}; write 127.0.0.1 or 10.0.0.0/8") from None
    return list(proxies)
