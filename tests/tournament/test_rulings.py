"""The teacher's rulings: what they change, what they leave alone, and when they come too late."""

import json

import pytest

from palestra_tournament import (
    Closed,
    Completed,
    Ended,
    Entrant,
    MatchStarted,
    Notify,
    Part,
    Paused,
    Record,
    Resumed,
    Ruled,
    Withdrew,
    begin,
    create,
    event_from_record,
    event_to_record,
    first_incomplete,
    grades,
    page,
    parse_spec,
    playable,
    progress,
    ratings,
    replay,
    rule,
    schedule,
    standings,
    step,
)
from palestra_tournament.pending import with_fixtures

WIN, LOSS, DRAW = (1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)
NAMES = ("ana", "bob", "eva", "dan")


def cup(kind="round-robin", more=""):
    return parse_spec(f'name = "cup"\ngames = ["connect4"]\nformat = "{kind}"\nseeding = "roster"\n{more}')


class Played:
    """A tournament with the records of it; every match is called after its fixture, and the first seat wins."""

    def __init__(self, spec, names=NAMES):
        self.t, effects = begin(spec, [Entrant(name) for name in names], 7, 0)
        self.records = [create(spec, 7, "", 0)]
        self.keep(effects)

    def keep(self, effects):
        self.records += [effect.event for effect in effects if isinstance(effect, Record)]
        self.effects = effects

    def feed(self, event):
        self.t, effects = step(self.t, event)
        left = [(place, each) for place, each in enumerate(self.t.fixtures) if each.id not in self.t.results]
        assert self.t.pending == with_fixtures({}, left)
        self.keep(effects)
        return effects

    def one(self, returns=WIN, reason="rules", match=None):
        fixture = next(playable(self.t))
        match = match or f"m-{fixture.id}"
        self.feed(MatchStarted(fixture.id, match, 1))
        self.feed(Ended(fixture.id, match, returns, reason, 3, (3, 3, 3), (5, 6, 7), 1))
        return fixture, match

    def all(self):
        while next(playable(self.t), None) is not None:
            self.one()

    def rule(self, match, verdict, winner=""):
        return self.feed(Ruled(match, verdict, winner, "the server stood still", 2))

    @property
    def champion(self):
        (champion,) = [row.player for row in standings(self.t, rated=False) if row.rank == 1]
        return champion

    def points(self):
        return {row.player: row.points for row in standings(self.t, rated=False)}


def test_a_ruling_counts_and_both_players_are_told():
    played = Played(cup())
    fixture, match = played.one(LOSS, "timeout")
    first, second = fixture.players
    effects = played.rule(match, "win", first)
    assert [effect.player for effect in effects if isinstance(effect, Notify)] == [first, second]
    result = played.t.results[fixture.id]
    assert (result.points, result.reason, result.match) == ((1.0, 0.0), "ruled", match)
    assert not result.failed(first)
    assert played.points()[first] == 1
    assert ratings(played.t).players[first].elo > ratings(played.t).players[second].elo


@pytest.mark.parametrize(
    ("verdict", "points", "rated"), [("draw", (0.5, 0.5), True), ("void", (0, 0), False), ("stands", (0, 1), True)]
)
def test_what_each_verdict_is_worth(verdict, points, rated):
    played = Played(cup())
    fixture, match = played.one(LOSS, "timeout")
    played.rule(match, verdict)
    assert played.t.results[fixture.id].points == points
    assert bool(ratings(played.t).players) == rated


def test_the_last_of_several_rulings_counts_and_all_are_kept():
    played = Played(cup())
    fixture, match = played.one(LOSS, "timeout")
    for verdict in ("draw", "void", "stands"):
        played.rule(match, verdict)
    assert [each.verdict for each in played.t.rulings] == ["draw", "void", "stands"]
    assert played.t.results[fixture.id].reason == "timeout"


