"""Which pages matter?

In: the links of the link log and the addresses that stand for another page. Out: graphs of pages, hosts and
domains and their ranks, on disk as generations that never change, and what links say, each thing once. The
central functions are `building.build_graphs` and `pagerank.pagerank`; `writing` makes generations,
`generation` reads them, `anchors` tells texts apart.
"""
