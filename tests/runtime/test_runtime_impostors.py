"""A match of the roster's player is for who has proved to be that player, whatever a guest is called."""

from __future__ import annotations

import pytest
from tests.support.director import CUP, NAMES, Bot, House

from palestra_protocol.messages import Action, Ready, Resign


@pytest.fixture
async def home(tmp_path, supervisor):
    home = House(tmp_path / "data", supervisor)
    yield home
    home.close()


def guest(home, name):
    """One that answers whatever it is asked; nothing in the gateway stopped it."""
    impostor = Bot(home, name, True, False, "127.0.0.1")
    home.host.on_join(impostor)
    return impostor


@pytest.mark.parametrize("name", ["ana", "level8"])
async def test_a_tournaments_matches_never_go_to_a_guest(home, name):
    impostor, (bob, _eva) = guest(home, name), home.bots("bob", "eva")
    home.timetable.begin()
    live = await home.director.create(CUP + 'reference = ["level8"]\n')
    home.director.start("cup")
    await home.until(lambda: len(live.tournament.results) >= 2)
    assert impostor.sent == []
    assert name in live.snapshot()["missing"]
    assert not any(name in match.players for match in home.matches.values())
    impostor.leave()
    home.bots("ana", "level8")
    t = await home.over()
    assert {result.reason for result in t.results.values()} == {"rules"}
    assert "match_end" in bob.kinds


async def test_a_match_begun_without_its_player_does_not_wait_for_a_guest(home):
    home.bots("bob")
    live = await home.director.create(CUP)
    home.director.start("cup")
    fixture = next(each for each in live.tournament.fixtures if "ana" in each.players)
    impostor = guest(home, "ana")
    live.play(fixture)
    (match,) = home.matches.values()
    later = guest(home, "ana")
    assert (impostor.sent, later.sent) == ([], [])
    assert home.host.matches_of("ana", True) == []
    (ana,) = home.bots("ana")
    assert ana.kinds == ["match_start"]
    assert home.matches[match.id] is match, "nothing a guest did has ended it"


@pytest.mark.parametrize("says", [Ready, Resign, lambda match: Action(match=match, ply=0, action=3)])
async def test_who_only_has_the_name_can_say_nothing_in_its_match(home, says):
    ana, bob = home.join("ana", guest=False), home.join("bob", guest=False)
    match = ana.challenge("bob")
    live = home.matches[match]
    bob.ready(match)
    if says is not Ready:
        ana.ready(match)
    before = live.match
    impostor = home.join("ana")
    impostor.says(says(match=match))
    assert impostor.codes == ["not_in_match"]
    assert live.match is before
    impostor.leave()
    again = home.join("ana", guest=False, resumed=True)
    assert again.kinds[0] == "match_start"


async def test_a_guest_is_not_wanted_in_the_tournament_of_its_namesake(home):
    await home.director.create(CUP)
    home.director.start("cup")
    namesake, _ = home.join("ana"), home.join("visitor")
    assert namesake.challenge("visitor"), "only the roster's ana is"


@pytest.mark.parametrize(("called", "added"), [("zoe", "zoe"), ("ZOE", "zoe"), ("z\u043ee", "zoe")])
async def test_a_name_that_comes_to_the_roster_ends_the_guest_who_has_it(home, called, added):
    zoe, bob, zora = home.join(called), home.join("bob"), home.join("zora")
    match = zoe.challenge("bob")
    over = home.matches[match].finished
    home.host.take_names([added])
    outcome = await over
    assert (outcome.reason, outcome.why) == ("void", {"code": "name_taken", "player": called})
    assert (zoe.connected, zoe.codes) == (False, ["name_taken"])
    assert added in zoe.sent[-1]["message"]
    assert (bob.connected, zora.connected, bob.kinds[-1]) == (True, True, "match_end")


async def test_names_on_the_roster_leave_its_own_players_alone(home):
    ana, _bob = home.join("ana", guest=False), home.join("bob")
    match = ana.challenge("bob")
    home.host.take_names(NAMES[:1])
    assert (ana.connected, match in home.matches) == (True, True)
