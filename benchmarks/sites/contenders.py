"""Who crawls, and how is each started so that all do the same work?"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sites.measuring import Cost, measured
from sites.serving import ADDRESS

SPIDER = Path(__file__).with_name("spider.py")
NO_SCRAPY = (
    "{python} has no Scrapy: install the benchmark's extra (pip install -e '.[bench]'), or name a Python "
    "that has it with --scrapy-python"
)


@dataclass(frozen=True, slots=True)
class Task:
    """The web that is to be crawled."""

    seeds: Sequence[str]
    hosts: str  # a pattern that the names of all hosts match
    port: int
    within: str = ""  # a regular expression for what may be followed, where pages lead out of the web


class Contender(Protocol):
    """A crawler with its settings."""

    @property
    def name(self) -> str:
        """How it is called in the results."""

    def crawl(self, task: Task, scratch: Path) -> Cost:
        """Crawls until there is nothing more to fetch."""


@dataclass(frozen=True, slots=True)
class Gossamer:
    """The command `gossamer crawl`, until its index is committed."""

    name: str
    settings: str = ""  # what stands in gossamer.toml
    delay: float = 0.0
    limit: float = 0.0  # seconds until it is interrupted; 0 means never

    def crawl(self, task: Task, scratch: Path) -> Cost:
        collection = scratch / "collection"
        shutil.rmtree(collection, ignore_errors=True)
        collection.mkdir(parents=True)
        (collection / "gossamer.toml").write_text(self.settings, encoding="utf-8")
        resolve = f"{task.hosts}={ADDRESS}:{task.port}"
        command = [sys.executable, "-m", "gossamer", "-C", str(collection), "crawl", *task.seeds]
        options = ["--resolve", resolve, "--allow-private", "--delay", str(self.delay), "--quiet"]
        if task.within:
            options += ["--include", task.within]
        return _checked(self.name, [*command, *options], scratch, self.limit)


@dataclass(frozen=True, slots=True)
class Scrapy:
    """A spider that finds links in one of the ways that `spider.py` knows."""

    name: str
    links: str
    python: str = sys.executable

    def crawl(self, task: Task, scratch: Path) -> Cost:
        order = {"seeds": list(task.seeds), "within": task.within, "address": ADDRESS, "links": self.links}
        return _checked(self.name, [self.python, str(SPIDER), json.dumps(order)], scratch)


def require_scrapy(python: str) -> str:
    """Scrapy's version; the benchmark ends with a hint when it is not there."""
    question = [python, "-c", "import scrapy; print(scrapy.__version__)"]
    try:
        answer = subprocess.run(question, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        sys.exit(NO_SCRAPY.format(python=python))
    return answer.stdout.strip()


def _checked(name: str, command: Sequence[str], scratch: Path, limit: float = 0.0) -> Cost:
    output = scratch / "said.txt"
    cost = measured(command, output, limit)
    if cost.status != 0 and not cost.cut:
        said = output.read_text(encoding="utf-8", errors="replace")[-2_000:]
        sys.exit(f"{name} failed with status {cost.status}:\n{said}")
    return cost
