"""The installed games, found through the entry-point group `palestra.games`.

A package provides a game with an entry in its pyproject.toml; the key must equal the game's `name`:

    [project.entry-points."palestra.games"]
    nim = "palestra_nim:NIM"
"""

from __future__ import annotations

import warnings
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from palestra_games.interface import Game

GROUP = "palestra.games"


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
    """Loads every entry point once per process. One that fails to load is skipped with a warning."""
    games: dict[str, Game] = {}
    # This package's games come first, so that no plug-in can replace them.
    found = sorted(entry_points(group=GROUP), key=lambda e: (not e.value.startswith("palestra_games."), e.name))
    values: dict[str, str] = {}
    for entry in found:
        if values.setdefault(entry.name, entry.value) != entry.value:
            _leave_out(entry, f"the name is taken by '{values[entry.name]}'")
        elif entry.name not in games and (game := _load(entry)) is not None:
            games[entry.name] = game
    return dict(sorted(games.items()))


def _load(entry: EntryPoint) -> Game | None:
    try:
        game = entry.load()
    except Exception as error:  # third-party code: it may raise anything
        _leave_out(entry, f"it does not load ({type(error).__name__}: {error})")
        return None
    if not isinstance(game, Game):
        _leave_out(entry, "it is not a Game (see palestra_games.interface)")
    elif game.name != entry.name:
        _leave_out(entry, f"it calls itself '{game.name}'")
    else:
        return game
    return None


def _leave_out(entry: EntryPoint, why: str) -> None:
    warnings.warn(f"The game '{entry.name}' from '{entry.value}' is left out: {why}.", stacklevel=2)
