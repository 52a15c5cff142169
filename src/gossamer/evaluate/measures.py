"""How good is a ranking? The measures of the field, by ir-measures.

With rel(i) the judged score of the document at rank i and R the number of relevant documents:

    P@k      relevant documents among the first k, divided by k
    R@100    relevant documents among the first 100, divided by R
    MRR      1 / rank of the first relevant document
    MAP      mean over the relevant documents of P@(their rank), 0 for those not found
    nDCG@10  sum over i <= 10 of rel(i) / log2(i + 1), divided by the same sum for the best possible ranking

Each is the mean over all judged queries; a query without any answer counts as 0. References: Järvelin,
Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002; Buckley, Voorhees,
"Retrieval System Evaluation", in TREC, MIT Press 2005.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gossamer.evaluate.collection import Judgement

NAMES = ("nDCG@10", "MAP", "MRR", "P@1", "P@10", "R@100")


def measures(judgements: Iterable[Judgement], rankings: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """The means over all judged queries; a ranking lists documents, best first.

    >>> ranked = measures([Judgement("q", "a", 1)], {"q": ["b", "a"]})
    >>> ranked["MRR"], ranked["P@1"], ranked["R@100"]
    (0.5, 0.0, 1.0)
    """
    import ir_measures
    from ir_measures import AP, RR, P, R, nDCG

    wanted = dict(zip(NAMES, (nDCG @ 10, AP, RR, P @ 1, P @ 10, R @ 100), strict=True))
    judged = [ir_measures.Qrel(one.query, one.document, one.score) for one in judgements]
    # Places stand in for scores: evaluation tools would break ties of scores in an order of their own.
    ranked = [
        ir_measures.ScoredDoc(query, document, -float(place))
        for query, ranking in rankings.items()
        for place, document in enumerate(ranking)
    ]
    found = ir_measures.calc_aggregate(list(wanted.values()), judged, ranked)
    return {name: round(float(found[measure]), 4) for name, measure in wanted.items()}
