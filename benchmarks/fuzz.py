"""A million malformed, odd and valid frames through codec and referee, and a tenth as many as raw bytes.

    python -m benchmarks.fuzz --frames 1000000 --seed 1

The invariants are in `tests.support.fuzzing`; a violation is an AssertionError with the seed that reproduces it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Final

from tests.support.fuzzing import fuzz_referee, fuzz_stream

from benchmarks._tables import command

FRAMES: Final = 1_000_000
PART: Final = 10_000
"""Frames generated from one seed."""


def run(frames: int = FRAMES, seed: int = 1) -> list[tuple[str, str]]:
    return [
        *_part("codec and referee", fuzz_referee, frames, seed),
        *_part("stream in random cuts", fuzz_stream, frames // 10, seed),
    ]


def _part(what: str, fuzz: Callable[[int, int], Counter[str]], frames: int, seed: int) -> list[tuple[str, str]]:
    seen, began = Counter[str](), time.process_time()
    for number in range(-(-frames // PART)):
        try:
            seen += fuzz(seed * 1_000_000 + number, min(PART, frames))
        except BaseException as fault:
            fault.add_note(f"{fuzz.__name__}({seed * 1_000_000 + number}, {min(PART, frames)}) shows it again.")
            raise
    took = time.process_time() - began
    made = ", ".join(f"{name} {count:,}" for name, count in seen.most_common())
    return [(f"{what}: what became of them ({took:.0f} s)", made), (f"{what}: faults", "0")]


if __name__ == "__main__":
    command(run)
