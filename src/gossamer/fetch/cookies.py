"""Which cookies does a host get back? (RFC 6265, narrowed)

A cookie goes to the very host that set it and to no other, whatever domain it names, and one that came over
https never goes over http. Cookies live in memory, as long as the crawl.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from gossamer.model import Url

MOST_HOSTS = 10_000
MOST_PER_HOST = 50  # RFC 6265, section 6.1
MOST_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Cookie:
    """One cookie of a host."""

    name: str
    value: str = field(repr=False)
    path: str
    secure: bool
    expires: float  # seconds since 1970

    def suits(self, url: Url, now: float) -> bool:
        """Whether it is sent to a URL of its host (section 5.4)."""
        if now >= self.expires or (self.secure and url.scheme != "https"):
            return False
        path = url.path.partition("?")[0]
        return path == self.path or path.startswith(self.path if self.path[-1] == "/" else self.path + "/")


class CookieJar:
    """Cookies by host; of hosts and of a host's cookies those set longest ago make room for new ones."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._hosts: OrderedDict[str, OrderedDict[tuple[str, str], Cookie]] = OrderedDict()

    def header(self, url: Url) -> str:
        """What to send in the header Cookie, "" for none; longer paths go first."""
        now = self._clock()
        suiting = [cookie for cookie in self._hosts.get(url.host, {}).values() if cookie.suits(url, now)]
        suiting.sort(key=lambda cookie: -len(cookie.path))
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in suiting)

    def take(self, url: Url, headers: Iterable[tuple[str, str]]) -> None:
        """Keeps what the answer of a URL sets; a cookie that has expired is forgotten."""
        for name, value in headers:
            if name.lower() == "set-cookie":
                cookie = parse_cookie(value, url, self._clock())
                if cookie is not None:
                    self._set(url.host, cookie)

    def forget(self, host: str) -> None:
        """Drops all cookies of a host."""
        self._hosts.pop(host, None)

    def _set(self, host: str, cookie: Cookie) -> None:
        kept = self._hosts.setdefault(host, OrderedDict())
        self._hosts.move_to_end(host)
        kept.pop((cookie.name, cookie.path), None)
        if cookie.expires > self._clock():
            kept[cookie.name, cookie.path] = cookie
        if len(kept) > MOST_PER_HOST:
            kept.popitem(last=False)
        if len(self._hosts) > MOST_HOSTS:
            self._hosts.popitem(last=False)


def parse_cookie(text: str, url: Url, now: float) -> Cookie | None:
    """The cookie in a header Set-Cookie (section 5.2), None when it may not be kept."""
    pair, _, rest = text.partition(";")
    name, equals, value = (part.strip() for part in pair.partition("="))
    if not (name and equals) or len(pair) > MOST_BYTES or not pair.isprintable():
        return None
    attributes = _attributes(rest)
    domain = attributes.get("domain", "").lower().removeprefix(".")
    if domain and url.host != domain and not url.host.endswith(f".{domain}"):
        return None
    path = attributes.get("path", "")
    secure = "secure" in attributes or url.scheme == "https"
    expires = _expires(attributes, now)
    return Cookie(name, value, path if path.startswith("/") else default_path(url), secure, expires)


def default_path(url: Url) -> str:
    """The folder of a URL, where a cookie holds that names no path (section 5.1.4).

    >>> from gossamer.web.url import canonical
    >>> default_path(canonical("http://a.test/x/y?z")), default_path(canonical("http://a.test/x"))
    ('/x', '/')
    """
    return url.path.partition("?")[0].rpartition("/")[0] or "/"


def _attributes(text: str) -> dict[str, str]:
    pairs = (piece.partition("=") for piece in text.split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _expires(attributes: dict[str, str], now: float) -> float:
    """When a cookie ends; one that does not say lasts as long as we do."""
    seconds = attributes.get("max-age", "")
    if seconds.isascii() and seconds.removeprefix("-").isdigit():
        return now + min(int(seconds[:12]), 10**10)
    try:
        return parsedate_to_datetime(attributes.get("expires", "")).timestamp()
    except (ValueError, OverflowError, OSError):
        return float("inf")
