"""How many bytes a second does this machine's memory give to so many threads?"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from graphs.bandwidth_kernel import triad

LENGTH = 1 << 26  # numbers of 64 bits: three such arrays are larger than any cache
ROUNDS = 5


def bandwidth(threads):
    """By the triad of STREAM, a = b + s * c (J. McCalpin, 1995); the best of some rounds."""
    a, b, c = np.zeros(LENGTH), np.ones(LENGTH), np.ones(LENGTH)
    cuts = [LENGTH * i // threads for i in range(threads + 1)]
    triad(a, b, c, 3.0, 0, 1)
    best = 0.0
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            list(pool.map(lambda i: triad(a, b, c, 3.0, cuts[i], cuts[i + 1]), range(threads)))
            best = max(best, 3 * 8 * LENGTH / (time.perf_counter() - begun))
    return best
