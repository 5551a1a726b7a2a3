"""Which tests are quick: those that start no process (a server, a program, a browser) and no PostgreSQL.

Nobody has to say which: the code of a test and of its fixtures, as far as it stands in `tests`, is looked through for
what starts one, and the test gets the mark `process`. One that does so where this can't see it, in the program under
test, fails until somebody writes the mark. `make quick` runs the tests without it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

LIBRARIES = {"subprocess", "multiprocessing", "playwright"}
CALLS = {"create_subprocess_exec", "create_subprocess_shell"}
EVENTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system"}

_quick: pytest.Item | None = None  # the test that runs and must not start a process
_sentence = ""  # that it does all the same


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    starts: dict[Callable[..., Any], bool] = {}
    for item in items:
        fixtures = (each for found in item._fixtureinfo.name2fixturedefs.values() for each in found)
        for function in (item.function, *(each.func for each in fixtures)):
            if function not in starts:
                starts[function] = _starts_process(function, set())
            if starts[function]:
                item.add_marker("process")
                break


def _starts_process(thing: object, seen: set[int]) -> bool:
    """Whether a function, or anything in `tests` that it names, uses what starts processes."""
    if id(thing) in seen:
        return False
    seen.add(id(thing))
    home = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", None) or ""
    if home.partition(".")[0] in LIBRARIES:
        return True
    if not home.startswith("tests."):
        return False
    if isinstance(thing, type):
        named: list[object] = [*thing.__bases__, *vars(thing).values()]
    elif isinstance(thing, FunctionType):
        names = set(_names(thing.__code__))
        if names & CALLS:
            return True
        named = [thing.__globals__[name] for name in names & thing.__globals__.keys()]
        # `servers.ServerProcess`, where `servers` is a module of helpers
        modules = [one for one in named if isinstance(one, ModuleType) and one.__name__.startswith("tests.")]
        named += [vars(module)[name] for module in modules for name in names & vars(module).keys()]
        named += [cell.cell_contents for cell in thing.__closure__ or ()]
    else:
        named = [getattr(thing, name, None) for name in ("__wrapped__", "__func__", "fget")]
    return any(_starts_process(one, seen) for one in named)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    global _quick, _sentence
    _quick, _sentence = (None if item.get_closest_marker("process") else item), ""
    try:
        return (yield)
    finally:
        _quick = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    found = yield
    if _sentence:
        pytest.fail(_sentence)
    return found


def notice(what: str) -> None:
    """The running test starts `what`: a quick one fails at its end."""
    global _sentence
    if _quick is not None:
        _sentence = f"{_quick.nodeid} starts {what}: mark it with pytest.mark.process."


def _audit(event: str, args: tuple[object, ...]) -> None:
    if event in EVENTS:
        notice(f"a process ({args[0] if args else event})")


sys.addaudithook(_audit)
_start = BaseProcess.start  # of multiprocessing, which tells no audit hook


def _start_noticed(process: BaseProcess) -> None:
    notice(f"a process ({process.name})")
    _start(process)


BaseProcess.start = _start_noticed
