"""A turn as a bot sees it, without a server."""

from palestra_client.match import Match
from palestra_client.turn import Deadline, Turn
from palestra_games import get_game


def turn_after(*actions, game="connect4"):
    state = get_game(game).initial_state()
    for action in actions:
        state = state.apply(action)
    match = Match("m", game, state.to_move, ("ana", "ben"), 2.0, 0.1, 30.0, 10.0)
    legal = state.legal_actions()
    deadline = Deadline(2.0)
    return Turn(match, state, ply=len(actions), legal=legal, last=None, deadline=deadline, clock=lambda: 0.0)
