"""A process in which one library ranks: each line is a setting, each answer a line with what that took.

python -m graphs.contender NAME FOLDER THREADS RANKS

The ranks are left in the file RANKS. The first line is a warm-up on nothing: it says that the graph is read.
"""

from __future__ import annotations

import json
import resource
import sys
import time

import numpy as np

from graphs.contenders import CONTENDERS


def main():
    name, folder, threads, file = sys.argv[1:]
    out, sys.stdout = sys.stdout, sys.stderr
    ranked = CONTENDERS[name][0](folder, int(threads))
    print(json.dumps({"before": _peak()}), file=out, flush=True)
    for line in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        ranks, steps = ranked(json.loads(line))
        took = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
        np.save(file, np.asarray(ranks, np.float64))
        print(json.dumps(took | {"steps": steps, "peak": _peak()}), file=out, flush=True)


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
