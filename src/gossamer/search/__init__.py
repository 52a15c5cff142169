"""First phase: find the best documents of one partition.

The input is a plan. The output is the exact best k candidates with scores. `searcher.py` is the entry point,
`retrieve` has the algorithms, and `match` evaluates conditions.
"""
