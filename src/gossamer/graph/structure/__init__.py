"""Structure of the web graph: bow tie, communities, power laws.

In: a `LinkGraph`. Out: the bow tie, dead ends and traps of the random walk, how many links pages have, which
pages hang together, and what a spam farm would gain. One question a file; `report.examine` asks them all.
Nothing depends on how the nodes are numbered: ties are broken by fingerprint.
"""
