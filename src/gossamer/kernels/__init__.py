"""Compile hot loops with Numba and cache machine code.

Numba's own cache notices a change in a kernel's file, not in a callee that stands elsewhere, and forgets all
kernels of a file at any change of it. Here the name of the cached file holds a hash of the kernel, of the
parts that it calls and of the constants that they name: old machine code can never be loaded, and what a
change did not touch is not compiled again. Where the package is installed does not matter. Where nothing can
be written, kernels are compiled in memory.
Of several processes that need the same kernel, one compiles it and the others wait for what it leaves. Numba
itself is loaded with the first kernel: a process that needs none, such as a search in a small collection,
starts in a third of the time.
"""

from __future__ import annotations

import fcntl
import marshal
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial, update_wrapper
from hashlib import blake2b
from itertools import count
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])
PACKAGE = Path(__file__).parent

# Neither callable from Python nor cached: the kernel that holds a part is.
_OF_PARTS: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True}


def kernel(function: F) -> F:
    """Compile a function on its first call, or load what an earlier process compiled.

    Array indexes are checked: one that is out of bounds raises IndexError instead of touching other memory.
    """
    return cast(F, Kernel(function))


def kernel_part(function: F) -> F:
    """Compile a function into the kernels that call it, with checked indexes. It can make no arrays.

    It counts no references to the arrays that it is given. Counting takes longer than a short loop does: a
    kernel that is split into parts by idea would run at a quarter of the speed.
    """
    return cast(F, Kernel(function, part=True))


def rare_part(function: F) -> F:
    """Compile a function that kernels seldom call, with checked indexes, and keep its code out of theirs.

    A part is otherwise copied into its callers. One on a hot path would become too large to be copied itself.
    """
    return cast(F, Kernel(function, part=True, rare=True))


def unchecked_kernel(function: F) -> F:
    """Compile a function as `kernel` does, without checking indexes.

    Only for loops over numbers that this program computed or read from its own checksummed files. A kernel
    that reads text or bytes from outside (pages, addresses, queries) is checked, or checks its bounds once at
    entry; a test holds this.
    """
    return cast(F, Kernel(function, checked=False))


def unchecked_part(function: F) -> F:
    """Compile a function into the kernels that call it, without checking indexes.

    As with `unchecked_kernel`, one that is given bytes from outside checks its bounds once at entry.
    """
    return cast(F, Kernel(function, part=True, checked=False))


def compiled(function: F) -> F:
    """A kernel as Numba's own function, without the step between: for one that is called very often."""
    return cast(F, cast(Kernel, function).compiled())


