"""All pages of the owner's, put together."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import APIRouter

from gossamer.engine.serve_settings import ServeSettings
from gossamer.serve.owner.crawl import CrawlRoom, LiveFeed
from gossamer.serve.owner.door import Door
from gossamer.serve.owner.health import HealthRoom
from gossamer.serve.owner.letters import ReportsRoom, SubmissionsRoom
from gossamer.serve.owner.owned import Owned
from gossamer.serve.owner.queries import QueriesRoom
from gossamer.serve.owner.rooms import Room, Rooms
from gossamer.serve.owner.sessions import Sessions
from gossamer.serve.owner.sites import SitesRoom
from gossamer.serve.owner.starting import Starting
from gossamer.serve.templating import Templates


def owner_routes(owned: Owned, settings: ServeSettings, templates: Templates) -> Iterator[APIRouter]:
    """Everything below /owner; the caller has made the token."""
    sessions, starting = Sessions(owned.token), Starting(owned.crawl)
    rooms: list[Room] = [
        CrawlRoom(owned.crawl, starting),
        SitesRoom(owned.sites),
        ReportsRoom(owned.reports, owned.sites, settings.reports),
        SubmissionsRoom(owned.submissions, owned.crawl, settings.submissions),
        QueriesRoom(owned.queries),
        HealthRoom(owned.status, owned.health, owned.examine),
    ]
    yield Door(owned.token, sessions, templates).routes()
    yield LiveFeed(starting, sessions, templates).routes()
    yield Rooms(sessions, templates, rooms).routes()
