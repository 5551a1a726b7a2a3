"""What the inner loop needs of Numba beyond `palestra_bots.jit`: a prefetch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

# Its types leave out what is used here.
_numba: Any = numba


def _prefetch_type(_context: Any, table: Any, row: Any) -> tuple[Any, Callable[..., Any]]:
    """Signature and code of `prefetch`, for Numba."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        at = builder.mul(arguments[1], builder.extract_value(array.shape, 1))
        address = builder.bitcast(builder.gep(array.data, [at]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        instruction = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
        # To be read, kept in all caches, data.
        builder.call(instruction, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(table, row), generate


def _no_prefetch(table: npt.NDArray[np.uint64], row: np.uint64) -> None:
    """Where nothing is compiled, nothing is fetched."""


prefetch: Callable[[npt.NDArray[np.uint64], np.uint64], None] = cast(
    Any, _no_prefetch if _numba.config.DISABLE_JIT else intrinsic(_prefetch_type)
)
"""Starts to load the cache line where a row of a table begins, and does not wait for it."""
