"""Who are we to a host that wants to know? The owner's log-ins, one line each.

    "intranet.example.org basic anna env:INTRANET_PASSWORD"
    "*.api.example.org bearer file:~/.secrets/token"
    "wiki.example.org form https://wiki.example.org/login user=anna password=env:WIKI_PASSWORD"

Secrets are named, never written: `env:NAME` is a variable of the environment, `file:PATH` the first line of
a file. They are shown over https only, unless the line says `http://intranet.example.org`; a port other than
the usual one belongs to the host: `intranet.example.org:8443`.
"""

from __future__ import annotations

import os
import re
import shlex
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from gossamer.model import BadSetting, Url
from gossamer.web.url import canonical

_WHERE = re.compile(r"(?:(https?)://)?((?:\*\.)?[^\s/*?\[\]@]+\.[^\s/*?@]+|[^\s/*?.@]+)/?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a log-in is valid: https unless http is asked for, and a host, or all hosts below one."""

    scheme: str
    authority: str  # in lower case; may begin with "*."

    def holds(self, url: Url) -> bool:
        """Whether the URL is there."""
        return url.scheme == self.scheme and fnmatchcase(url.authority, self.authority)


@dataclass(frozen=True, slots=True)
class HeaderLogin:
    """A log-in that goes with every request (RFC 7617, RFC 6750)."""

    place: Place
    authorization: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class FormLogin:
    """A log-in by a form that is filled in before the first page; cookies do the rest."""

    place: Place
    page: Url
    fields: Mapping[str, str] = field(repr=False)


Login = HeaderLogin | FormLogin


def login_for(url: Url, logins: Sequence[Login]) -> Login | None:
    """The first log-in that is valid at the URL."""
    return next((login for login in logins if login.place.holds(url)), None)


def parse_login(line: str, environment: Mapping[str, str] = os.environ) -> Login:
    """Reads one line of the setting; `BadSetting`, without a word of any secret, when it cannot be read."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise _bad(line, str(error)) from None
    if len(words) < 3:
        raise _bad(line, "it is written PATTERN basic|bearer|form ...")
    place, kind, rest = _place(words[0], line), words[1].lower(), words[2:]
    if kind == "basic" and len(rest) == 2 and ":" not in rest[0]:
        pair = f"{rest[0]}:{_secret(rest[1], line, environment)}".encode()
        return HeaderLogin(place, f"Basic {b64encode(pair).decode('ascii')}")
    if kind == "bearer" and len(rest) == 1:
        return HeaderLogin(place, f"Bearer {_secret(rest[0], line, environment)}")
    if kind == "form":
        return FormLogin(place, _login_page(rest[0], place, line), _fields(rest[1:], line, environment))
    raise _bad(line, "it is written PATTERN basic USER SECRET, PATTERN bearer SECRET or PATTERN form URL ...")


def _place(text: str, line: str) -> Place:
    written = _WHERE.fullmatch(text)
    if written is None:
        raise _bad(line, f"{text!r} is no host; only all hosts below one can be meant: *.example.org")
    return Place((written[1] or "https").lower(), written[2].lower())


def _login_page(text: str, place: Place, line: str) -> Url:
    url = canonical(text)
    if url is None or url.scheme != place.scheme or url.authority != place.authority:
        raise _bad(line, f"the page of the form must be one of {place.scheme}://{place.authority}")
    return url


def _fields(words: Sequence[str], line: str, environment: Mapping[str, str]) -> dict[str, str]:
    pairs = [word.partition("=") for word in words]
    if not pairs or not all(name and equals for name, equals, _ in pairs):
        raise _bad(line, "after the page of the form come its fields, as NAME=VALUE")
    return {
        name: _secret(value, line, environment) if value.startswith(("env:", "file:")) else value
        for name, _, value in pairs
    }


def _secret(named: str, line: str, environment: Mapping[str, str]) -> str:
    kind, colon, name = named.partition(":")
    if not colon or kind not in {"env", "file"}:
        raise _bad(line, "a secret is named, never written: env:NAME or file:PATH")
    found = environment.get(name, "") if kind == "env" else _first_line(name, line)
    if not found or not found.isprintable():
        raise _bad(line, f"{named} is empty, not there, or more than a line of text")
    return found


def _first_line(path: str, line: str) -> str:
    try:
        with Path(path).expanduser().open(encoding="utf-8") as file:
            return file.readline().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise _bad(line, f"file:{path} cannot be read ({error})") from None


def _bad(line: str, why: str) -> BadSetting:
    # The line's end may hold a secret that was written there by mistake.
    return BadSetting(f"cannot read the log-in {' '.join(line.split()[:2])!r}: {why}")
