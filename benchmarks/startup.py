"""How much processor time do commands take before they do anything?

    .venv/bin/python benchmarks/startup.py [--runs 9] [--collection DIR] [--json]

Commands as a person starts them on the demo collection, beside an empty Python and one that imports NumPy or
Numba, in turns. Python keeps compiled modules, as it does for a person, also where the environment forbids
it. Printed is the least and the median user and system time of each, and the least as a ratio to its
yardstick with the limit for it. Without --collection the demo web is crawled first. The exit status is 1
when a ratio is above its limit.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

GOSSAMER = [sys.executable, "-m", "gossamer"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
YARDSTICKS = {"python": "pass", "numpy": "import numpy", "numba": "import numba"}
PAGE = "http://encyclopaedia.localhost:8808/jaguar.html"
COMMANDS = {  # of each what is typed, its yardstick, and how many times as long it may take
    "--help": (["--help"], "python", 10.0),
    "status": (["status"], "numpy", 2.2),
    "sites": (["sites"], "numpy", 2.2),
    "search": (["search", "jaguar"], "numba", 1.5),
    "suggest": (["suggest", "jag"], "numba", 1.5),
    "links": (["links", PAGE], "numba", 1.5),
}


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--collection", type=Path, help="a collection of the demo web")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    return parser.parse_args()


def processor_time(command):
    """Seconds of a command and of all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed: {done.stderr.strip()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(collection, runs):
    """The times of each command, in turns; the first round warms the caches."""
    commands = {name: [sys.executable, "-c", code] for name, code in YARDSTICKS.items()}
    commands |= {name: [*GOSSAMER, "-C", str(collection), *typed] for name, (typed, _, _) in COMMANDS.items()}
    rounds = [{name: processor_time(command) for name, command in commands.items()} for _ in range(runs + 1)]
    return {name: [own[name] for own in rounds[1:]] for name in commands}


def judged(times):
    """Of each command its least and median time in milliseconds, and the ratio to its yardstick."""
    told = {
        name: {"least": 1000 * min(own), "median": 1000 * statistics.median(own)}
        for name, own in times.items()
    }
    for name, (_, yardstick, limit) in COMMANDS.items():
        ratio = min(times[name]) / min(times[yardstick])
        told[name] |= {"yardstick": yardstick, "ratio": ratio, "limit": limit, "holds": ratio <= limit}
    return told


def table(told):
    lines = [f"{'ms of processor time':22}{'least':>9}{'median':>9}{'ratio':>8}{'limit':>8}"]
    for name, own in told.items():
        line = f"{name:22}{own['least']:9.1f}{own['median']:9.1f}"
        if "ratio" in own:
            line += f"{own['ratio']:8.2f}{own['limit']:8.1f} x {own['yardstick']}"
            line += "" if own["holds"] else "  ABOVE"
        lines.append(line)
    return "\n".join(lines)


def main():
    chosen = options()
    with tempfile.TemporaryDirectory() as scratch:
        collection = chosen.collection or Path(scratch) / "demo"
        if chosen.collection is None:
            making = [*GOSSAMER, "demo", "--once", "--dir", str(collection)]
            subprocess.run(making, check=True, capture_output=True)
        told = judged(measured(collection, chosen.runs))
    print(json.dumps(told, indent=2) if chosen.json else table(told))
    return 0 if all(own.get("holds", True) for own in told.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
