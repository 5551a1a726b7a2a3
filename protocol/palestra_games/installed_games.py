"""The installed games, found through the entry-point group `palestra.games`.

A package provides a game with an entry in its pyproject.toml; the key must equal the game's `name`:

    [project.entry-points."palestra.games"]
    nim = "palestra_nim:NIM"
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache

from palestra_games.interface import Game
from palestra_games.plugins import installed
from palestra_games.trial import tried

GROUP = "palestra.games"
PARTS = ("name", "initial_state", "from_wire", "action_name", "parse_action", "view")


class UnknownGame(LookupError):
    """No installed game has this name; `str()` is a sentence that lists the installed ones."""

    def __init__(self, name: object, known: tuple[str, ...]) -> None:
        super().__init__(name, known)
        self.name = name
        self.known = known

    def __str__(self) -> str:
        near = get_close_matches(str(self.name).lower(), self.known, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        return f"There is no game '{self.name}'; the games here are {', '.join(self.known)}.{hint}"


def game_names() -> tuple[str, ...]:
    return tuple(_games())


def get_game(name: str) -> Game:
    """Raises `UnknownGame`."""
    games = _games()
    if name not in games:
        raise UnknownGame(name, tuple(games))
    return games[name]


@cache
def _games() -> dict[str, Game]:
    """Loads every entry point once per process."""
    return installed(GROUP, _accept, "palestra_games")


def _accept(found: object, name: str) -> Game:
    if isinstance(found, type):
        raise ValueError(f"it is a class; name an object, such as one made by 'GAME = {found.__name__}()'")
    if not isinstance(found, Game):
        lacking = ", ".join(each for each in PARTS if not hasattr(found, each))
        raise ValueError(f"it is not a Game (see palestra_games.interface): it lacks {lacking}")
    if found.name != name:
        raise ValueError(f"it calls itself '{found.name}'")
    if not type(found).__module__.startswith("palestra_games."):  # ours are tested
        tried(found)
    return found
