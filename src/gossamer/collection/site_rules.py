"""sites.txt: blocked and boosted sites, reloaded on change.

block  spam.example              this host: it is not fetched any more, and no search finds it
    block  *.spam.example            this host and all hosts below it
    boost  www.example.org 2         what it answers counts twice as much; 0.5 is half as much

Of the rules that speak of a host the nearest counts: its own, else that of the name above it, and so on. So a
host below a blocked site can be let in again by `boost HOST 1`. A line that cannot be understood counts for
nothing, and is told with its number; the others count.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Literal

from gossamer.collection.owner_folder import editing
from gossamer.model import BadFile, BadSetting, BadUrl
from gossamer.model.notebook import NotebookTable
from gossamer.model.url import host_of
from gossamer.storage.files import write_atomically
from gossamer.web.url import repair

BELOW = "*."  # before a name: it, and all names below it
LEAST, MOST = 0.1, 10.0  # factors
REMEMBERED = 100_000  # hosts of which it is known which rule counts
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
    pattern: str  # a host, or *.HOST for it and all hosts below
    factor: float = 0.0

    @property
    def line(self) -> str:
        """As it stands in the file."""
        return f"{self.action} {self.pattern}" + (f" {self.factor:g}" if self.action == "boost" else "")


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A line of the file: a rule, a mistake, or neither."""

    text: str
    rule: SiteRule | None = None
    mistake: str = ""


def block(pattern: str) -> SiteRule:
    """The rule that a site is not to be seen."""
    return SiteRule("block", read_pattern(pattern))


def boost(pattern: str, factor: float) -> SiteRule:
    """The rule that a site counts more, or less."""
    if not (isfinite(factor) and LEAST <= factor <= MOST):
        raise BadSetting(f"a factor is a number from {LEAST:g} to {MOST:g}, not {factor:g}")
    return SiteRule("boost", read_pattern(pattern), factor)


def read_pattern(text: str) -> str:
    """The host that is meant, however it was typed; `*.` before it stays.

    >>> read_pattern("https://WWW.Example.org/page"), read_pattern("*.Bücher.example")
    ('www.example.org', '*.xn--bcher-kva.example')
    """
    typed = text.strip()
    below, host = BELOW if typed.startswith(BELOW) else "", ""
    with suppress(BadUrl):
        host = repair(typed.removeprefix(BELOW))[0].host
    if not host or "*" in host:
        raise BadSetting(f"{text!r} is no host, as example.org or *.example.org is")
    return below + host


def read_lines(text: str) -> Iterator[RuleLine]:
    """The lines of a file of rules; what follows a # is a remark."""
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
        raise BadSetting(f"{text!r} is no number; a factor is one from {LEAST:g} to {MOST:g}") from None


_UNKNOWN = SiteRule("block", "")  # stands for a host that was not looked up yet


@dataclass(frozen=True)
class SiteRuleTable:
    """Rules to be looked up by host; of two for one pattern the later counts."""

    rules: tuple[SiteRule, ...] = ()
    _by_pattern: dict[str, SiteRule] = field(init=False, repr=False, compare=False)
    _known: dict[str, SiteRule | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_pattern", {rule.pattern: rule for rule in self.rules})

    def __bool__(self) -> bool:
        return bool(self.rules)

    def of(self, host: str) -> SiteRule | None:
        """The rule that counts for a host, which may come with its port."""
        if not self._by_pattern:
            return None
        known = self._known.get(host, _UNKNOWN)
        if known is _UNKNOWN:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            known = self._known[host] = self._nearest(host_of(host))
        return known

    def blocks(self, host: str) -> bool:
        rule = self.of(host)
        return rule is not None and rule.action == "block"

    def factor(self, host: str) -> float:
        """What the scores of a host's pages are multiplied by; 0 where it is blocked."""
        rule = self.of(host)
        return 1.0 if rule is None else rule.factor

    def _nearest(self, host: str) -> SiteRule | None:
        rules = self._by_pattern
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
Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Read:
    """The file as it was when it was read."""

    stamp: Stamp | None = None
    book: SiteRuleTable = NO_RULES
    problems: tuple[str, ...] = ()


class SiteRules:
    """The rules of a collection; none where there is no file. Threads and processes may share it."""

    def __init__(self, path: Path, owner: Path) -> None:
        """`owner` is the folder with the lock that is held while the file is changed."""
        self.path = path
        self._owner = owner
        self._read = _Read()

    def rules(self) -> tuple[SiteRule, ...]:
        """The rules in the order of the file."""
        return self.book().rules

    def problems(self) -> tuple[str, ...]:
        """What could not be understood, with its line; the other lines count."""
        return self._newest().problems

    def book(self) -> SiteRuleTable:
        """The rules as they stand now; the same object until the file changes."""
        return self._newest().book

    def block(self, pattern: str) -> SiteRule:
        """Blocks a host, or with `*.` before it also all hosts below; whatever was said of it is replaced."""
        return self._put(block(pattern))

    def boost(self, pattern: str, factor: float) -> SiteRule:
        """Multiplies the scores of a site's pages."""
        return self._put(boost(pattern, factor))

    def unblock(self, pattern: str) -> bool:
        """Takes a block back; whether there was one."""
        return self._take_out(pattern, lambda rule: rule.action == "block")

    def clear(self, pattern: str) -> bool:
        """Takes back whatever was said of exactly this pattern; whether there was anything."""
        return self._take_out(pattern, lambda _: True)

    def _newest(self) -> _Read:
        stamp = self._stamp()
        read = self._read
        if stamp != read.stamp:
            read = self._read = self._understood(stamp)  # in one step: other threads see all of it
            for problem in read.problems:
                _LOG.warning("%s", problem)
        return read

    def _stamp(self) -> Stamp | None:
        """Another one whenever the file has changed; None where there is none."""
        try:
            stat = self.path.stat()
        except OSError:
            return None
        return stat.st_ino, stat.st_mtime_ns, stat.st_size

    def _understood(self, stamp: Stamp | None) -> _Read:
        try:
            lines = self._lines()
        except BadFile as error:  # nobody can search better without the rules that were there before
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
            raise BadFile(f"{self.path}: it should be UTF-8 ({error.reason})") from None
        except OSError as error:
            raise BadFile(f"{self.path}: it cannot be read ({error.strerror})") from None

    def _put(self, rule: SiteRule) -> SiteRule:
        """In the place of what was said of the pattern before, or at the end."""
        with editing(self._owner):
            lines = self._lines()
            rules = [line.rule for line in lines]
            places = [place for place, old in enumerate(rules) if old and old.pattern == rule.pattern]
            texts = [line.text for place, line in enumerate(lines) if place not in places[1:]]
            if places:
                texts[places[0]] = rule.line + _remark(texts[places[0]])
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


def _remark(text: str) -> str:
    """What the owner wrote behind a rule."""
    return "".join(["  ", *text.partition("#")[1:]]) if "#" in text else ""
