"""How Hypothesis works here: the same examples in every run, none of them late on a machine that is busy with something
else. And which tests are quick."""

import gc
import os
import sys

import structlog
from hypothesis import HealthCheck, settings
from tests.support.quick import pytest_collection_modifyitems, pytest_runtest_call, pytest_runtest_protocol

__all__ = ["pytest_collection_modifyitems", "pytest_runtest_call", "pytest_runtest_protocol"]

settings.register_profile(
    "palestra", derandomize=True, deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("palestra"), max_examples=20)
settings.load_profile("palestra")  # `make quick` asks for the other

# Until a command configures it, structlog draws each traceback with all its locals, which takes up to a second.
_plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
structlog.configure(processors=[*structlog.get_config()["processors"][:-1], _plain])

# Many tests start a program: without bytecode on disk each would compile every module anew, for seconds.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# What is collected stays to the end: a garbage collector that goes through it takes a fifth of the time until the first
# test runs, and then a twentieth of every test's.
gc.disable()

_unfreeze = gc.unfreeze
_thawed = False  # to ask gc how much is frozen counts it: 60 ms here


def _unfreeze_noticed() -> None:
    global _thawed
    _thawed = True
    _unfreeze()


gc.unfreeze = _unfreeze_noticed


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_runtest_teardown() -> None:
    global _thawed
    if _thawed:  # a server has run in this process, and ended
        _thawed = False
        gc.collect()
        gc.freeze()
