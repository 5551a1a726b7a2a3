"""Trying a bot without a server: a turn in any position, and whole games against random moves. For unit tests."""

from __future__ import annotations

import random
from collections.abc import Sequence

from palestra_client.factories import BotFactory
from palestra_client.match import Match, Result
from palestra_client.turn import Turn
from palestra_games import Seat, State, get_game, positions
from palestra_protocol.limits import PLY_LIMIT


def turn_after(game: str, actions: Sequence[int] = (), *, move_s: float = 2.0) -> Turn:
    """The turn in `game` after these actions, as the player to move would get it; its clock starts now."""
    state = positions(get_game(game), actions)[-1]
    return Turn.now(_match(game, state.to_move, move_s), state, len(actions), history=tuple(actions))


def play_random(bot: BotFactory, game: str, *, seat: Seat = 0, seed: int = 0, move_s: float = 2.0) -> Result:
    """Plays a whole game against random moves, with a new bot in this seat; the same `seed` gives the same moves.

    Raises whatever the bot raises, and AssertionError if an action is illegal or too late.
    """
    chance = random.Random(seed)
    rules = get_game(game)
    match = _match(game, seat, move_s)
    player = bot()
    player.warm_up(rules)
    player.on_start(match)
    state: State = rules.initial_state()
    actions: tuple[int, ...] = ()
    while (returns := state.returns()) is None and len(actions) < PLY_LIMIT:
        legal = state.legal_actions()
        if state.to_move == seat:
            turn = Turn.now(match, state, len(actions), history=actions)
            action = int(player.choose(turn))
            assert turn.remaining_s > 0, f"choose took more than {move_s:g} s at move {len(actions)}"
            assert action in legal, f"choose returned {action} at move {len(actions)}, and legal were {legal}\n{state}"
        else:
            action = chance.choice(legal)
        state = state.apply(action)
        actions = (*actions, action)
    reason = "ply_limit" if returns is None else "rules"
    result = Result(match, returns or (0.0, 0.0), reason, f"over after {len(actions)} moves", len(actions))
    player.on_end(result)
    return result


def _match(game: str, seat: Seat, move_s: float) -> Match:
    players = ("you", "random") if seat == 0 else ("random", "you")
    return Match("practice", game, seat, players, move_s, grace_s=0.1, ready_s=30.0, away_s=10.0)
