"""sites.txt: blocked and boosted sites, reloaded on change.

    block  spam.example              this host is no longer fetched, and no search finds it
    block  *.spam.example            this host and all hosts below it
    boost  www.example.org 2         double the scores of its pages; 0.5 halves them

The most specific rule applies to a host: its own, else that of the parent domain, and so on. So a host below
a blocked site can be allowed again by `boost HOST 1`. An invalid line is ignored and reported with its line
number.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isfinite
from pathlib import Path
from typing import Literal

from gossamer.collection.owner_folder import editing
from gossamer.model import BadFile, BadSetting, BadUrl
from gossamer.model.notebook import NotebookTable
from gossamer.model.url import host_of
from gossamer.storage.files import FileVersion, version_of, write_atomically
from gossamer.web.url import repair

BELOW = "*."  # prefix of a host: the host and all hosts below it
LEAST, MOST = 0.1, 10.0  # factors
REMEMBERED = 100_000  # hosts whose rule is cached
Action = Literal["block", "boost"]


@dataclass(frozen=True, slots=True)
class SiteRule(NotebookTable):
    """Block a site, or boost its pages.

    Attributes:
        action: "block" or "boost".
        pattern: A host, or `*.HOST` for the host and all hosts below it.
        factor: Score factor; 0 if the site is blocked.
    """

    action: Action
    pattern: str
    factor: float = 0.0

    @property
    def line(self) -> str:
        """The rule as a line of the file."""
        return f"{self.action} {self.pattern}" + (f" {self.factor:g}" if self.action == "boost" else "")


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A line of the file: a rule, an invalid line, or neither (empty or a comment)."""

    text: str
    rule: SiteRule | None = None
    mistake: str = ""


def block(pattern: str) -> SiteRule:
    """Make a rule that blocks a site."""
    return SiteRule("block", read_pattern(pattern))


def boost(pattern: str, factor: float) -> SiteRule:
    """Make a rule that multiplies the scores of a site."""
    if not (isfinite(factor) and LEAST <= factor <= MOST):
        raise BadSetting(f"a factor is a number from {LEAST:g} to {MOST:g}, not {factor:g}")
    return SiteRule("boost", read_pattern(pattern), factor)


def read_pattern(text: str) -> str:
    """Return the host of a typed pattern, which may be a URL; a prefix `*.` is kept.

    >>> read_pattern("https://WWW.Example.org/page"), read_pattern("*.Bücher.example")
    ('www.example.org', '*.xn--bcher-kva.example')
    """
    typed = text.strip()
    below, host = BELOW if typed.startswith(BELOW) else "", ""
    with suppress(BadUrl):
        host = repair(typed.removeprefix(BELOW))[0].host
    if not host or "*" in host:
        raise BadSetting(f"{text!r} is not a host such as example.org or *.example.org")
    return below + host


def read_lines(text: str) -> Iterator[RuleLine]:
    """Parse the lines of a file of rules; # begins a comment."""
    for line in text.splitlines():
        said = line.partition("#")[0].split()
        try:
            yield RuleLine(line, _rule(said) if said else None)
        except BadSetting as error:
            yield RuleLine(line, mistake=str(error))


def _rule(said: list[str]) -> SiteRule:
    match said:
        case ["block", pattern]:
            return block(pattern)
        case ["boost", pattern, factor]:
            return boost(pattern, _number(factor))
    raise BadSetting(f"{' '.join(said)!r} is neither `block HOST` nor `boost HOST FACTOR`")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadSetting(f"{text!r} is not a number; a factor is from {LEAST:g} to {MOST:g}") from None


@dataclass(frozen=True)
class SiteRuleTable:
    """Rules, looked up by host; of two rules with the same pattern the later one applies."""

    rules: tuple[SiteRule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rules)

    def of(self, host: str) -> SiteRule | None:
        """Return the rule that applies to a host, with or without its port; None if there is none."""
        return self._cached(host) if self.rules else None

    def blocks(self, host: str) -> bool:
        """Return whether a host is blocked."""
        rule = self.of(host)
        return rule is not None and rule.action == "block"

    def factor(self, host: str) -> float:
        """Return the score factor of a host's pages; 0 if it is blocked."""
        rule = self.of(host)
        return 1.0 if rule is None else rule.factor

    @cached_property
    def _cached(self) -> Callable[[str], SiteRule | None]:
        return lru_cache(REMEMBERED)(self._nearest)

    @cached_property
    def _by_pattern(self) -> dict[str, SiteRule]:
        return {rule.pattern: rule for rule in self.rules}

    def _nearest(self, authority: str) -> SiteRule | None:
        rules, host = self._by_pattern, host_of(authority)
        if host in rules:
            return rules[host]
        while host:
            if (rule := rules.get(BELOW + host)) is not None:
                return rule
            host = host.partition(".")[2]
        return None


