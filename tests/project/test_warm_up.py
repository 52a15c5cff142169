"""Compiling kernels before they are needed: the list of them, the processes, and what becomes of Numba."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_kernel_cache import VALUES

from gossamer.kernels import warm_up as warming
from gossamer.kernels.kernel import PACKAGE, Kernel, cache_folder, ready_mark
from gossamer.kernels.machine_code import described
from gossamer.kernels.warm_up import STAGES, example, usual_kernels, warm_up


@given(st.lists(VALUES, max_size=3).map(tuple))
def test_examples_have_the_types_that_were_described(arguments):
    assert described(example(described(arguments))) == described(arguments)


@pytest.mark.parametrize("text", ["", "(<u2[1C]", "(object)", "(gossamer.index.postings.Nothing())"])
def test_what_is_no_description_is_an_error(text):
    with pytest.raises((ValueError, IndexError, AttributeError)):
        example(text)


def test_each_listed_kernel_can_be_compiled_from_the_list():
    listed = usual_kernels()
    assert {one.stage for one in listed} == set(STAGES)
    assert len({one.name for one in listed}) == len(listed) > 60
    for one in listed:
        assert isinstance(getattr(import_module(one.module), one.function), Kernel)
        assert described(example(one.arguments)) == one.arguments


def run(program: str, cache: Path, **others: str) -> str:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), **others}
    done = subprocess.run(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        timeout=300,
        check=True,
    )
    return done.stdout


SOME = """
from gossamer.kernels import warm_up as warming
from gossamer.kernels.kernel import ready_mark
chosen = sorted(warming.usual_kernels(["crawl"]), key=lambda one: one.size)[:3]
warming.usual_kernels = lambda stages: chosen
seen = []
done = warming.warm_up(["crawl"], lambda ready, total, seconds: seen.append((ready, total)))
assert seen[-1] == (3, 3) and seen == sorted(seen), seen
assert ready_mark("crawl").exists() and not ready_mark("search").exists()
print(done.compiled, done.found, len(done.failed))
"""


def test_what_was_compiled_is_found_the_next_time(tmp_path):
    assert run(SOME, tmp_path) == "3 0 0\n"
    assert run(SOME, tmp_path) == "0 3 0\n"
    next(tmp_path.rglob("*.code")).unlink()
    assert run(SOME, tmp_path) == "1 2 0\n"


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "gossamer").write_text("a file stands where the folder would be")
    program = "from gossamer.kernels.warm_up import warm_up\ntry: warm_up()\nexcept OSError: print('refused')"
    assert run(program, tmp_path) == "refused\n"


DYING = """
import os
from gossamer.kernels import warm_up as warming
os.environ["PYTHONPATH"] = os.environ["WRONG"]
done = warming.warm_up(["crawl"])
assert done.compiled == done.found == 0
assert len(done.failed) == len(warming.usual_kernels(["crawl"]))
print(*{line.partition(": ")[2] for line in done.failed})
"""


def test_a_process_that_dies_fails_its_kernels(tmp_path):
    """A module that ends the process stands in the place of NumPy."""
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong" / "numpy.py").write_text("raise SystemExit(3)")
    assert (
        run(DYING, tmp_path, WRONG=str(tmp_path / "wrong"))
        == "the process that compiled it ended; run: gossamer warm-up\n"
    )
    assert not list(tmp_path.rglob("*.ready"))


def test_a_kernel_that_does_not_compile_is_named_and_the_others_go_on(monkeypatch, tmp_path):
    monkeypatch.setattr(warming, "ready_mark", lambda stage: tmp_path / stage)
    good = min(usual_kernels(["search"]), key=lambda one: one.size)
    wrong = [
        good._replace(function="no_such_kernel"),
        good._replace(arguments="(<u2[1C]"),
        good,
    ]
    monkeypatch.setattr(warming, "usual_kernels", lambda stages: wrong)
    seen = []
    done = warm_up(["search"], lambda ready, total, seconds: seen.append((ready, total)))
    assert done.compiled + done.found == 1
    missing, unreadable = sorted(done.failed, key=lambda line: "no_such_kernel" not in line)
    assert missing.startswith(f"{good.module}.no_such_kernel: AttributeError")
    assert unreadable.startswith(f"{good.module}.{good.function}: IndexError")
    assert seen[-1] == (3, 3)
    assert not (tmp_path / "search").exists()


KILLED = """
import os, signal
from gossamer.kernels import warm_up as warming
start = warming._started
def started(kernels):
    process = start(kernels)
    print(process.pid, flush=True)
    return process
