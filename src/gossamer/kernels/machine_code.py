"""Load the machine code of kernels without Numba.

Numba compiles a kernel to an object file. A function in it, the wrapper, takes the arguments of a call from
Python. LLVM loads such a file in a tenth of a millisecond. Numba needs 20: it rebuilds its own types and
registries, after an import that takes half a second. So the object files are loaded here, by llvmlite. The C
functions that they call are in three extension modules of Numba, which need nothing else of it.
"""

from __future__ import annotations

import builtins
import ctypes
import os
import pickle
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from importlib.machinery import ExtensionFileLoader, PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

MAGIC = b"GOSSKRN2"
CHECKSUM = 16  # bytes


class MachineCode(NamedTuple):
    """A compiled kernel."""

    module: str
    function: str
    arguments: str  # their types, as `described` writes them
    wrapper: str  # the function in the code that Python calls
    environment: str  # the variable in the code for the objects that the wrapper needs
    constants: bytes  # these objects, pickled: types of arrays that the kernel returns
    code: bytes  # an object file


def described(value: object) -> str:
    """Write the type of a value as a kernel sees it.

    >>> described((np.zeros(3, np.uint16), 1, True, None))
    '(<u2[1C],<i8,|b1,none)'
    """
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        marks = ("" if flags.writeable else "r") + ("" if flags.aligned else "u")
        return f"{_described_type(value.dtype)}[{value.ndim}{layout}{marks}]"
    if isinstance(value, np.generic):
        return _described_type(value.dtype)
    if isinstance(value, tuple):
        kind = type(value)
        name = f"{kind.__module__}.{kind.__qualname__}" if hasattr(kind, "_fields") else ""
        return f"{name}({','.join(map(described, value))})"
    if value is None:
        return "none"
    if isinstance(value, int) and not isinstance(value, bool):
        return "<i8" if value < 2**63 else "<u8"
    if isinstance(value, bool | float):
        return "|b1" if isinstance(value, bool) else "<f8"
    raise TypeError(f"a kernel cannot be given {value!r}")


def _described_type(kind: np.dtype[Any]) -> str:
    return kind.str if kind.names is None else str(kind.descr)


@cache
def machine() -> str:
    """Name all that machine code depends on besides the kernel: processor, Python, NumPy, Numba."""
    import llvmlite
    from llvmlite import binding

    parts = (
        binding.get_process_triple(),
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
        sys.version,
        np.__version__,
        llvmlite.__version__,
        (_numba() / "_version.py").read_text(encoding="utf-8"),
        *sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_")),
    )
    return "\n".join(parts)


@cache
def _numba() -> Path:
    """Return the folder of Numba, without importing it."""
    spec = PathFinder.find_spec("numba")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'numba'", name="numba")
    return Path(next(iter(spec.submodule_search_locations)))


@cache
def extension(name: str) -> ModuleType:
    """Load an extension module of Numba without importing the packages that contain it."""
    path = str(_numba().joinpath(*name.split(".")[1:])) + str(sysconfig.get_config_var("EXT_SUFFIX"))
    loader = ExtensionFileLoader(name, path)
    spec = spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@cache  # in C: a kernel that returns arrays asks at each call
def _unpickle(data: int, length: int, digest: int) -> object:
    """Return an object that the machine code contains as a pickle: a type, or an exception to be raised.

    Numba's own function for it would import Numba.
    """
    return pickle.loads(ctypes.string_at(data, length))


_UNPICKLE = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(_unpickle)


@cache
def _engine() -> Any:
    """Return LLVM's loader of object files.

    It knows the addresses of the functions of Python and Numba that the object files call.
    """
    from llvmlite import binding

    helpers, runtime = extension("numba._helperlib"), extension("numba.core.runtime._nrt_python")
    binding.add_symbol("_Py_NoneStruct", id(None))
    for name, address in {**helpers.c_helpers, **extension("numba._dynfunc").c_helpers}.items():
        binding.add_symbol(f"numba_{name}", address)
    binding.add_symbol("numba_unpickle", ctypes.cast(_UNPICKLE, ctypes.c_void_p).value)
    for name, address in runtime.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    for name, kind in vars(builtins).items():
        if isinstance(kind, type) and issubclass(kind, BaseException):
            binding.add_symbol(f"PyExc_{name}", id(kind))
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple().create_target_machine()
    return binding.create_mcjit_compiler(binding.parse_assembly(""), target)


def load(machine_code: MachineCode, function: FunctionType) -> Callable[..., object]:
    """Make machine code callable from Python, instead of the function that was compiled."""
    from llvmlite import binding

    dynamic, engine = extension("numba._dynfunc"), _engine()
    environment = dynamic.Environment(function.__globals__)
    environment.consts.extend(pickle.loads(machine_code.constants))
    engine.add_object_file(binding.ObjectFileRef.from_data(machine_code.code))
    engine.finalize_object()
    variable = ctypes.c_void_p.from_address(engine.get_global_value_address(machine_code.environment))
    variable.value = id(environment)
    address = engine.get_function_address(machine_code.wrapper)
    module = sys.modules[function.__module__]
    made: Callable[..., object] = dynamic.make_function(
        module, function.__name__, function.__doc__ or "", address, environment, (engine,)
    )
    return made


def read(path: Path) -> MachineCode | None:
    """Read machine code from a file; None if it is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    whole = memoryview(content)[len(MAGIC) + CHECKSUM :]
    if content[: len(MAGIC)] != MAGIC or content[len(MAGIC) : len(MAGIC) + CHECKSUM] != _checksum(whole):
        return None
    return MachineCode(*pickle.loads(whole))


def write(path: Path, machine_code: MachineCode) -> None:
    """Write machine code to a file, whole or not at all."""
    whole = pickle.dumps(tuple(machine_code), protocol=5)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".new")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(MAGIC + _checksum(whole) + whole)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _checksum(content: bytes | memoryview) -> bytes:
    return blake2b(content, digest_size=CHECKSUM).digest()
