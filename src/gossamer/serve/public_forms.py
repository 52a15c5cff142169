"""Forms for visitors: submit a site, report a result; proof of work."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gossamer.model import BadUrl, UsageError
from gossamer.owner.visitor_messages import LONGEST_NOTE, LONGEST_QUERY, REASONS, Reports, Submissions
from gossamer.serve.form_data import Form
from gossamer.serve.middleware import RateLimiter, visitor_of
from gossamer.serve.rendering import Templates, crumbs, link_of, page_routes
from gossamer.web.url import repair

# Proof of work
# -------------
#
# A challenge is a signed text with a time of expiry. A solution has a number for each of eight
# places i, such that
#
#     SHA-256("challenge:i:number") begins with 15 zero bits,
#
# which takes 2^15 tries per place on average, 262,144 together: about a second on a phone, less on
# a computer. The times of eight small searches vary much less than that of one search eight times
# as long. Checking a solution takes eight hashes. Each solution is accepted once. C. Dwork, M.
# Naor, "Pricing via processing or combatting junk mail", CRYPTO '92; the form is that of A. Back,
# "Hashcash", 2002.

PLACES = 8
BITS = 15
LASTS = 3600  # seconds
MOST_SPENT = 100_000  # remembered solutions: an hour's work of a hundred computers
_NUMBER = re.compile(r"\d{1,12}", re.ASCII)


class ProofOfWork:
    """Make challenges and check solutions. The key is lost when the server stops. Threads may share it."""

    def __init__(self, bits: int = BITS, clock: Callable[[], float] = time.time) -> None:
        self.bits = bits
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._spent: dict[str, int] = {}  # solved challenge -> time of expiry
        self._lock = Lock()

    def challenge(self, purpose: str) -> str:
        """Return a challenge for one form."""
        payload = f"{int(self._clock()) + LASTS}.{secrets.token_urlsafe(16)}"
        return f"{payload}.{self._signed(purpose, payload)}"

    def solved(self, purpose: str, challenge: str, solution: str) -> bool:
        """Return whether the solution is right, in time and for this form. A solved challenge is spent."""
        payload, _, signature = challenge[:200].rpartition(".")
        genuine = hmac.compare_digest(self._signed(purpose, payload).encode(), signature.encode())
        numbers = solution.split(",", PLACES)
        if not genuine or len(numbers) != PLACES or not all(map(_NUMBER.fullmatch, numbers)):
            return False
        expires = int(payload.partition(".")[0])  # signed by this server, so it is a number
        tries = (f"{challenge}:{place}:{number}" for place, number in enumerate(numbers))
        if expires <= self._clock() or any(zero_bits(one) < self.bits for one in tries):
            return False
        return self._spend(payload, expires)

    def _spend(self, payload: str, expires: int) -> bool:
        """Spend a challenge once. If too many are remembered, refuse all until the oldest expire."""
        with self._lock:
            if len(self._spent) >= MOST_SPENT:
                now = self._clock()
                self._spent = {one: until for one, until in self._spent.items() if until > now}
            if payload in self._spent or len(self._spent) >= MOST_SPENT:
                return False
            self._spent[payload] = expires
            return True

    def _signed(self, purpose: str, payload: str) -> str:
        return hmac.new(
            self._key, f"{purpose} {payload}".encode("utf-8", "surrogatepass"), "sha256"
        ).hexdigest()[:32]


def zero_bits(text: str) -> int:
    """Return the number of zero bits at the beginning of a text's hash.

    >>> hashlib.sha256(b"hello 826").hexdigest()[:8], zero_bits("hello 826")
    ('001d16e0', 11)
    """
    return 256 - int(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), 16).bit_length()


def in_a_terminal(challenge: str, bits: int) -> str:
    """Return a command that solves a challenge without JavaScript. Challenges contain no quotation marks."""
    return (
        'python3 -c "import hashlib as h,itertools as t;print(*(next(n for n in t.count() if '
        f"int(h.sha256(f'{challenge}:{{i}}:{{n}}'.encode()).hexdigest(),16)>>{256 - bits}==0) "
        f"for i in range({PLACES})),sep=',')\""
    )


# Rate limit and proof of work for forms
# --------------------------------------

RATE = 1 / 60  # forms per second from one address in the long run
BURST = 5
LONGEST_URL = 2000  # characters

# A challenge is accepted once, so its page must not be cached. The form may send its origin.
FRESH = {"Cache-Control": "no-store", "Referrer-Policy": "same-origin"}


class FormGuard:
    """Rate limit and proof of work for forms. Threads may share it."""

    def __init__(self, puzzles: ProofOfWork) -> None:
        self._puzzles = puzzles
        self._rates = RateLimiter(RATE, BURST)
        self._lock = Lock()

    def task(self, purpose: str) -> Mapping[str, object]:
        """Return the work that a form requires. The command in `command` does this work in a terminal."""
        challenge, bits = self._puzzles.challenge(purpose), self._puzzles.bits
        command = in_a_terminal(challenge, bits)
        return {"challenge": challenge, "bits": bits, "places": PLACES, "command": command}

    def refusal(self, request: Request, form: Mapping[str, str], purpose: str) -> str:
        """Return the phrase that says why a form is refused; "" if it is accepted, which uses up the work."""
        if not form.get("solution"):
            return "work_missing"
        with self._lock:
            if self._rates.wait(visitor_of(request.client.host if request.client else "")):
                return "sent_too_often"
        solved = self._puzzles.solved(purpose, form.get("challenge", ""), form["solution"].strip())
        return "" if solved else "work_wrong"


def fresh(answer: Response) -> Response:
    """Add the headers of a public form to the response."""
    answer.headers.update(FRESH)
    return answer


class PublicForm(ABC):
    """A form: GET shows it, POST accepts it and redirects, so that a reload does not send it again."""

    name: str  # phrase of the heading
    path: str  # URL path, name of the template, and purpose of the proof of work

    def __init__(self, guard: FormGuard, templates: Templates) -> None:
        self._guard = guard
        self._templates = templates

    def routes(self) -> APIRouter:
        return page_routes({self.path: self.form}, {self.path: self.send})

    def form(self, request: Request, sent: bool = False) -> Response:
        return self._page(request, {}, sent=sent)

    def send(self, request: Request, form: Form) -> Response:
        wrong = self._mistake(form) or self._guard.refusal(request, form, self.path)
        if not wrong and not self._add(form):
            wrong = "sent_no_room"
        if wrong:
            return self._page(request, form, 422, wrong=wrong)
        return RedirectResponse(self._templates.site(request).elsewhere(self.path, sent="true"), 303)

    @abstractmethod
    def _mistake(self, form: Mapping[str, str]) -> str:
        """Return the phrase that says what is wrong with the entries; "" if nothing is."""

    @abstractmethod
    def _add(self, form: Mapping[str, str]) -> bool:
        """Store the entries for the owner. Return whether there was room."""

    @abstractmethod
    def _shown(self, typed: Mapping[str, str]) -> Mapping[str, Any]:
        """Return the template's values besides those of every form."""

    def _page(
        self,
        request: Request,
        typed: Mapping[str, str],
        status: int = 200,
        *,
        sent: bool = False,
        wrong: str = "",
    ) -> Response:
        answer = self._templates.answer(
            request,
            f"{self.path.removeprefix('/')}.html",
            status=status,
            name=self.name,
            path=self.path,
            query=typed.get("q", ""),
            sent=sent,
            wrong=wrong,
            typed=typed,
            task=self._guard.task(self.path),
            **self._shown(typed),
        )
        return fresh(answer)


