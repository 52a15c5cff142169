"""How good are the answers? Test collections with judged queries, and the measures of the field.

In: a folder with corpus, queries and judgements. Out: an `Outcome` with nDCG@10, MAP, MRR and the rest.
The central function is `run.evaluate`.
"""
