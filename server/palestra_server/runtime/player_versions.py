"""A player's versions: the score of each, and two of them compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from threading import Lock
from typing import Any, Final, NamedTuple

import structlog

from palestra_games import UnknownGame, get_game
from palestra_referee import event_from_line, replay
from palestra_server.store import Hidden, Store, StoreError
from palestra_tournament.versions import VersionResult, compare, parting, scored

log = structlog.get_logger()

READ_MAX: Final = 40  # matches of a version in a game, the newest, that are read for where two versions part
KEPT: Final = 4096  # matches whose moves are kept


class _Own(NamedTuple):
    """A match as one player sees it."""

    match: str
    game: str
    seat: int
    result: VersionResult


class PlayerVersions:
    """Thread-safe, but blocking. Each match is replayed once, and one at a time: players come first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reading = Lock()
        self._moves = lru_cache(KEPT)(self._read)

    def compared(self, player: str, without: Hidden, older: str | None, newer: str | None) -> dict[str, Any]:
        """The newest two, unless others are named. Raises StoreError."""
        found = self._store.tallies.versions(player, without)
        by_version: defaultdict[str, list[_Own]] = defaultdict(list)
        for one in found:
            sides = (
                (one.first, one.version0, one.return0, one.second, one.version1),
                (one.second, one.version1, one.return1, one.first, one.version0),
            )
            for seat, (name, version, returned, opponent, their_version) in enumerate(sides):
                if name == player and version:
                    setting = one.game, one.opening, seat, opponent, their_version
                    result = VersionResult(setting, (returned + 1) / 2)
                    by_version[version].append(_Own(one.match, one.game, seat, result))
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
                "partings": list(self._partings(by_version[older], by_version[newer])),
            },
        }

    def _partings(self, older: Sequence[_Own], newer: Sequence[_Own]) -> Iterator[Mapping[str, Any]]:
        """The first position in which they play differently, of each game that both have played."""
        for name in sorted({each.game for each in older} & {each.game for each in newer}):
            with suppress(UnknownGame):
                game = get_game(name)
                found = parting(self._own_moves(older, name), self._own_moves(newer, name))
                if found is not None:
                    actions = {"older": game.action_name(found.older), "newer": game.action_name(found.newer)}
                    yield {"game": name, **found._asdict(), **actions}

    def _own_moves(self, matches: Sequence[_Own], game: str) -> Iterator[tuple[str, Sequence[int], Collection[int]]]:
        """Of each match its actions, and the plies that were the player's own."""
        for each in [one for one in matches if one.game == game][:READ_MAX]:
            try:
                with self._reading:
                    actions, plies = self._moves(each.match)
            except (StoreError, ValueError, LookupError) as error:
                log.warning("match cannot be compared", match=each.match, why=str(error))
            else:
                yield each.match, actions, plies[each.seat]

    def _read(self, match_id: str) -> tuple[Sequence[int], tuple[Collection[int], Collection[int]]]:
        match = replay(event_from_line(line) for line in self._store.journal.read_lines(match_id))
        first, second = (frozenset(move.ply for move in match.moves if move.seat == seat) for seat in (0, 1))
        return match.actions, (first, second)
