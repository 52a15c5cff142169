"""Hot loops as compiled functions: declare them, call them, keep their machine code.

Numba compiles a kernel when it is first called with arguments of some types. The machine code is kept in a
file of its own. The file's name holds a hash of the kernel, of the parts that it calls and of the constants
that they use, so that old code is never loaded and a change compiles only what it touches. Where the package
is installed does not matter. Where nothing can be written, kernels are compiled in memory.

A process that finds all its machine code in these files never imports Numba, which takes longer than a search
(see `machine_code`). Of several processes that need the same kernel, one compiles it and the others wait.
Commands compile what they will need before they begin (see `warm_up`).
"""

from __future__ import annotations

import fcntl
import marshal
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from enum import EnumType
from functools import cache, update_wrapper
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

import numpy as np
from numpy import ndarray

F = TypeVar("F", bound=Callable[..., object])
PACKAGE = Path(__file__).parents[1]
USUAL = Path(__file__).with_name("usual.txt")  # the kernels that `warm_up` compiles
# Flags of arrays: C order, Fortran order, aligned, writeable. One of both orders is taken for one of C order.
_C_ORDER, _ANY_ORDER = 0x1 | 0x100 | 0x400, 0x1 | 0x2 | 0x100 | 0x400


def kernel(function: F) -> F:
    """Compile a function on its first call, or load what an earlier process compiled.

    Array indexes are checked: one that is out of bounds raises IndexError instead of touching other memory.
    """
    return cast(F, Kernel(function))


def kernel_part(function: F) -> F:
    """Compile a function into the kernels that call it, with checked indexes.

    It cannot make or return arrays.

    It counts no references to the arrays that it is given. Counting takes longer than a short loop does: a
    kernel that is split into parts by idea would run at a quarter of the speed.
    """
    return cast(F, Kernel(function, part=True))


def rare_part(function: F) -> F:
    """Compile a function that kernels seldom call, with checked indexes, without copying it into them.

    Other parts are copied into their callers. A caller on a hot path would then become too large to be copied
    into its own callers.
    """
    return cast(F, Kernel(function, part=True, rare=True))


def unchecked_kernel(function: F) -> F:
    """Compile a function as `kernel` does, without checking indexes.

    Only for loops over numbers that this program computed or read from its own checksummed files. A kernel
    that reads text or bytes from outside (pages, addresses, queries) is checked, or checks its bounds once at
    entry. A test verifies this.
    """
    return cast(F, Kernel(function, checked=False))


def unchecked_part(function: F) -> F:
    """Compile a function into the kernels that call it, without checking indexes.

    As with `unchecked_kernel`, a part that reads bytes from outside checks its bounds once at entry.
    """
    return cast(F, Kernel(function, part=True, checked=False))


