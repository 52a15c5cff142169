"""The folder of a collection: partitions, locks and transactions.

`collection.py` maps hosts to partitions and holds the write lock; `partition.py` opens the files of one
partition; `commit.py` commits fetched pages in a crash-safe order.
"""
