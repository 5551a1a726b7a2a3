"""What the inner loop needs of Numba beyond `palestra_bots.jit`: code that counts no references, and a prefetch.

Compiled code counts the references to its arrays atomically, at every call and for every row that it takes: a third
of the time of a node here, and more if two threads share an array. Nothing of ours makes or keeps an array, the caller
owns them all, so there is nothing to count.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from palestra_bots.jit import _LOCK, _cache_folder

P = ParamSpec("P")
R = TypeVar("R")

# Its types leave out what is used here.
_numba: Any = numba


def njit(signature: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """As `palestra_bots.jit.njit`, for functions that only use the arrays they are given."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        path = _cache_folder(Path(function.__code__.co_filename).parent, function.__module__)
        with _LOCK:
            settings = vars(_numba.config)
            usual, settings["CACHE_DIR"] = settings["CACHE_DIR"], str(path or "")
            try:
                compiled: Callable[P, R] = _numba.njit(signature, cache=path is not None, nogil=True, _nrt=False)(
                    function
                )
            finally:
                settings["CACHE_DIR"] = usual
        return compiled

    return decorate


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
