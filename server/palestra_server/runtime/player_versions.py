"""A player's versions: the score of each, and two of them compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from palestra_games import UnknownGame, get_game
from palestra_referee import event_from_line, replay
from palestra_server.store import MatchSummary, Store
from palestra_tournament.versions import VersionResult, compare, parting, scored

READ_MAX: Final = 40  # matches of a version in a game, the newest, that are read for where two versions part


class _Own(NamedTuple):
    """A match as one player sees it."""

    match: str
    game: str
    seat: int
    result: VersionResult


def compared_versions(
    store: Store, player: str, found: Sequence[MatchSummary], older: str | None, newer: str | None
) -> dict[str, Any]:
    """`found`: matches of the player that are over, newest first. Blocks; raises StoreError."""
    by_version: defaultdict[str, list[_Own]] = defaultdict(list)
    for one in found:
        for seat in (0, 1):
            versions, returns = one.versions or ("", ""), one.returns or (0.0, 0.0)
            if one.players[seat] == player and versions[seat]:
                setting = one.game, one.opening, seat, one.players[1 - seat], versions[1 - seat]
                result = VersionResult(setting, (returns[seat] + 1) / 2)
                by_version[versions[seat]].append(_Own(one.match, one.game, seat, result))
    if newer is None:
        newer = next((name for name in by_version if name != older), None)
    if older is None:
        earlier = iter(by_version)
        older = next((name for name in earlier if name == newer), None) and next(earlier, None)
    return {
        "versions": [
            {"version": name, **scored([each.result.score for each in matches])._asdict()}
            for name, matches in by_version.items()
        ],
        "compared": None
        if older is None or newer is None or older == newer or not {older, newer} <= by_version.keys()
        else {
            "older": older,
            "newer": newer,
            **compare(*([each.result for each in by_version[name]] for name in (older, newer)))._asdict(),
            "partings": list(_partings(store, by_version[older], by_version[newer])),
        },
    }


def _partings(store: Store, older: Sequence[_Own], newer: Sequence[_Own]) -> Iterator[Mapping[str, Any]]:
    """The first position in which they play differently, of each game that both have played."""
    for name in sorted({each.game for each in older} & {each.game for each in newer}):
        with suppress(UnknownGame):
            game = get_game(name)
            found = parting(_moves(store, older, name), _moves(store, newer, name))
            if found is not None:
                actions = {"older": game.action_name(found.older), "newer": game.action_name(found.newer)}
                yield {"game": name, **found._asdict(), **actions}


def _moves(store: Store, matches: Sequence[_Own], game: str) -> Iterator[tuple[str, tuple[int, ...], frozenset[int]]]:
    """Of each match its actions, and the plies that were the player's own."""
    for each in [one for one in matches if one.game == game][:READ_MAX]:
        match = replay(event_from_line(line) for line in store.journal.read_lines(each.match))
        yield each.match, match.actions, frozenset(move.ply for move in match.moves if move.seat == each.seat)
