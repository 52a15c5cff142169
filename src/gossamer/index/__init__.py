"""Which documents hold this term, where, how strongly?

In: `Page`s, in batches. Out: immutable segments under a manifest that is swapped atomically, and snapshots
of them to search in. Central class: `index.Index`.
"""
