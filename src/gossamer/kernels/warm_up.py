"""Compile kernels before they are needed, in several processes: `python -m gossamer.kernels.warm_up`.

`usual.txt` lists kernels with the types of their arguments, in stages: those of a crawl, those of searches,
and the rest. `scripts/kernels` makes the list. Other kernels are compiled when they are first called.

The command starts one process, which imports Numba and forks. Each process compiles the kernels of one Python
package after the other, until no package is left, and writes a line to standard output for each kernel. The
processes end when nobody reads the output.
"""

from __future__ import annotations

import ast
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import IO, Any, NamedTuple, cast

import numpy as np

from gossamer.kernels.kernel import PACKAGE, USUAL, Kernel, cache_folder, ready_mark

STAGES = ("crawl", "search", "rest")
MOST_PROCESSES = 4  # the largest kernel takes a quarter of the time: more processes would wait for it
LOOK = 0.5  # seconds between reports
COMPILED, FOUND = "compiled", "found"
ROOM = 4_000_000  # bytes on disk, twice as much as all kernels take
ANSWER = 500  # characters at most: a write of more than 4,096 bytes is not atomic


class Usual(NamedTuple):
    """A kernel of the list."""

    stage: str
    module: str
    function: str
    size: int  # bytes of machine code: about as long as it takes to compile
    arguments: str  # their types, as `described` writes them

    @property
    def name(self) -> str:
        """The unique name of the kernel with these types."""
        return f"{self.module}.{self.function}{self.arguments}"


class WarmUp(NamedTuple):
    """The result of compiling kernels."""

    compiled: int
    found: int  # that were compiled before
    failed: tuple[str, ...]  # a line each


Observe = Callable[[int, int, float], None]  # kernels that are ready, all kernels, seconds


def usual_kernels(stages: Sequence[str] = STAGES) -> list[Usual]:
    """Read the list of kernels of some stages."""
    with USUAL.open(encoding="utf-8") as lines:
        return [one for one in _listed(lines) if one.stage in stages]


def _listed(lines: Iterable[str]) -> Iterator[Usual]:
    for line in lines:
        stage, module, function, size, arguments = line.rstrip("\n").split("\t")
        yield Usual(stage, module, function, int(size), arguments)


