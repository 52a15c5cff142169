"""Long work over a whole collection, assembled here: crawl, index, rank, import, export, check.

Each module constructs the collaborators of one job from partitions and configuration and runs it.
"""
