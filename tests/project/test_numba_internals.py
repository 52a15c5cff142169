"""Names that `gossamer.kernels` takes from inside Numba: pyproject.toml allows only versions that have them.

Numba promises nothing about them. Whoever allows another version reads what became of each, and compiles all
kernels once with it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

from gossamer.kernels import kernel as kernels

ROOT = Path(__file__).parents[2]
SOURCES = sorted(Path(kernels.__file__).parent.glob("*.py"))
# Module of Numba -> names in it, with the members that are read, replaced or overridden.
INTERNALS = {
    "numba.core.compiler": ("Compiler",),
    "numba.core.codegen": (
        "JITCodeLibrary.finalize",
        "JITCodeLibrary._finalize_dynamic_globals",
        "JITCodeLibrary._get_module_for_linking",
        "JITCodeLibrary.get_pointer_to_function",
        "JITCPUCodegen._library_class",
        "JITCPUCodegen.set_env",
        "JITCPUCodegen._module_pass_manager",
    ),
    "numba.core.compiler_lock": ("global_compiler_lock",),
    "numba.core.dispatcher": ("Dispatcher.compile",),
    "numba.core.options": ("TargetOptions",),
    "numba.core.cgutils": (
        "voidptr_t",
        "int32_t",
        "alloca_once",
        "create_struct_proxy",
        "_struct_proxy_cache",
        "ValueStructProxy._fe_type",
        "ValueStructProxy._get_be_type",
        "ValueStructProxy._getvalue",
    ),
    "numba.core.compiler_machinery": ("PostProcessor",),
    "numba.core.ir": ("Arg", "Assign"),
    "numba.core.lowering": (
        "IRBuilder",
        "Lower._find_singly_assigned_variable",
        "Lower._alloca_var",
        "Lower.create_cfunc_wrapper",
        "Lower.delvar",
        "Lower.lower_assign",
        "Lower.storevar",
    ),
    "numba.core.postproc": ("PostProcessor.run", "VariableLifetime.cfg", "VariableLifetime.usedefs"),
    "numba.core.transforms": ("canonicalize_cfg",),
    "numba.core.typed_passes": ("NativeLowering.lowering_class",),
    "numba.core.types": ("Array", "Dispatcher.get_call_type", "Omitted", "unliteral"),
    "numba.core.types.functions": ("BaseFunction.get_call_type",),
    "numba.extending": ("intrinsic",),
    "numba.np": ("arrayobj",),
    "numba.np.arraymath": (),
    "numba.np.arrayobj": ("make_array",),
}
# What instances have: results of compiling, a library's module, options of @njit.
OF_INSTANCES = (
    "overloads",
    "fndesc",
    "llvm_cpython_wrapper_name",
    "get_env_name",
    "environment.consts",
    "_codegen",
    "_data_layout",
    "_final_module",
    "_linking_libraries",
    "_shared_module",
    "_tm",
    "_singly_assigned_vars",
    "_blk_local_varmap",
    "varmap",
    "fnargs",
    "variable_lifetime",
    "contains_nrt_meminfo",
    "_nrt",
    "no_cpython_wrapper",
    "no_cfunc_wrapper",
    "pipeline_class",
)
# Extension modules that are loaded without the rest of Numba, with what they give.
EXTENSIONS = {
    "numba._dynfunc": ("c_helpers", "Environment", "make_function"),
    "numba._helperlib": ("c_helpers",),
    "numba.core.runtime._nrt_python": ("c_helpers",),
}


@pytest.mark.parametrize("module", INTERNALS)
def test_internals_are_there(module):
    found = import_module(module)
    for name in INTERNALS[module]:
        value = found
        for part in name.split("."):
            assert hasattr(value, part), f"Numba {version('numba')} has no {module}.{name}"
            value = getattr(value, part)


def test_instances_have_what_is_read_of_them():
    import numba

    @numba.njit(_nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, boundscheck=True)
    def part(number):
        return number + 1

    @numba.njit(no_cfunc_wrapper=True)
    def whole(number):
        return part(number)

    assert whole(1) == 2
    made = whole.overloads[whole.signatures[0]]
    assert any(not function.is_declaration for function in made.library._final_module.functions)
    library, codegen = made.library, made.library._codegen
    assert part.overloads[part.signatures[0]].library in library._linking_libraries
    assert codegen._data_layout
    assert codegen._tm.emit_object(library._final_module)
    assert hasattr(library, "_shared_module")
    assert made.fndesc.llvm_cpython_wrapper_name.startswith("_ZN7cpython")
    assert made.target_context.get_env_name(made.fndesc)
    assert list(made.environment.consts) == []


@pytest.mark.parametrize("name", EXTENSIONS)
def test_extension_modules_load_alone(name):
    program = f"""
import sys
from gossamer.kernels.machine_code import extension
made = extension({name!r})
assert all(hasattr(made, one) for one in {EXTENSIONS[name]!r})
assert "numba" not in sys.modules
import numba  # which loads it once more
assert numba.njit(lambda number: number + 1)(1) == 2
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_list_is_complete():
    """Each import from inside Numba in the source is on the list."""
    source = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    imported = re.findall(r"from (numba\.[\w.]+) import (.+)", source)
    assert imported
    for module, names in imported:
        if module == "numba.core":
            assert {f"numba.core.{name}" for name in names.split(", ")} <= set(INTERNALS)
            continue
        listed = {name.partition(".")[0] for name in INTERNALS[module]}
        assert set(names.split(", ")) <= listed
    for name in OF_INSTANCES:
        assert name in source
    assert set(re.findall(r"extension\(\"(\S+)\"\)", source)) == set(EXTENSIONS)
    importing = {
        path
        for path in kernels.PACKAGE.rglob("*.py")
        if re.search(r"^\s*(from|import) numba", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert importing < set(SOURCES)


def test_only_the_tested_version_is_allowed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    allowed = next(one for one in project["dependencies"] if one.startswith("numba"))
    least, below = re.fullmatch(r"numba>=(\d+\.\d+),<(\d+\.\d+)", allowed).groups()
    assert version("numba").startswith(f"{least}.")
    for lock in ("runtime", "dev", "extras"):
        text = (ROOT / f"requirements/{lock}.lock").read_text(encoding="utf-8")
        assert f"\nnumba=={least}." in text
    assert int(below.split(".")[1]) == int(least.split(".")[1]) + 1
