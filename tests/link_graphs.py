"""Random graphs for tests of links: dead ends, loops, repeated links and lone pages among them."""

import numpy as np
from hypothesis import strategies as st

A, B, C, D = range(4)
FULL = [(A, B), (A, C), (A, D), (B, A), (B, D), (C, A), (D, B), (D, C)]


@st.composite
def webs(draw, least=1, most=12, links=40):
    """Links as pairs, and how many pages there are."""
    pages = draw(st.integers(least, most))
    page = st.integers(0, pages - 1)
    return draw(st.lists(st.tuples(page, page), max_size=links)), pages


def dense(graph):
    """A[u, v] = 1 where u links to v."""
    matrix = np.zeros((graph.pages, graph.pages))
    for target in range(graph.pages):
        matrix[graph.sources[graph.starts[target] : graph.starts[target + 1]], target] = 1
    return matrix


def top_projection(symmetric, vector):
    """The vector's part in the space of the largest eigenvalue, to length 1, and the gap to the next one.

    The gap is a share of the largest eigenvalue; values closer than rounding are one.
    """
    values, vectors = np.linalg.eigh(symmetric)
    top = values > values[-1] * (1 - 1e-9)
    space = vectors[:, top]
    part = space @ (space.T @ vector)
    below = values[~top].max(initial=0.0)
    return part / np.linalg.norm(part), 1 - below / values[-1]
