"""Log-ins, cookies, login forms.

"intranet.example.org basic anna env:INTRANET_PASSWORD"
    "*.api.example.org bearer file:~/.secrets/token"
    "wiki.example.org form https://wiki.example.org/login user=anna password=env:WIKI_PASSWORD"

Secrets are named, never written: `env:NAME` is a variable of the environment, `file:PATH` the first line of
a file. They are shown over https only, unless the line says `http://intranet.example.org`; a port other than
the usual one belongs to the host: `intranet.example.org:8443`.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import time
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from fnmatch import fnmatchcase
from html import unescape
from pathlib import Path

from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.crawl.fetch.transport import Transport
from gossamer.model import BadSetting, Failure, FetchResult, Url
from gossamer.web.url import canonical

# Cookie jar
# ----------
#
# A cookie goes to the very host that set it and to no other, whatever domain it names, and one that
# came over https never goes over http. Cookies live in memory, as long as the crawl.

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
    pieces = (piece.partition("=") for piece in rest.split(";"))
    attributes = {attribute.strip().lower(): told.strip() for attribute, _, told in pieces}
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


def _expires(attributes: dict[str, str], now: float) -> float:
    """When a cookie ends; one that does not say lasts as long as we do."""
    seconds = attributes.get("max-age", "")
    if seconds.isascii() and seconds.removeprefix("-").isdigit():
        return now + min(int(seconds[:12]), 10**10)
    try:
        return parsedate_to_datetime(attributes.get("expires", "")).timestamp()
    except (ValueError, OverflowError, OSError):
        return float("inf")


# Fill in login forms
# -------------------
#
# The page is not parsed but scanned for the few tags that forms are made of. The expressions give
# nothing back once they have taken it, so the time grows with the length of a page, whatever is
# written on it.


# What is no markup, then a tag; each ends with the page if nothing else ends it.
_TAG = re.compile(
    r"<!--(?s:.*?)(?:-->|\Z)"
    r"|<(?P<raw>script|style|title|textarea)\b(?P<rest>(?:\"[^\"]*+\"?+|'[^']*+'?+|[^\"'>])*+)>?+"
    r"(?s:.*?)(?:</(?P=raw)|\Z)"
    r"|<(?P<name>/?+[a-z][^\s/>]*+)(?P<attributes>(?:\"[^\"]*+\"?+|'[^']*+'?+|[^\"'>])*+)>?+",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"([^\s/=]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"?+|'([^']*+)'?+|([^\s\"']++)))?+")
_WRITTEN = re.compile(r"[^<]*+")


@dataclass(frozen=True, slots=True)
class FilledForm:
    """Where a form goes, and what with."""

    action: Url
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    attributes: Mapping[str, str]
    text: str = ""  # what stands behind it, up to the next tag

    @property
    def kind(self) -> str:
        return self.attributes.get("type", "").lower()


@dataclass(slots=True)
class _Form:
    attributes: Mapping[str, str]
    fields: list[tuple[_Tag, list[_Tag]]] = field(default_factory=list)  # a select with its options


def has_password(page: bytes) -> bool:
    """Whether a page asks for a password."""
    return any(tag.kind == "password" for form in _forms(page) for tag, _ in form.fields)


def filled_in(page: bytes, url: Url, fields: Mapping[str, str]) -> FilledForm | None:
    """The form of a page that has the owner's fields, with what a browser would send along.

    None when there is none, or when it would be sent to another origin than its page: whoever can put such
    a form on a page must not get the password.
    """
    for form in _forms(page):
        values = _values(form)
        method = form.attributes.get("method", "get").lower()
        if method != "post" or not fields.keys() <= values.keys():
            continue
        action = canonical(form.attributes.get("action") or url.text, url)
        if action is not None and action.origin == url.origin:
            sent = {name: value for name, value in values.items() if value is not None}
            return FilledForm(action, {**sent, **fields})
    return None


def _tags(page: bytes) -> Iterator[_Tag]:
    text = page.decode("utf-8", "replace")
    for found in _TAG.finditer(text):
        name = found["raw"] or found["name"]
        if name:
            written = _WRITTEN.match(text, found.end())
            behind = written[0] if written and name.lower() == "option" else ""
            yield _Tag(name.lower(), _tag_attributes(found["rest"] or found["attributes"] or ""), behind)


def _tag_attributes(text: str) -> dict[str, str]:
    """The attributes of a tag; of two with one name the first counts, as in browsers."""
    found: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(text):
        found.setdefault(name.lower(), unescape("".join(values)))
    return found


def _forms(page: bytes) -> list[_Form]:
    """The forms of a page with their fields; a form within a form is none, as in browsers."""
    found: list[_Form] = []
    is_open = False
    for tag in _tags(page):
        if tag.name == "form" and not is_open:
            found.append(_Form(tag.attributes))
            is_open = True
        elif tag.name == "/form":
            is_open = False
        elif is_open and tag.name in {"input", "button", "select", "textarea"}:
            found[-1].fields.append((tag, []))
        elif is_open and tag.name == "option" and found[-1].fields:
            found[-1].fields[-1][1].append(tag)
    return found


def _values(form: _Form) -> dict[str, str | None]:
    """The fields of a form by name; None for what a browser would not send as it stands."""
    found: dict[str, str | None] = {}
    has_button = False
    for tag, options in form.fields:
        name = tag.attributes.get("name", "")
        if not name:
            continue
        value: str | None = tag.attributes.get("value", "")
        if tag.kind in {"submit", "image"} or (tag.name == "button" and tag.kind != "button"):
            value, has_button = (None if has_button else value), True
        elif tag.kind in {"checkbox", "radio"}:
            value = (value or "on") if "checked" in tag.attributes else found.get(name)
        elif tag.kind in {"button", "reset", "file"}:
            value = None
        elif tag.name == "select":
            value = _chosen(options)
        found[name] = value
    return found


def _chosen(options: list[_Tag]) -> str | None:
    selected = [option for option in options if "selected" in option.attributes] or options
    if not selected:
        return None
    value = selected[0].attributes.get("value")
    return unescape(selected[0].text).strip() if value is None else value


_WHERE = re.compile(r"(?:(https?)://)?((?:\*\.)?[^\s/*?\[\]@]+\.[^\s/*?@]+|[^\s/*?.@]+)/?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LoginScope:
    """Where a log-in is valid: https unless http is asked for, and a host, or all hosts below one."""

    scheme: str
    authority: str  # in lower case; may begin with "*."

    def holds(self, url: Url) -> bool:
        """Whether the URL is there."""
        return url.scheme == self.scheme and fnmatchcase(url.authority, self.authority)


@dataclass(frozen=True, slots=True)
class HeaderLogin:
    """A log-in that goes with every request (RFC 7617, RFC 6750)."""

    place: LoginScope
    authorization: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class FormLogin:
    """A log-in by a form that is filled in before the first page; cookies do the rest."""

    place: LoginScope
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


_UNREAD: Mapping[str, str] = {}  # in place of the environment: secrets are not read


def check_login(line: str) -> None:
    """Raises BadSetting where a line of the setting cannot be read; its secrets need not be there."""
    parse_login(line, _UNREAD)


def _place(text: str, line: str) -> LoginScope:
    written = _WHERE.fullmatch(text)
    if written is None:
        raise _bad(line, f"{text!r} is no host; only all hosts below one can be meant: *.example.org")
    return LoginScope((written[1] or "https").lower(), written[2].lower())


def _login_page(text: str, place: LoginScope, line: str) -> Url:
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
    if environment is _UNREAD:
        return named
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


# Transport with log-ins and cookies
# ----------------------------------
#
# Hosts with a log-in get it, and only they; cookies go back to the hosts that the owner listed, and
# to those with a log-in by form. Since redirects are never followed below here, a redirect to another
# origin is a new request, and takes no credentials with it.

MOST_REDIRECTS = 3  # on the way to the log-in page
AGAIN_AFTER = 60.0  # seconds before a log-in that did not help is tried again
MAX_BYTES = 2_000_000


class SessionTransport:
    """A `Client` that is known to some hosts."""

    def __init__(self, transport: Transport, settings: FetchSettings) -> None:
        self._transport = transport
        self._logins = [parse_login(line) for line in settings.logins]
        self._cookie_hosts = [pattern.strip().lower() for pattern in settings.cookies]
        self._jar = CookieJar()
        self._doors = {login.page: _LoginAttempts() for login in self._logins if isinstance(login, FormLogin)}

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Asks as somebody the host knows; see `Transport`."""
        login = login_for(url, self._logins)
        if isinstance(login, FormLogin):
            return await self._as_member(login, url, headers, max_bytes)
        if isinstance(login, HeaderLogin):
            headers = {**headers, "Authorization": login.authorization}
        return await self._with_cookies(url, headers, max_bytes)

    async def post(
        self, url: Url, headers: Mapping[str, str], form: Mapping[str, str], max_bytes: int
    ) -> FetchResult:
        """Sends a form, with the cookies of its host; see `Transport`."""
        return await self._with_cookies(url, headers, max_bytes, form)

    async def _with_cookies(
        self, url: Url, headers: Mapping[str, str], max_bytes: int, form: Mapping[str, str] | None = None
    ) -> FetchResult:
        keeps = self._keeps_cookies(url)
        if keeps and (cookies := self._jar.header(url)):
            headers = {**headers, "Cookie": cookies}
        if form is None:
            result = await self._transport.get(url, headers, max_bytes)
        else:
            result = await self._transport.post(url, headers, form, max_bytes)
        if not keeps:
            return result
        self._jar.take(url, result.headers)
        # A session's cookie is as good as its password: it must not get into the page store.
        return replace(result, headers=tuple(one for one in result.headers if one[0].lower() != "set-cookie"))

    def _keeps_cookies(self, url: Url) -> bool:
        if isinstance(login_for(url, self._logins), FormLogin):
            return True
        return any(fnmatchcase(url.host, pattern) for pattern in self._cookie_hosts)

    async def _as_member(
        self, login: FormLogin, url: Url, headers: Mapping[str, str], max_bytes: int
    ) -> FetchResult:
        """Asks after having logged in, and logs in again when the host has forgotten us."""
        door = self._doors[login.page]
        problem = "" if door.opened else await self._log_in(login, headers, door, 0)
        if problem:
            return _shut(url, problem)
        seen = door.opened
        result = await self._with_cookies(url, headers, max_bytes)
        is_asked_to = _leads_to(result, login.page) and _path(url) != _path(login.page)
        if not is_asked_to or time.monotonic() < door.again_at:
            return result
        problem = await self._log_in(login, headers, door, seen)
        if problem:
            return _shut(url, problem)
        result = await self._with_cookies(url, headers, max_bytes)
        if _leads_to(result, login.page):  # it was not the log-in that was missing
            door.again_at = time.monotonic() + AGAIN_AFTER
        return result

    async def _log_in(
        self, login: FormLogin, headers: Mapping[str, str], door: _LoginAttempts, seen: int
    ) -> str:
        """Opens the door unless somebody else did since it was last `seen` open; why it stays shut, or ""."""
        async with door.lock:
            if door.opened != seen or time.monotonic() < door.again_at:
                return door.problem
            self._jar.forget(login.page.host)
            door.problem = await self._fill_in(login, headers)
            if door.problem:
                door.again_at = time.monotonic() + AGAIN_AFTER
            else:
                door.opened += 1
            return door.problem

    async def _fill_in(self, login: FormLogin, headers: Mapping[str, str]) -> str:
        page = await self._login_page(login, headers)
        if not page.is_success:
            return f"the log-in page {login.page} answered {page.failure or page.status}"
        form = filled_in(page.body, page.url, login.fields)
        if form is None:
            wanted = ", ".join(login.fields)
            return f"{page.url} has no form with the fields {wanted} that goes to its own origin"
        answer = await self.post(form.action, headers, form.values, MAX_BYTES)
        if answer.failure or answer.status >= 400:
            return f"the log-in at {form.action} answered {answer.failure or answer.status}"
        if _leads_to(answer, login.page) or (answer.is_success and has_password(answer.body)):
            return f"{form.action} does not accept the log-in"
        return ""

    async def _login_page(self, login: FormLogin, headers: Mapping[str, str]) -> FetchResult:
        result = await self._with_cookies(login.page, headers, MAX_BYTES)
        for _ in range(MOST_REDIRECTS):
            target = canonical(result.header("location"), result.url) if result.is_redirect else None
            if target is None or target.origin != login.page.origin:
                break
            result = await self._with_cookies(target, headers, MAX_BYTES)
        return result


@dataclass(slots=True)
class _LoginAttempts:
    """How often a form let us in, and when it may be tried again."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    opened: int = 0
    again_at: float = 0.0
    problem: str = ""


def _shut(url: Url, problem: str) -> FetchResult:
    return FetchResult(url, time.time(), failure=Failure.LOGIN, detail=problem)


def _leads_to(result: FetchResult, page: Url) -> bool:
    """Whether an answer sends us to that page, whatever it adds to its address."""
    if not result.is_redirect:
        return False
    target = canonical(result.header("location"), result.url)
    return target is not None and target.origin == page.origin and _path(target) == _path(page)


def _path(url: Url) -> str:
    return url.path.partition("?")[0]
