"""Build the link graph of a collection and compute ranks from it.

The input is the link logs of all partitions. The output is a generation: the graph, its ranks and the tables
of hosts and domains. `build.py` builds the graph, `pagerank.py` and `ranks` compute ranks, `structure`
analyses the shape of the web, and `reader.py` looks up single pages.
"""
