"""Settings of [fetch]: timeouts, size limits, user agent."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """How a server is asked, and how long and how much is waited for."""

    user_agent: str = setting(
        "Gossamer/0.1 (web search crawler; obeys robots.txt)",
        "How the crawler introduces itself; the word before the slash is what robots.txt files call it. "
        "Put an address in it where you can be reached.",
    )
    accept_language: str = setting(
        "en;q=0.8, *;q=0.5", "Languages asked of servers that offer several, as in the HTTP header."
    )
    connect_timeout: float = setting(
        10.0, "Seconds to wait for a connection, the name look-up included.", least=0.1
    )
    read_timeout: float = setting(20.0, "Seconds to wait for the next bytes of an answer.", least=0.1)
    total_timeout: float = setting(60.0, "Seconds that a whole exchange may take.", least=0.1)
    min_bytes_per_second: int = setting(
        100,
        "Bytes a second below which an answer is given up, once it has been coming in for `read_timeout`.",
        least=0,
    )
    max_bytes: int = setting(10_000_000, "Bytes of a page that are kept; the rest is cut off.", least=1000)
    allow_private: bool = setting(
        False, "Whether addresses of private networks and of this machine may be asked."
    )
    host_overrides: list[str] = setting(
        [],
        "Addresses of hosts given by hand, as PATTERN=ADDRESS or PATTERN=ADDRESS:PORT; the first that "
        "matches counts, and it may be private.",
    )
    name_servers: list[str] = setting(
        [], "Name servers to ask, as ADDRESS or ADDRESS:PORT; none means those of the system."
    )
    dns_timeout: float = setting(5.0, "Seconds that the look-up of a name may take.", least=0.1)
    dns_least_ttl: float = setting(
        60.0, "Seconds that the address of a name is kept at least, whatever its server says.", least=0.0
    )
    dns_most_ttl: float = setting(
        86_400.0, "Seconds that the address of a name is kept at most, whatever its server says.", least=1.0
    )
    dns_negative_ttl: float = setting(
        60.0, "Seconds for which a name that could not be looked up is not looked up again.", least=0.0
    )
    cookies: list[str] = setting(
        [], "Hosts, as patterns such as *.example.org, whose cookies are sent back to them; others get none."
    )
    logins: list[str] = setting(
        [],
        "Hosts that want a log-in, as PATTERN basic USER SECRET, PATTERN bearer SECRET or "
        "PATTERN form LOGIN-URL FIELD=VALUE ... FIELD=SECRET. A SECRET is named, never written here: "
        "env:NAME is a variable of the environment, file:PATH the first line of a file.",
    )
