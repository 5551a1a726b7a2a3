"""Test vectors for implementing the rules in other languages: `python -m palestra_games.vectors FOLDER`.

Writes FOLDER/GAME.jsonl for every game of this package, one position per line; RULES.md explains the keys.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from palestra_games.connect4 import CONNECT4, CONNECT4_8X8
from palestra_games.desconecta4 import DESCONECTA4
from palestra_games.interface import Game, State
from palestra_games.mancala import MANCALA

SAMPLED = 25  # positions from random games in each file, besides the corner cases
MAX_PLY = 60  # random games stop after this many actions

# Each case is about its last action; the position before it is in the file too.
# For each game its corner cases: what they are about, and the actions that lead to them, one digit each.
CASES: Mapping[Game, Mapping[str, str]] = {
    CONNECT4: {
        "the start": "",
        "a full column takes no more": "000000",
        "four in a row": "0520301",
        "four in a column": "0102030",
        "four on a rising diagonal": "61043646443322",
        "four on a falling diagonal": "25441612233312",
        "five in a row win as well": "401020563",
        "two lines at once": "4663531644255343",
        "one action left": "300243322112446114410423316003602666",
        "a line with the last piece is a win": "562462320652060450663500511134225313434141",
        "a full board without a line is a draw": "243446515233521341214630612663641505520000",
    },
    CONNECT4_8X8: {
        "the start": "",
        "a full column takes no more": "00000000",
        "four in a row": "4424351",
        "four in a column": "3635373",
        "four on a rising diagonal": "131422333521240",
        "four on a falling diagonal": "575324642347363",
        "five in a row win as well": "332750614",
        "two lines at once": "1562323437552404113",
    },
    DESCONECTA4: {
        "the start": "",
        "a line loses for who makes it": "3130323",
        "the first bomb comes at ply 8": "502512611",
        "a bomb completes a line": "026304020",
        "a BOOM with nothing above": "00302306057",
        "a BOOM lets pieces fall, the other bomb among them": "62013533037",
        "pieces of the opponent stay in the row": "20060405247",
        "a BOOM completes a line of the opponent, who loses": "01226121117",
        "no second bomb while one is on the board": "5025126110126361513",
        "a BOOM completes a line of one's own": "205054046032533426161233427",
        "a BOOM completes lines of both: the lower one decides": "455512145332644674452347",
        "one action left": "150251564540631620666512610400452054441217252",
        "a full board is a draw, bomb or not": "3113236450566200065003164161414025155432563424322",
        "a line on a full board loses": "1646402020130114456503061513203162644246223355553",
    },
    MANCALA: {
        "the start": "",
        "the last seed in the store moves again": "3",
        "a capture": "005",
        "no capture from an empty pit": "054",
        "the store of the opponent is left out": "113410",
        "thirteen seeds end where they began, and capture": "42234503521251",
        "25 seeds do not end the game": "31325250512",
        "the own row is empty after the move": "2455434205140",
        "a capture empties the row of the opponent": "042405350425",
        "an empty row ends it, whoever was to move": "3043523130",
        "a draw": "543515424350",
    },
}


def positions(game: Game) -> Iterator[tuple[str | None, tuple[int, ...]]]:
    """The positions in this game's file: the name of the case (or None), and the actions from the start."""
    for name, digits in CASES[game].items():
        actions = tuple(map(int, digits))
        if actions:
            yield f"before: {name}", actions[:-1]
        yield name, actions
    draw = _generator()
    for _ in range(SAMPLED):
        yield None, _random_actions(game, draw)


def _generator() -> Callable[[int], int]:
    """`draw(n)` gives a whole number below n; the sequence is the same on every machine and Python version."""
    number = 0

    def draw(below: int) -> int:
        # Knuth's linear congruential generator for MMIX; only the high bits are good.
        nonlocal number
        number = (number * 6364136223846793005 + 1442695040888963407) % 2**64
        return (number >> 33) % below

    return draw


def _random_actions(game: Game, draw: Callable[[int], int]) -> tuple[int, ...]:
    """A random game, cut off at a random ply."""
    state, actions = game.initial_state(), list[int]()
    while (legal := state.legal_actions()) and len(actions) < MAX_PLY:
        actions.append(legal[draw(len(legal))])
        state = state.apply(actions[-1])
    return tuple(actions[: draw(len(actions) + 1)])


def vector(game: Game, case: str | None, actions: Sequence[int]) -> dict[str, object]:
    state: State = game.initial_state()
    for action in actions:
        state = state.apply(action)
    legal = state.legal_actions()
    return {
        "case": case,
        "actions": list(actions),
        "state": state.to_wire(),
        "legal": list(legal),
        "names": [game.action_name(action) for action in legal],
        "after": [state.apply(action).to_wire() for action in legal],
        "returns": state.returns(),
    }


def rendered(game: Game) -> str:
    """The text of the game's file, the same on every machine."""
    lines = (vector(game, case, actions) for case, actions in positions(game))
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


if __name__ == "__main__":
    for written in CASES:
        Path(sys.argv[1], f"{written.name}.jsonl").write_text(rendered(written), encoding="utf-8", newline="\n")
