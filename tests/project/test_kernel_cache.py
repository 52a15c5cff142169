"""Several processes that need one kernel: it is compiled once, and again only when its sources change."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from gossamer.kernels import PACKAGE, digest_of

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
from gossamer.index.postings import positions_of
into = np.zeros(4, np.int64)
found = positions_of(np.array([0x43], np.uint8), np.array([0, 1], np.uint32), 0, into)
assert (found, into[0]) == (1, 3)
print(compiled.count("positions_of"))
"""


def started(cache: Path, **more: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), **more}
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


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"no pickle", b"cgossamer.kernels\nNoSuchType\n."])
def test_a_damaged_cache_is_made_anew(tmp_path, kind, content):
    assert started(tmp_path).communicate(timeout=300)[0] == "1\n"
    files = list(tmp_path.rglob(f"*positions_of*.{kind}"))
    assert files
    for file in files:
        with file.open("r+b") as stream:
            if kind == "nbi":
                pickle.load(stream)  # the version of Numba, which is looked at first
            stream.truncate()
            stream.seek(0, os.SEEK_END)
            stream.write(content)
    assert started(tmp_path).communicate(timeout=300)[0] == "1\n"
    assert started(tmp_path).communicate(timeout=300)[0] == "0\n"


def copied(folder: Path) -> Path:
    """The package once more, elsewhere."""
    shutil.copytree(PACKAGE, folder / "gossamer", ignore=shutil.ignore_patterns("__pycache__", "web"))
    return folder


def compiled_in(place: Path, cache: Path) -> int:
    return int(started(cache, PYTHONPATH=str(place)).communicate(timeout=300)[0])


def changed(place: Path, old: str, new: str) -> None:
    """Changes the file of the kernel in the package that stands at a place."""
    path = place / "gossamer" / "index" / "postings.py"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_code_serves_wherever_the_package_stands(tmp_path):
    one, other, cache = copied(tmp_path / "one"), copied(tmp_path / "other"), tmp_path / "cache"
    assert compiled_in(one, cache) == 1
    assert compiled_in(other, cache) == 0


def test_code_serves_until_what_it_is_made_of_changes(tmp_path):
    place, cache = copied(tmp_path / "one"), tmp_path / "cache"
    assert compiled_in(place, cache) == 1
    changed(
        place,
        "@unchecked_part\ndef size_of",
        "# Everything stands further down.\n\n\n@unchecked_part\ndef size_of",
    )
    changed(place, "Where the positions of a posting begin.", "Find where the positions of a posting begin.")
    assert compiled_in(place, cache) == 0
    changed(place, "BLOCK_BITS = 4 ", "BLOCK_BITS = 5 ")
    assert compiled_in(place, cache) == 1


class Pair(NamedTuple):
    """Two numbers, as a kernel takes them."""

    one: int
    other: int


class Outer(NamedTuple):
    """A pair within another named tuple."""

    pair: Pair


def first_of(outer: Outer) -> int:
    return outer.pair.one


def test_the_order_of_fields_is_a_part_of_the_code(monkeypatch):
    before = digest_of.__wrapped__(first_of)
    assert digest_of.__wrapped__(first_of) == before
    monkeypatch.setattr(Pair, "_fields", ("other", "one"))
    assert digest_of.__wrapped__(first_of) != before
