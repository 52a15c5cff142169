"""Test collections, measures, significance and tuning.

Input are judged queries; output are figures that can be compared. `run.py` runs the queries, `measures.py`
computes, `compare.py` tests differences, `tune.py` chooses settings on held-out queries.
"""
