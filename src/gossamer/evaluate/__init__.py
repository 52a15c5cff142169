"""How good are the answers? Test collections with judged queries, and the measures of the field.

In: documents, queries and judgements, as a folder or as TREC's files. Out: an `Outcome` with nDCG@10, MAP,
MRR and the rest, comparisons with tests of significance, and settings chosen by judged queries. The central
functions are `run.evaluate` and `tune.tune`.
"""
