"""How does a kernel say what it will read soon?

Places that follow each other by no rule are in no cache, and each has to be waited for. When the processor is
told some steps ahead, it fetches them while the kernel goes on.
"""

from __future__ import annotations

from typing import Any

from gossamer.kernel import kernel_instruction

TO_WRITE, ALL_CACHES, DATA = 1, 3, 1


@kernel_instruction
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """prefetch(array, index): the element of an array of one dimension, at an unsigned index, is needed soon.

    LLVM's intrinsic of this name. It changes nothing, and an index that does not exist does no harm.
    """
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba.core import cgutils, types

    def generated(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        number = cgutils.int32_t
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        instruction = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kind)
        builder.call(instruction, [place, number(TO_WRITE), number(ALL_CACHES), number(DATA)])
        return context.get_dummy_value()

    return types.void(array, index), generated
