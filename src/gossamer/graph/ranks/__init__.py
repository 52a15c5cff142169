"""Link-based ranks, one family per module.

In: a `LinkGraph` (of pages, hosts or domains: nothing here asks what a node is), its links by source where
a rank needs them, and nodes by number. Out: one value a node, in the graph's order; for the ranks of a
query, values of its base set. The ranks are functions over arrays and read no file. Two modules do:
`seed_sets.py` reads the lists of pages that the settings name, `top_pages.py` a stored generation.
docs/ranks.md tells what each rank is for.
"""
