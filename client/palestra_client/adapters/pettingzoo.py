"""Our games as PettingZoo environments (AEC), for reinforcement learning: pip install pettingzoo.

    from palestra_client.adapters import pettingzoo
    environment = pettingzoo.env("desconecta4")

The agents are "seat_0" and "seat_1"; an action is one of ours. An observation is a map with `action_mask` (int8, one
entry an action, all 0 for the agent not to move) and `observation`, always seen from the agent's own side:

- games on a grid: int8, rows x cols x 4 (row 0 at the bottom): own pieces, the other's, own bombs, the other's;
- mancala: int16, 2 x (pits + 1): own pits from pit 1, then the own store; the same of the other.

The reward comes at the end: 1, -1 or 0. A game that reaches `ply_limit` is truncated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from palestra_games import BoardView, Seat, get_game
from palestra_games.interface import SEATS
from palestra_protocol.limits import PLY_LIMIT

AGENTS = ("seat_0", "seat_1")


def env(game: str, render_mode: str | None = None, ply_limit: int = PLY_LIMIT) -> AECEnv:
    """The environment of this game with PettingZoo's usual guards: an illegal action ends it and loses.

    Raises `UnknownGame`.
    """
    guarded = wrappers.TerminateIllegalWrapper(GameEnv(game, render_mode, ply_limit), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(guarded))


class GameEnv(AECEnv):  # type: ignore[misc]  # PettingZoo brings no types
    """The bare environment, without the guards that `env` adds."""

    def __init__(self, game: str, render_mode: str | None = None, ply_limit: int = PLY_LIMIT) -> None:
        super().__init__()
        self.metadata = {"name": f"palestra_{game}_v0", "render_modes": ["ansi"], "is_parallelizable": False}
        self.game = get_game(game)
        self.render_mode = render_mode
        self.ply_limit = ply_limit
        self.state_now = self.game.initial_state()
        self.possible_agents = list(AGENTS)
        view = self.game.view(self.state_now)
        space = spaces.Dict(
            {"observation": _space(view), "action_mask": spaces.Box(0, 1, (len(view.actions),), np.int8)}
        )
        self.observation_spaces = dict.fromkeys(AGENTS, space)
        self.action_spaces = {agent: spaces.Discrete(len(view.actions)) for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        # Our games have no chance in them, so `seed` changes nothing.
        self.state_now = self.game.initial_state()
        self.ply = 0
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.state_now.to_move]

    def observe(self, agent: str) -> dict[str, np.ndarray[Any, Any]]:
        seat = SEATS[AGENTS.index(agent)]
        view = self.game.view(self.state_now)
        to_move = agent == self.agent_selection
        mask = np.array([to_move and action.legal for action in view.actions], np.int8)
        return {"observation": _seen(view, seat), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Raises `IllegalAction`."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.state_now = self.state_now.apply(int(action) if action is not None else -1)
        self.ply += 1
        self._clear_rewards()
        self._cumulative_rewards[agent] = 0.0
        returns = self.state_now.returns()
        if returns is not None:
            self.rewards = dict(zip(AGENTS, returns, strict=True))
            self.terminations = dict.fromkeys(AGENTS, True)
            # Neither has been told yet, the other one goes first.
            self.agent_selection = AGENTS[1 - AGENTS.index(agent)]
        else:
            if self.ply >= self.ply_limit:
                self.truncations = dict.fromkeys(AGENTS, True)
            self.agent_selection = AGENTS[self.state_now.to_move]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The board as text, with `render_mode="ansi"`."""
        return str(self.state_now) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is open."""


def _space(view: BoardView) -> spaces.Box:
    if view.stores is None:
        return spaces.Box(0, 1, (view.rows, view.cols, 4), np.int8)
    seeds = sum(cell.count for cell in view.cells) + sum(view.stores)
    return spaces.Box(0, seeds, (2, view.cols + 1), np.int16)


def _seen(view: BoardView, seat: Seat) -> np.ndarray[Any, Any]:
    if view.stores is None:
        planes = np.zeros((view.rows * view.cols, 4), np.int8)
        for index, cell in enumerate(view.cells):
            if cell.seat is not None:
                planes[index, (cell.kind == "bomb") * 2 + (cell.seat != seat)] = 1
        return planes.reshape(view.rows, view.cols, 4)
    rows = (
        [cell.count for cell in view.cells[: view.cols]][::-1],  # drawn with pit 1 at the right
        [cell.count for cell in view.cells[view.cols :]],
    )
    return np.array([[*rows[who], view.stores[who]] for who in (seat, 1 - seat)], np.int16)
