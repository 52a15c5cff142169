"""How are the results told to people, and to programs?"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sites.audit import Verdict
from sites.measuring import Cost

if TYPE_CHECKING:
    from sites.comparing import Comparison, Run


def say(text: str) -> None:
    """Tells how far it is, where it does not stand in the way of the result."""
    print(text, file=sys.stderr, flush=True)


def comparison_text(comparison: Comparison, scrapy: str) -> str:
    """A table with the medians of all rounds, and the spread of what matters."""
    lines = [f"{'':30}{'pages':>7}{'pages per CPU second':>24}{'CPU ms':>8}{'wall s':>8}{'peak MB':>9}"]
    for name, runs in comparison.runs.items():
        rates = [run.rate for run in runs]
        lines.append(
            f"{name:30}{runs[-1].pages:7,}{comparison.rate(name):8.1f} {_spread(rates):>15}"
            f"{1000 / comparison.rate(name):8.2f}{_middle(runs, 'wall'):8.1f}{_middle(runs, 'peak_mb'):9.0f}"
        )
    lines += [f"  {name}: {fault}" for name, runs in comparison.runs.items() for fault in _faults(runs[-1])]
    if comparison.scrapy:
        lines += ["", f"times as fast as Scrapy {scrapy} (median of the rounds, lowest and highest)"]
        lines += _ratios(comparison)
    return "\n".join(lines)


def _ratios(comparison: Comparison) -> list[str]:
    others = [comparison.scrapy, *(name for name in comparison.runs if "own set" in name)]
    lines = []
    for name in (name for name in comparison.runs if not name.startswith("Scrapy")):
        for other in others:
            found = comparison.ratios(name, other)
            lines.append(f"  {name:20} to {other:30}{statistics.median(found):6.2f} {_spread(found, 2):>13}")
    return lines


def _faults(run: Run) -> list[str]:
    told = {"missed": "never asked for", "extra": "asked for without a link", "twice": "asked for again"}
    return [f"{getattr(run, name)} {what}" for name, what in told.items() if getattr(run, name)]


def _spread(values: list[float], digits: int = 1) -> str:
    return f"({min(values):.{digits}f} to {max(values):.{digits}f})"


def _middle(runs: Sequence[Run], what: str) -> float:
    values: list[float] = [getattr(run.cost, what) for run in runs]
    return statistics.median(values)


def comparison_json(comparison: Comparison, scrapy: str, parts: Mapping[str, float]) -> dict[str, Any]:
    """Every run, and the ratios to the faster of the usual spiders."""
    crawlers = {}
    for name, runs in comparison.runs.items():
        told = [asdict(run) | {"cpu": run.cost.cpu, "pages_per_cpu_second": run.rate} for run in runs]
        ratios = comparison.ratios(name, comparison.scrapy) if comparison.scrapy else []
        crawlers[name] = {"pages_per_cpu_second": comparison.rate(name), "ratios": ratios, "runs": told}
    return {"scrapy": scrapy, "compared_with": comparison.scrapy, "crawlers": crawlers, "stages_us": parts}


def breakdown_text(parts: Mapping[str, float]) -> str:
    lines = ["", "a page by stage, each measured alone (microseconds of processor time)"]
    lines += [f"  {name:34}{cost:9.0f}" for name, cost in parts.items()]
    return "\n".join([*lines, f"  {'sum':34}{sum(parts.values()):9.0f}", ""])


def audit_text(verdict: Verdict, cost: Cost) -> str:
    """The figures of the crawl and, rule by rule, what the log says."""
    lines = [
        f"{verdict.pages:,} pages of {verdict.hosts:,} hosts, {verdict.requests:,} requests, "
        f"{verdict.trapped:,} of them in traps, {verdict.given_up:,} given up"
        + (" (interrupted)" if cost.cut else ""),
        f"{verdict.pages / cost.wall:.1f} pages a second, {_cpu_ms(verdict, cost):.2f} ms CPU a page, "
        f"at most {cost.peak_mb:,.0f} MB",
        f"the shortest pause was {1000 * verdict.shortest:+.1f} ms beside its delay",
    ]
    for complaints in verdict.complaints:
        lines.append(f"  {'FAULT' if complaints.count else 'ok':6}{complaints.count:9,}  {complaints.rule}")
        lines += [f"{'':19}{example}" for example in complaints.examples]
    others = verdict.others
    lines += [f"  asked for without a link: {count:,} times {path}" for path, count in others.most_common(5)]
    return "\n".join(lines)


def audit_json(verdict: Verdict, cost: Cost) -> dict[str, Any]:
    told = asdict(verdict) | {"clean": verdict.clean, "others": dict(verdict.others.most_common(100))}
    rates = {
        "pages_per_second": verdict.pages / cost.wall,
        "cpu_ms_per_page": _cpu_ms(verdict, cost),
    }
    return {"audit": told, "cost": asdict(cost) | {"cpu": cost.cpu}, **rates}


def _cpu_ms(verdict: Verdict, cost: Cost) -> float:
    return 1000 * cost.cpu / max(verdict.pages, 1)
