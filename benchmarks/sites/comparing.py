"""Who needs less time for the same pages?

All crawlers take turns, round after round, so that whatever else the machine does meets all of them. Each
round gives a ratio of its own; their spread says how far the ratio can be trusted.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sites.contenders import Contender, Gossamer, Scrapy, Task
from sites.measuring import Cost
from sites.report import say
from sites.serving import Server
from sites.web import ROBOTS, Kind, Place, Web

IDIOMATIC = ("Scrapy, LinkExtractor", "Scrapy, selector")
TUNED = "Scrapy, selector and own set"


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl: what it cost, and what was asked for."""

    name: str
    cost: Cost
    pages: int
    missed: int  # addresses that the walk reaches and the crawler did not ask for
    extra: int  # asked for, though no walk leads there
    twice: int  # asked for more than once

    @property
    def rate(self) -> float:
        """Pages per second of processor time."""
        return self.pages / self.cost.cpu


@dataclass(frozen=True, slots=True)
class Comparison:
    """All runs, by crawler, in the order of the rounds."""

    runs: Mapping[str, Sequence[Run]]

    @property
    def scrapy(self) -> str:
        """The faster of the two usual ways to write the spider; "" when Scrapy did not run."""
        names = [name for name in IDIOMATIC if name in self.runs]
        return max(names, key=self.rate, default="")

    @property
    def complete(self) -> bool:
        """Whether everybody asked for all that there is, and for nothing twice."""
        return not any(run.missed or run.twice for runs in self.runs.values() for run in runs)

    def rate(self, name: str) -> float:
        return statistics.median(run.rate for run in self.runs[name])

    def ratios(self, name: str, other: str) -> list[float]:
        """How many times as fast as another one, in each round."""
        return [
            mine.rate / theirs.rate for mine, theirs in zip(self.runs[name], self.runs[other], strict=True)
        ]


def contenders(workers: Sequence[int], scrapy_python: str) -> list[Contender]:
    """Gossamer with these numbers of workers; Scrapy in three ways, when a Python is named that has it."""
    own: list[Contender] = [
        Gossamer(f"Gossamer, {number} worker{'s' * (number != 1)}", f"[extract]\nworkers = {number}\n")
        for number in workers
    ]
    ways = ("extractor", "selector", "own-set")
    names = (*IDIOMATIC, TUNED)
    spiders = [Scrapy(name, way, scrapy_python) for name, way in zip(names, ways, strict=True)]
    return [*(spiders if scrapy_python else []), *own]


@dataclass(frozen=True, slots=True)
class Judge:
    """Knows what should be asked for, and sees what was."""

    web: Web
    server: Server
    expected: Mapping[Place, Kind] | None  # None where nobody can say it without crawling

    def run(self, crawler: Contender, task: Task, scratch: Path) -> Run:
        """Lets somebody crawl."""
        mark = self.server.mark()
        cost = crawler.crawl(task, scratch)
        asked = Counter(request.place for request in self.server.requests(mark))
        places = {place for place in asked if place.path != ROBOTS}
        pages = sum(self.web.kind(place) is Kind.PAGE for place in places)
        wanted = places if self.expected is None else set(self.expected)
        twice = sum(asked[place] > 1 for place in places)
        return Run(crawler.name, cost, pages, len(wanted - places), len(places - wanted), twice)


def compared(
    crawlers: Sequence[Contender], task: Task, judge: Judge, rounds: int, scratch: Path
) -> Comparison:
    """Lets everybody crawl: Gossamer once before, as its first crawl compiles, then all in rounds."""
    runs: dict[str, list[Run]] = {crawler.name: [] for crawler in crawlers}
    say("warming up ...")
    judge.run(crawlers[-1], task, scratch)
    for number in range(rounds):
        for crawler in crawlers:
            run = judge.run(crawler, task, scratch)
            say(f"round {number + 1} of {rounds}: {crawler.name}: {run.rate:.1f} pages per CPU second")
            runs[crawler.name].append(run)
    return Comparison(runs)
