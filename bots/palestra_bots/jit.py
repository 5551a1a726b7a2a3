"""The one door to Numba: a typed decorator, compiled code kept in the user's cache folder, and a prefetch.

Numba has no type hints, so a bare `@njit` would make every kernel untyped for mypy. `njit` here keeps the
signature of what it decorates. Every function is compiled for one explicit signature when its module is
imported (or read from the cache), without the GIL, so that a bot's connection lives on while it thinks.
With `NUMBA_DISABLE_JIT=1` the same functions run as plain Python on numpy scalars, slowly.

Compiled code would count the references to its arrays, atomically, at every call and for every row that it takes: a
third of the time of a node in the connect-four solver. Here no function makes or keeps an array, the caller owns them
all, so there is nothing to count (`_nrt=False`; a function that makes an array does not compile).

Numba's cache knows a function by its file, name and line. Compiled code also holds what was inlined from other
files and the constants of its module, and one file may be loaded under several names (palestra_bots.kernels.load).
So there is one cache folder for each module name and each text of the sources that its code can come from.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
import platformdirs
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

# The types of Numba's own leave out what is used here.
_numba: Any = numba

P = ParamSpec("P")
R = TypeVar("R")

KERNELS = Path(__file__).parent / "kernels"
_LOCK = threading.RLock()


@cache
def _cache_folder(folder: Path, module: str) -> Path | None:
    """Where the compiled code of `module`, a source in `folder`, is kept; None if nothing can be written there."""
    texts = hashlib.blake2b(digest_size=12)
    for source in (Path(__file__), *sorted(KERNELS.glob("*.py")), *sorted(folder.glob("*.py"))):
        texts.update(source.read_bytes())
    # Numba would write beside the source, which may be a read-only or shared installation.
    home = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_path("palestra") / "numba"
    path = Path(home) / texts.hexdigest() / module
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError:
        return None


def njit(signature: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function for `signature` (Numba's own notation, e.g. `"uint64(uint64, uint64)"`)."""

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


def _no_prefetch(table: NDArray[np.uint64], row: np.uint64) -> None:
    # Where nothing is compiled, nothing is fetched.
    ...


# Starts to load the cache line where a row of a table begins, and does not wait for it.
prefetch: Callable[[NDArray[np.uint64], np.uint64], None] = cast(
    Any, _no_prefetch if _numba.config.DISABLE_JIT else intrinsic(_prefetch_type)
)
