"""Second phase: full scores of the best candidates.

Input are candidates of all partitions; output is their final order with an explanation. `two_phase.py` is the
entry and `model.py` the formula.
"""