def warm_up(stages: Sequence[str] = STAGES, observe: Observe | None = None) -> WarmUp:
    """Compile the missing kernels of some stages. Raises OSError if machine code cannot be stored."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=cache_folder()) as probe:
        os.posix_fallocate(probe.fileno(), 0, ROOM)
    kernels = usual_kernels(stages)
    process = _started(kernels)
    try:
        done = _watched(process, kernels, observe)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    if not done.failed:
        for stage in stages:
            ready_mark(stage).touch()
    return done


def _started(kernels: list[Usual]) -> subprocess.Popen[bytes]:
    """Start the process that compiles, in a session of its own, so that Ctrl-C does not reach it."""
    path = os.pathsep.join(filter(None, (str(PACKAGE.parent), os.environ.get("PYTHONPATH"))))
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    with suppress(BrokenPipeError), cast(IO[bytes], process.stdin) as into:
        into.write("".join("\t".join(map(str, one)) + "\n" for one in kernels).encode())
    process.stdin = None
    return process


def _watched(process: subprocess.Popen[bytes], kernels: list[Usual], observe: Observe | None) -> WarmUp:
    """Wait until all kernels are ready, or have failed."""
    answers = {one.name: "the process that compiled it ended; run: gossamer warm-up" for one in kernels}
    begun, told = time.monotonic(), 0
    for line in _lines(cast(IO[bytes], process.stdout)):
        name, _, answer = line.partition("\t")
        if name in answers:
            answers[name] = answer
            told += 1
        if observe is not None:
            observe(told, len(kernels), time.monotonic() - begun)
    counts = Counter(answers.values())
    failed = {name: answer for name, answer in answers.items() if answer not in (COMPILED, FOUND)}
    lines = tuple(f"{name.partition('(')[0]}: {answer}" for name, answer in failed.items())
    return WarmUp(counts[COMPILED], counts[FOUND], lines)


def _lines(stream: IO[bytes]) -> Iterator[str]:
    """Yield the lines of a stream, and an empty one whenever it is time to report."""
    rest = b""
    while True:
        ready, _, _ = select.select([stream], [], [], LOOK)
        if not ready:
            yield ""
        elif read := os.read(stream.fileno(), 1 << 16):
            *lines, rest = (rest + read).split(b"\n")
            yield from (line.decode(errors="replace") for line in lines)
        else:
            return


# The process that compiles
# -------------------------


def main() -> None:
    """Read kernels from standard input, and compile the missing ones in several processes."""
    sys.stdout = sys.stderr  # what Numba prints is no answer
    # All kernels are read before the first answer: otherwise both pipes may be full, and both processes wait.
    missing = sorted(filter(_is_missing, list(_listed(sys.stdin))), key=lambda one: -one.size)
    if not missing:
        return
    _compile(missing.pop())  # a small one: with it Numba is ready, once for all processes
    packages: dict[str, list[Usual]] = {}
    for one in missing:
        packages.setdefault(one.module.split(".")[1], []).append(one)  # its kernels call the same functions
    groups = sorted(packages.values(), key=lambda group: -sum(one.size for one in group))
    taken, given = os.pipe()
    os.write(given, bytes(range(len(groups))))
    os.close(given)
    count = min(len(os.sched_getaffinity(0)), MOST_PROCESSES, len(groups))
    others = 0
    while others < count - 1 and os.fork():  # 0 in the child, which leaves the loop
        others += 1
    while number := os.read(taken, 1):
        for one in groups[number[0]]:
            _compile(one)
    with suppress(ChildProcessError):  # when no child is left
        while True:
            os.wait()
    os._exit(0)  # skips the cleanup of Numba, which would take a second


def _is_missing(one: Usual) -> bool:
    """Return whether a kernel must be compiled; if not, report it."""
    try:
        is_compiled = _kernel_of(one).is_compiled(example(one.arguments))
    except Exception as error:
        _tell(one, f"{type(error).__name__}: {error}")
        return False
    if is_compiled:
        _tell(one, FOUND)
    return not is_compiled


def _compile(one: Usual) -> None:
    try:
        kernel, arguments = _kernel_of(one), example(one.arguments)
        kernel.specialised(*arguments)
        kept = kernel.is_compiled(arguments)
    except Exception as error:
        _tell(one, f"{type(error).__name__}: {error}")
    else:
        _tell(one, COMPILED if kept else f"its machine code could not be written to {cache_folder()}")


def _kernel_of(one: Usual) -> Kernel:
    return cast(Kernel, getattr(import_module(one.module), one.function))


def _tell(one: Usual, answer: str) -> None:
    """Report a kernel in one atomic write, because several processes write."""
    try:
        os.write(1, f"{one.name}\t{' '.join(answer.split())[:ANSWER]}\n".encode())
    except BrokenPipeError:  # the command was killed
        os._exit(1)


# Arguments of given types
# ------------------------

_ITEM = re.compile(r"none|[<>|=][a-z]\d+|\[")
_ARRAY = re.compile(r"\[(\d)([CFA])(r?)\]")
_TUPLE = re.compile(r"([\w.]*)\(")
PLAIN = {"<i8": 1, "<u8": 2**63, "<f8": 1.0, "|b1": True}  # types that Python's own numbers have


def example(description: str) -> tuple[object, ...]:
    """Make arguments of the types that `described` wrote.

    >>> example("(<u2[1C],<i8,|b1,none)")
    (array([0, 0, 0, 0], dtype=uint16), 1, True, None)
    """
    value, _ = _parsed(description, 0)
    return cast(tuple[object, ...], value)


def _parsed(text: str, at: int) -> tuple[object, int]:
    """Read a value; return it and the place where the next one begins."""
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
