"""Several processes that need one kernel: it is compiled once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# Counts what Numba really compiles: what is loaded from the cache is not counted.
PROGRAM = """
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass
event.register("numba:compile", Listener())
import numpy as np
from gossamer.index.positions_kernel import positions_of
into = np.zeros(4, np.int64)
found = positions_of(np.array([0x43], np.uint8), np.array([0, 1], np.uint32), 0, into)
assert (found, into[0]) == (1, 3)
print(compiled.count("positions_of"))
"""


def started(cache: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, env=environment
    )


def test_processes_that_start_together_compile_a_kernel_once(tmp_path):
    processes = [started(tmp_path) for _ in range(3)]
    compiled = [int(process.communicate(timeout=300)[0]) for process in processes]
    assert sorted(compiled) == [0, 0, 1]


def test_a_kernel_is_compiled_where_nothing_can_be_written(tmp_path):
    (tmp_path / "gossamer").write_text("a file stands where the folder would be")
    assert started(tmp_path).communicate(timeout=300)[0] == "1\n"
