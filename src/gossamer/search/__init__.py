"""Which documents answer best?

In: a parsed query and the collection's term statistics. Out: the best documents of a snapshot, exactly,
ties by fingerprint. Retrieval algorithms stand one a file; `searcher.Searcher` chooses among them.
"""
