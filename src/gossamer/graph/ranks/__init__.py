"""Link-based ranks, one family per module.

A rank is a function over arrays. Its input is a `LinkGraph` of pages, hosts or domains, and where needed the
links by source and some node numbers. Its output is one value per node; for the ranks of a query, one value
per page of the base set. Only two modules read files: `seed_sets.py` reads the page lists named in the
settings, and `top_pages.py` reads a stored generation. docs/ranks.md explains the purpose of each rank.
"""