def test_a_replay_opens_the_fixture_also_after_the_end_and_its_result_counts():
    played = Played(cup(), NAMES[:2])
    fixture, match = played.one()
    played.all()
    assert played.t.phase == "completed"
    played.rule(match, "replay")
    assert played.t.phase == "running"
    assert list(playable(played.t)) == [fixture]
    played.one(LOSS, match="again")
    assert played.effects[-1] == Completed()
    assert played.t.results[fixture.id].match == "again"
    for late in (Ruled(match, "draw", "", "x", 3), Ruled(match, "replay", "", "x", 3)):
        with pytest.raises(ValueError, match=r"replay again counts"):
            rule(played.t, late)
    played.rule("again", "replay")
    with pytest.raises(ValueError, match=r"replayed as again"):
        rule(played.t, Ruled(match, "draw", "", "x", 3))


def test_void_matches_before_a_replay_are_not_counted_with_those_after_it():
    played = Played(cup(more="swap = false"), NAMES[:2])
    fixture, _ = played.one(DRAW, "void", "m1")
    played.one(match="m2")
    played.rule("m2", "replay")
    for match in ("m3", "m4"):
        played.one(DRAW, "void", match)
    assert fixture.id not in played.t.results
    played.one(DRAW, "void", "m5")
    assert played.t.results[fixture.id].reason == "void"


def test_a_replay_can_be_taken_back_before_it_begins():
    played = Played(cup(), NAMES[:2])
    fixture, match = played.one()
    played.rule(match, "replay")
    assert played.rule(match, "replay") == ()
    played.rule(match, "stands")
    assert played.t.results[fixture.id].reason == "rules"
    assert fixture not in playable(played.t)


def test_the_records_lead_to_the_same_tournament():
    played = Played(cup("swiss", "rounds = 3\n"))
    _, match = played.one()
    played.rule(match, "replay")
    played.one(LOSS, match="again")
    played.all()
    played.rule("again", "win", played.t.results[played.t.fixtures[0].id].fixture.players[0])
    lines = [json.dumps(event_to_record(event)) for event in played.records]
    assert replay(played.t.spec, [event_from_record(json.loads(line)) for line in lines]) == played.t


def test_a_ruling_after_the_next_round_was_drawn_undraws_nothing_and_counts_for_the_one_after():
    played = Played(cup("swiss", "rounds = 3\nswap = false\n"))
    fixture, match = played.one()
    while played.t.round < 2:
        played.one()
    drawn = played.t.fixtures
    played.rule(match, "win", fixture.players[1])
    assert played.t.fixtures == drawn
    played.all()
    other = Played(cup("swiss", "rounds = 3\nswap = false\n"))
    other.all()
    third = [[f.players for f in each.t.fixtures if f.round == 3] for each in (played, other)]
    assert third[0] != third[1]


def bracket_of(names, more="swap = false\ntie_breaks = 0\n"):
    return Played(cup("elimination", more), names)


def test_in_a_bracket_a_ruling_decides_who_goes_on():
    played = bracket_of(NAMES)
    fixture, match = played.one()
    winner, loser = fixture.players
    played.rule(match, "win", loser)
    played.one()
    (final,) = [f for f in played.t.fixtures if f.round == 2]
    assert loser in final.players
    assert winner not in final.players
    played.all()
    played.rule(played.t.results[final.id].match, "win", final.players[1])
    assert played.champion == final.players[1]


def test_a_later_ruling_strikes_what_was_drawn_for_others_and_has_it_drawn_anew():
    played = bracket_of(NAMES)
    fixture, match = played.one()
    winner, loser = fixture.players
    played.all()
    (final,) = [f for f in played.t.fixtures if f.round == 2]
    assert (played.t.phase, played.champion) == ("completed", winner)
    effects = played.rule(match, "win", loser)
    told = {effect.player for effect in effects if isinstance(effect, Notify)}
    assert told == {*fixture.players, *final.players}
    (fresh,) = playable(played.t)
    other = next(name for name in final.players if name != winner)
    assert (fresh.round, fresh.table, {*fresh.players}) == (2, 1, {loser, other})
    assert fresh.pair != final.pair
    (line,) = [each for each in schedule(played.t) if each.fixture == final]
    assert (line.result.reason, line.result.points, line.match) == ("struck", (0, 0), f"m-{final.id}")
    assert played.points()[winner] == 0, "neither the ruled match nor the struck one"
    with pytest.raises(ValueError, match="was struck"):
        rule(played.t, Ruled(line.match, "draw", "", "x", 3))
    played.all()
    assert (played.t.phase, played.champion) == ("completed", fresh.players[0])
    # Taken back: the two meet again, and have met already.
    played.rule(match, "stands")
    assert played.t.phase == "completed"
    assert played.t.results[final.id].reason == "rules"
    assert played.t.struck.keys() == {fresh.id}
    assert played.champion == winner
    assert replay(played.t.spec, played.records) == played.t


