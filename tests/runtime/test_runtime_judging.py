"""Who judges what."""

from __future__ import annotations

from types import SimpleNamespace

from palestra_protocol.analysis import LiveValue
from palestra_server.runtime.judging import LEASE_S, LOANS_MAX, Leases, LiveJudging


def test_a_match_that_no_judge_answers_for_is_not_offered_for_ever():
    now = 0.0
    leases = Leases(lambda: now)
    for _ in range(LOANS_MAX):
        assert leases.withheld() == []
        leases.lend("m")
        assert leases.withheld() == ["m"]
        now += LEASE_S
    assert leases.withheld() == ["m"]
    leases.answered("m")
    assert leases.withheld() == []


class Follows:
    """A judge that follows a match, and what was told of it."""

    def __init__(self, match="m"):
        self.match = SimpleNamespace(ply=0, phase="playing", config=SimpleNamespace(game="connect4"))
        self.playing = SimpleNamespace(matches={"m": SimpleNamespace(match=self.match)})
        self.told = []
        self.live = LiveJudging(self.playing, lambda: self.told.append(self.live.value.ply))
        self.live.follow(match)

    def says(self, ply):
        self.live.told("m", LiveValue(ply=ply, chance=0.5, proved=False))
        return self.told


def test_a_value_is_told_once_its_position_has_been_played_on():
    one = Follows()
    assert one.live.is_on()
    assert one.live.lend(["mancala"]) is None
    assert one.live.lend(["connect4"]) is not None
    assert one.live.lend(["connect4"]) is None, "another judge has it"
    assert one.says(0) == []
    assert one.live.value is None
    one.match.ply = 1
    one.live.is_on()
    assert one.told == [0]
    one.live.lend(["connect4"])
    one.match.ply = 2
    assert one.says(1) == [0, 1], "a slow judge has nothing to wait for"
    assert one.says(0) == [0, 1], "and one that is slower still nothing to say"
    one.live.lend(["connect4"])
    assert one.says(2) == [0, 1]
    one.playing.matches.clear()
    assert not one.live.is_on()
    assert one.told == [0, 1, 2], "nobody plays on from there"


def test_only_the_match_that_was_asked_for_is_followed():
    one = Follows(match=None)
    assert (one.live.is_on(), one.live.lend(["connect4"])) == (False, None)
    one.match.ply = 1
    assert one.says(0) == []
    one.live.follow("m")
    assert one.says(0) == [0]
    one.live.follow(None)
    assert one.live.value is None
