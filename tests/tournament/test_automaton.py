"""The state machine: what each event does to a tournament, and what it tells the shell."""

import hashlib
import json

import pytest

from palestra_tournament import (
    Closed,
    Completed,
    Ended,
    Entrant,
    MatchStarted,
    Notify,
    Paused,
    Record,
    Reinstated,
    Resumed,
    Withdrew,
    begin,
    create,
    event_from_record,
    event_to_record,
    parse_spec,
    playable,
    progress,
    replay,
    schedule,
    step,
)

WIN, DRAW, LOSS = (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)
NAMES = ("ana", "bob", "eva", "dan")


def cup(extra="", kind="round-robin"):
    return parse_spec(f'name = "cup"\ngames = ["connect4"]\nformat = "{kind}"\nseeding = "roster"\n{extra}')


def started(spec=None, names=NAMES, seed=7):
    return begin(spec or cup(), [Entrant(name) for name in names], seed, 0)


def ended(fixture, returns=WIN, reason="rules", match=None):
    return Ended(fixture.id, match or f"m-{fixture.id}", returns, reason, 3, (3, 3, 3), (5, 6, 7), 1000)


def finish(t, returns=WIN, reason="rules"):
    """Plays all that can be played, one after the other; the effects of all steps."""
    effects = []
    while (fixture := next(playable(t), None)) is not None:
        t, _ = step(t, MatchStarted(fixture.id, f"m-{fixture.id}", 1))
        t, more = step(t, ended(fixture, returns, reason))
        effects += more
    return t, effects


def test_a_round_robin_goes_from_the_first_effect_to_the_last():
    t, effects = started()
    assert [type(effect) for effect in effects] == [Record]
    assert len(t.fixtures) == 12
    assert progress(t) == (0, 12, 1, 3)
    t, effects = finish(t)
    assert [type(effect) for effect in effects] == [Record] * 12 + [Completed]
    assert t.phase == "completed"
    assert {line.state for line in schedule(t)} == {"ended"}


def test_each_opening_is_played_twice_with_the_seats_swapped():
    t, _ = started(cup("pairs = 2\n"))
    pairs = {}
    for fixture in t.fixtures:
        pairs.setdefault(fixture.pair, []).append(fixture)
    assert all(a.players == b.players[::-1] and a.opening == b.opening for a, b in pairs.values())
    assert len({fixture.opening for fixture in t.fixtures}) > 1
    assert len({fixture.id for fixture in t.fixtures}) == 24


def test_a_bot_plays_one_match_at_a_time_and_a_slow_one_holds_up_nobody():
    t, _ = started()
    first = next(playable(t))
    t, _ = step(t, MatchStarted(first.id, "m1", 1))
    others = list(playable(t))
    assert others
    assert all(set(f.players).isdisjoint(first.players) for f in others)
    # The other two finish all that they have between them while the first match goes on.
    t, _ = finish(t)
    assert [f.id for f in t.fixtures if f.id in t.results and set(f.players).isdisjoint(first.players)]
    assert list(t.playing) == [first.id]


def test_two_matches_at_a_time_if_the_file_says_so():
    t, _ = started(cup("per_bot = 2\n"))
    first = next(playable(t))
    t, _ = step(t, MatchStarted(first.id, "m1", 1))
    second = next(f for f in playable(t) if f.pair == first.pair)
    t, _ = step(t, MatchStarted(second.id, "m2", 1))
    assert all(set(f.players).isdisjoint(first.players) for f in playable(t))


def test_what_does_not_fit_changes_nothing():
    t, _ = started()
    first = next(playable(t))
    t, _ = step(t, MatchStarted(first.id, "m1", 1))
    other_match = ended(first, match="m2")
    again = ended(first, match="m1")
    for event in (
        other_match,
        MatchStarted("9-9-chess-1-1", "m9", 1),
        Resumed(1),
        Withdrew("nobody", 1),
        Reinstated("ana", 1),
    ):
        assert step(t, event) == (t, ())
    t, effects = step(t, again)
    assert effects
    assert step(t, again) == (t, ())


