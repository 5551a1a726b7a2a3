"""Connect a bot to a Palestra competition.

from palestra_client import Bot, run

class MyBot(Bot):
    def choose(self, turn):
        return turn.state.legal_actions()[0]

run(MyBot, server="ws://host:8765", token="...")
"""

import palestra_client.shadowing  # first, and for what it does
from palestra_client.bot import Bot
from palestra_client.match import LastMove, Match, Result
from palestra_client.run import play, run
from palestra_client.turn import Turn

__all__ = ["Bot", "LastMove", "Match", "Result", "Turn", "play", "run"]
