"""Log-ins by header or form, and cookies.

The setting `logins` is a list of log-ins, such as:

    intranet.example.org basic anna env:INTRANET_PASSWORD
    *.api.example.org bearer file:~/.secrets/token
    wiki.example.org form https://wiki.example.org/login user=anna password=env:WIKI_PASSWORD

A secret is given by reference: `env:NAME` is an environment variable, `file:PATH` the first line of a file.
Secrets are sent over https only, unless the line says `http://intranet.example.org`. A port other than the
default is part of the host: `intranet.example.org:8443`.
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
from gossamer.web.url import canonical, redirect_target

# Cookie jar
# ----------
#
# A cookie is sent only to the host that set it, whatever its Domain attribute says. A cookie received
# over https is never sent over http. Cookies are kept in memory until the crawl ends.

MOST_HOSTS = 10_000
MOST_PER_HOST = 50  # RFC 6265, section 6.1
MOST_BYTES = 4_096  # of name and value


@dataclass(frozen=True, slots=True)
class Cookie:
    """One cookie of a host."""

    name: str
    value: str = field(repr=False)
    path: str
    secure: bool
    expires: float  # seconds since 1970

    def suits(self, url: Url, now: float) -> bool:
        """Return whether the cookie is sent to a URL of its host (RFC 6265, section 5.4)."""
        if now >= self.expires or (self.secure and url.scheme != "https"):
            return False
        path = url.path.partition("?")[0]
        return path == self.path or path.startswith(self.path if self.path[-1] == "/" else self.path + "/")


class CookieJar:
    """Cookies by host. Above the limits, the least recently set cookie or host is dropped."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._hosts: OrderedDict[str, OrderedDict[tuple[str, str], Cookie]] = OrderedDict()

    def header(self, url: Url) -> str:
        """Return the value of the Cookie header, longer paths first; "" for no cookies."""
        now = self._clock()
        suiting = [cookie for cookie in self._hosts.get(url.host, {}).values() if cookie.suits(url, now)]
        suiting.sort(key=lambda cookie: -len(cookie.path))
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in suiting)

    def take(self, url: Url, headers: Iterable[tuple[str, str]]) -> None:
        """Keep the cookies that a response sets; a cookie that has expired is removed."""
        for name, value in headers:
            if name.lower() == "set-cookie":
                cookie = parse_cookie(value, url, self._clock())
                if cookie is not None:
                    self._set(url.host, cookie)

    def forget(self, host: str) -> None:
        """Drop all cookies of a host."""
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
    """Parse a Set-Cookie header (RFC 6265, section 5.2); None if the cookie is rejected."""
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
    """Return the folder of a URL, the default path of its cookies (RFC 6265, section 5.1.4).

    >>> from gossamer.web.url import canonical
    >>> default_path(canonical("http://a.test/x/y?z")), default_path(canonical("http://a.test/x"))
    ('/x', '/')
    """
    return url.path.partition("?")[0].rpartition("/")[0] or "/"


def _expires(attributes: dict[str, str], now: float) -> float:
    """Return when a cookie expires; infinity if it does not say."""
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
# The page is not parsed but scanned for the few tags of forms. The regular expressions do not backtrack
# (possessive quantifiers), so the time is linear in the size of any page.


# A comment, an element whose content is not markup, or a tag. Each may be cut off by the end of the page.
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
    """The target of a form, and the values to send."""

    action: Url
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    attributes: Mapping[str, str]
    text: str = ""  # the text after it, up to the next tag

    @property
    def kind(self) -> str:
        return self.attributes.get("type", "").lower()


@dataclass(slots=True)
class _Form:
    attributes: Mapping[str, str]
    fields: list[tuple[_Tag, list[_Tag]]] = field(default_factory=list)  # a select with its options


def has_password(page: bytes) -> bool:
    """Return whether a page has a form with a password field."""
    return any(tag.kind == "password" for form in _forms(page) for tag, _ in form.fields)


