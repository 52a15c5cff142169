"""Exact and near duplicates: which copy of a page is kept.

Input are digests and sketches of pages; output is a verdict for each. `near_duplicates.py` finds candidates
by banded sketches, `verdict.py` decides.
"""