def kernel_instruction(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function of what no Python says: called with the types of its arguments, it gives the code.

    See `numba.extending.intrinsic`; what is called `typing` there comes before the arguments.
    """
    return _Instruction(function)


def kernels_are_compiled() -> bool:
    """Whether an earlier process has left code of any kernel that this process has loaded."""
    return any(kernel.is_cached() for kernel in _KERNELS.values())


class Kernel:
    """Stands in for a compiled function until it is first called."""

    def __init__(
        self, function: Callable[..., object], part: bool = False, checked: bool = True, rare: bool = False
    ) -> None:
        update_wrapper(self, function)
        self._function = function
        self._part = part
        self._rare = rare
        self.is_checked = checked  # whether indexes are
        self._compiled: Callable[..., object] | None = None
        _KERNELS[function] = self

    def __call__(self, *arguments: object) -> object:
        return (self._compiled or self.compiled())(*arguments)

    def compiled(self) -> Callable[..., object]:
        if self._compiled is None:
            njit = _numba_without_scipy()
            names = self._function.__globals__
            for name in self._function.__code__.co_names:
                # Numba must see the compiled form of the kernels that this one calls.
                if isinstance(names.get(name), Kernel):
                    names[name] = names[name].compiled()
            options = {**_OF_PARTS, "pipeline_class": _compiler_of_parts(self._rare)} if self._part else {}
            self._compiled = njit(nogil=True, no_cfunc_wrapper=True, boundscheck=self.is_checked, **options)(
                self._function
            )
            if not self._part:
                _keep(self._compiled, cast(FunctionType, self._function))
        return self._compiled

    def is_cached(self) -> bool:
        """Whether an earlier process has left code of this kernel."""
        if self._part:
            return False
        name = f"*-{digest_of(cast(FunctionType, self._function))}*.nbi"
        return any(True for _ in _cache_folder().glob(name))

    def described(self) -> str:
        """What decides about the code of this kernel besides its function."""
        return f"part={self._part} rare={self._rare} checked={self.is_checked}"


_KERNELS: dict[Callable[..., object], Kernel] = {}


@cache
def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gossamer" / "kernels"


def _code_of(code: CodeType) -> Iterator[bytes]:
    """A function's instructions and constants, without its place in the file and its docstring."""
    yield code.co_code
    yield repr((code.co_argcount, code.co_names, code.co_varnames, code.co_freevars)).encode()
    for constant in code.co_consts[1:] if isinstance(code.co_consts[0], str) else code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_of(constant)
        else:
            yield marshal.dumps(constant, 2)  # the last version whose bytes depend on the value alone


def _compile_once(dispatcher: Any, lock: Path) -> None:
    """Lets one process at a time compile a kernel: the next one finds the code in the cache."""
    from numba.core.compiler_lock import global_compiler_lock

    compile_here = dispatcher.compile

    def compile_or_wait(signature: object) -> object:
        # Numba's own lock comes first, as in kernels that call this one: no threads wait for each other.
        with global_compiler_lock, _held(lock):
            return compile_here(signature)

    dispatcher.compile = compile_or_wait


@cache
def _compiler_of_parts(rare: bool) -> type:
    """Return a compiler that leaves optimising and machine code to the kernel that a part becomes a part of.

    Numba would do both for each part, with all that it calls, again in each part that calls it. Nobody runs
    that code. The largest kernels take half the time to compile this way.
    """
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler

    numbers = count()

    class NoMachineCode:
        """Stands in for the code generator, where Numba would set what running code needs."""

        @staticmethod
        def set_env(name: str, environment: object) -> None:
            pass

    class PartLibrary(JITCodeLibrary):
        codegen = NoMachineCode

        def _optimize_final_module(self) -> None:
            if rare:
                _keep_apart(self)

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()  # type: ignore[no-untyped-call]
            return 0

    class PartCompiler(Compiler):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)  # type: ignore[no-untyped-call]
            codegen = self.state.targetctx.codegen()
            self.state.library = PartLibrary(codegen, f"part {next(numbers)}")  # type: ignore[no-untyped-call]
            self.state.library.enable_object_caching()

    return PartCompiler


def _described(function: FunctionType, seen: set[FunctionType]) -> Iterator[bytes]:
    """All that the code of a function depends on; what was seen before is not told again."""
    if function in seen:
        return
    seen.add(function)
    if function in _KERNELS:
        yield _KERNELS[function].described().encode()
    yield from _code_of(function.__code__)
    for annotation in function.__annotations__.values():
        yield from _fields_of(annotation, function.__globals__)
    for cell in function.__closure__ or ():
        yield from _value_of(cell.cell_contents, seen)
    for name in _names_in(function.__code__):
        if name in function.__globals__:
            yield name.encode()
            yield from _value_of(function.__globals__[name], seen)


def _fields_of(annotation: object, names: dict[str, Any]) -> Iterator[bytes]:
    """The fields of a named tuple that a kernel is given: its code knows them by their places alone."""
    kind = names.get(str(getattr(annotation, "__forward_arg__", annotation)))
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        yield repr(kind._fields).encode()
        for inner in kind.__annotations__.values():
            yield from _fields_of(inner, vars(sys.modules[kind.__module__]))


@contextmanager
def _held(lock: Path) -> Iterator[None]:
    """Holds a lock between processes, which a forked child does not inherit; where there are none, no lock.

    Without it a kernel is compiled twice, which costs time and nothing else.
    """
    with ExitStack() as held:
        with suppress(OSError):
            file = held.enter_context(lock.open("a"))
            fcntl.lockf(file, fcntl.LOCK_EX)
        yield


def _keep(dispatcher: Any, function: FunctionType) -> None:
    """Lets a kernel look for its code in the cache, and leave it there; does nothing where that cannot be."""
    digest = digest_of(function)
    try:
        dispatcher._cache = _numba_cache(digest)(function)
    except RuntimeError:  # Numba's word for a folder that cannot be written
        return
    _compile_once(dispatcher, _cache_folder() / f"{function.__name__}-{digest}.lock")


def _keep_apart(library: Any) -> None:
    """Forbid that the functions of a library are copied into their callers."""
    for function in library._final_module.functions:
        if not function.is_declaration:
            function.add_function_attribute("noinline")


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


