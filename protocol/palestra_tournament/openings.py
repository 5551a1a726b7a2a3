"""Openings: given first moves, without which deterministic bots would play the same game forever.

Each pair of matches has an opening, played twice with the seats swapped. Most games ship a list of balanced openings
(see `palestra_games.shipped_openings`). Two players start at a random place in that list, drawn from the seed, and
continue from there each time they meet, so that no opening repeats before all have been played. Games without a list
use random plies, drawn again until nobody has won or can win immediately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from palestra_games import State, game_names, get_game
from palestra_games.shipped_openings import shipped_openings
from palestra_referee.canonical import canonical_json
from palestra_tournament import draws
from palestra_tournament.model import Fixture, Tournament
from palestra_tournament.spec import Spec

# Random openings tried in a game without a list, before giving up and starting from the initial position.
ATTEMPTS = 1000


def with_openings(t: Tournament, fixtures: Sequence[Fixture]) -> tuple[Fixture, ...]:
    """New fixtures for the schedule of `t`, with their openings."""
    if not t.spec.openings:
        return tuple(fixtures)
    pairs: dict[str, tuple[int, ...]] = {}
    before = t.by_id.fold(Counter[tuple[str, ...]], _count)
    fresh: Counter[tuple[str, ...]] = Counter()
    for fixture in fixtures:
        if fixture.pair not in pairs:
            meeting = fixture.game, *sorted(fixture.players)
            number = before[meeting] + fresh[meeting]
            pairs[fixture.pair] = _opening(t.spec, fixture.game, t.seed, "|".join(meeting), number)
            fresh[meeting] += 1
    return tuple(fixture._replace(opening=pairs[fixture.pair]) for fixture in fixtures)


def opening_lists() -> bytes:
    """What an export says about the lists: all of them by game, as canonical JSON with a line end."""
    return canonical_json({game: book for game in game_names() if (book := shipped_openings(game))}) + b"\n"


def _count(pairs: Counter[tuple[str, ...]], fixture: Fixture) -> None:
    if fixture.leg == 1:
        pairs[fixture.game, *sorted(fixture.players)] += 1


def _opening(spec: Spec, game: str, seed: int, meeting: str, number: int) -> tuple[int, ...]:
    book = shipped_openings(game)
    if book:
        return book[(draws.below(len(book), seed, f"opening|{meeting}") + number) % len(book)]
    return _random_plies(game, spec.opening_plies, seed, f"opening|{meeting}|{number}")


def _random_plies(game: str, plies: int, seed: int, label: str) -> tuple[int, ...]:
    for attempt in range(ATTEMPTS):
        state = get_game(game).initial_state()
        actions: list[int] = []
        for ply in range(plies):
            legal = state.legal_actions()
            if not legal:
                break
            actions.append(legal[draws.below(len(legal), seed, f"{label}|{attempt}|{ply}")])
            state = state.apply(actions[-1])
        if len(actions) == plies and _is_open(state):
            return tuple(actions)
    return ()


def _is_open(state: State) -> bool:
    """Whether the game is not over, and no move ends it."""
    return state.returns() is None and all(state.apply(action).returns() is None for action in state.legal_actions())
