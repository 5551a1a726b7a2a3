"""What is played before each pair of matches, so that two bots without chance do not play one game for ever."""

from __future__ import annotations

import random
from pathlib import Path

from palestra_games import Game, IllegalAction
from palestra_games.openings import shipped_openings

PLIES = 4
"""Random plies of an opening, for a game without a list of balanced ones."""
DRAWN_MAX = 500
"""A long test comes round to its openings again, rather than draw thousands before it begins."""
ATTEMPTS = 200
"""Drawings until an opening is used twice after all: a short one has few to choose from."""


class BadOpenings(ValueError):
    """The openings can't be used; the text is one sentence."""


def balanced(game: Game, count: int, seed: int) -> list[tuple[int, ...]]:
    """Up to `count` of the game's balanced openings in an order drawn from the seed; random plies if it has none."""
    shipped = shipped_openings(game.name)
    if not shipped:
        return drawn(game, count, PLIES, seed)
    return random.Random(seed).sample(shipped, min(count, len(shipped)))


def drawn(game: Game, count: int, plies: int, seed: int) -> list[tuple[int, ...]]:
    """Up to `count` openings of random plies, the same for the same seed, no two alike while there are others.

    After none of them is the game over, nor can the player to move end it at once.
    """
    dice = random.Random(seed)
    found: list[tuple[int, ...]] = []
    seen: set[tuple[int, ...]] = set()
    for _ in range(min(count, DRAWN_MAX)):
        opening: tuple[int, ...] = ()
        for _ in range(ATTEMPTS):
            drawing = _random_plies(game, plies, dice)
            if drawing is not None:
                opening = drawing
                if opening not in seen:
                    break
        seen.add(opening)
        found.append(opening)
    return found


def _random_plies(game: Game, plies: int, dice: random.Random) -> tuple[int, ...] | None:
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
    """The openings of a file: one a line, its actions apart by blanks or commas, as numbers from 0 or as names
    ("PUT 4" between commas). Empty lines and what follows a # are skipped. Raises BadOpenings."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise BadOpenings(f"{file} can't be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise BadOpenings(f"{file} can't be read: save it as UTF-8 text.") from None
    openings = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        words = [word.strip() for word in line.split(",")] if "," in line else line.split()
        state, actions = game.initial_state(), list[int]()
        try:
            for word in words:
                actions.append(int(word) if word.isdecimal() else game.parse_action(word))
                state = state.apply(actions[-1])
        except (IllegalAction, ValueError) as error:
            raise BadOpenings(f"{file}, line {number}: {error}") from None
        if state.returns() is not None:
            raise BadOpenings(f"{file}, line {number}: the game is over after this opening.")
        openings.append(tuple(actions))
    if not openings:
        raise BadOpenings(f"{file} has no opening in it.")
    return openings
