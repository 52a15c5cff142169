"""What can an owner see and change of a collection?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gossamer.serve.owner.token import Token
from gossamer.serve.searchable import Described

if TYPE_CHECKING:
    from gossamer.engine.engine import Engine
    from gossamer.engine.graph_report import GraphReport
    from gossamer.engine.health import Health
    from gossamer.engine.live_crawl import LiveCrawl
    from gossamer.engine.query_log import QueryLog
    from gossamer.engine.reports import Report
    from gossamer.engine.submissions import Submission
    from gossamer.web.site_rules import SiteRule


class Steered(Protocol):
    """The crawl of a collection, whichever process it runs in."""

    @property
    def is_paused(self) -> bool: ...

    def live(self) -> LiveCrawl | None: ...

    def start(self, seeds: Sequence[str] = (), continuous: bool = False) -> None: ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def stop(self) -> None: ...

    def add_seeds(self, urls: Sequence[str]) -> list[str]: ...


class Ruled(Protocol):
    """Sites that are blocked or boosted."""

    def rules(self) -> tuple[SiteRule, ...]: ...

    def problems(self) -> tuple[str, ...]: ...

    def block(self, pattern: str) -> SiteRule: ...

    def boost(self, pattern: str, factor: float) -> SiteRule: ...

    def clear(self, pattern: str) -> bool: ...


class Reported(Protocol):
    """Results that visitors reported."""

    def add(self, url: str, reason: str, query: str = "", note: str = "") -> bool: ...

    def open_ones(self) -> list[Report]: ...

    def settle(self, key: str) -> bool: ...


class Submitted(Protocol):
    """Sites that visitors submitted."""

    def add(self, url: str) -> bool: ...

    def open_ones(self) -> list[Submission]: ...

    def settle(self, key: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Owned:
    """Everything that the owner's pages need, and the public forms that fill them."""

    token: Token
    crawl: Steered
    sites: Ruled
    reports: Reported
    submissions: Submitted
    queries: QueryLog | None  # None where queries are not counted
    status: Callable[[], Described]
    health: Callable[[], Health]
    examine: Callable[[], GraphReport]


def owned(engine: Engine) -> Owned:
    """What the owner of an engine's collection has."""
    return Owned(
        Token(engine.directory),
        engine.steering,
        engine.sites,
        engine.reports,
        engine.submissions,
        engine.query_log if engine.config.serve.query_log else None,
        engine.status,
        engine.health,
        engine.graph_report,
    )
