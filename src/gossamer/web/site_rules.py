"""What does the owner want of single sites: not to see them, or to see them higher or lower?

    block  spam.example              this host: it is not fetched any more, and no search finds it
    block  *.spam.example            this host and all hosts below it
    boost  www.example.org 2         what it answers counts twice as much; 0.5 is half as much

Of the rules that speak of a host the nearest counts: its own, else that of the name above it, and so on. So a
host below a blocked site can be let in again by `boost HOST 1`. A line that cannot be understood counts for
nothing, and is told with its number; the others count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Literal

from gossamer.model import BadSetting, BadUrl
from gossamer.model.notebook import Tabled
from gossamer.model.url import host_of
from gossamer.web.url import repair

BELOW = "*."  # before a name: it, and all names below it
LEAST, MOST = 0.1, 10.0  # factors
REMEMBERED = 100_000  # hosts of which it is known which rule counts

Action = Literal["block", "boost"]


@dataclass(frozen=True, slots=True)
class SiteRule(Tabled):
    """One rule. The factor is what scores are multiplied by; 0 where the site is blocked."""

    action: Action
    pattern: str  # a host, or *.HOST for it and all hosts below
    factor: float = 0.0

    @property
    def line(self) -> str:
        """As it stands in the file."""
        return f"{self.action} {self.pattern}" + (f" {self.factor:g}" if self.action == "boost" else "")


@dataclass(frozen=True, slots=True)
class Line:
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
    below = BELOW if typed.startswith(BELOW) else ""
    try:
        host = repair(typed.removeprefix(BELOW))[0].host
    except BadUrl as error:
        raise BadSetting(f"{text!r} is no host, as example.org or *.example.org is") from error
    if not host or "*" in host:
        raise BadSetting(f"{text!r} is no host, as example.org or *.example.org is")
    return below + host


def read_lines(text: str) -> Iterator[Line]:
    """The lines of a file of rules; what follows a # is a remark."""
    for line in text.splitlines():
        said = line.partition("#")[0].split()
        try:
            yield Line(line, _rule(said) if said else None)
        except BadSetting as error:
            yield Line(line, mistake=str(error))


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
class SiteBook:
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


NO_RULES = SiteBook()
