"""How are the results told to people, and to programs?"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from passages.contest import Key, Outcome, Times
from passages.corpus import Corpus
from passages.indexing import cheapest, cost
from passages.judging import Verdict
from passages.stand import OURS

Rows = Mapping[Key, Times]
Builds = Mapping[str, Sequence[dict[str, Any]]]
MB = 1e6
STRUCTURES = ("dictionary", "postings", "positions", "stored", "other")


def figures(times: Times) -> dict[str, float]:
    """Microseconds over all queries."""
    total = sorted(value / 1000 for value in times.total)
    shares = {f"p{share}": total[min(len(total) - 1, len(total) * share // 100)] for share in (50, 95, 99)}
    parsing = statistics.fmean(times.parsing) / 1000
    return {"mean": statistics.fmean(total), **shares, "parsing": parsing}


def ratio(rows: Rows, key: Key) -> float:
    """How much longer than ours, over the queries that both were asked."""
    _, kind, _, k = key
    ours = next(times for (name, *what), times in rows.items() if name == OURS and what == [kind, what[1], k])
    return statistics.fmean(rows[key].total) / statistics.fmean(ours.total[:: rows[key].step])


def best(rows: Rows) -> dict[tuple[str, str, int], Key]:
    """Of an engine with several algorithms the one with the lowest mean, for each kind and k."""
    chosen: dict[tuple[str, str, int], Key] = {}
    for key in sorted(rows, key=lambda key: statistics.fmean(rows[key].total), reverse=True):
        chosen[key[0], key[1], key[3]] = key
    return chosen


def times_text(corpus: Corpus, outcome: Outcome) -> str:
    rows = outcome.times
    lines = [f"{corpus.passages:,} passages; microseconds from the text of a query to the documents"]
    for name, state in outcome.states.items():
        lines.append(f"  {name}: {state['version']}, segments: {state['segments']}")
    heads = ("mean", "p50", "p95", "p99", "parsing")
    for kind, k in dict.fromkeys((kind, k) for _, kind, _, k in rows):
        lines += [
            "",
            f"{f'{kind.upper()}, {k:,} best':46}" + "".join(f"{head:>9}" for head in heads) + "  to ours",
        ]
        chosen = [key for key in rows if (key[1], key[3]) == (kind, k)]
        for key in sorted(chosen, key=lambda key: statistics.fmean(rows[key].total)):
            lines.append(_row(rows, key))
    return "\n".join(lines)


def _row(rows: Rows, key: Key) -> str:
    name, _, algorithm, _ = key
    told = figures(rows[key])
    asked = "" if rows[key].step == 1 else f" (one query in {rows[key].step})"
    label = f"  {name} {algorithm}{asked}"
    numbers = "".join(f"{value:9.1f}" if value < 1e5 else f"{value:9.0f}" for value in told.values())
    return f"{label:46}{numbers}{ratio(rows, key):8.2f}"


def verdict_text(verdict: Verdict) -> str:
    lines = ["", f"wrong answers: {len(verdict.wrong)}", *(f"  {one}" for one in verdict.wrong[:10])]
    for name, shares in verdict.overlap.items():
        told = ", ".join(f"{kind} {share:.3f}" for kind, share in shares.items())
        sets = verdict.matching.get(name, {})
        same = "; same documents match: " + ", ".join(f"{kind} {a} of {b}" for kind, (a, b) in sets.items())
        lines.append(f"  {name}: overlap of the top 10 with ours {told}{same if sets else ''}")
    return "\n".join(lines)


def growth(large: Rows, small: Rows) -> dict[tuple[str, str, int], float]:
    """The mean of many passages divided by that of few, each by the best algorithm."""
    many, few = best(large), best(small)
    return {
        what: statistics.fmean(large[many[what]].total) / statistics.fmean(small[few[what]].total)
        for what in dict.fromkeys((name, kind, k) for name, kind, _, k in large)
    }


def growth_text(factors: Mapping[tuple[str, str, int], float], large: Corpus, small: Corpus) -> str:
    lines = ["", f"mean time of {large.passages:,} passages to that of {small.passages:,}"]
    names = dict.fromkeys(name for name, *_ in factors)
    columns = list(dict.fromkeys((kind, k) for _, kind, k in factors))
    lines.append(f"{'':12}" + "".join(f"{f'{kind} {k}':>14}" for kind, k in columns))
    for name in names:
        cells = (factors.get((name, *column)) for column in columns)
        lines.append(f"{name:12}" + "".join(f"{cell:14.2f}" if cell else f"{'':14}" for cell in cells))
    return "\n".join(lines)


def builds_text(corpus: Corpus, builds: Builds) -> str:
    """Rates and sizes of the cheapest build of each engine."""
    heads = ("docs/s CPU", "MB/s CPU", "docs/s", "add s", "commit s", "merge s", "peak MB", "grown MB")
    lines = ["", f"indexing {corpus.size / MB:.0f} MB of text, one thread (CPU seconds by stage)"]
    lines.append(f"{'':12}" + "".join(f"{head:>11}" for head in heads))
    for name, runs in builds.items():
        build = cheapest(runs)
        cpu, wall = cost(build, "cpu"), min(cost(run, "wall") for run in runs)
        stages = [build["stages"].get(stage, {"cpu": 0.0})["cpu"] for stage in ("add", "commit", "merge")]
        memory = build["peak"] / MB, (build["peak"] - build["before"]) / MB
        cells = corpus.passages / cpu, corpus.size / MB / cpu, corpus.passages / wall, *stages, *memory
        lines.append(f"{name:12}" + "".join(f"{cell:11.1f}" for cell in cells))
    return "\n".join([*lines, *_sizes(builds)])


def _sizes(builds: Builds) -> Iterator[str]:
    yield ""
    yield f"{'MB on disk':12}" + "".join(f"{head:>11}" for head in (*STRUCTURES, "all"))
    for name, runs in builds.items():
        sizes = runs[-1]["sizes"]
        apart = "".join(f"{sizes[part] / MB:11.1f}" if part in sizes else f"{'':11}" for part in STRUCTURES)
        yield f"{name:12}{apart}{sum(sizes.values()) / MB:11.1f}"


def serving_text(corpus: Corpus, served: Mapping[str, dict[str, Any]]) -> str:
    heads = ("cold open s", "answer s", "warm open s", "answer s", "RSS MB", "PSS MB", "no files MB")
    lines = ["", f"serving {corpus.passages:,} passages; imports come before (s)"]
    lines.append(f"{'':12}{'import s':>12}" + "".join(f"{head:>12}" for head in heads))
    for name, told in served.items():
        cold, warm = told["cold"], told["warm"]
        starts = cold["importing"], cold["opening"], cold["answering"], warm["opening"], warm["answering"]
        memory = [warm["memory"][what] / MB for what in ("rss", "pss", "without_files")]
        cells = "".join(f"{cell:12.3f}" for cell in starts) + "".join(f"{cell:12.1f}" for cell in memory)
        lines.append(f"{name:12}{cells}")
    return "\n".join(lines)


def outcome_json(outcome: Outcome, verdict: Verdict) -> dict[str, Any]:
    rows = [
        {"engine": name, "kind": kind, "algorithm": algorithm, "k": k, "step": times.step}
        | figures(times)
        | {"ratio": ratio(outcome.times, key)}
        for key, times in outcome.times.items()
        for name, kind, algorithm, k in [key]
    ]
    judged = {"wrong": verdict.wrong, "overlap": verdict.overlap, "matching": verdict.matching}
    return {"times": rows, "engines": outcome.states, **judged}
