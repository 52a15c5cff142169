"""Link-based ranks, one family per module.

In: a `LinkGraph` (of pages, hosts or domains: nothing here asks what a node is), its links by source where
a rank needs them, and nodes by number. Out: one value a node, in the graph's order; for the ranks of a
query, values of its base set. All are functions over arrays; none reads a file. docs/ranks.md tells what each
is for.
"""