warming._started = started
warming.warm_up(["crawl"], lambda ready, total, seconds: ready and os.kill(os.getpid(), signal.SIGKILL))
"""


def test_no_process_is_left_when_the_command_is_killed(tmp_path):
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    command = subprocess.Popen(
        [sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert command.stdout is not None
    group = int(command.stdout.readline())
    assert command.wait(300) == -signal.SIGKILL
    command.stdout.close()
    patience = time.monotonic() + 300
    while is_running(group):  # until the kernels are compiled that were begun
        assert time.monotonic() < patience
        time.sleep(0.1)


def is_running(group: int) -> bool:
    """Whether a process of this group is left. A dead one that nobody waited for does not count."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, of_group = status.read_text().rpartition(")")[2].split()[:3]
            if int(of_group) == group and state != "Z":
                return True
    return False


def test_a_first_run_compiles_nothing_that_is_not_listed(tmp_path):
    """The list is complete for the demo: a crawl, its index, its ranks and three searches."""
    assert not warm_up(["crawl", "search"]).failed
    cache = tmp_path / "gossamer" / "kernels"
    cache.mkdir(parents=True)
    for one in usual_kernels(["crawl", "search"]):
        kernel = getattr(import_module(one.module), one.function)
        (file,) = cache_folder().glob(kernel._file(example(one.arguments)).name)
        shutil.copy(file, cache)
    before = {file.name for file in cache.glob("*.code")}
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "gossamer", "demo", "--once", "--dir", str(tmp_path / "demo")]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=300)
    unlisted = {file.name for file in cache.glob("*.code")} - before
    assert not unlisted, "run scripts/kernels: the list lacks kernels that a first run compiles"


BESIDE = """
import numba, numpy as np
from gossamer.text.strings import are_ascii
text, bounds = np.array([97, 98, 195, 169], np.uint8), np.array([0, 2, 4])
assert are_ascii(text, bounds, np.arange(2, dtype=np.uint32), 9).tolist() == [True, False]

@numba.njit
def sorted_squares(values):
    made = np.zeros(len(values), np.int64)
    for place in range(len(values)):
        made[place] = max(values[place], 0) ** 2
    other = np.empty(len(values), np.bool_)
    other[:] = made > 3
    return np.sort(made), other, np.full(2, 7), np.ones(3).sum()

made, other, full, total = sorted_squares(np.array([3, -1, 2]))
print(made.tolist(), other.tolist(), full.tolist(), total)
"""


def test_other_code_can_use_numba_beside(tmp_path):
    """A function of somebody else calls what Numba translated for a kernel before."""
    assert run(BESIDE, tmp_path) == "[0, 4, 9] [True, False, True] [7, 7] 3.0\n"


LEFT = """
import numpy as np
from gossamer.kernels import kernel, warm_up as warming
chosen = sorted(warming.usual_kernels(["crawl"]), key=lambda one: one.size)[:2]
warming.usual_kernels = lambda stages: chosen
print(warming.warm_up(["crawl"])[:2])
"""


def test_a_damaged_file_is_compiled_again(tmp_path):
    assert run(LEFT, tmp_path) == "(2, 0)\n"
    file = next(tmp_path.rglob("*.code"))
    file.write_bytes(file.read_bytes()[:-1])
    assert run(LEFT, tmp_path) == "(1, 1)\n"


def test_other_settings_of_numba_have_machine_code_of_their_own(tmp_path):
    """NUMBA_BOUNDSCHECK=0 turns off the checks that keep hostile pages from writing out of bounds."""
    assert run(LEFT, tmp_path) == "(2, 0)\n"
    assert run(LEFT, tmp_path, NUMBA_BOUNDSCHECK="0") == "(2, 0)\n"


PRINTING = "print('hello'); import os; os.environ.setdefault('PYTHONWARNINGS', 'ignore')"


def test_what_else_the_process_prints_is_no_answer(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "sitecustomize.py").write_text(PRINTING)
    told = run(LEFT, tmp_path, PYTHONPATH=str(tmp_path / "more"))
    assert told.splitlines()[-1] == "(2, 0)"


def test_the_mark_of_a_stage_sees_changes_of_called_modules(monkeypatch):
    before = ready_mark("crawl")
    source = next(path for path in PACKAGE.rglob("extract/html/open_elements.py"))
    stamp = source.stat()
    second = 1_000_000_000
    try:
        os.utime(source, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + second))
        assert ready_mark("crawl") != before
        os.utime(source, ns=(stamp.st_atime_ns, stamp.st_mtime_ns // second * second))
        assert ready_mark("crawl") == before, "container images keep times in whole seconds"
    finally:
        os.utime(source, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert ready_mark("crawl") == before


NARROW = """
import functools, subprocess
from gossamer.kernels import warm_up as warming
known = warming.usual_kernels()[0]
absent = [known._replace(function=f"no_such_kernel_{number}") for number in range(200)]
warming.usual_kernels = lambda stages: absent
warming.subprocess.Popen = functools.partial(subprocess.Popen, pipesize=4096)
print(len(warming.warm_up(["crawl"]).failed))
"""


def test_answers_that_fill_a_pipe_do_not_stop_the_reading_of_kernels(tmp_path):
    """A user with many pipes gets new ones of a page, instead of sixteen."""
    assert run(NARROW, tmp_path) == "200\n"
