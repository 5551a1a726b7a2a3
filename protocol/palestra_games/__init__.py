"""The games of Palestra: their rules, and how to draw a board. Standard library only."""

from palestra_games.installed_games import UnknownGame, game_names, get_game
from palestra_games.interface import (
    ActionView,
    BoardView,
    CellView,
    Game,
    IllegalAction,
    Seat,
    State,
    play_text,
    positions,
)

__all__ = [
    "ActionView",
    "BoardView",
    "CellView",
    "Game",
    "IllegalAction",
    "Seat",
    "State",
    "UnknownGame",
    "game_names",
    "get_game",
    "play_text",
    "positions",
]
