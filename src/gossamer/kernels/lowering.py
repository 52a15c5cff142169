"""Shorter LLVM code for kernels than Numba writes.

Numba stores each variable in memory. Before it reads one field of an array's description, it copies the whole
description. At each call, it takes a tuple of arrays apart and puts it together again. LLVM removes all this,
but this takes most of the time that a kernel is compiled. Three changes make the code less than two thirds as
long, for nearly the same machine code:

- A variable that is assigned at one place, which comes before all uses, is a value and has no memory.
- A structure is a value until its address is needed. A field that was put into it is read from its source.
- References to arguments are not counted, because the caller holds them.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from llvmlite.ir.instructions import InsertValue
from numba.core import cgutils, compiler_machinery, lowering, postproc, transforms, typed_passes, types
from numba.core.ir import Arg, Assign
from numba.np import arrayobj


class FoldingBuilder(ir.IRBuilder):  # type: ignore[misc]
    """Takes fields from the values that were put into a structure."""

    def extract_value(self, agg: Any, idx: Any, name: str = "") -> Any:
        wanted = tuple(idx) if isinstance(idx, tuple | list) else (idx,)
        while isinstance(agg, InsertValue):
            put = tuple(agg.indices)
            if wanted == put:
                return agg.value
            if wanted[: len(put)] == put:
                agg, wanted = agg.value, wanted[len(put) :]
            elif put[: len(wanted)] == wanted:
                break  # only a part of the wanted field was put in
            else:
                agg = agg.aggregate
        return super().extract_value(agg, wanted, name)


class Structure(cgutils.ValueStructProxy):
    """A structure that is a value until somebody asks for its address, or changes it in another block."""

    def __init__(self, context: Any, builder: Any, value: Any = None, ref: Any = None) -> None:
        self._held = None
        if ref is not None:
            super().__init__(context, builder, value, ref)  # type: ignore[no-untyped-call]
            return
        self._context, self._builder = context, builder
        self._datamodel = context.data_model_manager[self._fe_type]
        self._be_type = self._get_be_type(self._datamodel)  # type: ignore[no-untyped-call]
        if value is not None and value.type != self._be_type:
            raise AssertionError(f"expected {self._be_type}, not {value.type}")
        self._held = ir.Constant(self._be_type, None) if value is None else value
        self._block = builder.block

    def __getattr__(self, field: str) -> Any:
        if field not in ("_value", "_outer_ref"):
            return super().__getattr__(field)  # type: ignore[no-untyped-call]
        # The address: the value is stored where it was made, because only there all users pass.
        pointer = cgutils.alloca_once(self._builder, self._be_type)  # type: ignore[no-untyped-call]
        if self._builder.block is self._block:
            self._builder.store(self._held, pointer)
        else:
            with self._builder.goto_block(self._block):
                self._builder.store(self._held, pointer)
        self._held, self._value, self._outer_ref = None, pointer, pointer
        return pointer

    def __getitem__(self, index: int) -> Any:
        if self._held is None:
            return super().__getitem__(index)  # type: ignore[no-untyped-call]
        return self._builder.extract_value(self._held, index)

    def __setitem__(self, index: int, value: Any) -> None:
        fits = value.type == self._be_type.elements[index]
        if self._held is None or self._builder.block is not self._block or not fits:
            super().__setitem__(index, value)  # type: ignore[no-untyped-call]
        else:
            self._held = self._builder.insert_value(self._held, value, index)

    def _getvalue(self) -> Any:
        return super()._getvalue() if self._held is None else self._held  # type: ignore[no-untyped-call]


class Lower(lowering.Lower):
    """Translates a function into LLVM's code."""

    def pre_lower(self) -> None:
        super().pre_lower()  # type: ignore[no-untyped-call]
        if not self.context.enable_nrt and self._has_arrays(self.fndesc.restype):
            raise TypeError(f"{self.fndesc.qualname} is a part of a kernel, and cannot return arrays")

    def _find_singly_assigned_variable(self) -> None:
        """Find the variables that need no memory: one assignment is before all uses."""
        assigned: dict[str, list[int]] = {}
        given = set[str]()
        for label, block in self.blocks.items():
            for one in block.find_insts(Assign):
                assigned.setdefault(one.target.name, []).append(label)
                if isinstance(one.value, Arg) and not isinstance(self._type_of(one.value), types.Omitted):
                    given.add(one.target.name)
        self._borrowed = {name for name in given if len(assigned[name]) == 1}
        self._blk_local_varmap, self._singly_assigned_vars = dict[str, Any](), set[str]()
        used: dict[str, list[int]] = {}  # by blocks that do not assign the variable before
        for label, names in self.func_ir.variable_lifetime.usedefs.usemap.items():
            for name in names:
                used.setdefault(name, []).append(label)
        before = self.func_ir.variable_lifetime.cfg.dominators()
        for name, labels in assigned.items():
            place, uses = labels[0], used.get(name, ())
            is_first = all(place < use and place in before[use] for use in uses)
            if len(labels) == 1 and is_first and not (uses and self._is_counted(name)):
                self._singly_assigned_vars.add(name)

    def _type_of(self, argument: Any) -> Any:
        return self.typeof("arg." + argument.name)  # type: ignore[no-untyped-call]

    def _is_counted(self, name: str) -> bool:
        """Return whether references to the values of a variable are counted."""
        counting = self.context.enable_nrt and name not in self._borrowed
        return counting and self._has_arrays(self.typeof(name))  # type: ignore[no-untyped-call]

    def _has_arrays(self, kind: Any) -> bool:
        return bool(self.context.data_model_manager[kind].contains_nrt_meminfo())

    def lower_assign(self, ty: Any, inst: Any) -> Any:
        if inst.target.name not in self._borrowed:
            return super().lower_assign(ty, inst)  # type: ignore[no-untyped-call]
        argument = inst.value
        return self.context.cast(self.builder, self.fnargs[argument.index], self._type_of(argument), ty)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        if name in self._singly_assigned_vars or self._is_counted(name):
            super().storevar(value, name, argidx)  # type: ignore[no-untyped-call]
        else:
            self._alloca_var(name, self.typeof(name))  # type: ignore[no-untyped-call]
            self.builder.store(value, self.varmap[name])

    def delvar(self, name: str) -> None:
        if self._is_counted(name):
            super().delvar(name)  # type: ignore[no-untyped-call]

    def create_cfunc_wrapper(self) -> None:
        """Nothing is called from C."""