def test_what_is_struck_goes_on_through_the_rounds_and_comes_back_if_the_replay_ends_as_before():
    names = tuple("abcdefgh")
    played, found = bracket_of(names), {}
    while played.t.round < 3:
        fixture, match = played.one()
        found[fixture.round, fixture.table] = fixture, match
    later = [f for f in played.t.fixtures if f.round > 1 and (f.round, f.table) in ((2, 1), (3, 1))]
    fixture, match = found[1, 1]
    played.rule(match, "replay")
    assert played.t.struck.keys() == {f.id for f in later}
    kept = {f.id: played.t.struck[f.id] for f in later}
    assert next(playable(played.t)) == fixture
    played.one(match="again")
    assert not played.t.struck
    assert {each: played.t.results.get(each) for each in kept} == kept
    played.rule("again", "win", fixture.players[1])
    assert played.t.struck.keys() == {f.id for f in later}
    # What is drawn anew stands behind the rounds after it.
    second = [each for each in played.t.fixtures if each.round == 2]
    assert [each.fixture for each in page(played.t, Part(round=2)).fixtures] == second
    assert played.t.fixtures[-1] == second[-1] == next(playable(played.t))
    assert (first_incomplete(played.t), progress(played.t).round) == (2, 2)
    played.all()
    assert progress(played.t).round == 3
    assert played.t.phase == "completed"
    assert len(played.t.fixtures) == 7 + 2
    assert replay(played.t.spec, played.records) == played.t


def test_a_walkover_that_follows_gives_back_at_once_what_was_struck():
    """Who is ruled to go on is withdrawn: the next one goes on after all, and the final stays as it was."""
    played, found = bracket_of(tuple("abcdefgh")), {}
    while played.t.round < 3:
        fixture, match = played.one()
        found[fixture.round, fixture.table] = fixture, match
    final = played.t.fixtures[-1]
    # Somebody whom the winner of the first table met, and lost to.
    second, _ = found[2, 1]
    fixture, match = next(found[1, table] for table in (1, 2) if found[1, table][0].players[0] == second.players[1])
    played.feed(Withdrew(fixture.players[1], 2))
    before = played.t.results[second.id]
    played.rule(match, "win", fixture.players[1])
    assert played.t.struck == {second.id: before}
    assert (played.t.fixtures[-1].round, played.t.results[played.t.fixtures[-1].id].reason) == (2, "walkover")
    assert list(playable(played.t)) == [final]
    played.all()
    assert played.t.phase == "completed"
    assert len(played.t.fixtures) == 8


def test_what_is_being_played_is_not_struck():
    played = bracket_of(NAMES)
    fixture, match = played.one()
    played.one()
    final = next(playable(played.t))
    played.feed(MatchStarted(final.id, "live", 1))
    event = Ruled(match, "win", fixture.players[1], "x", 3)
    with pytest.raises(ValueError, match="Match live follows from match"):
        rule(played.t, event)
    assert step(played.t, event) == (played.t, ())
    played.feed(Ended(final.id, "live", WIN, "rules", 3, (3, 3, 3), (5, 6, 7), 1))
    assert played.feed(event)


def test_in_groups_a_ruling_on_who_qualifies_strikes_the_bracket():
    played = Played(cup("groups", "group_size = 3\nqualify = 1\nswap = false\n"), tuple("abcdef"))
    while played.t.round < 4:
        played.one()
    played.all()
    winner = played.champion
    lost = [r for r in played.t.results.values() if winner in r.fixture.players and r.fixture.round < 4]
    for result in lost:
        other = next(name for name in result.fixture.players if name != winner)
        played.rule(result.match, "win", other)
    assert played.t.struck
    played.all()
    assert played.t.phase == "completed"
    assert played.champion != winner
    assert replay(played.t.spec, played.records) == played.t


