"""A program that a test plays itself, line by line."""

from __future__ import annotations

import pytest
from tests.support.servers import ServerProcess

from palestra_client import Match, Turn
from palestra_client.bridge.dialect import ProgramFailed
from palestra_client.turn import Deadline
from palestra_games import get_game


class Scripted:
    """A Talk: what the bridge says is kept, what the program says is taken from `answers` (None: it is silent)."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.said = []
        self.told = []

    def say(self, *lines):
        self.said += lines

    def hear(self):
        line = self.quiet(1.0)
        if line is None:
            raise ProgramFailed("silent")
        return line

    def quiet(self, seconds):
        if seconds == 0.0:
            return None
        return self.answers.pop(0) if self.answers else None

    def tell(self, sentence):
        self.told.append(sentence)


def turn_after(game, actions, seat, *, known=True, remaining_s=2.0):
    """The turn in `game` after these actions."""
    state = get_game(game).initial_state()
    for action in actions:
        state = state.apply(action)
    match = Match("M1", game, seat, ("ana", "ben"), 2.0, 0.1, 30.0, 10.0)
    return Turn(
        match,
        state,
        ply=len(actions),
        legal=state.legal_actions(),
        last=None,
        deadline=Deadline(remaining_s),
        clock=lambda: 0.0,
        history=tuple(actions) if known else None,
    )


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """A server with guests, and so much time for a move that a slow machine loses nothing."""
    with ServerProcess(tmp_path_factory.mktemp("server"), "--guests", "--move-ms", "60000") as running:
        yield running


@pytest.fixture
def scripted():
    return Scripted


@pytest.fixture
def after():
    return turn_after
