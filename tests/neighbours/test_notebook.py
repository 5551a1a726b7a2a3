"""A real Jupyter kernel: a bot that is typed into a cell plays at a real server, crashes, and is interrupted."""

from __future__ import annotations

import asyncio
from textwrap import dedent

import pytest
from tests.support.servers import ServerProcess

nbclient = pytest.importorskip("nbclient", reason="Jupyter is not installed: make neighbours")
nbformat = pytest.importorskip("nbformat")
pytestmark = [pytest.mark.process, pytest.mark.filterwarnings("ignore")]  # theirs

BOTS = """
    import socket, sys
    from palestra_client import Bot, play, run

    class Crashes(Bot):
        def choose(self, turn):
            print("thinking of move", turn.ply)
            return 1 / (turn.ply < 2 or 0) and turn.legal[0]

    class Waits(Bot):
        def choose(self, turn):
            socket.create_connection(("127.0.0.1", {port})).recv(1)
            return turn.legal[0]

    where = dict(name="ana", server="{server}", challenge="random", game="connect4")
"""


class Notebook:
    """Cells, run one after the other in one kernel."""

    def __init__(self, folder):
        self._client = nbclient.NotebookClient(
            nbformat.v4.new_notebook(), allow_errors=True, resources={"metadata": {"path": str(folder)}}
        )

    async def __aenter__(self):
        self._running = self._client.async_setup_kernel()
        await self._running.__aenter__()
        return self

    async def __aexit__(self, *error):
        await self._running.__aexit__(*error)

    async def run(self, source):
        """What the cell shows: its text, and the error, if there was one."""
        cell = nbformat.v4.new_code_cell(dedent(source))
        self._client.nb.cells.append(cell)
        await self._client.async_execute_cell(cell, len(self._client.nb.cells) - 1)
        assert {each.output_type for each in cell.outputs} <= {"stream", "error"}, "no box for each line"
        shown = "".join(each.text for each in cell.outputs if each.output_type == "stream")
        return shown, ["\n".join(each.traceback) for each in cell.outputs if each.output_type == "error"]

    async def interrupt(self):
        await self._client.km.interrupt_kernel()


async def test_a_student_plays_from_a_notebook(tmp_path):
    asked = asyncio.Queue()
    waiting = await asyncio.start_server(lambda _, writer: asked.put_nowait(writer), "127.0.0.1")
    port = waiting.sockets[0].getsockname()[1]
    with ServerProcess(tmp_path / "data", "--guests", "--bot", "random") as server:
        async with waiting, Notebook(tmp_path) as notebook:
            assert await notebook.run(BOTS.format(port=port, server=server.url)) == ("", [])
            for _ in range(2):  # a cell is run again
                shown, errors = await notebook.run("await play(Crashes, **where, seat=0, games=1)")
                assert errors == []
                assert "thinking of move 2" in shown
                assert "in choose\n    return 1 / (turn.ply < 2 or 0)" in shown, "the line in the cell"
                assert "1 game of connect4 against random: 0 won, 0 drawn, 1 lost." in shown
            hint = next(line for line in shown.splitlines() if "Why it was lost: " in line)
            command = hint.partition("!palestra ")[2].partition("\x1b")[0]
            shown, errors = await notebook.run(f"!{{sys.executable}} -m palestra_client {command}")
            assert "ana crashed at move 2." in shown

            left = asyncio.create_task(notebook.run("await play(Waits, **where, seat=0)"))
            choosing = await asked.get()
            await notebook.interrupt()
            shown, errors = await left
            assert "interrupting the cell leaves" in shown
            (error,) = errors
            assert error.startswith("You left in the middle of connect4 against random (match ")
            choosing.close()

            for wrong, says in {
                "await play(Crashes(), **where)": "give its class, Crashes without ()",
                "await play(Crashes, name='ana', challenge='random')": "Give game=NAME",
                "run(Crashes, **where)": "write `await play(MyBot, ...)` instead of run()",
            }.items():
                shown, (error,) = await notebook.run(wrong)
                assert says in error
                assert "\n" not in error, "one sentence in place of a traceback"
