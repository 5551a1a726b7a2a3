"""Who takes part: from the beginning, or from later on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from palestra_tournament.events import Joined
from palestra_tournament.faults import Fault, Refused
from palestra_tournament.interface import Draw
from palestra_tournament.model import Entrant, Tournament
from palestra_tournament.spec import Spec

FIXTURES_MAX: Final = 500_000  # that many take seconds to draw and half a gigabyte


def check_entrants(spec: Spec, entrants: Sequence[Entrant]) -> None:
    """Raises ValueError, with a one-sentence message, for entrants that can't play."""
    names = [entrant.name for entrant in entrants]
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"Everybody takes part once, but the list has {', '.join(twice)} more than once.")
    playing = [entrant for entrant in entrants if not entrant.reference]
    wanted = 1 if spec.format.needs_references else 2
    if len(entrants) < 2 or len(playing) < wanted:
        count = len(playing)
        raise ValueError(f"This format needs at least {wanted} players besides the reference bots, not {count}.")
    fault = too_large(spec, entrants)
    if fault is not None:
        raise ValueError(fault)


def too_large(spec: Spec, entrants: Sequence[Entrant]) -> Fault | None:
    """What is wrong if these would have more fixtures than a tournament may have."""
    players = sum(not entrant.reference for entrant in entrants)
    if players < 2 and not (players and spec.format.needs_references):
        return None
    names = tuple(entrant.name for entrant in entrants)
    planned = spec.format.planned(Tournament(spec, tuple(entrants), names, 0)).fixtures or 0
    return Fault("too_large", players=players, planned=planned, most=FIXTURES_MAX) if planned > FIXTURES_MAX else None


def join(t: Tournament, event: Joined) -> tuple[Tournament, Draw]:
    """The tournament with a player who comes late, and what the format draws for that player. Raises Refused."""
    name, player = t.spec.name, event.player
    if t.phase == "completed" or t.closed:
        raise Refused("join_over", f"{name} is over, or was ended: {player} can't join it any more.")
    if player in t.seeds:
        raise Refused("join_twice", f"{player} is in {name} already; 'reinstate' lets back in who was withdrawn.")
    if t.shown is not None:  # what is drawn then could be told from the public tournament
        raise Refused("join_hidden", f"{name} hides its last round: nobody can join it now.")
    entrants = (*t.entrants, Entrant(player, event.group))
    fault = too_large(t.spec, entrants)
    if fault is not None:
        raise Refused("join_large", fault)
    after = t.but(entrants=entrants, seeds=(*t.seeds, player))
    drawn = t.spec.format.join(after)
    if drawn is None:
        raise Refused("join_late", f"{player} comes too late for {name}: who can meet whom in it is settled.")
    return after, drawn
