"""Pages of reports, submissions, queries and sites; all owner's pages together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter

from gossamer.config import ServeSettings
from gossamer.model import Url, UsageError
from gossamer.serve.i18n import Translation, day
from gossamer.serve.owner_pages.base import Action, OwnerPage, OwnerPages, OwnerState
from gossamer.serve.owner_pages.crawl import CrawlPage, CrawlStarter, LiveFeed
from gossamer.serve.owner_pages.health import HealthPage
from gossamer.serve.owner_pages.login import LoginPage
from gossamer.serve.owner_pages.sessions import OwnerSessions
from gossamer.serve.rendering import Templates, crumbs, link_of
from gossamer.web.url import repair

if TYPE_CHECKING:
    from gossamer.collection.site_rules import SiteRules
    from gossamer.crawl.control import CrawlController
    from gossamer.owner.query_log import QueryLog
    from gossamer.owner.visitor_messages import Report, Reports, Submission, Submissions


# Pages of reports and submissions
# --------------------------------

MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class VisitorMessage:
    """A report or a submission. All of it is untrusted, except `reason`, which is a phrase."""

    key: str
    url: str
    link: str | None
    crumbs: tuple[str, ...]
    host: str  # "" if the URL is not http or https
    day: datetime | None
    count: int
    reason: str = ""
    query: str = ""
    note: str = ""


def _messages(
    found: Sequence[Report] | Sequence[Submission], enabled: bool, told: Callable[[Any], tuple[str, ...]]
) -> Mapping[str, Any]:
    """Return the values for the template. `told` returns what a message has besides its URL."""
    letters = [
        VisitorMessage(
            *(one.key, one.url, link_of(one.url), crumbs(one.url), _host(one.url), day(one.time), one.count),
            *told(one),
        )
        for one in found[:MOST_SHOWN]
    ]
    return {"letters": letters, "total": len(found), "enabled": enabled}


class ReportsPage:
    """Reported results. The owner dismisses a report or blocks the site."""

    name = "reports"
    path = "/owner/reports"

    def __init__(self, reports: Reports, sites: SiteRules, enabled: bool) -> None:
        self._reports = reports
        self._sites = sites
        self._enabled = enabled
        self.actions: Mapping[str, Action] = {"dismiss": self._dismiss, "block": self._block}

    def shown(self, translation: Translation) -> Mapping[str, Any]:
        def told(one: Report) -> tuple[str, ...]:
            return translation.phrases.get(f"reason_{one.reason}", one.reason), one.query, one.note

        return _messages(self._reports.open_ones(), self._enabled, told)

    def _dismiss(self, form: Mapping[str, str]) -> str:
        self._reports.settle(form.get("key", ""))
        return "dismissed"

    def _block(self, form: Mapping[str, str]) -> str:
        """Block the site of the report, not a site that the form names."""
        found = [one for one in self._reports.open_ones() if one.key == form.get("key")]
        for one in found:
            self._sites.block(repair(one.url)[0].host)
            self._reports.settle(one.key)
        return "blocked" if found else "dismissed"


class SubmissionsPage:
    """Submitted sites. The owner adds them to the seeds or rejects them."""

    name = "submissions"
    path = "/owner/submissions"

    def __init__(self, submissions: Submissions, crawl: CrawlController, enabled: bool) -> None:
        self._submissions = submissions
        self._crawl = crawl
        self._enabled = enabled
        self.actions: Mapping[str, Action] = {"accept": self._accept, "refuse": self._refuse}

    def shown(self, translation: Translation) -> Mapping[str, Any]:
        return _messages(self._submissions.open_ones(), self._enabled, lambda _: ())

    def _accept(self, form: Mapping[str, str]) -> str:
        for one in self._submissions.open_ones():
            if one.key == form.get("key"):
                self._crawl.add_seeds([one.url])
                self._submissions.settle(one.key)
        return "accepted"

    def _refuse(self, form: Mapping[str, str]) -> str:
        self._submissions.settle(form.get("key", ""))
        return "refused"


def _host(url: str) -> str:
    return Url.parsed(url).host if link_of(url) else ""


# Page of frequent queries
# ------------------------

SHOWN = 50


class QueriesPage:
    """Popular queries and queries without results. Who asked them, and when, is not stored."""

    name = "queries"
    path = "/owner/queries"
    actions: Mapping[str, Action] = {}

    def __init__(self, log: QueryLog | None) -> None:
        self._log = log

    def shown(self, translation: Translation) -> Mapping[str, Any]:
        if self._log is None:
            return {"counted": False, "popular": [], "failing": []}
        asked, empty = self._log.counts()
        return {
            "counted": True,
            "popular": [(query, translation.number(times)) for query, times in asked.most_common(SHOWN)],
            "failing": [
                (query, translation.number(times), translation.number(asked[query]))
                for query, times in empty.most_common(SHOWN)
            ],
        }


# Page of site rules
# ------------------


class SitesPage:
    """The rules of sites.txt."""

    name = "sites"
    path = "/owner/sites"

    def __init__(self, sites: SiteRules) -> None:
        self._sites = sites
        self.actions: Mapping[str, Action] = {
            "block": self._block,
            "boost": self._boost,
            "clear": self._clear,
        }

    def shown(self, translation: Translation) -> Mapping[str, Any]:
        rules = self._sites.rules()
        return {
            "problems": self._sites.problems(),
            "blocked": [rule.pattern for rule in rules if rule.action == "block"],
            "boosted": [
                (rule.pattern, _factor(rule.factor, translation)) for rule in rules if rule.action == "boost"
            ],
        }

    def _block(self, form: Mapping[str, str]) -> str:
        self._sites.block(form.get("site", "").strip())
        return "blocked"

    def _boost(self, form: Mapping[str, str]) -> str:
        try:
            factor = float(form.get("factor", "").replace(",", "."))
        except ValueError:
            raise UsageError("the factor must be a number from 0.1 to 10") from None
        self._sites.boost(form.get("site", "").strip(), factor)
        return "boosted"

    def _clear(self, form: Mapping[str, str]) -> str:
        self._sites.clear(form.get("site", "").strip())
        return "cleared"


def _factor(factor: float, translation: Translation) -> str:
    return f"{factor:g}".replace(".", translation.decimal)


def owner_routes(owned: OwnerState, settings: ServeSettings, templates: Templates) -> Iterator[APIRouter]:
    """Yield the routes of all pages below /owner. The token must exist."""
    sessions, starting = OwnerSessions(owned.token), CrawlStarter(owned.crawl)
    rooms: list[OwnerPage] = [
        CrawlPage(owned.crawl, starting),
        SitesPage(owned.sites),
        ReportsPage(owned.reports, owned.sites, settings.reports),
        SubmissionsPage(owned.submissions, owned.crawl, settings.submissions),
        QueriesPage(owned.queries),
        HealthPage(owned),
    ]
    yield LoginPage(owned.token, sessions, templates).routes()
    yield LiveFeed(starting, sessions, templates).routes()
    yield OwnerPages(sessions, templates, rooms).routes()
