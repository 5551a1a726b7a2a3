"""A part of a schedule is what one would pick from the whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palestra_tournament import (
    Ended,
    Entrant,
    MatchStarted,
    Part,
    Withdrew,
    begin,
    page,
    parse_spec,
    playable,
    rounds,
    schedule,
    schedule_csv,
    step,
)

NAMES = ("ana", "bob", "eva", "ian", "zoe")
CUP = 'name = "cup"\ngames = ["connect4", "mancala"]\nformat = "{format}"\nseed = 3\n'


def states(format):
    """A tournament after each event: results, no-shows, a withdrawal with its walkovers."""
    t, _ = begin(parse_spec(CUP.format(format=format)), [Entrant(name, name[0]) for name in NAMES], 3, 0)
    yield t
    for number in range(200):
        fixture = next(playable(t), None)
        if fixture is None:
            return
        t, _ = step(t, MatchStarted(fixture.id, f"m{number}", 0))
        yield t
        shows = "zoe" not in fixture.players
        first = fixture.players[1] == "zoe" if not shows else number % 2
        returns = (1.0, -1.0) if first else (-1.0, 1.0)
        end = Ended(fixture.id, f"m{number}", returns, "rules" if shows else "not_ready", 9, (), (), 0)
        t, _ = step(t, end)
        yield t
        if number == 5:
            t, _ = step(t, Withdrew("ian", 0))
            yield t


PLAYED = [t for format in ("round-robin", "swiss", "elimination") for t in states(format)]
PARTS = st.builds(
    Part,
    round=st.none() | st.integers(1, 6),
    players=st.lists(st.sampled_from((*NAMES, "nobody")), max_size=2, unique=True).map(tuple),
    group=st.none() | st.sampled_from("abeizx"),
    game=st.none() | st.sampled_from(("connect4", "mancala", "chess")),
    state=st.none() | st.sampled_from(("waiting", "playing", "ended")),
    start=st.integers(0, 60),
    limit=st.none() | st.integers(1, 20),
)


@given(st.sampled_from(PLAYED), PARTS)
def test_a_page_is_what_one_would_pick(t, part):
    whole = list(enumerate(schedule(t)))
    picked = [
        (place, line)
        for place, line in whole
        if place >= part.start
        and part.round in (None, line.fixture.round)
        and set(part.players) <= set(line.fixture.players)
        and (part.players or part.group is None or part.group in {name[0] for name in line.fixture.players})
        and part.game in (None, line.fixture.game)
        and part.state in (None, line.state)
    ]
    found = page(t, part)
    limit = len(picked) if part.limit is None else part.limit
    assert list(found.fixtures) == [line for _, line in picked[:limit]]
    assert found.next == next((place for place, _ in picked[limit:]), None)
    byes = [bye for bye in page(t).byes if part.round in (None, bye.round) and part.players in ((), (bye.player,))]
    assert list(found.byes) == [bye for bye in byes if part.players or part.group in (None, bye.player[0])]


@given(st.sampled_from(PLAYED), st.integers(1, 9))
def test_the_pages_one_after_the_other_are_the_whole(t, limit):
    lines, start = [], 0
    while start is not None:
        found = page(t, Part(start=start, limit=limit))
        lines += found.fixtures
        start = found.next
    assert lines == list(schedule(t))


@given(st.sampled_from(PLAYED))
def test_the_rounds_count_what_the_schedule_lists(t):
    lines = schedule(t)
    for each in rounds(t):
        mine = [line for line in lines if line.fixture.round == each.round]
        assert (each.fixtures, each.ended) == (len(mine), sum(line.state == "ended" for line in mine))
    assert sum(each.fixtures for each in rounds(t)) == len(lines)


def test_a_walkover_against_nobody_counts_for_nobody_in_a_page_as_in_the_file():
    *_, t = states("round-robin")
    found = page(t, Part(players=("ian", "zoe"))).fixtures
    assert [(line.result.reason, line.result.points) for line in found] == [("walkover", (0.0, 0.0))] * 4
    assert schedule_csv(t).count("0:0,walkover") == 4
