"""How does a kernel say what it will read or write soon?

Places that follow each other by no rule are in no cache, and each has to be waited for. When the processor is
told some steps ahead, it fetches them while the kernel goes on. Numba has no word for this instruction: it is
LLVM's intrinsic of the same name. It changes nothing, and an index that does not exist does no harm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gossamer.kernel import kernel_instruction

TO_READ, TO_WRITE = 0, 1
ALL_CACHES, DATA = 3, 1


def _fetching(purpose: int) -> Callable[..., Any]:
    """(array, index): the element of an array of one dimension, at an unsigned index, is needed soon."""

    def typed(typing: Any, array: Any, index: Any) -> Any:
        from llvmlite import ir  # type: ignore[import-untyped]
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
