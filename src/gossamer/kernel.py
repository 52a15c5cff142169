"""How hot loops are compiled: Numba, without the GIL, when first called, cached under a key of their sources.

Numba's own cache notices a change in a kernel's file, not in a callee that stands elsewhere; here compiled
code lies in a folder whose name holds a hash of the file and of all that it imports from this package, so
that old machine code can never be loaded, and what was not touched by a change need not be compiled again.
Where the package is installed does not matter. Where nothing can be written, kernels are compiled in memory.
Of several processes that need the same kernel, one compiles it and the others wait for what it leaves. Numba
itself is loaded with the first kernel: a process that needs none, such as a search in a small collection,
starts in a third of the time.
"""

from __future__ import annotations

import fcntl
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial, update_wrapper
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])

PACKAGE = Path(__file__).parent
# Neither callable from Python nor cached: the kernel that holds a part is.
_OF_PARTS: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


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
    that reads text or bytes from outside (pages, addresses, queries) is always checked; a test holds this.
    """
    return cast(F, Kernel(function, checked=False))


def unchecked_part(function: F) -> F:
    """Compile a function into the kernels that call it, without checking indexes; see `unchecked_kernel`."""
    return cast(F, Kernel(function, part=True, checked=False))


def compiled(function: F) -> F:
    """A kernel as Numba's own function, without the step between: for one that is called very often."""
    return cast(F, cast(Kernel, function).compiled())


def kernel_instruction(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function of what no Python says: called with the types of its arguments, it gives the code.

    See `numba.extending.intrinsic`; what is called `typing` there comes before the arguments.
    """
    return _Instruction(function)


def kernels_are_loaded() -> bool:
    """Whether this process has paid for loading Numba already."""
    return "numba" in sys.modules


def kernels_are_compiled() -> bool:
    """Whether an earlier process has left compiled code of this version."""
    names = {f"{path.stem}-{_digest(path)}" for path in kernel_sources()}
    return any(path.parent.name in names for path in _cache_folder().glob("*/*.nbi"))


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
            self._compiled = njit(nogil=True, boundscheck=self.is_checked, **options)(self._function)
            if not self._part:
                _keep(self._compiled, self._function)
        return self._compiled


class _Instruction(Kernel):
    """Nothing to compile: a kernel's compiler asks the function what to put in its place."""

    def compiled(self) -> Callable[..., object]:
        if self._compiled is None:
            _numba_without_scipy()
            from numba.extending import intrinsic

            self._compiled = cast(Callable[..., object], intrinsic(self._function))
        return self._compiled


@cache
def _compiler_of_parts(rare: bool) -> type:
    """A compiler that leaves optimising to the kernel that a part becomes a part of.

    Numba would optimise each part, and again with all that it calls each part that calls it. The largest
    kernel takes a third less time to compile this way.
    """
    from numba.core.compiler import Compiler

    numbers = count()

    class PartCompiler(Compiler):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)  # type: ignore[no-untyped-call]
            library = self.state.targetctx.codegen().create_library(f"part {next(numbers)}")
            library._optimize_final_module = partial(_keep_apart, library) if rare else lambda: None
            library.enable_object_caching()
            self.state.library = library

    return PartCompiler


def _keep_apart(library: Any) -> None:
    """Forbid that the functions of a library are copied into their callers."""
    for function in library._final_module.functions:
        if not function.is_declaration:
            function.add_function_attribute("noinline")


def _keep(dispatcher: Any, function: Callable[..., object]) -> None:
    """Lets a kernel look for its code in the cache, and leave it there; does nothing where that cannot be."""
    source = Path(function.__code__.co_filename)
    folder = _cache_folder() / f"{source.stem}-{_digest(source)}"
    try:
        dispatcher._cache = _numba_cache(folder)(function)
    except RuntimeError:  # Numba's word for a folder that cannot be written
        return
    _compile_once(dispatcher, folder / f"{function.__name__}.lock")


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
def _numba_cache(folder: Path) -> type:
    """Numba's cache of functions, in a folder whose name says of which sources they are."""
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator

    class Locator(InTreeCacheLocator):
        def __init__(self, function: Any, source: str) -> None:
            super().__init__(function, source)  # type: ignore[no-untyped-call]
            self._cache_path = str(folder)

    class Implementation(CompileResultCacheImpl):
        _locator_classes = [Locator]  # noqa: RUF012 - so it is declared by Numba

    class KernelCache(FunctionCache):
        _impl_class = Implementation

    return KernelCache


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


def kernel_sources() -> list[Path]:
    """Every file that holds kernels: they are named for it."""
    return sorted(PACKAGE.rglob("*_kernel.py"))


_IMPORTED = re.compile(r"^from (gossamer[\w.]*) import", re.MULTILINE)


@cache
def _digest(source: Path) -> str:
    """Of a file and all files of this package that it imports, directly or not: what its code is made of."""
    digest = blake2b(digest_size=8)
    for path in sorted(_imported(source), key=lambda path: path.name):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _imported(source: Path) -> frozenset[Path]:
    names = _IMPORTED.findall(source.read_text(encoding="utf-8"))
    found = [PACKAGE.joinpath(*name.split(".")[1:]) for name in names]
    files = [path / "__init__.py" if path.is_dir() else path.with_suffix(".py") for path in found]
    return frozenset([source]).union(*map(_imported, files))


@cache
def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gossamer" / "kernels"
