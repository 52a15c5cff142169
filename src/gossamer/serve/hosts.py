"""Refuses requests for a host that is none of this server's.

A page on the web can give its own name the address of this machine (DNS rebinding). The browser then takes
this server for the page's own and lets the page read every answer. Only the header Host tells: it still holds
the page's name. Answered are therefore the names of loopback and those that the owner lists. An IP address in
Host came from no name service, so that it cannot be rebound: that of the connection itself is answered, which
is the machine's own, whatever address the server listens on.

What X-Forwarded-Host says is never believed, because every visitor can write it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from gossamer.model import BadSetting
from gossamer.serve.limits import Answer
from gossamer.serve.problems import Problem
from gossamer.web.url import canonical

ANY = "*"
LOOPBACK = "localhost"
AUTHORITY = "gossamer.authority"  # in a scope: the host that an absolute request target names
LONGEST = 300  # bytes of the header: a name has 253 characters at most
REMEMBERED = 1_024  # hosts that were asked for, and what became of them

_SENT = re.compile(rb"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")
_LISTED = re.compile(r"[^\s/?#@:%\\*\[\]]+|\[?[0-9A-Fa-f:.]+\]?")


class Hosts:
    """The application, for requests that name one of its hosts, which are `checked_hosts`."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str], answer: Answer) -> None:
        self._app = app
        self._answer = answer
        self._answers_any = ANY in hosts
        self._names = frozenset([LOOPBACK, *hosts])
        self._below = tuple(name[1:] for name in (f"*.{LOOPBACK}", *hosts) if name.startswith("*."))
        self._judged = lru_cache(REMEMBERED)(self._judge)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = self._problem(scope) if scope["type"] == "http" else None
        if problem is None:
            await self._app(scope, receive, send)
        else:
            await self._answer(Request(scope), problem)(scope, receive, send)

    def _problem(self, scope: Scope) -> Problem | None:
        """Why a request is refused: it has one header Host (RFC 9112, 3.2), or in HTTP/1.0 perhaps none."""
        sent = [value for name, value in scope["headers"] if name == b"host"]
        authority = scope.get(AUTHORITY)
        if authority is not None and [authority.lower()] != [value.lower() for value in sent]:
            return _malformed("the request line and the header Host name different hosts")
        if not sent and scope.get("http_version") == "1.0":
            return None
        if len(sent) != 1:
            return _malformed(f"a request has one header Host, and this one has {len(sent)}")
        if len(sent[0]) > LONGEST:
            return _malformed("the header Host names no host")
        server = scope.get("server")
        return self._judged(sent[0], str(server[0]) if server else "")

    def _judge(self, sent: bytes, local: str) -> Problem | None:
        """What is wrong with a Host that came in by this local address."""
        written = _SENT.fullmatch(sent.strip(b" \t"))
        name = _name(written[1].decode()) if written else ""
        if not name:
            return _malformed("the header Host names no host")
        return None if self._is_answered(name, local) else _unknown(name)

    def _is_answered(self, name: str, local: str) -> bool:
        if self._answers_any or name in self._names or name.endswith(self._below):
            return True
        address = _address(name)
        return address is not None and (address.is_loopback or address == _address(local))


def checked_hosts(hosts: Sequence[str]) -> list[str]:
    """The hosts of the setting, as they are compared.

    >>> checked_hosts(["Search.Example.org", "*.bücher.example", "::1"])
    ['search.example.org', '*.xn--bcher-kva.example', '[::1]']
    """
    return [host if host == ANY else _checked(host) for host in hosts]


def _checked(host: str) -> str:
    below = "*." if host.startswith("*.") else ""
    bare = host.removeprefix("*.")
    name = _name(bare) if _LISTED.fullmatch(bare) else ""
    if not name:
        raise BadSetting(
            f"[serve] hosts: {host!r} is no host; write search.example.org, without a port, *.example.org "
            "for all names below it, or * for any"
        )
    return below + name


def _name(host: str) -> str:
    """A host as browsers write it; "" for what is none."""
    url = canonical(f"http://[{host}]/" if ":" in host and not host.startswith("[") else f"http://{host}/")
    return url.host if url else ""


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """The IP address that a host is; None for a name."""
    try:
        address = ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _malformed(message: str) -> Problem:
    return Problem(400, "bad_request", message)


def _unknown(name: str) -> Problem:
    """421, Misdirected Request: it can be read, but this server does not speak for that host (RFC 9110)."""
    line = f'hosts = ["{name}"]'
    return Problem(
        421,
        "unknown_host",
        f"this server does not answer to the host {name}; where it should, add the host to the setting "
        f"serve.hosts, in [serve] of gossamer.toml: {line}",
        remedy=line,
    )
