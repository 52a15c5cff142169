"""Compile kernels with Numba. Imported only when machine code is missing."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from types import CodeType, FunctionType
from typing import Any, cast

from gossamer.kernels.machine_code import MachineCode

# Neither callable from Python nor kept: the kernel that holds a part is.
_OF_PARTS: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True}


def machine_code_of(kernel: Any, arguments: tuple[object, ...]) -> MachineCode:
    """Compile a `Kernel` for the types of its arguments."""
    import numba

    dispatcher = _dispatcher_of(kernel)
    signature = tuple(numba.typeof(one) for one in arguments)  # type: ignore[no-untyped-call]
    dispatcher.compile(signature)
    made = dispatcher.overloads[signature]
    description = made.fndesc
    return MachineCode(
        wrapper=description.llvm_cpython_wrapper_name,
        environment=made.target_context.get_env_name(description),
        constants=pickle.dumps(list(made.environment.consts)),
        code=made.library._get_compiled_object(),
    )


@cache
def _dispatcher_of(kernel: Any) -> Any:
    """Numba's own form of a kernel. It sees the kernels that it calls in that form, too."""
    function = kernel.function
    if kernel.is_instruction:
        from numba.extending import intrinsic

        return intrinsic(function)
    called = {name: function.__globals__.get(name) for name in _names_in(function.__code__)}
    known = {name: _dispatcher_of(one) for name, one in called.items() if isinstance(one, type(kernel))}
    copy = FunctionType(
        function.__code__,
        {**function.__globals__, **known},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    options = {**_OF_PARTS, "pipeline_class": _compiler_of_parts(kernel.is_rare)} if kernel.is_part else {}
    njit = _numba_without_scipy()
    return njit(nogil=True, no_cfunc_wrapper=True, boundscheck=kernel.is_checked, **options)(copy)


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


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
    return cast(Callable[..., Any], numba.njit)


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


def _keep_apart(library: Any) -> None:
    """Forbid that the functions of a library are copied into their callers."""
    for function in library._final_module.functions:
        if not function.is_declaration:
            function.add_function_attribute("noinline")
