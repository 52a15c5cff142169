"""Settings of [fetch]: timeouts, size limits, user agent."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """The `[fetch]` section: request headers, time limits, size limits, DNS and log-ins."""

    user_agent: str = setting(
        "Gossamer/0.1 (web search crawler; obeys robots.txt)",
        "User-Agent header of all requests. The word before the slash is the crawler's name in robots.txt "
        "files. Add a URL or an e-mail address at which you can be reached.",
    )
    accept_language: str = setting(
        "en;q=0.8, *;q=0.5",
        "Accept-Language header of all requests. Servers that offer several languages choose by it.",
    )
    connect_timeout: float = setting(
        10.0, "Seconds to wait for a connection, including the DNS lookup; at least 0.1.", least=0.1
    )
    read_timeout: float = setting(
        20.0, "Seconds to wait for the next bytes of a response; at least 0.1.", least=0.1
    )
    total_timeout: float = setting(
        60.0, "Seconds that a request and its whole response may take; at least 0.1.", least=0.1
    )
    min_bytes_per_second: int = setting(
        100,
        "Lowest average rate of a response in bytes per second; 0 means no limit. It applies "
        "once the response has taken `read_timeout` seconds; a slower one is abandoned.",
        least=0,
        formerly="least_rate",
    )
    max_bytes: int = setting(
        10_000_000, "Number of bytes of a page that are kept, at least 1000. The rest is cut off.", least=1000
    )
    allow_private: bool = setting(
        False,
        "Whether to fetch from private networks and from this machine. Turn it on to crawl an intranet.",
    )
    host_overrides: list[str] = setting(
        [],
        "IP addresses to use for some hosts instead of asking DNS, as PATTERN=ADDRESS or "
        "PATTERN=ADDRESS:PORT. The first pattern that matches counts. The address may be private.",
        formerly="resolve",
    )
    name_servers: list[str] = setting(
        [], "DNS servers to ask, as ADDRESS or ADDRESS:PORT. An empty list means the servers of the system."
    )
    dns_timeout: float = setting(5.0, "Seconds that a DNS lookup may take; at least 0.1.", least=0.1)
    dns_least_ttl: float = setting(
        60.0,
        "Shortest time that an IP address is cached, in seconds, even if its DNS record expires earlier.",
        least=0.0,
    )
    dns_most_ttl: float = setting(
        86_400.0,
        "Longest time that an IP address is cached, in seconds, even if its DNS record is valid for "
        "longer. At least 1.",
        least=1.0,
    )
    dns_negative_ttl: float = setting(
        60.0, "Seconds for which a failed DNS lookup is cached.", least=0.0, formerly="dns_unknown_ttl"
    )
    cookies: list[str] = setting(
        [], "Patterns of hosts, such as *.example.org, that get their cookies back. Other hosts get none."
    )
    logins: list[str] = setting(
        [],
        "Hosts that need a log-in, as PATTERN basic USER SECRET, PATTERN bearer SECRET or PATTERN form "
        "LOGIN-URL FIELD=VALUE ... FIELD=SECRET. A SECRET is a reference: env:NAME for an environment "
        "variable, file:PATH for the first line of a file.",
    )
