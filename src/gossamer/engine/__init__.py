"""How do the stages work together on one collection?

In: a folder and a configuration. Out: `Engine`, which crawls, indexes, ranks, searches and checks.
A `Partition` is one folder with everything about its hosts; an engine runs over any number of them.
"""
