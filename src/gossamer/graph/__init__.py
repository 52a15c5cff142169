"""The link graph of a collection and the ranks computed from it.

Input are the link logs of all partitions; output is a generation: graph, ranks and host tables. `build.py`
makes the graph, `pagerank.py` and `ranks` compute ranks, `structure` describes the web it shows, `reader.py`
answers questions about single pages.
"""
