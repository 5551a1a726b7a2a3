"""Looks two plies ahead in any game: takes a win, avoids a loss, and else goes by the seeds or the middle.

palestra join two_ply.py --server ws://HOST:8765 --name ana --challenge random --game connect4
"""

import random

from palestra_client import Bot, run

WIN = 1000.0


class TwoPly(Bot):
    def choose(self, turn):
        values = {action: self.after(turn.state.apply(action), turn.seat) for action in turn.legal}
        best = max(values.values())
        turn.report(depth=2, nodes=self.nodes, value=best)
        return random.choice([action for action, value in values.items() if value == best])

    def on_start(self, _match):
        self.nodes = 0

    def after(self, state, me):
        """What a position is worth to me when both look one ply further."""
        if state.returns() is not None or state.to_move == me:  # over, or (in mancala) my turn again
            return self.value(state, me)
        # Here the opponent chooses, and takes what is worst for me.
        return min(self.value(state.apply(action), me) for action in state.legal_actions())

    def value(self, state, me):
        self.nodes += 1
        returns = state.returns()
        if returns is not None:
            return WIN * returns[me]
        board = state.to_wire()
        if "stores" in board:  # mancala: the lead in seeds
            return board["stores"][me] - board["stores"][1 - me]
        middle = (board["cols"] - 1) / 2
        own = 0.0
        for place, cell in enumerate(board["cells"]):
            if cell == me + 1:
                own -= abs(place % board["cols"] - middle)
        return own


if __name__ == "__main__":
    run(TwoPly, server="ws://127.0.0.1:8765", name="two-ply")
