"""Whether what a format has drawn can be played: formats are plug-ins, and a wrong draw would only be noticed far from
its cause, or, drawn again and again, keep the server from everything else.
"""

from __future__ import annotations

from collections.abc import Iterator

from palestra_protocol.harmless import ForPeople
from palestra_tournament.interface import Draw
from palestra_tournament.model import Fixture, Tournament


class BadDraw(ForPeople):
    """A format draws what can't be played; `str()` is a sentence for whoever writes it."""


def checked(t: Tournament, drawn: object) -> Draw:
    """`drawn`, what the tournament's format has just drawn. Raises BadDraw."""
    for fault in _faults(t, drawn):
        raise BadDraw(f"The format '{t.spec.format.name}' {fault}.")
    assert isinstance(drawn, Draw)
    return drawn


def _faults(t: Tournament, drawn: object) -> Iterator[str]:
    if not isinstance(drawn, Draw):
        yield f"draws a {type(drawn).__name__}: 'draw' returns a Draw or None"
        return
    if not drawn.fixtures and all(bye in t.byes for bye in drawn.byes):
        yield "draws nothing new, and would forever: 'draw' returns None when nothing is to be drawn now"
    players = frozenset(t.seeds)
    ids = set[str]()
    for fixture in drawn.fixtures:
        if not isinstance(fixture, Fixture):
            yield f"draws a {type(fixture).__name__} as a fixture: put those of 'meeting(...)' into one tuple"
            return
        one, other = fixture.players
        if one == other:
            yield f"pairs {one} with itself in round {fixture.round}"
        for stranger in {one, other} - players:
            yield f"pairs {stranger} in round {fixture.round}, who does not play here: choose from 't.seeds'"
        if fixture.id in t.by_id or fixture.id in ids:
            yield f"draws fixture {fixture.id} twice: each meeting needs its own round and table"
        ids.add(fixture.id)
