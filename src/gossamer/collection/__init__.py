"""The folder of a collection: partitions, locks and transactions.

`collection.py` knows which partition holds a host and who may write; `partition.py` opens the files of one
partition; `commit.py` writes what was fetched in the order that a crash cannot break.
"""
