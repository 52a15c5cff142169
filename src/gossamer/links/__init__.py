"""Which pages matter?

In: the links of the link log and the addresses that stand for another page. Out: a `LinkGraph` and its
ranks, on disk as generations that never change, and what links say, each thing once. The central functions
are `graph.build` and `pagerank.pagerank`; `generation` reads and writes, `anchors` tells texts apart.
"""
