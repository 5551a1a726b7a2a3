"""Openings for pairs of matches, so that two deterministic bots don't repeat the same game."""

from __future__ import annotations

import random
from pathlib import Path

from palestra_games import Game, play_text
from palestra_games.shipped_openings import shipped_openings

PLIES = 4  # length of a random opening, for games without a list of balanced ones
DRAWN_MAX = 500  # A long test reuses its openings rather than drawing thousands of them up front
ATTEMPTS = 200  # draws before a duplicate is accepted: there may be only a few distinct short openings


def balanced(game: Game, count: int, seed: int) -> list[tuple[int, ...]]:
    """Up to `count` of the game's balanced openings, shuffled by the seed; random ones if it has none."""
    shipped = shipped_openings(game.name)
    if not shipped:
        return drawn(game, count, PLIES, seed)
    return random.Random(seed).sample(shipped, min(count, len(shipped)))


def drawn(game: Game, count: int, plies: int, seed: int) -> list[tuple[int, ...]]:
    """Draw up to `count` random openings, reproducible from the seed and without duplicates where possible.

    None of them ends the game, or lets the player to move end it at once.
    """
    dice = random.Random(seed)
    found: list[tuple[int, ...]] = []
    seen: set[tuple[int, ...]] = set()
    for _ in range(min(count, DRAWN_MAX)):
        opening: tuple[int, ...] = ()
        for _ in range(ATTEMPTS):
            drawing = random_plies(game, plies, dice)
            if drawing is not None:
                opening = drawing
                if opening not in seen:
                    break
        seen.add(opening)
        found.append(opening)
    return found


def random_plies(game: Game, plies: int, dice: random.Random) -> tuple[int, ...] | None:
    """None if they end the game, or let the player to move end it at once."""
    state, actions = game.initial_state(), list[int]()
    for _ in range(plies):
        legal = state.legal_actions()
        if not legal:
            return None
        actions.append(dice.choice(legal))
        state = state.apply(actions[-1])
    legal = state.legal_actions()
    if not legal or any(state.apply(action).returns() is not None for action in legal):
        return None
    return tuple(actions)


def read(file: Path, game: Game) -> list[tuple[int, ...]]:
    """Read openings from a file. ValueError, in one sentence, if they can't be used.

    There is one opening per line: actions separated by spaces or commas, as numbers from 0 or as names (a name with a
    space, such as "PUT 4", needs commas). Blank lines and comments starting with # are ignored.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{file} can't be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"{file} can't be read: save it as UTF-8 text.") from None
    openings = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        state, actions = play_text(game, line, f"{file}, line {number}")
        if state.returns() is not None:
            raise ValueError(f"{file}, line {number}: the game is over after this opening.")
        openings.append(actions)
    if not openings:
        raise ValueError(f"{file} has no opening in it.")
    return openings
