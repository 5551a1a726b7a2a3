"""Finds kernels, and compiles one source several times under different module names.

Numba takes a module's globals as constants of the compiled code, and its cache tells functions apart by module and
name. So a source that is compiled for several games is loaded once for each, as a module of its own; it looks up its
constants by its own `__name__`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from types import ModuleType
from typing import Final, cast

from palestra_bots.kernels.interface import Kernel

_LOCK = threading.RLock()

# The games with a kernel: the source, and for which variant it is loaded.
KERNELS: Final = {
    "connect4": ("palestra_bots.kernels.connect4", "6x7"),
    "connect4-8x8": ("palestra_bots.kernels.connect4", "8x8"),
    "desconecta4": ("palestra_bots.kernels.desconecta4", ""),
    "mancala": ("palestra_bots.kernels.mancala", ""),
}


def load_variant(source: str, variant: str) -> ModuleType:
    """The module `source`, loaded for `variant` as a module of its own named `source__variant`.

    The plain module for the empty variant. ImportError if there is no such module.
    """
    if not variant:
        return importlib.import_module(source)
    name = f"{source}__{variant}"
    with _LOCK:
        if name in sys.modules:
            return sys.modules[name]
        origin = importlib.util.find_spec(source)
        if origin is None or origin.origin is None:
            raise ImportError(f"There is no module {source!r} to load for {variant!r}.", name=source)
        spec = importlib.util.spec_from_file_location(name, origin.origin)
        if spec is None or spec.loader is None:
            raise ImportError(f"The module {source!r} has no source to load.", name=source)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module


def variant_of(module_name: str, default: str) -> str:
    """The variant that a module was loaded for, from its `__name__`."""
    return module_name.partition("__")[2] or default


def kernel_for(game: str) -> Kernel:
    """KeyError if the game has none."""
    source, variant = KERNELS[game]
    return cast(Kernel, load_variant(source, variant))
