"""What `rank.py` is made of.

`synthetic` makes a web graph, `synthetic_kernel` its links; `contenders` says how each library is asked,
`contender` is the process in which it is, `contest` finds its cheapest setting and lets all take turns;
`bandwidth` is what the machine's memory gives.
"""
