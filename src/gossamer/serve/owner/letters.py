"""What did visitors send, and what becomes of it? Results that they reported, sites that they submitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gossamer.model import Url
from gossamer.serve.address import crumbs, link_of
from gossamer.serve.owner.owned import Reported, Ruled, Steered, Submitted
from gossamer.serve.owner.rooms import Action
from gossamer.serve.speech import Speech
from gossamer.serve.wording import day
from gossamer.web.url import repair

MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Letter:
    """One thing to be dealt with; everything in it is a stranger's, but for `reason`, which is a phrase."""

    key: str
    url: str
    link: str | None
    crumbs: tuple[str, ...]
    host: str  # "" for what is no web address
    day: datetime | None
    count: int = 1
    reason: str = ""
    query: str = ""
    note: str = ""


class ReportsRoom:
    """Reported results: dismissed, or their site blocked."""

    name = "reports"
    path = "/owner/reports"

    def __init__(self, reports: Reported, sites: Ruled, enabled: bool) -> None:
        self._reports = reports
        self._sites = sites
        self._enabled = enabled
        self.actions: Mapping[str, Action] = {"dismiss": self._dismiss, "block": self._block}

    def shown(self, speech: Speech) -> Mapping[str, Any]:
        letters = [
            Letter(
                one.key,
                one.url,
                link_of(one.url),
                crumbs(one.url),
                _host(one.url),
                day(one.time),
                one.count,
                speech.phrases.get(f"reason_{one.reason}", one.reason),
                one.query,
                one.note,
            )
            for one in self._reports.open_ones()
        ]
        return {"letters": letters[:MOST_SHOWN], "total": len(letters), "enabled": self._enabled}

    def _dismiss(self, form: Mapping[str, str]) -> str:
        self._reports.settle(form.get("key", ""))
        return "dismissed"

    def _block(self, form: Mapping[str, str]) -> str:
        """Blocks the site that the report names, not one that the form could name."""
        found = [one for one in self._reports.open_ones() if one.key == form.get("key")]
        for one in found:
            self._sites.block(repair(one.url)[0].host)
            self._reports.settle(one.key)
        return "blocked" if found else "dismissed"


class SubmissionsRoom:
    """Submitted sites: taken as seeds, or refused."""

    name = "submissions"
    path = "/owner/submissions"

    def __init__(self, submissions: Submitted, crawl: Steered, enabled: bool) -> None:
        self._submissions = submissions
        self._crawl = crawl
        self._enabled = enabled
        self.actions: Mapping[str, Action] = {"accept": self._accept, "refuse": self._refuse}

    def shown(self, speech: Speech) -> Mapping[str, Any]:
        letters = [
            Letter(
                one.key, one.url, link_of(one.url), crumbs(one.url), _host(one.url), day(one.time), one.count
            )
            for one in self._submissions.open_ones()
        ]
        return {"letters": letters[:MOST_SHOWN], "total": len(letters), "enabled": self._enabled}

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
