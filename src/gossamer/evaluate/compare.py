"""Significance tests; saved figures.

With n queries and d(q) the gain of query q:

    paired t-test        t = mean(d) / (s / sqrt(n)), where s is the standard deviation of d; p from
                         Student's distribution with n - 1 degrees of freedom, also the interval
    randomisation test   if there were no difference, each d(q) could equally have the other sign: p is the
                         share of all 2^n choices of signs whose sum is at least as far from 0 as observed

If up to 16 queries differ, all choices are counted. Otherwise 100,000 random choices are counted, the same
in every run, and p is (1 + those as far) / (1 + all). Both p are two-sided.

References: Student, "The probable error of a mean", Biometrika 6, 1908; Fisher, "The Design of Experiments",
1935, section 21; Smucker, Allan, Carterette, "A comparison of statistical significance tests for information
retrieval evaluation", CIKM 2007.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.config import Config
from gossamer.evaluate.judged_collection import TestCollection
from gossamer.evaluate.lines import beginning
from gossamer.evaluate.measures import NAMES, Measurer, PerQuery
from gossamer.evaluate.run import Outcome
from gossamer.evaluate.runs import read_run, write_run
from gossamer.model import UsageError
from gossamer.model.errors import require_extra
from gossamer.storage.files import write_atomically

CONFIDENCE = 0.95
COUNTED = 16  # differing queries up to which every choice of signs is counted
SAMPLES = 100_000
AT_ONCE = 1 << 22  # signs in memory at a time
SAME = 1e-9  # smaller differences are rounding errors
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The change of a measure over the same queries, from before to after."""

    queries: int
    before: float  # mean
    after: float  # mean
    low: float  # confidence interval of the difference
    high: float
    wins: int  # queries that improved
    losses: int  # queries that became worse
    t: float
    p_t: float
    p_randomised: float

    @property
    def difference(self) -> float:
        return self.after - self.before


def compare(before: PerQuery, after: PerQuery, measure: str) -> Comparison:
    """Compare a measure over the queries that both have; there must be at least one."""
    both = [query for query in after if query in before]
    return compare_values(
        [before[query][measure] for query in both], [after[query][measure] for query in both]
    )


def compare_values(before: Sequence[float], after: Sequence[float]) -> Comparison:
    """Compare two series of values of the same queries, in the same order.

    >>> found = compare_values([0.1, 0.2, 0.3, 0.4], [0.2, 0.4, 0.4, 0.4])
    >>> found.wins, found.losses, found.p_randomised
    (3, 0, 0.25)
    """
    one, other = np.array(before, np.float64), np.array(after, np.float64)
    gains = np.where(np.abs(other - one) < SAME, 0.0, other - one)
    t, p, reach = _student(gains)
    mean = float(gains.mean())
    return Comparison(
        len(gains), float(one.mean()), float(other.mean()), mean - reach, mean + reach,
        int((gains > 0).sum()), int((gains < 0).sum()), t, p, randomised(gains),
    )  # fmt: skip


def _student(gains: Floats) -> tuple[float, float, float]:
    """Return t, its p, and half the width of the confidence interval."""
    require_extra("comparing rankings", "eval", "scipy")
    from scipy.special import stdtr, stdtrit

    n, mean = len(gains), float(gains.mean())
    if n < 2:
        return 0.0, 1.0, math.inf
    error = float(gains.std(ddof=1)) / math.sqrt(n)
    if error < SAME:  # every query gained the same
        return (math.copysign(math.inf, mean), 0.0, 0.0) if abs(mean) >= SAME else (0.0, 1.0, 0.0)
    t = mean / error
    return t, float(2 * stdtr(n - 1, -abs(t))), float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * error


def randomised(gains: Floats) -> float:
    """Return the p of the randomisation test."""
    sizes = np.abs(gains[gains != 0])
    seen = abs(float(gains.sum())) - SAME
    if len(sizes) <= COUNTED:
        sums = np.zeros(1)
        for size in sizes:
            sums = np.concatenate((sums + size, sums - size))
        return float((np.abs(sums) >= seen).mean())
    rng = np.random.default_rng(0)
    as_far, left = 0, SAMPLES
    while left > 0:
        some = min(left, max(1, AT_ONCE // len(sizes)))
        signs = rng.integers(0, 2, (some, len(sizes)), np.int8)
        sums = 2 * (signs @ sizes) - sizes.sum()
        as_far += int((np.abs(sums) >= seen).sum())
        left -= some
    return (1 + as_far) / (1 + SAMPLES)


# Saved evaluation figures
# ------------------------


def as_json(outcome: Outcome) -> dict[str, Any]:
    """Return the figures of an outcome, including those of each query."""
    return {**outcome.flat(), "per_query": outcome.per_query}


def save(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Write the figures of collections to a file."""
    content = {"collections": [as_json(outcome) for outcome in outcomes]}
    write_atomically(path, json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n")


def load(path: Path) -> dict[str, PerQuery]:
    """Read the values of every query, by the name of the collection."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found = {row["collection"]: row["per_query"] for row in content["collections"]}
        return {name: _values(each) for name, each in found.items()}
    except OSError as error:
        raise UsageError(f"{path}: it cannot be read ({error})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{path} is not a file of `gossamer eval --save` ({type(error).__name__}: {error})"
        ) from error


def _values(each: dict[str, dict[str, float]]) -> PerQuery:
    return {query: {name: float(values[name]) for name in NAMES} for query, values in each.items()}


# Baseline of a comparison
# ------------------------

SUFFIX = ".run"


def earlier(path: Path, collection: TestCollection, again: Callable[[Config], Outcome]) -> PerQuery:
    """Return the values of every query for a baseline: saved figures, a run, or other settings.

    For a settings file, `again` evaluates the collection with those settings.
    """
    if path.suffix == ".toml":
        return again(Config.load(existing(path))).per_query
    if path.is_dir() or not beginning(existing(path)).startswith("{"):
        rankings = read_run(existing(run_file(path, collection.name)))
        return Measurer(collection.judgements).each(rankings)
    known = load(path)
    if collection.name not in known:
        raise UsageError(f"{path} has no figures of {collection.name}, only of {', '.join(known)}")
    return known[collection.name]


def existing(path: Path) -> Path:
    """Return the path; raise UsageError if there is no such file or folder."""
    if not path.exists():
        raise UsageError(f"{path} does not exist")
    return path


def run_file(path: Path, collection: str) -> Path:
    """Return the run file of a collection: the path itself, or in a folder the file of its name."""
    return path / f"{collection}{SUFFIX}" if path.is_dir() else path


def write_runs(path: Path, outcomes: list[Outcome]) -> None:
    """Write the run of one collection to a file, or the runs of several to files in a folder."""
    if len(outcomes) > 1:
        path.mkdir(exist_ok=True)
    for outcome in outcomes:
        write_run(run_file(path, outcome.collection), outcome.rankings)


def compared(before: PerQuery, outcome: Outcome, source: Path) -> dict[str, Comparison]:
    """Compare all measures over the queries that both have."""
    if not before.keys() & outcome.per_query.keys():
        raise UsageError(f"{source}: it has none of the queries of {outcome.collection}")
    return {name: compare(before, outcome.per_query, name) for name in NAMES}
