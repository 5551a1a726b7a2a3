"""Results are told until something proves that they were heard."""

from __future__ import annotations

import pytest

from palestra_protocol.messages import Ready
from palestra_server.runtime import notices

AGAIN = ["match_start", "match_end"]


async def lost(home, ana, opponent="bob"):
    """A match that ana resigns, and whose result is announced."""
    match = ana.challenge(opponent)
    ana.resign(match)
    await home.over(match)
    home.now += 1
    return match


async def test_what_was_written_into_a_dead_line_is_told_again_and_again(open_home):
    home = open_home()
    ana, _bob = home.join("ana"), home.join("bob")
    match = await lost(home, ana)
    assert ana.kinds == AGAIN
    for _ in range(3):
        ana.leave()
        home.now += 1
        ana = home.join("ana", resumed=True)
        assert (ana.kinds, ana.sent[-1]["match"]) == (AGAIN, match)


async def test_a_frame_that_came_afterwards_proves_that_it_was_heard(open_home):
    home = open_home()
    ana, _bob = home.join("ana"), home.join("bob")
    match = await lost(home, ana)
    ana.says(Ready(match=match))
    ana.leave()
    assert home.join("ana", resumed=True).kinds == []


async def test_a_player_that_answers_during_the_announcement_has_heard_it(open_home, monkeypatch):
    home = open_home()
    ana, _bob = home.join("ana"), home.join("bob")
    match = ana.challenge("bob")
    send = ana.send

    def send_and_be_answered(message):
        send(message)
        if ana.kinds[-1] == "match_end":
            home.now += 1
            ana.last_read = home.now
            home.now += 1  # the other players are told, the lobby, the log

    monkeypatch.setattr(ana, "send", send_and_be_answered)
    ana.resign(match)
    await home.over(match)
    ana.leave()
    assert home.join("ana", resumed=True).kinds == []


async def test_a_frame_that_had_come_before_proves_nothing(open_home):
    home = open_home()
    ana, _bob = home.join("ana"), home.join("bob")
    match = ana.challenge("bob")
    over = home.matches[match].finished
    ana.resign(match)
    ana.says(Ready(match=match))  # before the result is durable
    home.now += 1
    await over
    ana.leave()
    assert home.join("ana", resumed=True).kinds == AGAIN


async def test_the_newest_results_are_kept_in_their_order(open_home):
    home = open_home(challenge_ms=0)
    ana, bob = home.join("ana"), home.join("bob")
    matches = [await lost(home, ana) for _ in range(notices.RESULTS_MAX + 2)]
    bob.leave()
    back = home.join("bob", resumed=True)
    assert [message["match"] for message in back.sent[::2]] == matches[2:]


async def test_a_stranger_of_the_same_name_hears_nothing_not_even_later(open_home):
    home = open_home()
    ana, _bob = home.join("ana"), home.join("bob")
    await lost(home, ana)
    ana.leave()
    stranger = home.join("ana")
    assert stranger.kinds == []
    stranger.leave()
    assert home.join("ana", resumed=True).kinds == []


async def test_the_player_of_the_roster_does_not_hear_what_was_for_the_guest(open_home):
    home = open_home()
    ana, _bob = home.join("ana"), home.join("bob")
    await lost(home, ana)
    ana.leave()
    assert home.join("ana", guest=False, resumed=True).kinds == []


@pytest.mark.parametrize(("name", "heard"), [("p0", []), ("p2", AGAIN)])
async def test_only_so_many_players_are_remembered(open_home, monkeypatch, name, heard):
    monkeypatch.setattr(notices, "RESULT_PLAYERS_MAX", 3)
    home = open_home()
    ana = home.join("ana")
    for opponent in ("p0", "p1", "p2"):
        peer = home.join(opponent)
        await lost(home, ana, opponent)
        peer.leave()
    assert home.join(name, resumed=True).kinds == heard


@pytest.mark.parametrize("away", [False, True])
async def test_a_guests_match_ends_when_the_name_comes_to_the_roster(open_home, away):
    home = open_home()
    ana, bob = home.join("ana"), home.join("bob")
    match = ana.challenge("bob")
    ana.ready(match)
    bob.ready(match)
    if away:
        ana.leave()
    over = home.matches[match].finished
    roster_ana = home.join("ana", guest=False, resumed=True)
    outcome = await over
    assert (outcome.reason, outcome.returns) == ("void", (0, 0))
    assert (roster_ana.kinds, bob.kinds[-1]) == ([], "match_end")


async def test_a_player_of_the_roster_comes_back_to_its_own_match(open_home):
    home = open_home()
    ana, _bob = home.join("ana", guest=False, resumed=True), home.join("bob")
    match = ana.challenge("bob")
    ana.leave()
    assert home.host.matches_of("ana", False) == [match]
    assert home.join("ana", guest=False, resumed=True).kinds == ["match_start"]
