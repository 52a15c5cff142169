"""Where is a walker most who goes from authorities back to hubs and forward again, at random?

From an authority the walker takes a random in-link back, and from that hub a random out-link forward. The
walk is at rest with

    a[v] = |A_k| / |A| * d_in(v) / |E_k|,    h[u] = |H_k| / |H| * d_out(u) / |E_k|

where the pages that hang together by links, as hubs and authorities, make the parts k; A_k are the
authorities of a part (pages with an in-link), H_k its hubs, E_k its links; and the walk begins on all
authorities (all hubs) alike. So nothing has to be iterated. R. Lempel, S. Moran, "SALSA: the stochastic
approach for link-structure analysis", ACM TOIS 19, 2001.

Unlike HITS a tight community does not take everything: each part keeps its share, and inside a part it is the
number of links that counts. The scores are probabilities and sum to 1.

Lists 0 and 1 name page 2, the first of them also page 3; list 4 names page 5, and no other does:

    >>> from gossamer.links.pairs import graph_of
    >>> from gossamer.links.ranks.base_set import base_set
    >>> from gossamer.links.transpose import outward
    >>> web = graph_of([(0, 2), (1, 2), (0, 3), (4, 5)])
    >>> found = salsa(base_set(web, outward(web), range(6)))
    >>> found.authorities.round(4).tolist()  # 2/3 * (2/3, 1/3) and 1/3
    [0.0, 0.0, 0.4444, 0.2222, 0.0, 0.3333]
    >>> found.hubs.round(4).tolist()
    [0.4444, 0.2222, 0.0, 0.0, 0.3333, 0.0]

Costs: one pass over the links of the base set.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.links.ranks.base_set import BaseSet
from gossamer.links.ranks.hits import HubsAndAuthorities
from gossamer.links.ranks.salsa_kernel import join


def salsa(base: BaseSet) -> HubsAndAuthorities:
    """SALSA's hubs and authorities of a base set, each summing to 1; all 0 when there is no link."""
    count = len(base.nodes)
    parts = np.empty(2 * count, np.int64)
    join(base.out.starts, base.out.targets, parts)
    authorities = _at_rest(np.diff(base.starts), parts[count:])
    hubs = _at_rest(np.diff(base.out.starts), parts[:count])
    return HubsAndAuthorities(base.nodes, authorities, hubs, 0, 0.0, True)


def _at_rest(degrees: NDArray[np.int64], parts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The chance to be on each page of one side, given its links and the part it belongs to."""
    takes_part = degrees > 0
    pages = np.bincount(parts[takes_part], minlength=2 * len(parts))[parts]
    links = np.bincount(parts, degrees, 2 * len(parts))[parts]
    total = max(int(np.count_nonzero(takes_part)), 1)
    scores: NDArray[np.float64] = pages * degrees / (np.maximum(links, 1) * total)
    return scores
