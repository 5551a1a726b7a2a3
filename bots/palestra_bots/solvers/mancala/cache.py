"""Endgame tables on disk, in the user's cache folder: made once, then shared by all processes."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import platformdirs

from palestra_bots.solvers.mancala.endgame import EndgameTable, build, size
from palestra_bots.solvers.mancala.rows import MAX_SEEDS
from palestra_games.sowing import Capture

# What is made when there is no table yet: 17,383,860 bytes, in about four seconds. Each seed more makes the table 1.8
# times larger and the search of the first plies about 1.4 times smaller.
DEFAULT_SEEDS: Final = 15

_VERSION: Final = 1
_DIGEST: Final = 16


def cache_folder() -> Path:
    """Where the tables are kept."""
    return platformdirs.user_cache_path("palestra") / "mancala"


def _prefix(pits: int, capture: Capture) -> str:
    return f"endgame-v{_VERSION}-{pits}-{capture}-"


def table_path(pits: int, capture: Capture, seeds: int) -> Path:
    """The file of a table: its values, and the BLAKE2b digest of its name and them."""
    return cache_folder() / f"{_prefix(pits, capture)}{seeds}.bin"


def _digest(name: str, values: np.ndarray) -> bytes:
    digest = hashlib.blake2b(name.encode(), digest_size=_DIGEST)
    digest.update(values.data)
    return digest.digest()


def save(table: EndgameTable) -> Path:
    """Writes a table, whole or not at all. Raises OSError if the folder can't be written."""
    path = table_path(table.pits, table.capture, table.seeds)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            file.write(table.values.data)
            file.write(_digest(path.name, table.values))
            file.close()
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
    return path


def read(pits: int, capture: Capture, seeds: int) -> EndgameTable:
    """A table from its file, mapped into memory. Raises ValueError for a damaged one, or OSError if there is none."""
    path = table_path(pits, capture, seeds)
    found = path.stat()
    if found.st_size != size(pits, seeds) + _DIGEST:
        raise ValueError(f"{path} has not the length of a table for {seeds} seeds; delete it.")
    return _checked(path, pits, capture, seeds, (found.st_ino, found.st_mtime_ns))


@lru_cache(maxsize=2)  # each match that is judged asks for it, and the digest of 17 MB takes as long as an easy match
def _checked(path: Path, pits: int, capture: Capture, seeds: int, _file: tuple[int, int]) -> EndgameTable:
    entries = size(pits, seeds)
    # Mode "c": the pages stay shared with other processes as long as nobody writes, and nobody does.
    mapped = np.asarray(np.memmap(path, np.int8, "c"))
    values = mapped[:entries]
    if mapped[entries:].tobytes() != _digest(path.name, values):
        raise ValueError(f"{path} is damaged; delete it.")
    return EndgameTable(pits, capture, seeds, values)


def load(pits: int, capture: Capture, most: int = MAX_SEEDS) -> EndgameTable:
    """The largest table on disk, for `most` seeds at most; if there is none for at least DEFAULT_SEEDS seeds, that one
    is made and kept.
    """
    name = re.compile(re.escape(_prefix(pits, capture)) + r"(\d+)\.bin")
    names = [name.fullmatch(path.name) for path in cache_folder().glob("endgame-*.bin")]
    for seeds in sorted((int(match[1]) for match in names if match), reverse=True):
        if seeds < DEFAULT_SEEDS:
            break
        if seeds > most:
            continue
        try:
            return read(pits, capture, seeds)
        except (ValueError, OSError):
            continue  # rebuilt below, unless a smaller one will do
    table = build(pits, capture, DEFAULT_SEEDS)
    with suppress(OSError):  # a home that can't be written costs seconds at every start
        save(table)
    return table
