"""What an embargo hides: everything that happens from the moment when the first match of the last round begins.

By then all other matches are over (`playable` sees to it, whatever the format), so the public sees the tournament as it
stood at that moment, `Tournament.shown`, until the embargo is lifted: no result, extra match, withdrawal or count of
the hidden round can be told from it. What happened up to then is a tournament of its own, which anybody can replay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from palestra_tournament.events import Ended, Event, MatchStarted
from palestra_tournament.model import Tournament


def hides(t: Tournament) -> bool:
    """Whether anything is hidden now."""
    return t.shown is not None


def public(t: Tournament) -> Tournament:
    """The tournament as everybody may see it."""
    return t if t.shown is None else t.shown


def public_events(t: Tournament, events: Sequence[Event]) -> Iterator[Event]:
    """Those of all its events that lead to `public(t)`."""
    return takewhile(lambda event: not isinstance(event, MatchStarted | Ended) or event.match not in t.hidden, events)


def first_hidden_round(t: Tournament) -> int | None:
    """The first round under embargo, None if there is none; all are if nobody knows which is the last."""
    return None if t.revealed else t.spec.format.planned(t).rounds or 1


def waiting_round(t: Tournament) -> int | None:
    """The round that is to be hidden and waits for the end of all others; None if none does."""
    first_open = t.fixtures[t.settled].round
    if t.revealed or t.shown is not None or first_open == t.round:
        return None
    last = first_hidden_round(t)
    return None if last is None or first_open >= last else last


def covered(before: Tournament, after: Tournament, event: MatchStarted | Ended) -> Tournament:
    """`after`, which this event led to from `before`, with what it hides."""
    first = first_hidden_round(before) if before.shown is None else 0
    if first is None or before.by_id[event.fixture].round < first:
        return after
    return after.but(shown=public(before), hidden=after.hidden | {event.match})


def lifted(t: Tournament) -> Tournament:
    return t.but(revealed=True, shown=None, hidden=frozenset())