NO_RULES = SiteRuleTable()


# sites.txt, reloaded when changed
# --------------------------------

NAME = "sites.txt"
TEMPLATE = """\
# Sites that you do not want to see, or want to see higher or lower. Changes count from the next search on,
# and within seconds in a running crawl. A host stands for itself; *.host for it and all hosts below it.
#
# block spam.example
# block *.spam.example
# boost www.example.org 2
# boost noisy.example 0.5
"""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Read:
    """The file as it was when it was read."""

    stamp: FileVersion | None = None
    book: SiteRuleTable = NO_RULES
    problems: tuple[str, ...] = ()


class SiteRules:
    """The rules of a collection, empty if there is no file. Threads and processes may share it."""

    def __init__(self, path: Path, owner: Path) -> None:
        """`owner` is the folder with the edit lock."""
        self.path = path
        self._owner = owner
        self._read = _Read()

    def rules(self) -> tuple[SiteRule, ...]:
        """Return the rules in the order of the file."""
        return self.book().rules

    def problems(self) -> tuple[str, ...]:
        """Return a message for each invalid line; the other lines still apply."""
        return self._newest().problems

    def book(self) -> SiteRuleTable:
        """Return the current rules: the same object until the file changes."""
        return self._newest().book

    def block(self, pattern: str) -> SiteRule:
        """Block a host, or with `*.` before it also all hosts below it; replaces a rule with this pattern."""
        return self._put(block(pattern))

    def boost(self, pattern: str, factor: float) -> SiteRule:
        """Multiply the scores of a site's pages; replaces a rule with this pattern."""
        return self._put(boost(pattern, factor))

    def unblock(self, pattern: str) -> bool:
        """Remove a block; return whether there was one."""
        return self._take_out(pattern, lambda rule: rule.action == "block")

    def clear(self, pattern: str) -> bool:
        """Remove the rules with exactly this pattern; return whether there was one."""
        return self._take_out(pattern, lambda _: True)

    def _newest(self) -> _Read:
        stamp = self._stamp()
        read = self._read
        if stamp != read.stamp:
            read = self._read = self._parsed(stamp)  # in one step: other threads see all of it
            for problem in read.problems:
                _LOG.warning("%s", problem)
        return read

    def _stamp(self) -> FileVersion | None:
        """Return the version of the file; None if there is no file, or none that can be read."""
        with suppress(OSError):
            return version_of(self.path)
        return None

    def _parsed(self, stamp: FileVersion | None) -> _Read:
        try:
            lines = self._lines()
        except BadFile as error:  # keep the previous rules
            return _Read(stamp, self._read.book, (str(error),))
        mistakes = [
            f"{self.path}, line {number}: {line.mistake}"
            for number, line in enumerate(lines, 1)
            if line.mistake
        ]
        return _Read(stamp, SiteRuleTable(tuple(line.rule for line in lines if line.rule)), tuple(mistakes))

    def _lines(self) -> list[RuleLine]:
        try:
            return list(read_lines(self.path.read_text(encoding="utf-8-sig")))
        except FileNotFoundError:
            return []
        except UnicodeDecodeError as error:
            raise BadFile(f"{self.path}: it must be UTF-8 ({error.reason})") from None
        except OSError as error:
            raise BadFile(f"{self.path}: it cannot be read ({error.strerror})") from None

    def _put(self, rule: SiteRule) -> SiteRule:
        """Write a rule in the place of the old rule with its pattern, or at the end."""
        with editing(self._owner):
            lines = self._lines()
            rules = [line.rule for line in lines]
            places = [place for place, old in enumerate(rules) if old and old.pattern == rule.pattern]
            texts = [line.text for place, line in enumerate(lines) if place not in places[1:]]
            if places:
                texts[places[0]] = rule.line + _comment(texts[places[0]])
            else:
                texts.append(rule.line)
            self._write(texts)
        return rule

    def _take_out(self, pattern: str, unwanted: Callable[[SiteRule], bool]) -> bool:
        host = read_pattern(pattern)
        with editing(self._owner):
            lines = self._lines()
            rules = [(line.text, line.rule) for line in lines]
            kept = [text for text, rule in rules if not (rule and rule.pattern == host and unwanted(rule))]
            if len(kept) == len(lines):
                return False
            self._write(kept)
        return True

    def _write(self, lines: Sequence[str]) -> None:
        write_atomically(self.path, "".join(f"{line}\n" for line in lines).encode())


def _comment(text: str) -> str:
    """Return the comment after a rule."""
    return "".join(["  ", *text.partition("#")[1:]]) if "#" in text else ""
