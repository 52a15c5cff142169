"""Inverted index of one partition: immutable segments under a manifest.

The input is pages. The output is posting lists with positions, columns and stored texts. `writer.py` makes a
segment, `merge.py` merges segments, `index.py` commits and opens them, `postings.py` describes their layout.
"""
