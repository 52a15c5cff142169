"""Names that `gossamer.kernels` takes from inside Numba: pyproject.toml allows only versions that have them.

Numba promises nothing about them. Whoever allows another version reads what became of each, and compiles all
kernels once with it.
"""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

from gossamer import kernels

ROOT = Path(__file__).parents[2]
# Module of Numba -> names in it, with the members that are read, replaced or overridden.
INTERNALS = {
    "numba.core.caching": (
        "CompileResultCacheImpl._locator_classes",
        "FunctionCache._impl_class",
        "FunctionCache.load_overload",
        "IndexDataCacheFile._load_index",
        "InTreeCacheLocator.get_source_stamp",
        "InTreeCacheLocator.get_disambiguator",
    ),
    "numba.core.compiler": ("Compiler",),
    "numba.core.compiler_lock": ("global_compiler_lock.__enter__",),
    "numba.core.codegen": (
        "JITCodeLibrary._optimize_final_module",
        "JITCodeLibrary._finalize_final_module",
        "JITCodeLibrary._finalize_dynamic_globals",
        "JITCodeLibrary._ensure_finalized",
        "JITCodeLibrary.get_pointer_to_function",
        "JITCodeLibrary.enable_object_caching",
        "Codegen.create_library",
    ),
    "numba.core.dispatcher": ("Dispatcher.compile",),
    "numba.core.options": ("TargetOptions",),
    "numba.core.cgutils": ("voidptr_t", "int32_t"),
    "numba.extending": ("intrinsic",),
    "numba.np.arraymath": (),
}
# What instances have: a dispatcher's cache, a library's module, an intrinsic's function, options of @njit.
OF_INSTANCES = (
    "_cache",
    "_cache_file",
    "_cache_path",
    "_final_module",
    "_defn",
    "py_func",
    "_nrt",
    "pipeline_class",
)


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
    from numba.core.caching import InTreeCacheLocator

    @numba.njit(_nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, boundscheck=True)
    def part(number):
        return number + 1

    @numba.njit
    def whole(number):
        return part(number)

    assert whole(1) == 2
    assert type(whole._cache).__name__ == "NullCache"
    assert callable(whole.py_func)
    library = whole.overloads[whole.signatures[0]].library
    assert any(not function.is_declaration for function in library._final_module.functions)
    assert hasattr(InTreeCacheLocator(test_internals_are_there, __file__), "_cache_path")
    assert callable(kernels.prefetch.compiled()._defn)


def test_the_list_is_complete():
    """Each import from inside Numba in the source is on the list."""
    source = Path(kernels.__file__).read_text(encoding="utf-8")
    imported = re.findall(r"from (numba\.[\w.]+) import (.+)", source)
    assert imported
    for module, names in imported:
        if module == "numba.core":
            assert set(names.split(", ")) == {"cgutils", "types"}
            continue
        listed = {name.partition(".")[0] for name in INTERNALS[module]}
        assert set(names.split(", ")) <= listed
    for name in OF_INSTANCES:
        assert name in source
    others = [
        path
        for path in Path(kernels.__file__).parent.rglob("*.py")
        if re.search(r"^\s*(from|import) numba", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert others == [Path(kernels.__file__)]


def test_only_the_tested_version_is_allowed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    allowed = next(one for one in project["dependencies"] if one.startswith("numba"))
    least, below = re.fullmatch(r"numba>=(\d+\.\d+),<(\d+\.\d+)", allowed).groups()
    assert version("numba").startswith(f"{least}.")
    for lock in ("runtime", "dev", "extras"):
        text = (ROOT / f"requirements/{lock}.lock").read_text(encoding="utf-8")
        assert f"\nnumba=={least}." in text
    assert int(below.split(".")[1]) == int(least.split(".")[1]) + 1