# Report a result
# ---------------

Address = Annotated[str, Query(max_length=LONGEST_URL)]


class ReportForm(PublicForm):
    """The form for reporting a result, with a fixed list of reasons. Nothing about visitors is stored."""

    name = "report"
    path = "/report"

    def __init__(self, reports: Reports, guard: FormGuard, templates: Templates) -> None:
        super().__init__(guard, templates)
        self._reports = reports

    def form(self, request: Request, sent: bool = False, url: Address = "", q: str = "") -> Response:
        if not sent and not link_of(url):
            return RedirectResponse(self._templates.site(request).elsewhere("/"), 303)
        return self._page(request, {"url": url, "q": q}, sent=sent)

    def _mistake(self, form: Mapping[str, str]) -> str:
        url = form.get("url", "")
        if not link_of(url) or len(url) > LONGEST_URL:
            raise UsageError("a report needs the URL of a result")
        return "" if form.get("reason") in REASONS else "report_no_reason"

    def _add(self, form: Mapping[str, str]) -> bool:
        note, query = form.get("note", "")[:LONGEST_NOTE], form.get("q", "")[:LONGEST_QUERY]
        return self._reports.add(form["url"], form["reason"], query, note)

    def _shown(self, typed: Mapping[str, str]) -> Mapping[str, Any]:
        url = typed.get("url", "")
        return {"url": url, "crumbs": crumbs(url), "reasons": REASONS, "longest_note": LONGEST_NOTE}


# Submit a site
# -------------


class SubmitForm(PublicForm):
    """The form for submitting a site."""

    name = "submit_site"
    path = "/submit"

    def __init__(self, submissions: Submissions, guard: FormGuard, templates: Templates) -> None:
        super().__init__(guard, templates)
        self._submissions = submissions

    def _mistake(self, form: Mapping[str, str]) -> str:
        url = _address(form)
        try:
            fits = len(url) <= LONGEST_URL and repair(url)[0].scheme in ("http", "https")
        except BadUrl:
            fits = False
        return "" if fits else "submit_bad_url"

    def _add(self, form: Mapping[str, str]) -> bool:
        return self._submissions.add(_address(form))

    def _shown(self, typed: Mapping[str, str]) -> Mapping[str, Any]:
        return {"longest_url": LONGEST_URL}


def _address(form: Mapping[str, str]) -> str:
    return form.get("url", "").strip()