def test_a_pause_and_the_end_before_time():
    t, _ = started()
    first = next(playable(t))
    t, _ = step(t, MatchStarted(first.id, "m1", 1))
    t, _ = step(t, Paused({"code": "host"}, 2))
    assert list(playable(t)) == []
    t, _ = step(t, Resumed(3))
    assert list(playable(t))
    t, effects = step(t, Closed(4))
    assert Completed() not in effects
    assert list(playable(t)) == []
    t, effects = step(t, ended(first, match="m1"))
    assert effects[-1] == Completed()
    assert progress(t).total == 1


def test_a_void_match_is_played_again_up_to_three_times():
    t, _ = started(names=NAMES[:2])
    first = t.fixtures[0]
    for attempt in range(3):
        assert next(playable(t)) == first
        t, _ = step(t, MatchStarted(first.id, f"m{attempt}", 1))
        t, _ = step(t, ended(first, DRAW, "void", f"m{attempt}"))
    assert next(playable(t)) == t.fixtures[1]
    assert t.results[first.id].points == (0.0, 0.0)


def test_a_void_match_of_a_player_that_is_withdrawn_goes_to_the_other():
    t, _ = started(names=NAMES[:2])
    first = t.fixtures[0]
    t, _ = step(t, MatchStarted(first.id, "m1", 1))
    t, _ = step(t, Withdrew(first.players[0], 2))
    t, effects = step(t, ended(first, DRAW, "void", "m1"))
    assert t.results[first.id].points == (0.0, 1.0)
    assert effects[-1] == Completed()


@pytest.mark.parametrize("reason", ["not_ready", "disconnect"])
def test_three_absences_in_a_row_withdraw_a_bot_with_a_notice(reason):
    t, _ = started()
    notices = []
    for fixture in t.fixtures:
        if "ana" in fixture.players and fixture.id not in t.results:
            t, effects = step(t, ended(fixture, LOSS if fixture.players[0] == "ana" else WIN, reason))
            notices += [effect for effect in effects if isinstance(effect, Notify)]
    assert notices == [Notify("ana", {"code": "absent", "count": 3})]
    lost = [r for r in t.results.values() if "ana" in r.fixture.players]
    assert [r.reason for r in lost] == [reason] * 3 + ["walkover"] * 3
    assert all(r.points[r.fixture.players.index("ana")] == 0 for r in lost)
    t, _ = finish(t)
    assert t.phase == "completed"


@pytest.mark.parametrize(
    "reasons",
    [["disconnect", "disconnect", "rules", "disconnect", "timeout", "disconnect"], ["timeout"] * 6, ["illegal"] * 6],
)
def test_who_plays_is_not_absent_however_slowly_or_wrongly(reasons):
    t, _ = started()
    for fixture in t.fixtures:
        if "ana" in fixture.players:
            t, _ = step(t, ended(fixture, LOSS if fixture.players[0] == "ana" else WIN, reasons.pop(0)))
    assert not t.withdrawn


def test_nobody_wins_when_nobody_comes():
    t, _ = started(names=NAMES[:2])
    t, _ = step(t, ended(t.fixtures[0], DRAW, "not_ready"))
    assert t.results[t.fixtures[0].id].points == (0.0, 0.0)
    assert t.failures == {"ana": 1, "bob": 1}


def test_the_host_withdraws_a_player_and_takes_it_back():
    t, _ = started()
    first = next(playable(t))
    player = first.players[0]
    t, _ = step(t, MatchStarted(first.id, "m1", 1))
    t, _ = step(t, Withdrew(player, 2))
    # What it plays is played to its end, and counts.
    assert first.id not in t.results
    t, _ = step(t, ended(first, match="m1"))
    assert t.results[first.id].points == (1.0, 0.0)
    assert sum(r.reason == "walkover" for r in t.results.values()) == 5
    # When it is back it may play what it did not begin.
    t, _ = step(t, Reinstated(player, 3))
    assert player in t.active
    assert list(t.results) == [first.id]
    t, _ = finish(t)
    assert {r.reason for r in t.results.values()} == {"rules"}


