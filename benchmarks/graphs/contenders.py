"""How is each library asked for PageRank, and with which settings?

A contender takes the folder of a graph and the number of threads, and makes of it whatever its library needs;
that is not timed. It returns a function from a setting to ranks, and steps if they are known; that is timed.
Settings are numbers that get stricter as they rise, iterations or what `exponent` makes tolerances of;
`CONTENDERS` says which there are. Nothing of Gossamer is imported but by its own contender.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

BETA = 0.85
GOAL = 1e-6
ITERATIONS = range(4, 101)
TOLERANCES = range(8, 21)  # 1e-4 to 1e-10, by half powers of ten
ALONE = range(1)  # nothing to be set
MANY = 1_000


def exponent(setting):
    return 10.0 ** (-setting / 2)


def gossamer(folder, threads):
    from gossamer.graph.pagerank import pagerank
    from gossamer.model.graph import LinkGraph

    starts, sources, by_source = (_array(folder, name, "r") for name in ("in_starts", "sources", "starts"))
    pages = len(starts) - 1
    out = np.diff(by_source).astype(np.uint32)
    graph = LinkGraph(np.arange(pages, dtype=np.uint64), starts, sources, out)

    def ranks(_setting):
        found = pagerank(graph, BETA, GOAL, threads=threads)
        return found.values, found.steps

    return ranks


def scikit_network(solver):
    def prepared(folder, threads):
        from scipy.sparse import csr_matrix
        from sknetwork.ranking import PageRank

        starts, targets = (_array(folder, name).astype(np.int32) for name in ("starts", "targets"))
        pages = len(starts) - 1
        matrix = csr_matrix((np.ones(len(targets)), targets, starts), shape=(pages, pages))
        matrix.sort_indices()
        counted = solver in ("RH", "diteration")

        def ranks(setting):
            options = (
                {"n_iter": setting, "tol": 0.0} if counted else {"n_iter": MANY, "tol": exponent(setting)}
            )
            return PageRank(BETA, solver, **options).fit_predict(matrix), setting if counted else None

        return ranks

    return prepared


def igraph(implementation):
    def prepared(folder, threads):
        import igraph

        pages, sources, targets = _links(folder)
        pairs = np.column_stack([sources, targets])
        graph = igraph.Graph(n=pages, edges=memoryview(pairs), directed=True)
        del pairs

        def ranks(setting):
            options = igraph.ARPACKOptions()
            options.tol = exponent(setting)
            found = graph.pagerank(damping=BETA, implementation=implementation, arpack_options=options)
            return found, None

        return ranks

    return prepared


def networkit(folder, threads):
    import networkit

    networkit.setNumberOfThreads(threads)
    pages, sources, targets = _links(folder)
    pairs = (sources.astype(np.uint64), targets.astype(np.uint64))
    graph = networkit.GraphFromCoo((np.ones(len(sources)), pairs), n=pages, directed=True, weighted=False)
    del pairs, sources, targets
    kind = networkit.centrality

    def ranks(setting):
        sinks = kind.SinkHandling.DistributeSinks
        found = kind.PageRank(graph, BETA, exponent(setting), distributeSinks=sinks)
        found.norm = kind.Norm.L1_NORM
        found.run()
        return found.scores(), found.numberOfIterations()

    return ranks


def networkx(folder, threads):
    import networkx

    pages, sources, targets = _links(folder)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(pages))
    graph.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))

    def ranks(setting):
        # its tolerance is that of a page
        found = networkx.pagerank(graph, BETA, tol=exponent(setting) / pages, max_iter=MANY)
        return list(found.values()), None

    return ranks


CONTENDERS = {
    "gossamer": (gossamer, ALONE),
    "scikit-network RH": (scikit_network("RH"), ITERATIONS),
    "scikit-network diteration": (scikit_network("diteration"), ITERATIONS),
    "scikit-network diteration (1 thread)": (scikit_network("diteration"), ITERATIONS),
    "scikit-network piteration": (scikit_network("piteration"), TOLERANCES),
    "scikit-network bicgstab": (scikit_network("bicgstab"), TOLERANCES),
    "igraph prpack": (igraph("prpack"), ALONE),
    "igraph arpack": (igraph("arpack"), TOLERANCES),
    "NetworKit": (networkit, TOLERANCES),
    "networkx": (networkx, TOLERANCES),
}
SMALL_ONLY = ("networkx",)


def _links(folder):
    starts, targets = _array(folder, "starts"), _array(folder, "targets").astype(np.int64)
    pages = len(starts) - 1
    return pages, np.repeat(np.arange(pages), np.diff(starts)), targets


def _array(folder, name, mode=None):
    return np.load(Path(folder) / f"{name}.npy", mmap_mode=mode)
