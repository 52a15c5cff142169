"""What the owner can decide about serving: who may ask how much, what is kept, what visitors may send."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """The `[serve]` section."""

    rate: float = setting(
        20.0,
        "Requests a second that one address may make in the long run; 0 for any number. Addresses of this "
        "machine are not counted.",
        least=0,
    )
    burst: int = setting(100, "Requests that an address may make at once before its rate counts.", least=1)
    timeout: float = setting(
        10.0, "Seconds after which a request that is not answered is given up with an error.", least=0.01
    )
    concurrent: int = setting(
        200, "Requests that may be on their way at once; further ones are asked to come back.", least=1
    )
    hosts: list[str] = setting(
        [],
        "Names by which this server may be asked, without ports: search.example.org, or *.example.org for "
        "all names below. Names of loopback, IP addresses of this machine and the name of --host need no "
        "entry. List the public name behind a proxy. * allows any name, by which a page on the web can read "
        "the collection (DNS rebinding): use it only where something in front checks names.",
    )
    trusted_proxies: list[str] = setting(
        [],
        "Addresses or networks of proxies before this server, such as 127.0.0.1 or 10.0.0.0/8: what they say "
        "of a visitor's address is believed.",
    )
    cors: list[str] = setting(
        [],
        "Origins such as https://example.org whose pages may read the API in a visitor's browser; * for all.",
    )
    locate: bool = setting(
        True,
        "Whether the country of a visitor is found out, by the address database or the browser's languages, "
        "so that pages of that country count a little more for them.",
    )
    address_database: str = setting(
        "",
        "A file in the MaxMind DB format (.mmdb) that knows the countries of addresses; from the "
        "collection's folder, where it is no whole path.",
    )
    query_log: bool = setting(
        False,
        "Whether queries are counted, without who asked them: for suggestions, and for you.",
    )
    query_log_mb: int = setting(
        4, "Size in megabytes beyond which the rarest queries are forgotten.", least=1, most=1000
    )
    owner: bool = setting(
        True, "Whether there are pages for you below /owner, behind the token in the file owner/token."
    )
    submissions: bool = setting(False, "Whether visitors may submit sites, which then wait for you.")
    reports: bool = setting(False, "Whether visitors may report results, which then wait for you.")
