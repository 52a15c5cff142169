"""List the settings that can be tuned.

A setting is declared tunable by `setting(0.15, "...", tunable=(0.0, 1.0))` for a range of numbers, or
`tunable=[...]` for a few values of any type. Only the ranking sections `[weighting]` and `[search]` can be
tuned; other settings would require indexing all documents again for each trial.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gossamer.config import Config, default_of
from gossamer.model import UsageError

SECTIONS = ("weighting", "search")
Point = dict[str, Any]  # a value for each parameter, by its key


@dataclass(frozen=True, slots=True)
class Parameter:
    """A tunable setting: a number in a range, or one of a few values."""

    section: str
    name: str
    low: float = 0.0
    high: float = 0.0
    values: tuple[Any, ...] = ()
    whole: bool = False

    @property
    def key(self) -> str:
        return f"{self.section}.{self.name}"

    def of(self, config: Config) -> Any:
        """Return its value in a configuration."""
        return getattr(getattr(config, self.section), self.name)

    def around(self, value: Any, share: float) -> list[Any]:
        """Return the values to try next: one step, a share of the range, down and up; or all other values.

        >>> Parameter("search", "proximity", 0.0, 1.0).around(0.1, 0.25)
        [0.0, 0.35]
        """
        if self.values:
            return [other for other in self.values if other != value]
        step = share * (self.high - self.low)
        tried = dict.fromkeys(self._rounded(value + way) for way in (-step, step))
        return [other for other in tried if other != value]

    def at(self, share: float) -> Any:
        """Return the value at a relative position in the range, from 0 to 1."""
        if self.values:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        return self._rounded(self.low + share * (self.high - self.low))

    def _rounded(self, number: float) -> float | int:
        """Limit a number to the range, and round it to the digits that make a measurable difference."""
        inside = min(max(number, self.low), self.high)
        if self.whole:
            return round(inside)
        return round(inside, max(0, 3 - math.ceil(math.log10(self.high - self.low))))


def parameters(wanted: Sequence[str] = ()) -> list[Parameter]:
    """Return the parameters with these names, such as `proximity` or `search.proximity`; all by default."""
    known = list(_all())
    if not wanted:
        return known
    found = []
    for name in dict.fromkeys(one.strip() for one in wanted):
        fitting = [one for one in known if name in {one.name, one.key}]
        if not fitting:
            raise UsageError(f"{name!r} cannot be tuned; choose from: {', '.join(one.key for one in known)}")
        found += fitting
    return list(dict.fromkeys(found))


def _all() -> Iterator[Parameter]:
    for section, one in Config.settings():
        tunable = one.metadata["tunable"]
        if tunable is None or section not in SECTIONS:
            continue
        if isinstance(tunable, list):
            yield Parameter(section, one.name, values=tuple(tunable))
        else:
            low, high = tunable
            yield Parameter(section, one.name, low, high, whole=isinstance(default_of(one), int))


def point_of(config: Config, chosen: Sequence[Parameter]) -> Point:
    """Return the values of the parameters in a configuration."""
    return {one.key: one.of(config) for one in chosen}


def configured(config: Config, point: Point) -> Config:
    """Return the configuration with the values of a point."""
    return config.changed(sections(point), "tuning")


def sections(point: Point) -> dict[str, Point]:
    """Return the values of a point by section and name, as in gossamer.toml."""
    found: dict[str, Point] = {}
    for key, value in point.items():
        section, _, name = key.partition(".")
        found.setdefault(section, {})[name] = value
    return found