def kernel_instruction(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a processor instruction callable in kernels.

    The function is called with the types of the arguments and returns the code to generate, as
    `numba.extending.intrinsic` requires.
    """
    return Kernel(function, part=True, instruction=True)


class Kernel:
    """Stands in for a compiled function: finds the machine code for the types of its arguments."""

    def __init__(
        self,
        function: Callable[..., object],
        part: bool = False,
        checked: bool = True,
        rare: bool = False,
        instruction: bool = False,
    ) -> None:
        update_wrapper(self, function)
        self.function = cast(FunctionType, function)
        self.is_part = part
        self.is_rare = rare
        self.is_checked = checked  # whether indexes are
        self.is_instruction = instruction
        self._compiled: dict[tuple[object, ...], Callable[..., object]] = {}  # by the types of the arguments
        _KERNELS[function] = self

    def __call__(self, *arguments: object) -> object:
        types = types_of(arguments)
        return (self._compiled.get(types) or self._find(types, arguments))(*arguments)

    def specialised(self, *arguments: object) -> Callable[..., Any]:
        """Return the machine code for the types of these arguments, without checking later calls.

        For a kernel that is called very often. All later calls must have arguments of the same types.
        """
        types = types_of(arguments)
        return self._compiled.get(types) or self._find(types, arguments)

    def is_compiled(self, arguments: tuple[object, ...]) -> bool:
        """Whether an earlier process has left machine code for the types of these arguments."""
        from gossamer.kernels.machine_code import read

        return read(self._file(arguments)) is not None

    def _find(self, types: tuple[object, ...], arguments: tuple[object, ...]) -> Callable[..., object]:
        with _finding:
            if types not in self._compiled:
                self._compiled[types] = self._load(arguments) or self._compile(arguments)
            return self._compiled[types]

    def _load(self, arguments: tuple[object, ...]) -> Callable[..., object] | None:
        """The machine code that an earlier process left, ready to be called."""
        from gossamer.kernels.machine_code import load, read

        found = read(self._file(arguments))
        return load(found, self.function) if found else None

    def _compile(self, arguments: tuple[object, ...]) -> Callable[..., object]:
        """Compile the kernel, unless another process does so meanwhile."""
        from gossamer.kernels.machine_code import load, write

        file = self._file(arguments)
        with _held(file.with_suffix(".lock")):
            if found := self._load(arguments):
                return found
            from gossamer.kernels.compiler import machine_code_of

            code = machine_code_of(self, arguments)
            with suppress(OSError):  # nothing can be written there: it is compiled again in the next process
                write(file, code)
        return load(code, self.function)

    def _file(self, arguments: tuple[object, ...]) -> Path:
        from gossamer.kernels.machine_code import described

        types = blake2b(described(arguments).encode(), digest_size=8).hexdigest()
        return cache_folder() / f"{self._name()}-{types}.code"

    def _name(self) -> str:
        place = self.function.__module__.rpartition(".")[2]
        return f"{place}.{self.function.__name__}-{digest_of(self.function)}"

    def called(self) -> Iterator[tuple[str, Kernel]]:
        """Yield the kernels that this one calls, each with its name in the code."""
        for name in _names_in(self.function.__code__):
            if isinstance(one := self.function.__globals__.get(name), Kernel):
                yield name, one

    def described(self) -> str:
        """The options that affect the code of this kernel."""
        return f"part={self.is_part} rare={self.is_rare} checked={self.is_checked}"


_KERNELS: dict[Callable[..., object], Kernel] = {}
_finding = RLock()


def types_of(arguments: tuple[object, ...]) -> tuple[object, ...]:
    """Return a key for the types of arguments, quickly. Types with equal keys have the same description."""
    types: list[object] = []
    for value in arguments:  # in one function, because each call of a kernel comes here
        if isinstance(value, ndarray):
            flags = value.flags.num
            types.append((value.dtype, value.ndim, flags & (_C_ORDER if flags & 1 else _ANY_ORDER)))
        elif isinstance(value, tuple):
            types.append((type(value), types_of(value)))
        else:
            types.append("<u8" if type(value) is int and value >= 2**63 else type(value))
    return tuple(types)


@cache
def cache_folder() -> Path:
    """Return the folder for machine code, which need not exist."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():
        try:
            base = Path.home() / ".cache"
        except RuntimeError:  # the user has no home folder, so nothing can be kept
            base = Path(os.devnull)
    return base / "gossamer" / "kernels"


def ready_mark(stage: str) -> Path:
    """Return the file that exists once the kernels of a stage are compiled (see `warm_up`)."""
    usual = USUAL.read_text(encoding="utf-8")
    digest = _digest_of_compiler().copy()
    digest.update(usual.encode())
    modules = {line.split("\t")[1] for line in usual.splitlines()} | {__name__}
    folders = {PACKAGE.joinpath(*module.split(".")[1:-1]) for module in modules}
    for source in (source for folder in sorted(folders) for source in sorted(folder.glob("*.py"))):
        # Whole seconds: the layers of a container image, which may contain compiled kernels, keep no more.
        digest.update(f"{source.name} {source.stat().st_size} {int(source.stat().st_mtime)} ".encode())
    return cache_folder() / f"{stage}-{digest.hexdigest()}.ready"


@contextmanager
def _held(lock: Path) -> Iterator[None]:
    """Hold a lock between processes, if the file can be locked. A forked child does not inherit the lock.

    Without a lock, a kernel may be compiled twice, which only costs time.
    """
    with ExitStack() as held:
        with suppress(OSError):
            lock.parent.mkdir(parents=True, exist_ok=True)
            file = held.enter_context(lock.open("a"))
            fcntl.lockf(file, fcntl.LOCK_EX)
        yield


# What the code of a kernel depends on
# ------------------------------------


@cache
def digest_of(function: FunctionType) -> str:
    """Hash a kernel, all that it calls, the constants that these use, and the compiler."""
    digest = _digest_of_compiler().copy()
    digest.update(function.__module__.encode())  # compiled code looks for its module by name
    for part in _described(function, set()):
        digest.update(part)
        digest.update(b"\0")
    return digest.hexdigest()


@cache
def _digest_of_compiler() -> blake2b:
    from gossamer.kernels.machine_code import MAGIC, machine

    digest = blake2b(MAGIC + machine().encode(), digest_size=8)
    for module in ("compiler.py", "lowering.py"):
        digest.update((Path(__file__).parent / module).read_bytes())
    return digest


def _code_of(code: CodeType) -> Iterator[bytes]:
    """A function's instructions and constants, without its place in the file and its docstring."""
    yield code.co_code
    yield repr((code.co_argcount, code.co_names, code.co_varnames, code.co_freevars)).encode()
    has_docstring = bool(code.co_consts) and isinstance(code.co_consts[0], str)
    for constant in code.co_consts[has_docstring:]:
        if isinstance(constant, CodeType):
            yield from _code_of(constant)
        else:
            yield marshal.dumps(constant, 2)  # the last version whose bytes depend on the value alone


def _described(function: FunctionType, seen: set[FunctionType]) -> Iterator[bytes]:
    """Yield all that the code of a function depends on, except functions in `seen`."""
    if function in seen:
        return
    seen.add(function)
    if function in _KERNELS:
        yield _KERNELS[function].described().encode()
    yield from _code_of(function.__code__)
    yield repr(function.__defaults__).encode()
    for annotation in function.__annotations__.values():
        yield from _fields_of(annotation, function.__globals__)
    for cell in function.__closure__ or ():
        yield from _value_of(cell.cell_contents, seen)
    for name in _names_in(function.__code__):
        if name in function.__globals__:
            yield name.encode()
            yield from _value_of(function.__globals__[name], seen)


def _fields_of(annotation: object, names: dict[str, Any]) -> Iterator[bytes]:
    """Yield the fields of a named tuple that a kernel takes: its code refers to them only by position."""
    kind = names.get(str(getattr(annotation, "__forward_arg__", annotation)))
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        yield repr(kind._fields).encode()
        for inner in kind.__annotations__.values():
            yield from _fields_of(inner, vars(sys.modules[kind.__module__]))


def _names_in(code: CodeType) -> Iterator[str]:
    """Yield the global names that a function uses."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _value_of(value: object, seen: set[FunctionType]) -> Iterator[bytes]:
    """Yield the content of a constant or a function that a kernel uses."""
    if isinstance(value, Kernel):
        value = value.function
    if isinstance(value, FunctionType):
        yield from _described(value, seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode()
        yield value.tobytes()
    elif isinstance(value, bool | int | float | str | bytes | tuple | np.generic | None):
        yield f"{type(value).__name__} {value!r}".encode()
    elif isinstance(value, EnumType):
        yield repr(dict(value.__members__)).encode()
    elif isinstance(value, ModuleType | type | BuiltinFunctionType):
        yield value.__name__.encode()
    elif not isinstance(value, np.ufunc):
        raise TypeError(f"a kernel uses {value!r}, but the cache would not notice a change of it")


# CPU prefetch instruction for kernels
# ------------------------------------
#
# Memory that is read in an irregular order is not in the processor's caches, so a kernel waits for each
# access. A prefetch some steps ahead loads the memory while the kernel goes on. Numba has no function for
# this instruction, so LLVM's intrinsic is used. A prefetch changes no data, and an index out of bounds
# does no harm.

TO_READ, TO_WRITE = 0, 1
ALL_CACHES, DATA = 3, 1


def _fetching(purpose: int) -> Callable[..., Any]:
    """Make the instruction that prefetches an element of a one-dimensional array, at an unsigned index."""

    def typed(typing: Any, array: Any, index: Any) -> Any:
        from llvmlite import ir
        from numba.core import cgutils, types

        def generated(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            place = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
            number = cgutils.int32_t
            kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
            instruction = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kind)
            builder.call(instruction, [place, number(purpose), number(ALL_CACHES), number(DATA)])
            return context.get_dummy_value()

        return types.void(array, index), generated

    return typed


prefetch = kernel_instruction(_fetching(TO_READ))
prefetch_to_write = kernel_instruction(_fetching(TO_WRITE))
