"""Anchor text: select, index and score it, and find pages by it.

Input: the texts of links. Output: term frequencies of the pages that the links lead to, capped per linking
host. `select.py` decides which texts count, `indexer.py` indexes them, `score.py` reads the index,
`retrieve.py` finds pages by anchor text alone.
"""
