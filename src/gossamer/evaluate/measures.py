"""Measures of retrieval quality: nDCG, MAP, MRR and others.

With rel(i) the judged score of the document at rank i, and R the number of relevant documents:

    P@k      relevant documents among the first k, divided by k
    R@100    relevant documents among the first 100, divided by R
    MRR      1 / rank of the first relevant document
    MAP      mean over the relevant documents of P@k at their rank k, 0 for those not found
    nDCG@10  sum over i <= 10 of rel(i) / log2(i + 1), divided by the same sum for the best possible ranking

The figure of a collection is the mean over all judged queries; a query without results counts as 0.
References: Järvelin, Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002;
Buckley, Voorhees, "Retrieval System Evaluation", in TREC, MIT Press 2005.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gossamer.evaluate.judged_collection import Judgement
from gossamer.model import UsageError
from gossamer.model.errors import require_extra

NAMES = ("nDCG@10", "MAP", "MRR", "P@1", "P@10", "R@100")
DIGITS = 4  # of displayed figures
PerQuery = dict[str, dict[str, float]]  # query -> measure -> value


class Measurer:
    """Measure rankings by the judgements of one collection.

    >>> found = Measurer([Judgement("q", "a", 1)]).each({"q": ["b", "a"]})["q"]
    >>> found["MRR"], found["P@1"], found["R@100"]
    (0.5, 0.0, 1.0)
    """

    def __init__(self, judgements: Iterable[Judgement], names: Sequence[str] = NAMES) -> None:
        require_extra("measuring rankings", "eval", "ir_measures")
        import ir_measures
        from ir_measures import AP, RR, P, R, nDCG

        by_name = dict(zip(NAMES, (nDCG @ 10, AP, RR, P @ 1, P @ 10, R @ 100), strict=True))
        self._names = {by_name[name]: name for name in names}
        qrels = [ir_measures.Qrel(one.query, one.document, one.score) for one in judgements]
        self._queries = dict.fromkeys(qrel.query_id for qrel in qrels)
        self._evaluator = ir_measures.evaluator(list(self._names), qrels)

    def each(self, rankings: Mapping[str, Sequence[str]]) -> PerQuery:
        """Return the measures of every judged query; a ranking lists documents, best first."""
        found = {query: dict.fromkeys(self._names.values(), 0.0) for query in self._queries}
        # Ranks are used as scores, so that the evaluation tool need not break ties.
        run = {
            query: {document: -float(place) for place, document in enumerate(rankings[query])}
            for query in found
            if rankings.get(query)
        }
        for metric in self._evaluator.iter_calc(run):
            found[metric.query_id][self._names[metric.measure]] = float(metric.value)
        return found


def means(each: PerQuery) -> dict[str, float]:
    """Return the mean of each measure over the queries.

    >>> means({"1": {"MRR": 1.0}, "2": {"MRR": 0.5}})
    {'MRR': 0.75}
    """
    names = next(iter(each.values()), {})
    return {name: sum(one[name] for one in each.values()) / len(each) for name in names}


def rounded(figures: Mapping[str, float]) -> dict[str, float]:
    """Round figures for display."""
    return {name: round(value, DIGITS) for name, value in figures.items()}


def named(typed: str) -> str:
    """Return the name of a measure typed in any case.

    >>> named("ndcg@10")
    'nDCG@10'
    """
    known = {name.lower(): name for name in NAMES}
    if typed.strip().lower() not in known:
        raise UsageError(f"there is no measure {typed.strip()!r}; choose from: {', '.join(NAMES)}")
    return known[typed.strip().lower()]
