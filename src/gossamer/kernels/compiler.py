"""Compile kernels with Numba. Imported only when machine code is missing.

Numba turns Python into LLVM's intermediate code. Linking and optimising happen here, once for a kernel with
all the functions that it calls. Numba does both for each function, and again for each function that calls it:
a third more processor time, for code that nobody runs.
"""

from __future__ import annotations

import gc
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import FunctionType
from typing import Any, cast

from gossamer.kernels.machine_code import MachineCode, described

# Objects that Python makes before it looks for garbage. Compiling makes millions and leaves little garbage:
# with Python's usual 700, a tenth of the time goes into looking for it.
GARBAGE_AFTER = 100_000


def machine_code_of(kernel: Any, arguments: tuple[object, ...]) -> MachineCode:
    """Compile a `Kernel` for the types of its arguments."""
    import numba

    with _numba_as_front_end():
        dispatcher = _dispatcher_of(kernel)
        signature = tuple(numba.typeof(one) for one in arguments)  # type: ignore[no-untyped-call]
        dispatcher.compile(signature)
        made = dispatcher.overloads[signature]
        wrapper = made.fndesc.llvm_cpython_wrapper_name
        environment = made.target_context.get_env_name(made.fndesc)
        return MachineCode(
            module=kernel.function.__module__,
            function=kernel.function.__name__,
            arguments=described(arguments),
            wrapper=wrapper,
            environment=environment,
            constants=pickle.dumps(list(made.environment.consts)),
            code=_object_file(made.library, {wrapper, environment}),
        )


# Functions as Numba sees them
# ----------------------------


@cache
def _dispatcher_of(kernel: Any) -> Any:
    """Return Numba's own form of a kernel. It sees the kernels that it calls in that form, too."""
    function = kernel.function
    if kernel.is_instruction:
        from numba.extending import intrinsic

        return intrinsic(function)
    known = {name: _dispatcher_of(called) for name, called in kernel.called()}
    copy = FunctionType(
        function.__code__,
        {**function.__globals__, **known},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    options: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True} if kernel.is_part else {}
    if kernel.is_rare:
        options["pipeline_class"] = _rare_compiler()
    njit = _numba_without_scipy()
    return njit(nogil=True, no_cfunc_wrapper=True, boundscheck=kernel.is_checked, **options)(copy)


@cache
def _numba_without_scipy() -> Callable[..., Any]:
    """Return Numba's compiler. SciPy, which it would import for linear algebra, takes half a second."""
    absent = {name: None for name in ("scipy", "scipy.linalg") if name not in sys.modules}
    sys.modules.update(cast(Any, absent))
    try:
        import numba.np.arraymath
    finally:
        for name in absent:
            del sys.modules[name]
    return cast(Callable[..., Any], numba.njit)


# Linking and optimising
# ----------------------


@cache
def _library_class() -> type:
    """Make the class of Numba's code libraries that are not linked on their own."""
    from numba.core.codegen import JITCodeLibrary

    class Unlinked(JITCodeLibrary):
        """The code of one function, simplified: LLVM chooses better what to inline into what."""

        def finalize(self) -> None:
            self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            return 0  # nobody calls it

        def _get_module_for_linking(self) -> Any:
            """Return the code with all that it calls, for a function that another library compiles."""
            if self._shared_module is None:
                own, self._final_module = self._final_module, _linked(self)
                super()._get_module_for_linking()  # type: ignore[no-untyped-call]
                self._final_module = own
            return self._shared_module

    return Unlinked


@cache
def _rare_compiler() -> type:
    """Make the compiler of rare parts, whose code is not copied into their callers."""
    from numba.core.compiler import Compiler

    class NotInlined(_library_class()):  # type: ignore[misc]
        """The code of one function, which stays a function."""

        def finalize(self) -> None:
            for function in self._final_module.functions:
                if not function.is_declaration:
                    function.add_function_attribute("noinline")
            super().finalize()

    class RareCompiler(Compiler):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)  # type: ignore[no-untyped-call]
            self.state.library = NotInlined(self.state.targetctx.codegen(), "rare part")

    return RareCompiler


def _linked(library: Any) -> Any:
    """Return a module that holds a library and all that it calls, directly or not."""
    module = library._final_module.clone()
    found, waiting = {library}, [library]
    while waiting:
        for called in waiting.pop()._linking_libraries:
            if called not in found:
                found.add(called)
                waiting.append(called)
                module.link_in(called._final_module, preserve=True)
    return module


def _object_file(library: Any, public: set[str]) -> bytes:
    """Link a kernel, optimise it, and return its machine code."""
    module, codegen = _linked(library), library._codegen
    module.data_layout = codegen._data_layout
    for values in (module.functions, module.global_variables):
        for one in values:
            if one.linkage.name == "external" and not one.is_declaration and one.name not in public:
                one.linkage = "internal"  # so that LLVM drops what it has copied into all callers
    if any(one.name.startswith("NRT_") for one in module.functions):
        # As Numba does it: inline first what is cheap, to remove most changes of reference counts.
        inlining, options = codegen._module_pass_manager(cost="cheap", opt=0, loop_vectorize=False)
        inlining.run(module, options)
    everything, options = codegen._module_pass_manager()
    everything.run(module, options)
    module.verify()
    return cast(bytes, codegen._tm.emit_object(module))


# Numba without what kernels do not need
# --------------------------------------


@contextmanager
def _numba_as_front_end() -> Iterator[None]:
    """Let Numba type and translate functions only, and do so once for each set of types.

    Numba's own lock is held: nobody else compiles meanwhile.
    """
    _numba_without_scipy()
    from numba.core import types
    from numba.core.codegen import JITCPUCodegen
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.types.functions import BaseFunction

    from gossamer.kernels.lowering import REPLACEMENTS

    replaced = [
        (JITCPUCodegen, "_library_class", _library_class()),
        (JITCPUCodegen, "set_env", lambda *_: None),  # it is set when machine code is loaded
        (BaseFunction, "get_call_type", _remembered(BaseFunction.get_call_type)),
        (types.Dispatcher, "get_call_type", _without_literals(types.Dispatcher.get_call_type)),
        *REPLACEMENTS,
    ]
    with global_compiler_lock:
        before = [getattr(owner, name) for owner, name, _ in replaced]
        thresholds = gc.get_threshold()
        gc.set_threshold(GARBAGE_AFTER, *thresholds[1:])
        for owner, name, value in replaced:
            setattr(owner, name, value)
        try:
            yield
        finally:
            for (owner, name, _), value in zip(replaced, before, strict=True):
                setattr(owner, name, value)
            gc.set_threshold(*thresholds)


Resolve = Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Any]  # function, context, arguments, keywords


@cache
def _remembered(resolve: Resolve) -> Resolve:
    """Remember the types of operators and of functions of NumPy. Numba finds each out anew at each place."""
    known: dict[tuple[object, ...], tuple[object, Any]] = {}

    def remembering(self: Any, context: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        key = id(self), tuple(arguments), tuple(keywords.items())
        found = known.get(key)
        if found is None:
            known[key] = found = (
                self,
                resolve(self, context, arguments, keywords),
            )  # holds it: the id stays its own
        return found[1]

    return remembering


@cache
def _without_literals(resolve: Resolve) -> Resolve:
    """Compile a part once for all integers. Numba compiles it anew for each number that a caller writes."""
    from numba.core.types import unliteral

    def general(self: Any, context: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return resolve(self, context, tuple(map(unliteral, arguments)), keywords)

    return general
