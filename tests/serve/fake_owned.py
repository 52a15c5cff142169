"""A fake of what the owner's pages manage; it records what was done."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gossamer.collection.site_rules import SiteRules
from gossamer.crawl.control import LiveCrawl, Trap
from gossamer.graph.structure.report import PartReport
from gossamer.model import CollectionBusy
from gossamer.owner.health import GraphHealth, Health, SegmentHealth
from gossamer.owner.query_log import QueryLog
from gossamer.owner.visitor_messages import Reports, Submissions
from gossamer.serve.owner_pages.base import OwnerState
from gossamer.serve.owner_pages.sessions import OwnerToken
from gossamer.web.url import repair

RUNNING = LiveCrawl(
    running=True,
    pid=1,
    started=1_700_000_000.0,
    updated=1_700_000_100.0,
    pages=1234,
    pages_per_second=12.5,
    kept=1100,
    hosts=7,
    active=3,
    queue=4567,
    bytes=12_300_000,
    current="https://example.org/now",
    errors={"timeout": 3, "http-404": 9},
    traps=(Trap("example.org", "/list/<n>", "empty-flood"),),
    slowest=(("slow.example", 2.5),),
    busiest=(("example.org", 900),),
    history=(0, 5, 12, 9),
    troubles=("the disk is nearly full",),
    seed_errors={"http://": "not a web address: 'http://'"},
)


@dataclass
class FakeSteering:
    """A crawl that does at once what it is told."""

    crawl: LiveCrawl | None = RUNNING
    is_paused: bool = False
    did: list[object] = field(default_factory=list)

    def live(self):
        return self.crawl

    def start(self, seeds=(), continuous=False):
        if self.crawl is not None and self.crawl.running:
            raise CollectionBusy("a crawl is running already; wait for it or stop it")
        self.did.append(("start", list(seeds), continuous))

    def pause(self):
        self.did.append("pause")
        self._is(paused=True)

    def resume(self):
        self.did.append("resume")
        self._is(paused=False)

    def stop(self):
        self.did.append("stop")
        self._is(stopping=True)

    def add_seeds(self, urls):
        seeds = [repair(url)[0].text for url in urls]
        self.did.append(("seeds", seeds))
        return seeds

    def _is(self, **state):
        if self.crawl is not None:
            self.crawl = replace(self.crawl, **state)


@dataclass
class FakeState:
    def as_dict(self):
        return {"pages": 90, "queued": 5, "failed": 2, "bytes_on_disk": 2_500_000, "reasons": {"http-404": 2}}


@dataclass
class FakeReport:
    """The part of a report on the graph that is shown."""

    bow_tie = (
        PartReport("core", 60, 0.6),
        PartReport("in", 20, 0.2),
        PartReport("out", 15, 0.15),
        PartReport("tendril in", 5, 0.05),
    )
    dead_end_count = 4
    trap_count = 1
    community_count = 3


HEALTH = Health(
    (SegmentHealth(0, "segment-000001", 80, 20), SegmentHealth(0, "segment-000002", 10, 0)),
    ((1, 10), (7, 30), (30, 0), (90, 0), (365, 40), (float("inf"), 10)),
    GraphHealth(3, 1_700_000_000.0, 120, 900, ("editorial", "pagerank")),
)


def fake_owned(folder, **changes) -> OwnerState:
    """With real files for the token, the rules, and what visitors send; the crawl is made up."""
    given = {
        "token": OwnerToken(folder),
        "crawl": FakeSteering(),
        "sites": SiteRules(folder / "sites.txt", folder / "owner"),
        "reports": Reports(folder / "owner"),
        "submissions": Submissions(folder / "owner"),
        "queries": QueryLog(folder, 1),
        "status": FakeState,
        "health": lambda: HEALTH,
        "examine": FakeReport,
    }
    return OwnerState(**(given | changes))