def test_a_player_that_comes_back_to_a_swiss_may_play_the_round_that_goes_on():
    t, _ = started(cup("rounds = 3\n", "swiss"))
    first = next(playable(t))
    player = first.players[0]
    t, _ = step(t, Withdrew(player, 2))
    assert first.id in t.results
    back, _ = step(t, Reinstated(player, 3))
    assert first in playable(back)
    # Once the next round is drawn, it is too late.
    while t.round == 1:
        t, _ = step(t, ended(next(playable(t))))
    t, _ = step(t, Reinstated(player, 4))
    assert t.results[first.id].reason == "walkover"
    t, _ = finish(t)
    assert any(player in f.players for f in t.fixtures if f.round == 3)


def test_the_records_are_json_and_lead_to_the_same_tournament():
    spec = cup()
    t, effects = started(spec)
    told = [*effects]
    for event in (Paused({"code": "host"}, 1), Resumed(2), Withdrew("bob", 3)):
        t, effects = step(t, event)
        told += effects
    while (fixture := next(playable(t), None)) is not None:
        for event in (MatchStarted(fixture.id, f"m-{fixture.id}", 4), ended(fixture, DRAW)):
            t, effects = step(t, event)
            told += effects
    records = [event_to_record(effect.event) for effect in told if isinstance(effect, Record)]
    text = [json.dumps(record, sort_keys=True) for record in records]
    events = [event_from_record(json.loads(line)) for line in text]
    assert replay(spec, [create(spec, 7, "", 0), *events]) == t


@pytest.mark.parametrize("record", [{}, {"type": "sung"}, {"type": "ended", "fixture": "1"}, {"type": "paused"}])
def test_a_broken_record_is_told_in_a_sentence(record):
    with pytest.raises(ValueError, match=r"[.?]$"):
        event_from_record(record)


@pytest.mark.parametrize(
    "entrants", [[], [Entrant("ana")], [Entrant("a"), Entrant("a")], [Entrant("a"), Entrant("level1", "", True)]]
)
def test_entrants_that_cannot_play_are_refused_with_a_sentence(entrants):
    with pytest.raises(ValueError, match=r"\.$"):
        begin(cup(), entrants, 1, 0)


def test_a_tournament_begins_once():
    t, effects = started()
    with pytest.raises(ValueError, match="begins once"):
        step(t, effects[0].event)
    with pytest.raises(ValueError, match="no record"):
        replay(t.spec, [])
    created = create(t.spec, 1, "salt", 0)
    assert replay(t.spec, [created]) is None
    for wrong in ([Resumed(1)], [effects[0].event], [created, Resumed(1)], [created, created]):
        with pytest.raises(ValueError, match="can't begin with"):
            replay(t.spec, wrong)
    with pytest.raises(ValueError, match="begins once"):
        replay(t.spec, [created, effects[0].event, created])


def test_a_tournament_keeps_its_file_and_its_seed_is_hidden_until_it_begins():
    spec = cup()
    created = create(spec, 7, "salt", 0)
    assert created.commitment == hashlib.sha256(b"7|salt").hexdigest()
    with pytest.raises(ValueError, match="not the one that it was created with"):
        replay(cup("pairs = 2"), [created])


def test_the_end_before_time_is_taken_back():
    t, _ = started()
    t, effects = step(t, Closed(4))
    assert effects[-1] == Completed()
    assert step(t, Reinstated("ana", 5)) == (t, ())
    t, effects = step(t, Resumed(5))
    assert (t.phase, t.closed) == ("running", False)
    t, effects = finish(t)
    assert len(t.results) == 12
    assert effects[-1] == Completed()


def test_who_was_withdrawn_by_mistake_plays_also_after_the_end():
    t, _ = started(names=NAMES[:2])
    t, effects = step(t, Withdrew("ana", 1))
    assert effects[-1] == Completed()
    t, effects = step(t, Reinstated("ana", 2))
    assert t.phase == "running"
    t, effects = finish(t)
    assert {result.reason for result in t.results.values()} == {"rules"}
    assert effects[-1] == Completed()
