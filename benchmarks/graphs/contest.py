"""What is each contender's cheapest setting that is exact enough, and how long does it take?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from graphs.contenders import BETA, CONTENDERS, GOAL


class Gone(Exception):
    """A contender that is not there, or went away; its last words."""


class Process:
    """A contender's process. `run` gives what a setting took, and the residual of its ranks."""

    def __init__(self, name, python, folder, threads):
        self._judge = Judge(folder)
        self._file = tempfile.NamedTemporaryFile(suffix=".npy")  # noqa: SIM115  lives as long as the process
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        threads = 1 if name.endswith("(1 thread)") else threads
        command = [python, "-m", "graphs.contender", name, str(folder), str(threads), self._file.name]
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=Path(__file__).parent.parent,
            env=os.environ | {"OMP_NUM_THREADS": str(threads)},
            text=True,
        )
        self.before = self._answer()["before"]

    def run(self, setting):
        print(json.dumps(setting), file=self._child.stdin, flush=True)
        took = self._answer()
        return took | {"setting": setting, "residual": self._judge.residual(np.load(self._file.name))}

    def _answer(self):
        line = self._child.stdout.readline()
        if not line:
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip().splitlines()
            raise Gone(said[-1] if said else "ended without a word")
        return json.loads(line)

    def close(self):
        self._child.communicate()


class Judge:
    """The residual |x - Gx| of any ranks, in 64 bits, by nobody's code but SciPy's."""

    def __init__(self, folder):
        self._folder = Path(folder)

    def residual(self, ranks):
        from scipy.sparse import csr_matrix

        starts, sources, by_source = (
            np.load(self._folder / f"{name}.npy", mmap_mode="r")
            for name in ("in_starts", "sources", "starts")
        )
        pages, degrees = len(ranks), np.diff(by_source)
        ranks = ranks / ranks.sum()
        shares = np.divide(ranks, degrees, out=np.zeros(pages), where=degrees > 0)
        after = np.full(pages, (1 - BETA + BETA * ranks[degrees == 0].sum()) / pages)
        for begin in range(
            0, pages, 1 << 20
        ):  # in pieces: a matrix of 64 bits would be three times the graph
            end = min(begin + (1 << 20), pages)
            own = slice(starts[begin], starts[end])
            columns, rows = sources[own].astype(np.int32), (starts[begin : end + 1] - starts[begin])
            piece = csr_matrix((np.ones(len(columns)), columns, rows), shape=(end - begin, pages))
            after[begin:end] += BETA * piece.dot(shares)
        return float(np.abs(after - ranks).sum())


def cheapest(process, settings, patience):
    """The loosest setting that reaches the goal, and what it took; the strictest one where none does.

    Settings are tried from the loose end in steps that double, then by bisection; what is found first is
    kept where trying any further would take too long.
    """
    low, high = 0, (len(settings) - 1) // 8
    best = process.run(settings[high])
    while best["residual"] > GOAL and high < len(settings) - 1:
        low, high = high + 1, min(2 * high + 1, len(settings) - 1)
        best = process.run(settings[high])
    while low < high and best["residual"] <= GOAL and best["wall"] <= patience:
        middle = (low + high) // 2
        took = process.run(settings[middle])
        if took["residual"] <= GOAL:
            best, high = took, middle
        else:
            low = middle + 1
    return best


def contest(names, pythons, folder, threads, rounds, patience, say):
    """Of each contender the runs of all rounds with its cheapest setting; why others have none."""
    runs, missing, processes, settings = {}, {}, {}, {}
    for name in names:
        try:
            processes[name] = Process(name, pythons[name], folder, threads)
            found = cheapest(processes[name], list(CONTENDERS[name][1]), patience)
        except (Gone, OSError) as error:
            missing[name] = str(error)
            continue
        say(f"{name}: setting {found['setting']}, residual {found['residual']:.2g}, {found['wall']:.2f} s")
        if found["residual"] > GOAL:
            missing[name] = f"never below a residual of {found['residual']:.2g}"
            processes.pop(name).close()
        else:
            runs[name] = [found] if found["wall"] > patience else []
            settings[name] = found["setting"]
    hasty = [name for name, taken in runs.items() if not taken]
    for _ in range(rounds):
        for name in hasty:
            runs[name].append(processes[name].run(settings[name]))
    for process in processes.values():
        process.close()
    return runs, missing


def python_of(name, peers_python):
    return sys.executable if name == "gossamer" else peers_python
