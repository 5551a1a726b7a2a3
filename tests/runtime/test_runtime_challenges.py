"""Casual matches: what may be asked for, who waits, and who is protected from whom."""

from __future__ import annotations

import pytest
from tests.support.homes import cup

from palestra_server.runtime import DirectorError, challenges


async def test_a_challenge_may_name_opening_and_budgets(open_home):
    home = open_home()
    ana, bob = home.join("ana"), home.join("bob")
    match = ana.challenge("bob", opening=(3, 3), seat_ms=(None, 60_000))
    config = home.matches[match].match.config
    assert (config.opening, config.seat_ms, config.away) == ((3, 3), (2000, 60_000), "bank")
    starts = [peer.sent[-1] for peer in (ana, bob)]
    assert [start["move_ms"] for start in starts] == [2000, 60_000]
    assert [start["seat_ms"] for start in starts] == [(2000, 60_000)] * 2
    assert starts[0]["opening"] == (3, 3)


async def test_equal_budgets_are_one_number(open_home):
    home = open_home()
    ana, _ = home.join("ana"), home.join("bob")
    ana.challenge("bob", seat_ms=(500, 500))
    assert (ana.sent[-1]["move_ms"], ana.sent[-1]["seat_ms"]) == (500, None)


@pytest.mark.parametrize("opening", [(3,) * 7, (9,), (0, 1, 0, 1, 0, 1, 0)])
async def test_an_opening_that_cannot_be_played_is_refused_in_a_sentence(open_home, opening):
    home = open_home()
    ana, _ = home.join("ana"), home.join("bob")
    assert ana.challenge("bob", opening=opening) is None
    assert ana.codes == ["illegal_action"]
    assert ana.sent[-1]["message"].startswith("The opening ")


@pytest.mark.parametrize(("guests", "rated"), [((False, False), True), ((True, False), False), ((False, True), False)])
async def test_only_players_of_the_roster_play_for_the_ratings(open_home, guests, rated):
    home = open_home()
    ana, _ = home.join("ana", guest=guests[0]), home.join("bob", guest=guests[1])
    match = ana.challenge("bob", rated=True)
    config = home.matches[match].match.config
    assert (config.rated, config.away) == (rated, "clock" if rated else "bank")
    assert (ana.sent[-1]["rated"], ana.sent[-1]["away_ms"]) == (rated, 0 if rated else 10_000)


async def test_waiting_challengers_are_served_in_order_the_roster_first(open_home):
    home = open_home()
    bob = home.join("bob")
    match = home.join("eva").challenge("bob")
    guests = [home.join(name) for name in ("g1", "g2")]
    student = home.join("student", guest=False)
    for peer in (*guests, student):
        assert peer.challenge("bob", wait=True) is None
        assert (peer.sent[-1]["type"], peer.sent[-1]["code"]) == ("notice", "queued")
    assert "number 1" in student.sent[-1]["message"]
    stranger = home.join("stranger")
    order = []
    for _ in range(3):
        bob.resign(match)
        await home.over(match)
        stranger.challenge("bob")
        match = bob.sent[-1]["match"]
        order.append(home.matches[match].players[0])
    assert order == ["student", "g1", "g2"]
    assert stranger.codes == ["player_busy"] * 3


async def test_one_challenge_waits_at_a_time_and_leaving_ends_it(open_home):
    home = open_home()
    bob = home.join("bob")
    match = home.join("eva").challenge("bob")
    ana, fay = home.join("ana"), home.join("fay")
    ana.challenge("bob", wait=True)
    ana.challenge("bob", wait=True)
    assert ana.codes == ["try_later"]
    fay.challenge("bob", wait=True)
    ana.leave()
    bob.resign(match)
    await home.over(match)
    assert home.matches[bob.sent[-1]["match"]].players[0] == "fay"


async def test_a_waiting_challenger_hears_that_the_opponent_left(open_home):
    home = open_home()
    bob, _ = home.join("bob"), home.join("eva").challenge("bob")
    ana = home.join("ana")
    ana.challenge("bob", wait=True)
    bob.leave()
    assert ana.codes == ["try_later"]


