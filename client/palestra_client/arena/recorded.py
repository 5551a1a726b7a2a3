"""An opponent that plays what was recorded as long as it fits, and then as a level."""

from __future__ import annotations

from palestra_client.bot import Bot
from palestra_client.loading import bot_of
from palestra_client.match import Match, Result
from palestra_client.turn import Turn
from palestra_games import Game


class Recorded(Bot):
    """`line`: every action of the match that was played, with commas between them."""

    def __init__(self, line: str, then: str) -> None:
        self._line = tuple(map(int, line.split(",")))
        self._then = bot_of(f"palestra_bots:{then}")()

    def warm_up(self, game: Game) -> None:
        self._then.warm_up(game)

    def on_start(self, match: Match) -> None:
        self._then.on_start(match)

    def choose(self, turn: Turn) -> int:
        if turn.ply < len(self._line) and turn.history == self._line[: turn.ply]:
            turn.report(text="as recorded")
            return self._line[turn.ply]
        return int(self._then.choose(turn))

    def on_end(self, result: Result) -> None:
        self._then.on_end(result)
