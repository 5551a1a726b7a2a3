"""A result in a tournament's events must be what the records of its match say, in everything."""

from dataclasses import replace

import pytest

from palestra_referee import MatchConfig, Outcome
from palestra_referee.layout import NOWHERE
from palestra_referee.reading import Wrong
from palestra_referee.verification import Played
from palestra_tournament import Closed, Ended, Entrant, MatchStarted, begin, parse_spec, step
from palestra_tournament.export import place_of
from palestra_tournament.verify import _after, _check_places

SPEC = parse_spec(
    'name = "cup"\ngames = ["connect4"]\nformat = "round-robin"\n'
    "[clock]\nmove_ms = 1500\ngrace_ms = 70\nready_ms = 9000\naway_ms = 4000\n"
)
T = begin(SPEC, [Entrant("ana"), Entrant("bob"), Entrant("eva")], 7, 0)[0]
FIXTURE, OTHER = T.fixtures[:2]
GOING_ON = step(T, MatchStarted(FIXTURE.id, "m1", 5))[0]
CONFIG = MatchConfig(
    match="m1",
    game="connect4",
    players=FIXTURE.players,
    opening=FIXTURE.opening,
    move_ms=1500,
    grace_ms=70,
    ready_ms=9000,
    away_ms=4000,
    away="bank",
    tournament="cup",
    fixture=FIXTURE.id,
    ply_limit=200,
    rated=True,
)
PLAYED = Played(
    CONFIG, Outcome((1.0, -1.0), "rules", {"code": "won"}), 3, (3, 0, 3), (11, 12, 13), (1, 0), place_of(FIXTURE), "ff"
)
ENDED = Ended(FIXTURE.id, "m1", (1.0, -1.0), "rules", 3, (3, 0, 3), (11, 12, 13), 9, (1, 0))


def verified(event=ENDED, played=PLAYED, now=GOING_ON):
    """The tournament after this event, and the remarks."""
    remarks = []
    of = {} if played is None else {"m1": played}
    return _after(now, SPEC, event, "here", of, {"m1": FIXTURE}, remarks), remarks


def test_what_agrees_passes():
    after, remarks = verified()
    assert (after.results[FIXTURE.id].returns, remarks) == ((1.0, -1.0), [])


CONFIGS = {
    "fixture": OTHER.id,
    "tournament": "other",
    "game": "mancala",
    "players": tuple(reversed(FIXTURE.players)),
    "opening": (*FIXTURE.opening, 0),
    "rated": False,
    "guests": (False, True),
    "move_ms": 1501,
    "seat_ms": (1500, 1500),
    "grace_ms": 71,
    "ready_ms": 9001,
    "away": "clock",
    "away_ms": 4001,
}


@pytest.mark.parametrize("key", CONFIGS)
def test_the_match_is_what_the_tournament_asked_for(key):
    with pytest.raises(Wrong, match=f"^here: the {key} of match m1 is .* in its records, but .* in the tournament"):
        verified(played=replace(PLAYED, config=replace(CONFIG, **{key: CONFIGS[key]})))


RESULTS = {
    "returns": (-1.0, 1.0),
    "reason": "ply_limit",
    "plies": 4,
    "actions": (3, 0, 2),
    "charged_ms": (11, 12, 14),
    "drops": (0, 1),
}


@pytest.mark.parametrize("key", RESULTS)
def test_the_result_is_what_the_match_came_to(key):
    event = replace(ENDED, **{key: RESULTS[key]})
    with pytest.raises(Wrong, match=f"^here: the {key} of match m1 is"):
        verified(event)


@pytest.mark.parametrize("ms", [10, 12])
@pytest.mark.parametrize("ply", range(3))
def test_no_charge_may_differ_by_a_millisecond(ms, ply):
    charged = tuple(ms if number == ply else each for number, each in enumerate(ENDED.charged_ms))
    if charged == ENDED.charged_ms:
        charged = tuple(each + 2 for each in charged)
    for event, played in ((replace(ENDED, charged_ms=charged), PLAYED), (ENDED, replace(PLAYED, charged_ms=charged))):
        with pytest.raises(Wrong, match="the charged_ms of match m1"):
            verified(event, played)


def test_only_a_match_that_started_ends():
    with pytest.raises(Wrong, match="the fixture nowhere was never drawn"):
        verified(replace(ENDED, fixture="nowhere"))
    with pytest.raises(Wrong, match="match m1 ended without having started"):
        verified(now=T)
    with pytest.raises(Wrong, match="match m2 ended without having started"):
        verified(replace(ENDED, match="m2"))
    with pytest.raises(Wrong, match="match m1 ended without having started"):
        verified(now=verified()[0])


