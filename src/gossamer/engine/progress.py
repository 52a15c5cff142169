"""What long work tells about itself while it runs, and when it is done."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class CrawlProgress:
    """The state of a crawl, for whoever watches; the crawl changes it as it goes."""

    started: float = field(default_factory=time.time)
    pages: int = 0  # answers with a document
    kept: int = 0  # of them, those that go into the index
    duplicates: int = 0
    hosts: int = 0  # that gave a document in this run
    redirects: int = 0
    refused: int = 0  # forbidden by robots.txt
    bytes: int = 0
    queue: int = 0
    active: int = 0
    indexed: int = 0
    errors: Counter[str] = field(default_factory=Counter)  # by reason
    seed_errors: dict[str, str] = field(default_factory=dict)  # seed -> what went wrong
    current: str = ""
    stopping: bool = False
    finished: float | None = None

    @property
    def failed(self) -> int:
        return sum(self.errors.values())

    @property
    def seconds(self) -> float:
        return (self.finished or time.time()) - self.started

    @property
    def pages_per_second(self) -> float:
        return self.pages / max(self.seconds, 1e-9)


CrawlObserver = Callable[[CrawlProgress], None]
StepObserver = Callable[[str, int, int], None]  # what is being done, how many are done, of how many