class PostProcessor(postproc.PostProcessor):
    """Analyses the variables of a function once, when it is translated. Numba does so after each step."""

    def run(self, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        if emit_dels or self.func_ir.is_generator:
            super().run(emit_dels, extend_lifetimes)
        else:
            blocks = transforms.canonicalize_cfg(self.func_ir.blocks)  # type: ignore[no-untyped-call]
            self.func_ir.blocks, self.func_ir.generator_info = blocks, None
            self.func_ir.variable_lifetime = postproc.VariableLifetime(blocks)  # type: ignore[no-untyped-call]


make_array = arrayobj.make_array


def array_structure(kind: Any) -> Any:
    """Return the structure that describes an array, without Numba's search for subclasses of arrays."""
    if isinstance(kind, types.Array):
        return cgutils.create_struct_proxy(kind)  # type: ignore[no-untyped-call]
    return make_array(kind)  # type: ignore[no-untyped-call]


# Attributes of Numba, with their values while it compiles.
REPLACEMENTS: tuple[tuple[object, str, Any], ...] = (
    *((owner, "PostProcessor", PostProcessor) for owner in (compiler_machinery, postproc)),
    (lowering, "IRBuilder", FoldingBuilder),
    (typed_passes.NativeLowering, "lowering_class", Lower),
    (cgutils, "ValueStructProxy", Structure),
    (cgutils, "_struct_proxy_cache", {}),
    (arrayobj, "make_array", array_structure),
)
