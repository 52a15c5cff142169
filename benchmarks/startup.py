"""How long until the first answer? `gossamer --help` and `gossamer search`, as a person starts them.

    .venv/bin/python benchmarks/startup.py [--runs 15] [--collection DIR]

Prints the median and the spread over interleaved runs, beside a bare Python and one that imports NumPy and
Numba, which no search can do without. Without --collection the demo web is crawled first. The limits stand in
the last column: 0.3 s for --help, 1.5 s for search on a warm machine.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOSSAMER = [sys.executable, "-m", "gossamer"]


def timed(command):
    begun = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return time.perf_counter() - begun, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--collection", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        collection = options.collection or Path(scratch) / "demo"
        if options.collection is None:
            subprocess.run(
                [*GOSSAMER, "demo", "--once", "--dir", collection], check=True, capture_output=True
            )
        measure(collection, options.runs)


def measure(collection, runs):
    commands = {
        "python -c pass": ([sys.executable, "-c", "pass"], None),
        "import numpy, numba": ([sys.executable, "-c", "import numpy, numba"], None),
        "gossamer --help": ([*GOSSAMER, "--help"], 0.3),
        "gossamer search": ([*GOSSAMER, "-C", str(collection), "search", "jaguar", "--json"], 1.5),
    }
    times = {name: [] for name in commands}
    for number in range(runs + 1):
        for name, (command, _) in commands.items():
            seconds, out = timed(command)
            assert name != "gossamer search" or '"hits": [' in out, "the search must find something"
            if number:  # the first round warms the caches
                times[name].append(seconds)
    bare = statistics.median(times["python -c pass"])
    print(f"{'':22}{'median':>9}{'lowest':>9}{'highest':>9}{'x bare':>8}{'limit':>8}")
    for name, (_, limit) in commands.items():
        found = times[name]
        middle = statistics.median(found)
        shown = f"{limit:.1f} s" if limit else ""
        print(f"{name:22}{middle:8.3f}s{min(found):8.3f}s{max(found):8.3f}s{middle / bare:8.1f}{shown:>8}")


if __name__ == "__main__":
    main()
