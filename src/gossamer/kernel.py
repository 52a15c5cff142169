"""How hot loops are compiled: Numba, without the GIL, when first called, cached under a key of all kernels.

Numba's own cache notices a change in a kernel's file, not in a callee that stands elsewhere; here the
folder's name holds a hash of every kernel file, so that old machine code can never be loaded. Where nothing
can be written, kernels are compiled in memory. Of several processes that need the same kernel, one compiles
it and the others wait for what it leaves. Numba itself is loaded with the first kernel: a process that
needs none, such as a search in a small collection, starts in a third of the time.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, update_wrapper
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])

PACKAGE = Path(__file__).parent
# Neither callable from Python nor cached: the kernel that holds a part is.
_OF_PARTS: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: F) -> F:
    """Makes a function a kernel: compiled on its first call, or loaded if an earlier process compiled it."""
    return cast(F, Kernel(function))


def kernel_part(function: F) -> F:
    """Makes a function that only kernels call: it is compiled into them, and can make no arrays.

    It counts no references to the arrays that it is given. Counting takes longer than a short loop does: a
    kernel that is split into parts by idea would run at a quarter of the speed.
    """
    return cast(F, Kernel(function, part=True))


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
    return any(_cache_folder().rglob("*.nbi"))


class Kernel:
    """Stands in for a compiled function until it is first called."""

    def __init__(self, function: Callable[..., object], part: bool = False) -> None:
        update_wrapper(self, function)
        self._function = function
        self._part = part
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
            if self._part:
                options = {**_OF_PARTS, "pipeline_class": _compiler_of_parts()}
            else:
                options = {"cache": _prepare_cache()}
            self._compiled = njit(nogil=True, boundscheck=False, **options)(self._function)
            if options.get("cache"):
                _compile_once(self._compiled, self._function)
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
def _compiler_of_parts() -> type:
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
            library._optimize_final_module = lambda: None
            library.enable_object_caching()
            self.state.library = library

    return PartCompiler


def _compile_once(dispatcher: Any, function: Callable[..., object]) -> None:
    """Lets one process at a time compile a kernel: the next one finds the code in the cache."""
    from numba.core.compiler_lock import global_compiler_lock

    compile_here = dispatcher.compile
    lock = _cache_folder() / f"{function.__module__}.{function.__name__}.lock"

    def compile_or_wait(signature: object) -> object:
        # Numba's own lock comes first, as in kernels that call this one: no threads wait for each other.
        with global_compiler_lock, _held(lock):
            return compile_here(signature)

    dispatcher.compile = compile_or_wait


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


@cache
def _cache_folder() -> Path:
    digest = blake2b(digest_size=8)
    for path in (Path(__file__), *kernel_sources()):
        digest.update(path.read_bytes())
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gossamer" / f"kernels-{digest.hexdigest()}"


@cache
def _prepare_cache() -> bool:
    """Names the folder of compiled code to Numba; whether it can be written."""
    folder = _cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    from numba.core import config

    # The environment would not do: Numba has read it when it was imported.
    config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    return os.access(folder, os.W_OK)
