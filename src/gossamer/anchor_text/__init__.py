"""Anchor text: select, index and score it, and find pages by it.

Input are the texts of links; output are term frequencies of the pages they lead to, capped per linking host.
`select.py` decides which texts count, `indexer.py` writes them, `score.py` reads them, `retrieve.py` finds
pages that only links describe.
"""