VOID = Ended(FIXTURE.id, "m1", (0.0, 0.0), "void", 0, (), (), 9)


def test_a_match_without_records_was_void_and_that_is_told():
    after, remarks = verified(VOID, None)
    assert FIXTURE.id not in after.results
    assert remarks == ["Void without records: match m1 of the tournament cup; it could not go on."]


@pytest.mark.parametrize(
    "change",
    [
        {"returns": (1.0, -1.0)},
        {"reason": "rules"},
        {"plies": 1},
        {"actions": (3,)},
        {"charged_ms": (1,)},
        {"drops": (0, 1)},
    ],
    ids=str,
)
def test_nothing_else_goes_without_records(change):
    with pytest.raises(Wrong, match=r"^here: the export has no match m1"):
        verified(replace(VOID, **change), None)


def test_an_event_that_does_not_fit_or_is_dated_back_was_not_written():
    started = MatchStarted(FIXTURE.id, "m1", 5)
    with pytest.raises(Wrong, match=r"^here: at_ms is 4, before that of the event before, 5\.$"):
        verified(replace(ENDED, at_ms=4))
    verified(replace(ENDED, at_ms=5))
    over = verified()[0]
    with pytest.raises(Wrong, match="'started' does not fit here"):
        _after(over, SPEC, replace(started, at_ms=9), "here", {}, {}, [])
    with pytest.raises(Wrong, match="match m1 was started before, and did not end"):
        _after(GOING_ON, SPEC, replace(started, match="m2"), "here", {}, {}, [])
    with pytest.raises(Wrong, match="match m1 was started before, and did not end"):
        _after(T, SPEC, started, "here", {}, {"m1": OTHER}, [])
    assert _after(T, SPEC, Closed(9), "here", {}, {}, []).phase == "completed", "which has more effects than one"
    begun = {}
    _after(T, SPEC, started, "here", {}, begun, [])
    assert begun == {"m1": FIXTURE}


def test_a_match_stands_in_its_place_and_belongs_to_who_started_it():
    _check_places({"m1": PLAYED}, {"m1": FIXTURE}, ["cup"])
    casual = replace(PLAYED, config=replace(CONFIG, tournament=None, fixture=None), place=NOWHERE)
    _check_places({"m1": casual}, {}, ["cup"])
    _check_places({"m1": replace(PLAYED, place=NOWHERE)}, {}, ["other"])
    with pytest.raises(Wrong, match="match m1 was not started by the tournament cup"):
        _check_places({"m1": PLAYED}, {}, ["cup"])
    for this, begun in ((replace(PLAYED, place=NOWHERE), {"m1": FIXTURE}), (PLAYED, {"m1": OTHER})):
        with pytest.raises(Wrong, match="match m1: fixture, round and pair are"):
            _check_places({"m1": this}, begun, ["cup"])
    with pytest.raises(Wrong, match="match m1: fixture, round and pair are"):
        _check_places({"m1": PLAYED}, {}, [])


def test_the_matches_of_a_tournament_stand_in_the_order_of_their_starts():
    second = replace(PLAYED, config=replace(CONFIG, match="m2", fixture=OTHER.id), place=place_of(OTHER))
    begun = {"m1": FIXTURE, "m2": OTHER}
    _check_places({"m1": PLAYED, "m2": second}, begun, ["cup"])
    with pytest.raises(Wrong, match=r"m2 before m1, against the events of tournament cup\.$"):
        _check_places({"m2": second, "m1": PLAYED}, begun, ["cup"])
    elsewhere = replace(second, config=replace(second.config, tournament="top"))
    _check_places({"m2": elsewhere, "m1": PLAYED}, begun, ["cup", "top"])


def test_a_match_is_void_for_a_bot_of_the_host_that_is_one():
    late = {"code": "house_late", "player": "ana"}
    void = replace(ENDED, returns=(0.0, 0.0), reason="void")
    played = replace(PLAYED, outcome=Outcome((0.0, 0.0), "void", late))
    with pytest.raises(Wrong, match="match m1 was void for ana, who is no reference bot"):
        verified(void, played)
    entrants = tuple(each._replace(reference=each.name == "ana") for each in GOING_ON.entrants)
    verified(void, played, GOING_ON.but(entrants=entrants))
