"""Work that fails once, wherever a test wants it, and the list of all work that the server starts."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator
from pathlib import Path

import palestra_server
from palestra_server.supervision import Supervisor

PACKAGE = Path(palestra_server.__file__).parent
STARTS = ("run", "later", "from_thread", "when_done", "task", "keep")


def trees(naming: str = "") -> Iterator[tuple[str, ast.Module]]:
    """The modules of the server in which this word occurs."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if naming in (text := path.read_text(encoding="utf-8")):
            yield path.relative_to(PACKAGE).as_posix(), ast.parse(text)


def calls(tree: ast.Module) -> Iterator[tuple[str, str, ast.Call]]:
    """What is called (of which object, which method)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield ast.unparse(node.func.value), node.func.attr, node


def supervised() -> dict[str, str]:
    """The name of all work that is started through a supervisor, and where."""
    found = {}
    for path, tree in trees("supervisor"):
        for of, method, call in calls(tree):
            if of.rpartition(".")[2].lstrip("_") == "supervisor" and method in STARTS:
                name = call.args[0]
                assert isinstance(name, ast.Constant), f"{path}: {ast.unparse(call)} needs a literal name"
                found[name.value] = path
    return found


class Injected(Exception):
    pass


class Saboteur(Supervisor):
    """The work called `target` fails the first time it is done; then `struck`, and `on_strike` is called. What
    failed is tried again at once.
    """

    target = ""
    struck = False
    on_strike = staticmethod(lambda: None)

    @classmethod
    async def open(cls):
        return await super().open(lambda _seconds: asyncio.sleep(0))

    def _strikes(self, work):
        if self.struck or work != self.target:
            return False
        self.struck = True
        self.on_strike()
        return True

    def run(self, work, owner, call, *args, **kwargs):
        if self._strikes(work):
            return super().run(work, owner, _fail)
        return super().run(work, owner, call, *args, **kwargs)

    def task(self, work, owner, coroutine):
        if self._strikes(work):
            coroutine.close()
            coroutine = _fail_later()
        return super().task(work, owner, coroutine)

    def keep(self, work, owner, begin):
        async def once():
            if self._strikes(work):
                raise Injected("on purpose")
            await begin()

        return super().keep(work, owner, once)


def _fail():
    raise Injected("on purpose")


async def _fail_later():
    raise Injected("on purpose")
