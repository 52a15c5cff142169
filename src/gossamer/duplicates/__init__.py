"""Exact and near duplicates: find copies of a page and decide which one is kept.

The input is the digests and sketches of pages, the output is a verdict for each page. `near_duplicates.py`
finds candidates by banded sketches, `verdict.py` decides.
"""
