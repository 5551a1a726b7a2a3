"""How long a tournament may take."""

from datetime import datetime, timedelta

import pytest

from palestra_server.runtime.outlook import outlook
from palestra_tournament import Entrant, parse_spec

NOW = datetime(2026, 12, 1, 18).astimezone()
CUP = 'name = "cup"\ngames = ["connect4"]\nformat = "{}"\n{}[clock]\nmove_ms = 9000\n'  # a match: 6 minutes


def looked(format, more="", players=4, bots=0):
    entrants = [Entrant(f"p{number}") for number in range(players)]
    entrants += [Entrant(f"level{number}", "", True) for number in range(bots)]
    return outlook(parse_spec(CUP.format(format, more)), entrants, int(NOW.timestamp() * 1000))


@pytest.mark.parametrize(
    ("format", "more", "matches", "minutes"),
    [
        ("round-robin", "", 12, 36),
        ("round-robin", "per_bot = 2\n", 12, 18),
        ("round-robin", "per_bot = 9\nswap = false\n", 6, 18),
        ("elimination", "", 6, 24),
        ("swiss", "rounds = 2\n", 8, 24),
        ("ladder", "rounds = 5\n", 20, 60),
    ],
)
def test_everybody_plays_one_meeting_after_the_other(format, more, matches, minutes):
    found = looked(format, more)
    assert found.matches == matches
    assert found.until == int((NOW + timedelta(minutes=minutes)).timestamp() * 1000)


def test_a_break_is_no_time_to_play():
    found = looked("round-robin", 'breaks = ["18:10-07:00"]\n')
    assert datetime.fromtimestamp(found.until / 1000).astimezone() == datetime(2026, 12, 2, 7, 26).astimezone()
    later = looked("round-robin", "start = 2026-12-24T20:00:00\n")
    assert datetime.fromtimestamp(later.until / 1000) == datetime(2026, 12, 24, 20, 36)


def test_nobody_knows_how_long_a_ladder_without_rounds_takes():
    assert looked("ladder") is None
    assert looked("round-robin", players=1) is None
    assert looked("gauntlet", 'reference = ["level0"]\n', players=1, bots=1).matches == 2
