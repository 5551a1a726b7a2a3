"""`make bench` runs every benchmark there is: each must be one."""

import importlib

import pytest
from benchmarks.__main__ import names


@pytest.mark.parametrize("name", names())
@pytest.mark.slow
def test_a_benchmark_can_be_run(name: str) -> None:
    assert callable(importlib.import_module(f"benchmarks.{name}").run)
