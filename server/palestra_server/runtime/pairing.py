"""Pairs the rounds of a large Swiss in another process, so that no bot's frame has to wait for it."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import Final, Self

import structlog

from palestra_server.helper import Helper
from palestra_tournament import Ended, Event, Pairs, Round, Tournament, Withdrew, pair_round

log = structlog.get_logger()

HERE: Final = 100  # rounds of up to this many players are paired here, which takes less than 10 ms


def draws_round(t: Tournament, event: Event) -> bool:
    """Whether this event seems to end a Swiss round, so that the next one is paired: it settles all open fixtures."""
    if t.spec.format != "swiss" or not isinstance(event, Ended | Withdrew):
        return False
    players = t.by_id[event.fixture].players if isinstance(event, Ended) else (event.player,)
    left = (fixture for fixture in t.fixtures[t.settled :] if fixture.id not in t.results)
    return all(not set(players).isdisjoint(fixture.players) for fixture in left)


class PairingStopped(Exception): ...


class PairingApart(AbstractContextManager["PairingApart"]):
    """`pair_round` for a thread: large rounds are paired in a second process, started for the first of them; here if
    that fails.
    """

    def __init__(self) -> None:
        self._helper = Helper("palestra_tournament.formats")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._helper.end()

    def __call__(self, of: Round) -> Pairs:
        """Like `pair_round`. Blocks until the other process has answered. Raises PairingStopped after `close`."""
        if len(of.players) <= HERE:
            return pair_round(of)
        try:
            return self._ask(of)
        except (OSError, ValueError, LookupError, TypeError) as error:  # whatever that was, it is no answer
            self._helper.end()
            if self._helper.closed:
                raise PairingStopped from None
            log.warning("a round is paired in the server's own process", why=str(error), players=len(of.players))
            return pair_round(of)

    def _ask(self, of: Round) -> Pairs:
        line = json.dumps(asdict(of)).encode() + b"\n"
        said = json.loads(self._helper.ask(lambda requests: requests.write(line), lambda answers: answers.readline()))
        return Pairs(tuple((first, second) for first, second in said["pairs"]), said["idle"])

    def close(self) -> None:
        """Pair nothing more apart; a waiting call raises PairingStopped. For any thread."""
        self._helper.close()
