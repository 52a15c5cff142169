# This part of Numba, and LLVM behind it, have no types.
# mypy: disable-error-code="import-untyped, no-untyped-call"
"""`prefetch`: tells the processor which memory a kernel will read soon, so that it need not wait for it then.

A search reads a few bytes here and there of files much larger than any cache, and would spend half its time
waiting. Numba has no word for this instruction; it is put into the compiled code as LLVM's `llvm.prefetch`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import Kernel

READ, KEEP_CLOSE, DATA = 0, 3, 1  # in LLVM's numbers: not to be written; in all caches; no instructions


class _Prefetch(Kernel):
    """Stands in for an instruction, as a kernel does for compiled code."""

    def compiled(self) -> Callable[..., object]:
        if self._compiled is None:
            self._compiled = _instruction()
        return self._compiled


def _instruction() -> Callable[..., object]:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        number, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), pointer)
        builder.call(instruction, [place, number(READ), number(KEEP_CLOSE), number(DATA)])
        return context.get_dummy_value()

    def typed(_context: Any, array: Any, _index: Any) -> Any:
        return types.void(array, types.uint64), emit

    made: Callable[..., object] = intrinsic(typed)
    return made


@_Prefetch
def prefetch(array: NDArray[Any], index: np.uint64) -> None:
    """The element of an array of one dimension will be read soon. The index may be beyond its end."""
