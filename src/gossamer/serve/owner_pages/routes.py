"""Pages of reports, submissions, queries and sites; all owner's pages together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter

from gossamer.config import ServeSettings
from gossamer.model import UsageError
from gossamer.serve.i18n import Translation
from gossamer.serve.owner_pages.base import Action, OwnerPage, OwnerPages, OwnerState
from gossamer.serve.owner_pages.crawl import CrawlPage, CrawlStarter, live_feed
from gossamer.serve.owner_pages.health import HealthPage
from gossamer.serve.owner_pages.login import LoginPage
from gossamer.serve.owner_pages.sessions import OwnerSessions
from gossamer.serve.rendering import Templates
from gossamer.web.url import repair

if TYPE_CHECKING:
    from gossamer.collection.site_rules import SiteRules
    from gossamer.crawl.control import CrawlController
    from gossamer.owner.query_log import QueryLog
    from gossamer.owner.visitor_messages import Report, Reports, Submission, Submissions


# Pages of reports and submissions
# --------------------------------

MOST_SHOWN = 200


def _letters(found: Sequence[Report] | Sequence[Submission], enabled: bool) -> Mapping[str, Any]:
    """Return the values for the template. All texts of visitors are untrusted."""
    return {"letters": found[:MOST_SHOWN], "total": len(found), "enabled": enabled}


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
        return _letters(self._reports.open_ones(), self._enabled)

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
        return _letters(self._submissions.open_ones(), self._enabled)

    def _accept(self, form: Mapping[str, str]) -> str:
        for one in self._submissions.open_ones():
            if one.key == form.get("key"):
                self._crawl.add_seeds([one.url])
                self._submissions.settle(one.key)
        return "accepted"

    def _refuse(self, form: Mapping[str, str]) -> str:
        self._submissions.settle(form.get("key", ""))
        return "refused"


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
    yield live_feed(starting, sessions, templates)
    yield OwnerPages(sessions, templates, rooms).routes()
