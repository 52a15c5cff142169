"""Jobs over a whole collection: crawl, index, rank, import, export, check.

Each module constructs the objects that one job needs, from partitions and configuration, and runs the job.
"""
