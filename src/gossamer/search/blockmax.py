"""`blockmax`: skips ranges, and in them blocks of 32 documents, that cannot enter the best k. Exact."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

from gossamer.search.blockmax_kernel import blockmax as blockmax_kernel
from gossamer.search.blocks import depth_for
from gossamer.search.task import Ranking, Task, empty_ranking, merged

HEAVY = 5_000_000  # postings of a query that is worth a second thread


def blockmax(task: Task, k: int) -> Ranking:
    """The best k documents of the segment."""
    return _span(task, k, 0, len(task.factors.highest))


@dataclass(frozen=True, slots=True)
class Crew:
    """Threads that share the work of heavy queries."""

    pool: Executor
    size: int


def blockmax_by(crew: Crew, task: Task, k: int) -> Ranking:
    """The same answer by several threads, each on a span of ranges; they share the floor."""
    ranges = len(task.factors.highest)
    threads = min(crew.size, ranges)
    if threads < 2:
        return blockmax(task, k)
    task.impacts.blocks  # noqa: B018  made once, not by every thread
    cuts = [ranges * i // threads for i in range(threads + 1)]
    waiting = [crew.pool.submit(_span, task, k, cuts[i], cuts[i + 1]) for i in range(threads)]
    return merged([future.result() for future in waiting], k)


def _span(task: Task, k: int, first: int, last: int) -> Ranking:
    floor = task.floor_for(k)
    k = min(k, len(task.fingerprints))
    scores, fingerprints, docs = empty_ranking(k)
    if not k or not len(task.terms):
        return scores[:0], fingerprints[:0], docs[:0]
    factors = task.factors
    # A term's best documents may all be ruled out: then they bound nothing.
    depth = -1 if len(task.allowed) else depth_for(k)
    found = blockmax_kernel(
        task.terms,
        task.weights,
        *task.impacts.arrays,
        depth,
        task.fingerprints,
        task.allowed,
        factors.of_document,
        factors.highest,
        factors.of_block,
        factors.lowest,
        floor,
        first,
        last,
        scores,
        fingerprints,
        docs,
    )
    return scores[:found], fingerprints[:found], docs[:found]
