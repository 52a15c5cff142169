"""First phase: find the best documents of one partition.

Input is a plan; output are candidates with scores, the exact best k. `searcher.py` is the entry, `retrieve`
has the algorithms, `match` evaluates conditions.
"""