def filled_in(page: bytes, url: Url, fields: Mapping[str, str]) -> FilledForm | None:
    """Fill in the first POST form that has the owner's fields and sends them to the origin of the page.

    The other fields keep the values that a browser would send. Return None if there is no such form. Forms
    that send to another origin are skipped: an attacker who can put a form on the page must not get the
    password.
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
    """Return the attributes of a tag. If two have the same name, the first one counts, as in browsers."""
    found: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(text):
        found.setdefault(name.lower(), unescape("".join(values)))
    return found


def _forms(page: bytes) -> list[_Form]:
    """Return the forms of a page with their fields; nested forms are ignored, as in browsers."""
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
    """Return the values of a form by field name; None for a field that a browser would not send."""
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
    """Where a log-in is valid: a scheme, and a host or all its subdomains."""

    scheme: str
    authority: str  # in lower case; a pattern that may begin with "*."

    def holds(self, url: Url) -> bool:
        """Return whether the log-in is valid for a URL."""
        return url.scheme == self.scheme and fnmatchcase(url.authority, self.authority)


@dataclass(frozen=True, slots=True)
class HeaderLogin:
    """A log-in by an Authorization header in every request (RFC 7617, RFC 6750)."""

    scope: LoginScope
    authorization: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class FormLogin:
    """A log-in by a form, which is sent before the first page; then cookies identify the session."""

    scope: LoginScope
    page: Url
    fields: Mapping[str, str] = field(repr=False)


Login = HeaderLogin | FormLogin


def login_for(url: Url, logins: Sequence[Login]) -> Login | None:
    """Return the first log-in that is valid for a URL, or None."""
    return next((login for login in logins if login.scope.holds(url)), None)


def parse_login(line: str, environment: Mapping[str, str] = os.environ) -> Login:
    """Parse one line of the setting; raise `BadSetting`, without secrets in its text, if it is invalid."""
    try:
        return _parsed(shlex.split(line), environment)
    except ValueError as error:
        # The end of the line is not shown: it may hold a secret that was written there by mistake.
        raise BadSetting(f"cannot read the log-in {' '.join(line.split()[:2])!r}: {error}") from None


_UNREAD: Mapping[str, str] = {}  # passed as the environment to skip the secrets


def check_login(line: str) -> None:
    """Check one line of the setting without reading its secrets; raise `BadSetting` if it is invalid."""
    parse_login(line, _UNREAD)


# The functions below raise ValueError with the reason.


def _parsed(words: Sequence[str], environment: Mapping[str, str]) -> Login:
    if len(words) < 3:
        raise ValueError("write PATTERN basic|bearer|form ...")
    scope, kind, rest = _scope(words[0]), words[1].lower(), words[2:]
    if kind == "basic" and len(rest) == 2 and ":" not in rest[0]:
        pair = f"{rest[0]}:{_secret(rest[1], environment)}".encode()
        return HeaderLogin(scope, f"Basic {b64encode(pair).decode('ascii')}")
    if kind == "bearer" and len(rest) == 1:
        return HeaderLogin(scope, f"Bearer {_secret(rest[0], environment)}")
    if kind == "form":
        return FormLogin(scope, _login_page(rest[0], scope), _fields(rest[1:], environment))
    raise ValueError("write PATTERN basic USER SECRET, PATTERN bearer SECRET or PATTERN form URL ...")


def _scope(text: str) -> LoginScope:
    written = _WHERE.fullmatch(text)
    if written is None:
        raise ValueError(f"{text!r} is not a host; the only pattern is *.example.org, for all subdomains")
    return LoginScope((written[1] or "https").lower(), written[2].lower())


def _login_page(text: str, scope: LoginScope) -> Url:
    url = canonical(text)
    if url is None or url.scheme != scope.scheme or url.authority != scope.authority:
        raise ValueError(f"the page of the form must be one of {scope.scheme}://{scope.authority}")
    return url


def _fields(words: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    pairs = [word.partition("=") for word in words]
    if not pairs or not all(name and equals for name, equals, _ in pairs):
        raise ValueError("the fields of the form must follow its page, as NAME=VALUE")
    return {
        name: _secret(value, environment) if value.startswith(("env:", "file:")) else value
        for name, _, value in pairs
    }


def _secret(reference: str, environment: Mapping[str, str]) -> str:
    kind, colon, name = reference.partition(":")
    if not colon or kind not in {"env", "file"}:
        raise ValueError("write a secret as a reference: env:NAME or file:PATH")
    if environment is _UNREAD:
        return reference
    found = environment.get(name, "") if kind == "env" else _first_line(name)
    if not found or not found.isprintable():
        raise ValueError(f"{reference} is missing, empty, or more than a line of text")
    return found


def _first_line(path: str) -> str:
    try:
        with Path(path).expanduser().open(encoding="utf-8") as file:
            return file.readline().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"file:{path} cannot be read ({error})") from None


# Transport with log-ins and cookies
# ----------------------------------
#
# A log-in is sent only to its own hosts. Cookies are sent back to the hosts in the `cookies` setting and
# to those with a log-in by form. The layers below never follow redirects, so a redirect to another origin
# becomes a new request and carries no credentials.

MOST_REDIRECTS = 3  # on the way to the log-in page
AGAIN_AFTER = 60.0  # seconds before a failed log-in is tried again
MAX_BYTES = 2_000_000  # of the log-in page


class SessionTransport:
    """A `Client` with log-ins and cookies."""

    def __init__(self, transport: Transport, settings: FetchSettings) -> None:
        self._transport = transport
        self._logins = [parse_login(line) for line in settings.logins]
        self._cookie_hosts = [pattern.strip().lower() for pattern in settings.cookies]
        self._jar = CookieJar()
        self._attempts = {
            login.page: _LoginAttempts() for login in self._logins if isinstance(login, FormLogin)
        }

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Fetch a URL with the log-in and the cookies of its host; see `Transport`."""
        login = login_for(url, self._logins)
        if isinstance(login, FormLogin):
            return await self._logged_in(login, url, headers, max_bytes)
        if isinstance(login, HeaderLogin):
            headers = {**headers, "Authorization": login.authorization}
        return await self._with_cookies(url, headers, max_bytes)

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
        # A session cookie is as sensitive as a password, so it must not get into the page store.
        return replace(result, headers=tuple(one for one in result.headers if one[0].lower() != "set-cookie"))

    def _keeps_cookies(self, url: Url) -> bool:
        if isinstance(login_for(url, self._logins), FormLogin):
            return True
        return any(fnmatchcase(url.host, pattern) for pattern in self._cookie_hosts)

    async def _logged_in(
        self, login: FormLogin, url: Url, headers: Mapping[str, str], max_bytes: int
    ) -> FetchResult:
        """Fetch a URL after a log-in by form; log in again if the session has ended."""
        attempts = self._attempts[login.page]
        problem = "" if attempts.succeeded else await self._log_in(login, headers, attempts, 0)
        if problem:
            return _failed_login(url, problem)
        seen = attempts.succeeded
        result = await self._with_cookies(url, headers, max_bytes)
        is_asked_to = _leads_to(result, login.page) and _path(url) != _path(login.page)
        if not is_asked_to or time.monotonic() < attempts.again_at:
            return result
        problem = await self._log_in(login, headers, attempts, seen)
        if problem:
            return _failed_login(url, problem)
        result = await self._with_cookies(url, headers, max_bytes)
        if _leads_to(result, login.page):  # the log-in does not help for this page
            attempts.again_at = time.monotonic() + AGAIN_AFTER
        return result

    async def _log_in(
        self, login: FormLogin, headers: Mapping[str, str], attempts: _LoginAttempts, seen: int
    ) -> str:
        """Log in, unless another request did so after `seen` log-ins; return the problem, or ""."""
        async with attempts.lock:
            if attempts.succeeded != seen or time.monotonic() < attempts.again_at:
                return attempts.problem
            self._jar.forget(login.page.host)
            attempts.problem = await self._fill_in(login, headers)
            if attempts.problem:
                attempts.again_at = time.monotonic() + AGAIN_AFTER
            else:
                attempts.succeeded += 1
            return attempts.problem

    async def _fill_in(self, login: FormLogin, headers: Mapping[str, str]) -> str:
        page = await self._login_page(login, headers)
        if not page.is_success:
            return f"the log-in page {login.page} answered {page.failure or page.status}"
        form = filled_in(page.body, page.url, login.fields)
        if form is None:
            wanted = ", ".join(login.fields)
            return f"{page.url} has no form with the fields {wanted} and a target of its own origin"
        answer = await self._with_cookies(form.action, headers, MAX_BYTES, form.values)
        if answer.failure or answer.status >= 400:
            return f"the log-in at {form.action} answered {answer.failure or answer.status}"
        if _leads_to(answer, login.page) or (answer.is_success and has_password(answer.body)):
            return f"{form.action} does not accept the log-in"
        return ""

    async def _login_page(self, login: FormLogin, headers: Mapping[str, str]) -> FetchResult:
        result = await self._with_cookies(login.page, headers, MAX_BYTES)
        for _ in range(MOST_REDIRECTS):
            target = redirect_target(result)
            if target is None or target.origin != login.page.origin:
                break
            result = await self._with_cookies(target, headers, MAX_BYTES)
        return result


@dataclass(slots=True)
class _LoginAttempts:
    """How often a log-in succeeded, and when it may be tried again."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    succeeded: int = 0
    again_at: float = 0.0
    problem: str = ""


def _failed_login(url: Url, problem: str) -> FetchResult:
    return FetchResult(url, time.time(), failure=Failure.LOGIN, detail=problem)


def _leads_to(result: FetchResult, page: Url) -> bool:
    """Return whether a response redirects to a page, with any query."""
    target = redirect_target(result)
    return target is not None and target.origin == page.origin and _path(target) == _path(page)


def _path(url: Url) -> str:
    return url.path.partition("?")[0]