async def test_a_name_that_nobody_has_is_told_apart_from_a_player_who_is_away(open_home):
    home = open_home()
    home.house.roster.add("zoe")
    ana = home.join("ana")
    home.join("random")
    for name in ("zoe", "rndom", "quux"):
        ana.challenge(name, wait=True)
    assert ana.codes == ["try_later", "unknown_player", "unknown_player"]
    away, near, nobody = (message["message"] for message in ana.sent if message["type"] == "error")
    assert away == "zoe is not connected now; challenge again when it is."
    assert near == "Nobody called rndom is here; did you mean random?"
    assert nobody.startswith("Nobody called quux is here: check the spelling")


async def test_only_a_few_unknown_names_are_compared_with_all_who_are_here(open_home):
    home = open_home()
    ana = home.join("ana")
    home.join("random")
    for _ in range(challenges.HINT_BURST + 1):
        ana.challenge("rndom")
    home.now += 10**9
    ana.challenge("rndom")
    said = [message["message"] for message in ana.sent if message["type"] == "error"]
    assert ["did you mean" in each for each in said] == [True] * challenges.HINT_BURST + [False, True]


async def test_guests_of_one_address_are_counted_together(open_home, monkeypatch):
    monkeypatch.setattr(challenges, "ADDRESS_BURST", 3)
    home = open_home()
    bobs = [home.join(f"bob{number}") for number in range(5)]
    for number in range(3):
        assert home.join(f"g{number}", address="10.0.0.1").challenge(bobs[number].player)
    late = home.join("g3", address="10.0.0.1")
    assert late.challenge("bob3") is None
    assert late.codes == ["try_later"]
    assert home.join("elsewhere", address="10.0.0.2").challenge("bob3")
    assert home.join("student", guest=False, address="10.0.0.1").challenge("bob4")


async def test_all_guests_together_start_only_so_many_matches_against_one_player(open_home, monkeypatch):
    monkeypatch.setattr(challenges, "VICTIM_BURST", 3)
    home = open_home()
    bob = home.join("bob")
    for number in range(4):
        guest = home.join(f"g{number}", address=f"10.0.0.{number}")
        match = guest.challenge("bob")
        if number < 3:
            guest.resign(match)
            await home.over(match)
    assert guest.codes == ["try_later"]
    assert home.join("student", guest=False).challenge("bob"), "the roster does not suffer from it"
    assert bob.kinds.count("match_start") == 4


async def test_a_player_refuses_a_challenger_by_resigning_before_it_is_ready(open_home):
    home = open_home()
    ana, bob = home.join("ana"), home.join("bob")
    match = ana.challenge("bob")
    over = home.matches[match].finished
    bob.resign(match)
    assert (await over).reason == "void"
    assert ana.challenge("bob") is None
    assert "bob refused your challenge: challenge again in 60 s." in ana.sent[-1]["message"]
    home.now += challenges.DECLINED_NS
    assert ana.challenge("bob")


async def test_nobody_is_challenged_while_the_name_changes(open_home):
    home = open_home()
    ana, bob = home.join("ana"), home.join("bob")
    for one, other in ((ana, "bob"), (bob, "ana")):
        with home.house.director.renaming("bob"):
            assert one.challenge(other) is None
        assert "being renamed; challenge again in a moment" in one.sent[-1]["message"]
    assert ana.challenge("bob") is not None
    with pytest.raises(DirectorError, match="bob is in a match"), home.house.director.renaming("bob"):
        pass


async def test_a_player_needed_in_a_tournament_is_not_challenged(open_home):
    home = open_home()
    ana, _ = home.join("ana"), home.join("bob", guest=False)
    home.house.claims.note(cup("ana", "bob"))
    assert ana.challenge("bob") is None
    assert "cup" in ana.sent[-1]["message"]


async def test_a_sparring_partner_takes_several_matches_at_a_time(open_home):
    home = open_home()
    home.references.limits = {"mtdf": 2}
    home.join("mtdf")
    assert [bool(home.join(f"p{number}").challenge("mtdf")) for number in range(3)] == [True, True, False]
