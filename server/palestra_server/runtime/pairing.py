"""Pairs the rounds of a large Swiss in another process, so that no bot's frame has to wait for it."""

from __future__ import annotations

from typing import Final

from palestra_server.helper import Helper
from palestra_tournament import Ended, Event, PairRound, Pairs, Round, Tournament, Withdrew, pair_round

HERE: Final = 100  # rounds of up to this many players are paired here, which takes less than 10 ms


def draws_round(t: Tournament, event: Event) -> bool:
    """Whether this event seems to end a round, so that the next one is paired: it settles all open fixtures."""
    if not isinstance(event, Ended | Withdrew):
        return False
    players = t.by_id[event.fixture].players if isinstance(event, Ended) else (event.player,)
    others = (meetings.values() for name, meetings in t.pending.items() if name not in players)
    return all(meeting.opponent in players for meetings in others for meeting in meetings)


def paired_by(helper: Helper) -> PairRound:
    """`pair_round` for a thread: large rounds are paired by the helper. Raises HelperFailed, too."""

    def pair(of: Round) -> Pairs:
        return pair_round(of) if len(of.players) <= HERE else helper.run(pair_round, of)

    return pair
