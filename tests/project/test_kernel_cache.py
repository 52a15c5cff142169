"""Several processes that need one kernel: it is compiled once, and again only when its sources change."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.kernels.kernel import PACKAGE, digest_of, types_of
from gossamer.kernels.machine_code import described

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
# The same without Numba, but for what the kernel brings along.
BARE = """
import sys
import numpy as np
from gossamer.index.postings import positions_of
into = np.zeros(4, np.int64)
assert positions_of(np.array([0x43], np.uint8), np.array([0, 1], np.uint32), 0, into) == 1
from gossamer.text.strings import are_ascii
text, bounds = np.array([97, 98, 195, 169], np.uint8), np.array([0, 2, 4])
found = are_ascii(text, bounds, np.arange(2, dtype=np.uint32), 9)
assert found.tolist() == [True, False], found
print("numba" in sys.modules)
"""


def started(cache: Path, program: str = PROGRAM, **more: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), **more}
    return subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment
    )


def test_processes_that_start_together_compile_a_kernel_once(tmp_path):
    processes = [started(tmp_path) for _ in range(3)]
    compiled = [int(process.communicate(timeout=300)[0]) for process in processes]
    assert sorted(compiled) == [0, 0, 1]


def test_a_kernel_is_compiled_where_nothing_can_be_written(tmp_path):
    (tmp_path / "gossamer").write_text("a file stands where the folder would be")
    assert started(tmp_path).communicate(timeout=300)[0] == "1\n"


def test_a_process_that_finds_machine_code_does_not_import_numba(tmp_path):
    """Also where a kernel returns an array, for which the code holds the type of it as a pickle."""
    assert started(tmp_path, BARE).communicate(timeout=300)[0] == "True\n"
    assert started(tmp_path, BARE).communicate(timeout=300)[0] == "False\n"


@pytest.mark.parametrize(
    "damage", [lambda code: b"", lambda code: code[:-1], lambda code: code[:99] + b"x" + code[100:]]
)
def test_a_damaged_cache_is_made_anew(tmp_path, damage):
    assert started(tmp_path).communicate(timeout=300)[0] == "1\n"
    (file,) = tmp_path.rglob("*positions_of*.code")
    file.write_bytes(damage(file.read_bytes()))
    assert started(tmp_path).communicate(timeout=300)[0] == "1\n"
    assert started(tmp_path).communicate(timeout=300)[0] == "0\n"


class Pair(NamedTuple):
    """Two numbers, as a kernel takes them."""

    one: int
    other: int


def _array(kind, ndim, step, writeable):
    made = np.zeros((4,) * ndim, kind)[::step]
    made.flags.writeable = writeable
    return made


ARRAYS = st.builds(
    _array,
    st.sampled_from(["u1", "i4", "i8", "f4", "f8", "?"]),
    st.integers(1, 3),
    st.integers(1, 2),
    st.booleans(),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(),
    st.sampled_from([np.uint8(3), np.int64(3), np.float32(1), np.bool_(True)]),
)
VALUES = st.recursive(
    st.one_of(ARRAYS, SCALARS),
    lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), st.builds(Pair, inner, inner)),
    max_leaves=6,
)


@given(VALUES, VALUES)
def test_types_are_told_apart_as_numba_does(one, other):
    """What has equal keys has one description, and what has one description has one type."""
    if types_of((one,)) == types_of((other,)):
        assert described(one) == described(other)
    assert (described(one) == described(other)) == (numba.typeof(one) == numba.typeof(other))


def copied(folder: Path) -> Path:
    """The package once more, elsewhere."""
    shutil.copytree(PACKAGE, folder / "gossamer", ignore=shutil.ignore_patterns("__pycache__", "web"))
    return folder


def compiled_in(place: Path, cache: Path) -> int:
    # Python would load old bytecode of a file that is changed in the same second and keeps its size.
    process = started(cache, PYTHONPATH=str(place), PYTHONDONTWRITEBYTECODE="1")
    return int(process.communicate(timeout=300)[0])


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
    changed(
        place,
        "Return where the positions of a posting begin.",
        "Find where the positions of a posting begin.",
    )
    assert compiled_in(place, cache) == 0
    changed(place, "BLOCK_BITS = 4 ", "BLOCK_BITS = 5 ")
    assert compiled_in(place, cache) == 1


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
