"""Lets agents written for the ConnectX of kaggle-environments play here: agent(observation, configuration).

    palestra join palestra_client.adapters.kaggle:submission --file submission.py --name ana

A submission is a Python file, and its agent the last function in it, as on Kaggle. It plays connect4 and
connect4-8x8. It sees `observation.board` (a flat list, the top row first, 0 empty, 1 and 2 the pieces of the
first and the second player), `observation.mark`, `observation.step`, `observation.remainingOverageTime`;
`configuration.rows`, `.columns`, `.inarow`, and the clock: `.timeout` and `.actTimeout` in seconds for a move.

Source: kaggle_environments/envs/connectx/connectx.json. Nothing of that package is needed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, SupportsIndex

from palestra_client.bot import Bot
from palestra_client.match import Match
from palestra_client.turn import Turn

Agent = Callable[..., SupportsIndex]  # agent(observation, configuration), or agent(observation)


class Struct(dict[str, Any]):
    """A map whose keys can also be read as attributes, as in kaggle-environments."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class KaggleBot(Bot):
    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._takes = len(inspect.signature(agent).parameters)

    def on_start(self, match: Match) -> None:
        """Raises ValueError unless the game is a ConnectX."""
        if match.game not in ("connect4", "connect4-8x8"):
            raise ValueError(f"A ConnectX agent plays connect4 and connect4-8x8, not {match.game}.")

    def choose(self, turn: Turn) -> SupportsIndex:
        wire = turn.state.to_wire()
        given = (observation(wire, turn), configuration(wire, turn.match))
        return self._agent(*given[: self._takes])


def observation(wire: dict[str, Any], turn: Turn) -> Struct:
    """The position, as the agent gets it."""
    rows, cols, cells = wire["rows"], wire["cols"], wire["cells"]
    top_first = [cell for row in range(rows - 1, -1, -1) for cell in cells[row * cols : (row + 1) * cols]]
    return Struct(board=top_first, mark=turn.seat + 1, step=turn.ply, remainingOverageTime=0.0)


def configuration(wire: dict[str, Any], match: Match) -> Struct:
    """The game's settings, as the agent gets them."""
    return Struct(
        rows=wire["rows"],
        columns=wire["cols"],
        inarow=4,
        timeout=match.move_s,
        actTimeout=match.move_s,
        agentTimeout=match.ready_s,
        runTimeout=1200,
        episodeSteps=1000,
    )


def submission(*, file: str) -> Bot:
    """The bot in a submission's file. Raises ValueError if there is no agent in it."""
    path = Path(file)
    names: dict[str, Any] = {"__name__": "submission", "__file__": str(path)}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)  # noqa: S102 - the student's own program
    agents = [value for value in names.values() if callable(value)]
    if not agents:
        raise ValueError(f"{file} has no agent: it needs a function of (observation, configuration).")
    return KaggleBot(agents[-1])
