"""Structure of the web graph: bow tie, communities, power laws.

The input is a `LinkGraph`. The output is the bow tie, the dead ends and traps of the random walk, the degree
distributions, the communities, and the gain of a spam farm. Each analysis has its own module;
`report.examine` runs all of them. The results do not depend on the numbering of nodes: ties are broken by
fingerprint.
"""
