"""`palestra-server` as a copy of a process that has loaded it, and has done what is the same in every start.

The copy has its own arguments, environment, folder, output, signals and exit code, like any process.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import chdir, suppress
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TextIO

from tests.support.players import PATIENCE_S

LOADED = ["palestra_server.cli.serve", "palestra_server.web.app", "palestra_server.web.serving"]
LOADED += ["palestra_tournament.davidson", "rustworkx", "tests.support.warmed"]
HERE = Path(__file__).parents[2]  # where the process that is copied finds `tests`

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(LOADED)


def start_server(
    arguments: list[str], env: dict[str, str], log: Path, within: Sequence[str] = ()
) -> subprocess.Popen[str] | Forked:
    """`palestra-server` with these arguments, in this environment and none else; what it logs is appended to `log`.

    A test gets a `Forked` one, unless its environment changes what an interpreter loads or `within` is the command that
    is to run it.
    """
    changed = {name for name, _ in env.items() ^ os.environ.items()}
    if "PYTEST_CURRENT_TEST" in os.environ and not within and not any(name.startswith("PYTHON") for name in changed):
        return Forked(arguments, env, log)
    command = [*within, sys.executable, "-m", "palestra_server", *arguments]
    with log.open("ab") as appended:
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=appended, text=True, env=env)


def run_server(arguments: list[str], env: dict[str, str], log: Path) -> subprocess.CompletedProcess[str]:
    """`palestra-server` with these arguments, once it has ended; its errors are in `log` too."""
    process = start_server(arguments, env, log)
    assert process.stdout is not None
    with process.stdout:
        said = process.stdout.read()
    return subprocess.CompletedProcess(arguments, process.wait(PATIENCE_S), said, log.read_text())


class Forked:
    """What tests use of `subprocess.Popen`."""

    def __init__(self, arguments: list[str], env: dict[str, str], log: Path) -> None:
        said, saying = _context.Pipe(duplex=False)
        self._process = _context.Process(target=_serve, args=(arguments, env, saying, log))
        with chdir(HERE):
            forkserver.ensure_running()
        self._process.start()
        saying.close()
        self.stdout: TextIO = os.fdopen(os.dup(said.fileno()))
        said.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):  # it has ended
            os.kill(self.pid, number)

    def wait(self, timeout: float) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("palestra-server", timeout)
        return self._process.exitcode


def _serve(arguments: list[str], env: dict[str, str], saying: Connection, log: Path) -> None:
    from palestra_server.cli import main

    assert sys.modules.keys() >= set(LOADED), "Each server loads everything anew."
    os.environ.clear()
    os.environ.update(env)
    os.dup2(saying.fileno(), sys.stdout.fileno())
    saying.close()
    with log.open("ab") as appended:
        os.dup2(appended.fileno(), sys.stderr.fileno())
    sys.argv[:] = ["palestra-server", *arguments]
    main()
