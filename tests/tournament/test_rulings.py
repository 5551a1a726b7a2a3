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
    Record,
    Ruled,
    Withdrew,
    begin,
    create,
    event_from_record,
    event_to_record,
    grades,
    parse_spec,
    playable,
    ratings,
    replay,
    rule,
    standings,
    step,
)

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


def test_in_a_bracket_a_ruling_decides_who_goes_on_until_the_next_meeting_is_drawn():
    spec = cup("elimination", "swap = false\ntie_breaks = 0\n")
    played = Played(spec)
    fixture, match = played.one()
    winner, loser = fixture.players
    played.rule(match, "win", loser)
    played.one()
    (final,) = [f for f in played.t.fixtures if f.round == 2]
    assert loser in final.players
    assert winner not in final.players
    before = played.t
    for verdict, name in (("win", winner), ("stands", ""), ("replay", "")):
        with pytest.raises(ValueError, match="too late for the bracket"):
            rule(played.t, Ruled(match, verdict, name, "x", 3))
        assert played.rule(match, verdict, name) == ()
    assert played.t == before
    played.all()
    _, last = final, played.t.results[final.id].match
    played.rule(last, "win", final.players[1])
    (champion,) = [row.player for row in standings(played.t, rated=False) if row.rank == 1]
    assert champion == final.players[1]


def test_a_ruling_on_a_meeting_whose_winner_has_played_on_comes_too_late_too():
    played = Played(cup("elimination", "swap = false\ntie_breaks = 0\n"))
    fixture, match = played.one()
    played.all()
    with pytest.raises(ValueError, match="too late for the bracket"):
        rule(played.t, Ruled(match, "win", fixture.players[1], "x", 3))


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
