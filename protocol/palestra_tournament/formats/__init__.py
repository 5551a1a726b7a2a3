"""The formats: each is a function that draws the next fixtures from the current state of a tournament."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from palestra_tournament.formats.elimination import Tie, bracket_ties, draw_elimination
from palestra_tournament.formats.gauntlet import contenders, draw_gauntlet, gauntlet_rounds
from palestra_tournament.formats.groups import draw_groups, group_orders, last_group_round, qualified
from palestra_tournament.formats.ladder import draw_ladder
from palestra_tournament.formats.meetings import Draw, matches_of_a_meeting
from palestra_tournament.formats.pairing import PairRound, Pairs, Round, pair_round
from palestra_tournament.formats.round_robin import draw_round_robin
from palestra_tournament.formats.swiss import draw_swiss, swiss_rounds
from palestra_tournament.model import Tournament
from palestra_tournament.spec import Format

_DRAWS: Final[Mapping[Format, Callable[[Tournament], Draw | None]]] = {
    "round-robin": draw_round_robin,
    "elimination": draw_elimination,
    "gauntlet": lambda t: draw_gauntlet(t, t.spec.cycles),
    "ladder": draw_ladder,
    "groups": draw_groups,
}


def draw(t: Tournament, pair: PairRound) -> Draw | None:
    """The next fixtures; None while results are outstanding, or if nothing more is to come."""
    return draw_swiss(t, pair) if t.spec.format == "swiss" else _DRAWS[t.spec.format](t)


def bracket(t: Tournament) -> tuple[tuple[Tie, ...], ...]:
    """The rounds of the bracket as far as they are known; () for formats without one, and during the group stage."""
    if t.spec.format == "elimination":
        rounds = bracket_ties(t, contenders(t), gauntlet_rounds(t))
    elif t.spec.format == "groups" and _groups_are_played(t) and len(qualified(t)) > 1:
        rounds = bracket_ties(t, qualified(t), last_group_round(t))
    else:
        rounds = []
    return tuple(tuple(ties) for ties in rounds)


def groups(t: Tournament) -> tuple[tuple[str, ...], ...]:
    """The players of each group, best first; () for formats without groups."""
    if t.spec.format != "groups":
        return ()
    return tuple(map(tuple, group_orders(t)))


def group_places(t: Tournament) -> dict[str, float]:
    """Everybody's place in its group, from 1."""
    return {name: float(place) for order in groups(t) for place, name in enumerate(order, start=1)}


def _groups_are_played(t: Tournament) -> bool:
    stage = last_group_round(t)
    return all(fixture.id in t.results for fixture in t.fixtures if fixture.round <= stage)


def planned(t: Tournament) -> tuple[int | None, int | None]:
    """How many fixtures and rounds the tournament will have if all goes as planned; None if that can't be known."""
    drawn, size = len(t.fixtures), matches_of_a_meeting(t)
    if t.spec.format == "swiss":
        rounds = gauntlet_rounds(t) + swiss_rounds(t)
        players = sum(name not in t.withdrawn for name in contenders(t))
        return drawn + (rounds - max(t.round, gauntlet_rounds(t))) * (players // 2) * size, rounds
    if t.spec.format == "ladder":
        return (None if t.spec.rounds is None else t.spec.rounds * len(t.active) // 2 * size), None
    if t.spec.format in ("elimination", "groups"):
        in_groups = t.spec.format == "groups"
        before = last_group_round(t) if in_groups else gauntlet_rounds(t)
        names = qualified(t) if in_groups else contenders(t)
        met = {(fixture.round, fixture.table) for fixture in t.fixtures if fixture.round > before}
        return drawn + (len(names) - 1 - len(met)) * size, before + (len(names) - 1).bit_length()
    return drawn, t.round


__all__ = [
    "Draw",
    "PairRound",
    "Pairs",
    "Round",
    "Tie",
    "bracket",
    "draw",
    "group_places",
    "groups",
    "pair_round",
    "planned",
]
