"""Second phase: full scores of the best candidates.

The input is the candidates of all partitions. The output is their final order, with explanations.
`two_phase.py` is the entry point, and `model.py` has the formula.
"""