def test_nothing_is_struck_after_an_early_end():
    played = bracket_of(NAMES)
    fixture, match = played.one()
    played.all()
    played.rule(played.t.results[played.t.fixtures[-1].id].match, "replay")
    played.feed(Closed(3))
    with pytest.raises(ValueError, match="ended early"):
        rule(played.t, Ruled(match, "win", fixture.players[1], "x", 4))


def test_a_final_ruled_level_is_played_on():
    played = Played(cup("elimination", "swap = false\ntie_breaks = 1\n"), NAMES[:2])
    _, match = played.one()
    assert played.t.phase == "completed"
    played.rule(match, "draw")
    assert played.t.phase == "running"
    assert len(played.t.fixtures) == 2


def test_grades_follow():
    played = Played(cup(more="[grades]\nreliability = { points = 4 }\ntop = [{ places = 1, points = 6 }]\n"), NAMES[:2])
    fixture, match = played.one(LOSS, "timeout")
    played.one()
    first = fixture.players[0]
    before = next(grade for grade in grades(played.t) if grade.player == first)
    played.rule(match, "win", first)
    after = next(grade for grade in grades(played.t) if grade.player == first)
    assert (before.points, after.points) == (2, 10)


def test_what_cannot_be_ruled_is_said():
    played = Played(cup())
    fixture, match = played.one()
    other = next(name for name in NAMES if name not in fixture.players)
    for event, said in (
        (Ruled("nothing", "void", "", "x", 2), "no match nothing"),
        (Ruled(match, "win", other, "x", 2), "did not play"),
    ):
        with pytest.raises(ValueError, match=said):
            rule(played.t, event)
    played.feed(Withdrew(fixture.players[0], 2))
    with pytest.raises(ValueError, match="is withdrawn"):
        rule(played.t, Ruled(match, "replay", "", "x", 2))
    played.feed(Closed(3))
    with pytest.raises(ValueError, match="ended early"):
        rule(played.t, Ruled(match, "replay", "", "x", 4))
    assert played.rule(match, "void")
    assert played.t.phase == "completed"
    for wrong in (("won", "", "x"), ("win", "", "x"), ("draw", "ana", "x"), ("void", "", " "), ("void", "", "a\nb")):
        with pytest.raises(ValueError, match=r"\.$"):
            Ruled(match, *wrong, 5)


def test_a_meeting_that_a_walkover_decides_gives_back_at_once_what_was_struck():
    played = Played(cup("elimination", "swap = false\ntie_breaks = 1"))
    first, match = played.one()
    played.one()
    winner, loser = first.players
    played.feed(Withdrew(loser, 1))
    final, of_final = played.one(LOSS if next(playable(played.t)).players[1] == winner else WIN)
    assert played.champion == winner
    played.rule(match, "draw")  # one more match decides, and the loser is out
    assert played.t.fixtures[-1].players == (winner, loser)
    assert (played.t.struck, played.t.phase, played.champion) == ({}, "completed", winner)
    assert played.t.results[final.id].match == of_final


def test_a_meeting_that_became_level_after_an_early_end_is_broken_as_soon_as_it_goes_on():
    played = Played(cup("elimination", "tie_breaks = 1"))
    played.one()
    two, other = (each for each in played.t.fixtures if each.id in ("1-1-connect4-1-2", "1-2-connect4-1-1"))
    for fixture in (two, other):
        played.feed(MatchStarted(fixture.id, f"m-{fixture.id}", 1))
    played.feed(Closed(1))
    for fixture in (two, other):
        played.feed(Ended(fixture.id, f"m-{fixture.id}", WIN, "rules", 3, (3, 3, 3), (5, 6, 7), 1))
    played.feed(Resumed(2))
    assert [fixture.pair for fixture in played.t.fixtures[4:]] == ["1-1-connect4-2"] * 2


def test_a_pause_ends_with_the_tournament():
    played = Played(cup(), NAMES[:2])
    _, match = played.one()
    fixture = next(playable(played.t))
    played.feed(MatchStarted(fixture.id, "last", 1))
    played.feed(Paused({"code": "host"}, 1))
    played.feed(Ended(fixture.id, "last", WIN, "rules", 3, (3, 3, 3), (5, 6, 7), 1))
    assert (played.t.phase, played.t.why_paused) == ("completed", None)
    played.rule(match, "replay")
    assert [fixture.id for fixture in playable(played.t)] == [match.removeprefix("m-")]
