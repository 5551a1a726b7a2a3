"""Who comes late: what is drawn for them in each format, and when it is too late."""

from collections import Counter

import pytest

from palestra_tournament import (
    Closed,
    Ended,
    Entrant,
    Joined,
    MatchStarted,
    Notify,
    Refused,
    Revealed,
    Withdrew,
    begin,
    create,
    event_from_record,
    event_to_record,
    join,
    parse_spec,
    playable,
    progress,
    replay,
    standings,
    step,
)
from palestra_tournament.hiding import hides

LATE = Joined("eva", "B", 1)


def cup(kind="round-robin", more=""):
    return parse_spec(f'name = "cup"\ngames = ["connect4"]\nformat = "{kind}"\nseeding = "roster"\n{more}')


def begun(spec, count=4):
    players = [Entrant(f"p{number}") for number in range(count)]
    return begin(spec, [*players, *(Entrant(name, "", True) for name in spec.reference)], 7, 0)[0]


def played(t, until=None):
    """With matches played, the first seat winning, until `until(t)`, or to the end."""
    while not (until and until(t)) and (fixture := next(playable(t), None)) is not None:
        t, _ = step(t, MatchStarted(fixture.id, f"m-{fixture.id}", 1))
        t, _ = step(t, Ended(fixture.id, f"m-{fixture.id}", (1.0, -1.0), "rules", 1, (3,), (5,), 1))
    return t


def of(t, name):
    return [fixture for fixture in t.fixtures if name in fixture.players]


def others(t, name):
    return Counter(next(other for other in fixture.players if other != name) for fixture in of(t, name))


@pytest.mark.parametrize("swap", ["true", "false"])
def test_in_a_round_robin_who_comes_late_meets_everybody_in_further_rounds(swap):
    t = played(begun(cup(more=f"cycles = 2\nswap = {swap}\n")), lambda t: len(t.results) == 7)
    before = t
    t, effects = step(t, LATE)
    assert t.fixtures[: len(before.fixtures)] == before.fixtures
    assert set(others(t, "eva").values()) == {4 if swap == "true" else 2}
    assert others(t, "eva").keys() == {"p0", "p1", "p2", "p3"}
    assert [fixture.round for fixture in of(t, "eva")][:: 2 if swap == "true" else 1] == [*range(7, 15)]
    firsts = sum(fixture.players[0] == "eva" for fixture in of(t, "eva"))
    assert 2 * firsts == len(of(t, "eva"))
    assert [effect.player for effect in effects if isinstance(effect, Notify)] == ["eva"]
    t, _ = step(t, Joined("ida", "", 2))
    assert others(t, "ida").keys() == {"p0", "p1", "p2", "p3", "eva"}
    t = played(t)
    assert (t.phase, progress(t).total) == ("completed", len(t.fixtures))
    assert progress(t).rounds == t.round == 6 + 8 + 10
    assert {row.player: row.group for row in standings(t, rated=False)}["eva"] == "B"


def test_who_was_withdrawn_before_loses_to_the_latecomer_as_to_everybody_and_can_still_come_back():
    t, _ = step(begun(cup()), Withdrew("p0", 1))
    fixed = t.fixed
    t, _ = step(t, LATE)
    assert [t.results[fixture.id].reason for fixture in of(t, "eva") if fixture.id in t.results] == ["walkover"] * 2
    assert t.fixed == fixed


def test_in_a_swiss_who_comes_late_is_paired_from_the_next_round_on_and_gets_nothing_for_those_before():
    t = played(begun(cup("swiss", "rounds = 3\n"), 5), lambda t: t.round == 2)
    t, _ = step(t, LATE)
    assert of(t, "eva") == []
    t = played(t, lambda t: t.round == 3)
    assert {fixture.round for fixture in of(t, "eva")} == {3}
    with pytest.raises(Refused, match="comes too late"):
        join(t, Joined("ida", "", 1))
    assert step(t, Joined("ida", "", 1)) == (t, ())


@pytest.mark.parametrize(("kind", "more"), [("swiss", "rounds = 3\n"), ("gauntlet", "")])
def test_who_comes_late_meets_each_reference_bot_too(kind, more):
    t = begun(cup(kind, 'reference = ["level1", "level2"]\n' + more))
    t = played(t, lambda t: len(t.results) > 3 and (kind == "gauntlet" or t.round == 3))
    t, _ = step(t, LATE)
    t = played(t)
    assert t.phase == "completed"
    met = others(t, "eva")
    assert (met["level1"], met["level2"]) == (2, 2)
    assert len(t.by_id) == len(t.fixtures) == len(t.results)
    assert progress(t).rounds == t.round


def test_on_a_ladder_who_comes_late_is_paired_as_soon_as_somebody_is_idle():
    t = played(begun(cup("ladder")), lambda t: t.round == 5)
    t, _ = step(t, LATE)
    assert t.seeds[-1] == "eva"
    t = played(t, lambda t: t.round == 10)
    assert 3 <= len({fixture.round for fixture in of(t, "eva")}) <= 6


@pytest.mark.parametrize("kind", ["elimination", "groups"])
def test_a_bracket_takes_nobody_who_comes_late(kind):
    t = begun(cup(kind, 'reference = ["level1"]\n'))
    with pytest.raises(Refused, match="comes too late for cup") as refused:
        join(t, LATE)
    assert refused.value.code == "join_late"


def test_nobody_joins_twice_nor_after_the_end_nor_while_a_round_is_hidden():
    t = begun(cup(more='embargo = "last-round"\n'))
    hidden = played(t, hides)
    cases = {
        "join_twice": (t, "p1"),
        "join_over": (step(t, Closed(1))[0], "eva"),
        "join_hidden": (hidden, "eva"),
        "join_large": (begun(cup("swiss", "rounds = 100\npairs = 50\n"), 101), "eva"),
    }
    for code, (state, name) in cases.items():
        with pytest.raises(Refused) as refused:
            join(state, Joined(name, "", 1))
        assert refused.value.code == code
        assert step(state, Joined(name, "", 1)) == (state, ())
    shown, _ = step(hidden, Revealed(1))
    assert step(shown, LATE)[1]
    with pytest.raises(Refused, match="is over"):
        join(played(t), LATE)


def test_the_records_lead_to_the_same_tournament():
    spec = cup()
    t = begun(spec)
    records = [create(spec, 7, "", 0)]
    players = [Entrant(f"p{number}") for number in range(4)]
    records += [effect.event for effect in begin(spec, players, 7, 0)[1][:1]]
    t, effects = step(t, LATE)
    records.append(effects[0].event)
    kept = [event_from_record(event_to_record(event)) for event in records]
    assert replay(spec, kept) == t
