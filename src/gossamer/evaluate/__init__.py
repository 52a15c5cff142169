"""Test collections, measures, significance and tuning.

The input is judged queries; the output is figures that can be compared. `run.py` runs the queries,
`measures.py` computes measures, `compare.py` tests differences for significance, and `tune.py` chooses
settings, measured on held-out queries.
"""