@cache
def _numba_cache(digest: str) -> type:
    """Numba's cache of functions, in files whose names hold the digest of a kernel."""
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator

    class Locator(InTreeCacheLocator):
        def __init__(self, function: Any, source: str) -> None:
            super().__init__(function, source)  # type: ignore[no-untyped-call]
            self._cache_path = str(_cache_folder())

        def get_source_stamp(self) -> str:
            return digest

        def get_disambiguator(self) -> str:
            return digest

    class Implementation(CompileResultCacheImpl):
        _locator_classes = [Locator]  # noqa: RUF012 - so it is declared by Numba

    class KernelCache(FunctionCache):
        _impl_class = Implementation

        def __init__(self, function: Any) -> None:
            super().__init__(function)  # type: ignore[no-untyped-call]
            file = self._cache_file
            file._load_index = partial(_index_or_nothing, file._load_index)  # type: ignore[method-assign]

        def load_overload(self, signature: Any, target_context: Any) -> Any:
            try:
                return super().load_overload(signature, target_context)  # type: ignore[no-untyped-call]
            except Exception:  # whatever a damaged file raises when it is unpickled
                return None

    return KernelCache


def _index_or_nothing(load_index: Callable[[], dict[Any, str]]) -> dict[Any, str]:
    """The compiled signatures of a kernel; none where the file is damaged or names a type that is gone."""
    try:
        return load_index()
    except Exception:  # whatever a damaged file raises when it is unpickled
        return {}


@cache
def _numba_without_scipy() -> Callable[..., Any]:
    """Numba's compiler. It would load SciPy for linear algebra, of which no kernel has any: half a second."""
    absent = {name: None for name in ("scipy", "scipy.linalg") if name not in sys.modules}
    sys.modules.update(cast(Any, absent))
    try:
        import numba.np.arraymath
    finally:
        for name in absent:
            del sys.modules[name]
    return numba.njit


def _value_of(value: object, seen: set[FunctionType]) -> Iterator[bytes]:
    """A constant or a function that a kernel names."""
    import numpy as np

    value = getattr(value, "py_func", getattr(value, "_defn", value))  # compiled, or an instruction
    if isinstance(value, Kernel):
        value = value._function
    if isinstance(value, FunctionType):
        yield from _described(value, seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode()
        yield value.tobytes()
    elif isinstance(value, bool | int | float | str | bytes | tuple | np.generic | None):
        yield f"{type(value).__name__} {value!r}".encode()
    elif isinstance(value, ModuleType | type | BuiltinFunctionType):
        yield value.__name__.encode()
    elif not isinstance(value, np.ufunc):
        raise TypeError(f"a kernel names {value!r}, of which no change would be noticed in the cache")


@cache
def digest_of(function: FunctionType) -> str:
    """Hash a kernel, all that it calls, the constants that these name, and this file."""
    digest = blake2b(Path(__file__).read_bytes(), digest_size=8)
    digest.update(function.__module__.encode())  # compiled code looks for its module by name
    for part in _described(function, set()):
        digest.update(part)
        digest.update(b"\0")
    return digest.hexdigest()


class _Instruction(Kernel):
    """Nothing to compile: a kernel's compiler asks the function what to put in its place."""

    def compiled(self) -> Callable[..., object]:
        if self._compiled is None:
            _numba_without_scipy()
            from numba.extending import intrinsic

            self._compiled = cast(Callable[..., object], intrinsic(self._function))
        return self._compiled


def kernel_sources() -> list[Path]:
    """List the files that hold kernels."""
    return sorted(
        path for path in PACKAGE.rglob("*.py") if "gossamer.kernels" in path.read_text(encoding="utf-8")
    )


# CPU prefetch instruction for kernels
# ------------------------------------
#
# Places that follow each other by no rule are in no cache, and each has to be waited for. When the
# processor is told some steps ahead, it fetches them while the kernel goes on. Numba has no word for
# this instruction: it is LLVM's intrinsic of the same name. It changes nothing, and an index that
# does not exist does no harm.

TO_READ, TO_WRITE = 0, 1
ALL_CACHES, DATA = 3, 1


def _fetching(purpose: int) -> Callable[..., Any]:
    """(array, index): the element of an array of one dimension, at an unsigned index, is needed soon."""

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
