"""Compile kernels before they are needed, in several processes: `python -m gossamer.kernels.warm_up` is one.

`usual.txt` lists kernels with the types of their arguments, in stages: those of a crawl, those of searches,
and the rest. `scripts/kernels` makes the list. What is not on it is compiled when it is first called.

A process reads one kernel a line from standard input and answers each with a line. It ends when its standard
input does, so that none is left behind by a command that is killed.
"""

from __future__ import annotations

import ast
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import IO, Any, NamedTuple, cast

import numpy as np

from gossamer.kernels.kernel import LARGE, PACKAGE, USUAL, Kernel, cache_folder, ready_mark

STAGES = ("crawl", "search", "rest")
MOST_PROCESSES = 4  # the largest kernel takes a quarter of the time: more processes would wait for it
LOOK = 0.5  # seconds between reports
COMPILED, FOUND = "compiled", "found"


class Usual(NamedTuple):
    """A kernel of the list."""

    stage: str
    module: str
    function: str
    size: int  # bytes of machine code: about as long as it takes to compile
    arguments: str  # their types, as `described` writes them

    @property
    def package(self) -> str:
        """The package of the module: its kernels call the same functions."""
        return self.module.split(".")[1]


class WarmUp(NamedTuple):
    """What compiling kernels did."""

    compiled: int
    found: int  # that were compiled before
    failed: tuple[str, ...]  # a line each


Observe = Callable[[int, int, float], None]  # kernels that are ready, all kernels, seconds


def usual_kernels(stages: Iterable[str] = STAGES) -> list[Usual]:
    """Read the list of kernels of some stages."""
    lines = (line.split("\t") for line in USUAL.read_text(encoding="utf-8").splitlines())
    listed = [Usual(stage, module, name, int(size), types) for stage, module, name, size, types in lines]
    return [one for one in listed if one.stage in stages]


def warm_up(stages: Sequence[str] = STAGES, observe: Observe | None = None) -> WarmUp:
    """Compile the kernels of some stages that are missing. Raises OSError where they cannot be kept."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    compiling = _Compiling(usual_kernels(stages))
    try:
        done = compiling.wait(observe)
    finally:
        compiling.stop()
    if not done.failed:
        for stage in stages:
            ready_mark(stage).touch()
    return done


class _Compiling:
    """Processes that compile, a thread for each, and the kernels that wait for one."""

    def __init__(self, kernels: list[Usual]) -> None:
        self._total = len(kernels)
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._waiting: queue.SimpleQueue[list[Usual]] = queue.SimpleQueue()
        packages: dict[str, list[Usual]] = {}
        for one in sorted(kernels, key=lambda one: -one.size):
            packages.setdefault(one.package, []).append(one)
        groups = sorted(packages.values(), key=lambda group: -sum(one.size for one in group))
        for group in groups:
            self._waiting.put(group)
        count = min(len(os.sched_getaffinity(0)), MOST_PROCESSES, len(groups))
        self._processes = [_started() for _ in range(count)]
        for process in self._processes:
            threading.Thread(target=self._compile, args=[process], daemon=True).start()

    def _compile(self, process: subprocess.Popen[str]) -> None:
        """Let a process compile one package after the other."""
        with suppress(queue.Empty):
            while True:
                for one in self._waiting.get_nowait():
                    self._answers.put(_asked(process, one))

    def wait(self, observe: Observe | None) -> WarmUp:
        """Wait until all kernels are ready, or have failed."""
        begun, answers = time.monotonic(), list[str]()
        while len(answers) < self._total:
            with suppress(queue.Empty):
                answers.append(self._answers.get(timeout=LOOK))
            if observe is not None:
                observe(len(answers), self._total, time.monotonic() - begun)
        failed = tuple(one for one in answers if one not in (COMPILED, FOUND))
        return WarmUp(answers.count(COMPILED), answers.count(FOUND), failed)

    def stop(self) -> None:
        """End the processes, at once."""
        for process in self._processes:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):  # what could not be written to a dead process
                    cast(Any, stream).close()


def _started() -> subprocess.Popen[str]:
    """Start a process that compiles this code, and does not hear Ctrl-C."""
    path = os.pathsep.join(filter(None, (str(PACKAGE.parent), os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-P", "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def _asked(process: subprocess.Popen[str], one: Usual) -> str:
    """Let a process compile a kernel; its answer."""
    into, out = cast(IO[str], process.stdin), cast(IO[str], process.stdout)
    try:
        into.write("\t".join((one.module, one.function, one.arguments)) + "\n")
        into.flush()
        answer = out.readline().rstrip("\n")
    except (OSError, ValueError):  # it is dead, or its streams were closed
        answer = ""
    return answer or f"{one.module}.{one.function}: the process that compiled it ended"


def main() -> None:
    """Compile the kernels that standard input names."""
    for line in sys.stdin:
        module, function, arguments = line.rstrip("\n").split("\t")
        try:
            answer = _compiled(getattr(import_module(module), function), example(arguments))
        except Exception as error:
            answer = f"{module}.{function}: {type(error).__name__}: {' '.join(str(error).split())}"
        try:
            print(answer, flush=True)
        except BrokenPipeError:  # the command was killed
            os._exit(1)


def _compiled(kernel: Kernel, arguments: tuple[object, ...]) -> str:
    if kernel.is_compiled(arguments):
        return FOUND
    kernel.specialised(*arguments)
    return COMPILED


# Arguments of given types
# ------------------------

_ITEM = re.compile(r"none|[<>|=][a-z]\d+|\[")
_ARRAY = re.compile(r"\[(\d)([CFA])(r?)\]")
_TUPLE = re.compile(r"([\w.]*)\(")
PLAIN = {"<i8": 1, "<u8": LARGE, "<f8": 1.0, "|b1": True}  # types that Python's own numbers have


def example(description: str) -> tuple[object, ...]:
    """Make arguments of the types that `described` wrote.

    >>> example("(<u2[1C],<i8,|b1,none)")
    (array([0, 0, 0, 0], dtype=uint16), 1, True, None)
    """
    value, _ = _parsed(description, 0)
    return cast(tuple[object, ...], value)


def _parsed(text: str, at: int) -> tuple[object, int]:
    """Read a value; it and where the next one begins."""
    if found := _ITEM.match(text, at):
        if found[0] == "none":
            return None, found.end()
        end = text.index(")]", at) + 2 if found[0] == "[" else found.end()
        kind = text[at:end]
        return _of_kind(np.dtype(ast.literal_eval(kind) if kind[0] == "[" else kind), text, end)
    found = _TUPLE.match(text, at)
    if found is None:
        raise ValueError(f"no type begins at character {at} of {text!r}")
    values, at = list[object](), found.end()
    while text[at] != ")":
        value, at = _parsed(text, at)
        values.append(value)
        at += text[at] == ","
    if not found[1]:
        return tuple(values), at + 1
    module, _, name = found[1].rpartition(".")
    return getattr(import_module(module), name)(*values), at + 1


def _of_kind(kind: np.dtype[Any], text: str, at: int) -> tuple[object, int]:
    """Make an array or a number."""
    found = _ARRAY.match(text, at)
    if found is None:
        return PLAIN.get(kind.str, kind.type()), at
    ndim, order = int(found[1]), found[2]
    values = np.zeros((4,) * ndim, kind, order="F" if order == "F" else "C")
    if order == "A":
        values = values[(slice(None, None, 2),) * ndim]
    values.flags.writeable = not found[3]
    return values, found.end()


if __name__ == "__main__":
    main()
