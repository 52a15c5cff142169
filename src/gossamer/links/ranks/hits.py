"""Which pages do the good lists of a topic name, and which lists name the good pages?

A page is a good authority when good hubs link to it, and a good hub when it links to good authorities. With
A[u, v] = 1 where u links to v,

    a := A^T h,   h := A a,   each brought to length 1

The limits are the principal eigenvectors of A^T A and A A^T: where the largest eigenvalue is a single one;
where it repeats, they are the projections of the start (all pages alike) on its eigenspace. J. Kleinberg,
"Authoritative sources in a hyperlinked environment", Journal of the ACM 46, 1999.

Two lists, 0 and 1, name page 2, and the first of them also page 3. A^T A is ((2, 1), (1, 1)), and the scores
are in the golden ratio:

    >>> from gossamer.links.pairs import graph_of
    >>> from gossamer.links.ranks.base_set import base_set
    >>> from gossamer.links.transpose import outward
    >>> web = graph_of([(0, 2), (1, 2), (0, 3)])
    >>> found = hits(base_set(web, outward(web), range(4)))
    >>> found.authorities.round(4).tolist(), found.hubs.round(4).tolist()
    ([0.0, 0.0, 0.8507, 0.5257], [0.8507, 0.5257, 0.0, 0.0])
    >>> round(float(found.authorities[2] / found.authorities[3]), 4)
    1.618

Known faults: the tightest community of the base set takes everything, whatever the query was (topic drift),
and a page that links to many authorities becomes a hub at once, without anybody's consent. Against the first
pages can be given a relevance w, and then a[v] is the sum of w[u] h[u] and h[u] that of w[v] a[v]: K. Bharat,
M. Henzinger, "Improved algorithms for topic distillation in a hyperlinked environment", SIGIR 1998. If page
2 is a tenth as relevant as the others, the list that names nothing else falls behind:

    >>> about = hits(base_set(web, outward(web), range(4)), relevance=np.array([1, 1, 0.1, 1]))
    >>> about.hubs.round(4).tolist()
    [0.9951, 0.0985, 0.0, 0.0]

Costs: two passes over the links of the base set a step; tens of steps for most queries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.links.ranks.base_set import BaseSet
from gossamer.links.ranks.hits_kernel import SMALLEST, reinforce
from gossamer.model import UsageError


@dataclass(frozen=True, slots=True)
class HubsAndAuthorities:
    """Two scores of every page of a base set, in its order; all 0 when no page links to another."""

    nodes: NDArray[np.uint32]
    authorities: NDArray[np.float64]
    hubs: NDArray[np.float64]
    steps: int
    residual: float  # how far the last step moved the authorities
    converged: bool
    diagnosis: str = ""  # why it did not converge, for people


def hits(
    base: BaseSet,
    tolerance: float = 1e-8,
    max_steps: int = 1000,
    *,
    relevance: NDArray[np.float64] | None = None,
) -> HubsAndAuthorities:
    """Hubs and authorities of a base set, vectors of length 1.

    `relevance` says how much each page of the base set has to do with the query; all alike when None.
    """
    count = len(base.nodes)
    weights = np.ones(count) if relevance is None else _scaled(relevance, count)
    authorities, hubs = np.zeros(count), np.zeros(count)
    if not len(base.sources):
        return HubsAndAuthorities(base.nodes, authorities, hubs, 0, 0.0, True)
    hubs[:] = 1.0
    steps, moved = reinforce(
        base.starts, base.sources, base.out.starts, base.out.targets, weights, tolerance, max_steps,
        np.zeros(count), np.empty(count), authorities, hubs,
    )  # fmt: skip
    said = f"not converged after {steps} steps: the last one still moved {moved:.3g}; allow more steps"
    converged = moved <= tolerance
    return HubsAndAuthorities(
        base.nodes, authorities, hubs, steps, moved, converged, "" if converged else said
    )


def _scaled(relevance: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """At most 1, so that squares of sums stay within what a number can hold."""
    given = np.asarray(relevance, np.float64)
    if len(given) != count:
        raise UsageError(f"relevance has {len(given)} values for {count} pages of the base set")
    if not (np.isfinite(given).all() and (given >= 0).all()):
        raise UsageError("relevance is a number for each page, of which none is negative")
    return given / max(float(given.max(initial=0.0)), SMALLEST)
