"""What does a host say to somebody it knows?

Hosts with a log-in get it, and only they; cookies go back to the hosts that the owner listed, and to those
with a log-in by form. Since redirects are never followed below here, a redirect to another origin is a new
request, and takes no credentials with it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from gossamer.fetch.cookies import CookieJar
from gossamer.fetch.form import filled_in, has_password
from gossamer.fetch.login import FormLogin, HeaderLogin, login_for, parse_login
from gossamer.fetch.settings import FetchSettings
from gossamer.fetch.transport import Transport
from gossamer.model import Failure, FetchResult, Url
from gossamer.web.url import canonical

MOST_REDIRECTS = 3  # on the way to the log-in page
AGAIN_AFTER = 60.0  # seconds before a log-in that did not help is tried again
MAX_BYTES = 2_000_000


def with_sessions(transport: Transport, settings: FetchSettings) -> Transport:
    """The transport, with the log-ins and cookies that the owner wants, where there are any."""
    return SessionTransport(transport, settings) if settings.logins or settings.cookies else transport


class SessionTransport:
    """A `Transport` that is known to some hosts."""

    def __init__(self, transport: Transport, settings: FetchSettings) -> None:
        self._transport = transport
        self._logins = [parse_login(line) for line in settings.logins]
        self._cookie_hosts = [pattern.strip().lower() for pattern in settings.cookies]
        self._jar = CookieJar()
        self._doors = {login.page: _Door() for login in self._logins if isinstance(login, FormLogin)}

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

    async def _log_in(self, login: FormLogin, headers: Mapping[str, str], door: _Door, seen: int) -> str:
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

    def prefetch(self, hosts: Iterable[str]) -> None:
        """See `Transport`."""
        self._transport.prefetch(hosts)

    async def look_up(self, host: str) -> None:
        """See `Transport`."""
        await self._transport.look_up(host)

    def address_of(self, host: str) -> str | None:
        """See `Transport`."""
        return self._transport.address_of(host)

    def has_robots(self, scheme: str) -> bool:
        """See `Transport`."""
        return self._transport.has_robots(scheme)

    async def close(self) -> None:
        """See `Transport`."""
        await self._transport.close()


class _Door:
    """How often a form let us in, and when it may be tried again."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.opened = 0
        self.again_at = 0.0
        self.problem = ""


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
