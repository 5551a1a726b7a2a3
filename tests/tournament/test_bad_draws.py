"""A format, somebody else's plug-in, that draws what can't be played: a sentence that names the fault, at once."""

from unittest.mock import patch

import pytest

from palestra_tournament import Draw, Entrant, begin, meeting, parse_spec
from palestra_tournament.drawn import BadDraw

SPEC = parse_spec('name = "cup"\ngames = ["connect4"]\nformat = "round-robin"\nseeding = "roster"')


@pytest.mark.parametrize(
    ("draw", "why"),
    [
        (lambda t: Draw(meeting(t, 1, 1, ("ana", "ana"))), "pairs ana with itself in round 1."),
        (lambda t: Draw(meeting(t, 1, 1, ("ana", "eva"))), "pairs eva in round 1, who does not play here"),
        (lambda _: Draw(()), "draws nothing new, and would forever: 'draw' returns None"),
        (lambda t: Draw(meeting(t, 1, 1, ("ana", "bob"))), "draws fixture 1-1-connect4-1-1 twice"),
        (lambda t: Draw(meeting(t, 1, 1, ("ana", "bob")) * 2), "draws fixture 1-1-connect4-1-1 twice"),
        (lambda t: meeting(t, 1, 1, ("ana", "bob")), "draws a tuple: 'draw' returns a Draw or None."),
        (lambda t: Draw((meeting(t, 1, 1, ("ana", "bob")),)), "draws a tuple as a fixture"),
    ],
)
def test_a_draw_that_cannot_be_played_is_refused_in_a_sentence(draw, why):
    with (
        patch.object(type(SPEC.format), "draw", lambda _, t, _pair: draw(t)),
        pytest.raises(BadDraw, match="The format 'round-robin' ") as refused,
    ):
        begin(SPEC, [Entrant("ana"), Entrant("bob")], 7, 0)
    assert why in str(refused.value)
